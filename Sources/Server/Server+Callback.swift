import CWebSockets
import ListEngine

/// What libwebsockets calls, for everything that happens; finds the server and goes on there.
let libraryCallback:
  @convention(c) (
    OpaquePointer?, lws_callback_reasons, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int
  ) -> Int32 = { socket, reason, user, bytes, count in
    guard let socket, let context = lws_get_context(socket), let owner = lws_context_user(context) else { return 0 }
    let server = Unmanaged<Server>.fromOpaque(owner).takeUnretainedValue()
    if reason == LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS {
      server.tlsContext = user.map { OpaquePointer($0) }
      return 0
    }
    return server.react(to: reason, on: socket, bytes, count) ? 0 : -1
  }

extension Server {
  /// Reacts to one thing that happened to a socket.
  ///
  /// - Returns: `false` when the socket is to be closed.
  fileprivate func react(
    to reason: lws_callback_reasons, on socket: OpaquePointer, _ bytes: UnsafeMutableRawPointer?, _ count: Int
  ) -> Bool {
    switch reason {
    case LWS_CALLBACK_FILTER_NETWORK_CONNECTION:
      // At the process's limit accept() fails, and libwebsockets spins on it. Its own bound for this (fd_limit_per_thread) makes every
      // event search all sockets, so the bound is here: a descriptor's number tells how many are in use.
      let descriptor = Int(bitPattern: bytes)
      guard !isStopping, descriptor < greatestDescriptor else { return false }
      switch connections.admit(from: Self.remoteAddress(of: Int32(descriptor)), at: EventLoop.now) {
      case .welcome: return true
      case .enoughFromThere: return false
      case .tooMany:
        metrics.turnedAway += 1
        return false
      }
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
      connections.add(socket, at: EventLoop.now)
      if connections.deadline != nil { loop.requestTurn() }
      return true

    // Plain requests.
    case LWS_CALLBACK_FILTER_HTTP_CONNECTION: return admitPageRequest(socket)
    case LWS_CALLBACK_HTTP: return answerPageRequest(socket)
    case LWS_CALLBACK_HTTP_WRITEABLE: return continueTransfer(on: socket)
    case LWS_CALLBACK_CLOSED_HTTP:
      transfers[socket] = nil
      headsOnly.remove(socket)
      waiting.remove(socket)
      leaveImages(socket)
      endDownload(on: socket)
      endWhenEmpty()
      return true
    // A body was refused before it could begin.
    case LWS_CALLBACK_HTTP_BODY, LWS_CALLBACK_HTTP_BODY_COMPLETION: return false

    // Upgrades. `bytes` of this one may point into memory that was given back (CVE-2025-11677): it is never looked at.
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return admitUpgrade(socket)
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
      return lws_get_protocol(socket).map { String(cString: $0.pointee.name) } == RequestGuard.subprotocol

    // Pages.
    case LWS_CALLBACK_ESTABLISHED:
      // Nobody gets here whose upgrade was not granted.
      guard let pass = admitted.removeValue(forKey: socket) else { return false }
      connections.settle(socket)
      greet(socket, with: pass)
      return true
    case LWS_CALLBACK_RECEIVE:
      guard let session = sessions[socket] else { return false }
      return receive(UnsafeRawBufferPointer(start: bytes, count: count), from: session)
    case LWS_CALLBACK_RECEIVE_PONG:
      sessions[socket]?.keepalive.hear(at: EventLoop.now)
      return true
    case LWS_CALLBACK_SERVER_WRITEABLE:
      guard let session = sessions[socket] else { return false }
      return write(to: session)
    case LWS_CALLBACK_TIMER:
      return sessions[socket].map(timerRanOut) ?? true
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
      // The answer to our own Close frame is not answered again.
      return sessions[socket]?.isShownOut != true
    case LWS_CALLBACK_CLOSED:
      forget(socket)
      return true
    case LWS_CALLBACK_WSI_DESTROY:
      connections.remove(socket)
      forget(socket)
      return true

    // CONNECT makes a raw socket of a request; there is none here.
    case LWS_CALLBACK_RAW_ADOPT, LWS_CALLBACK_RAW_RX, LWS_CALLBACK_RAW_WRITEABLE, LWS_CALLBACK_RAW_PROXY_SRV_ADOPT:
      return false
    default: return true
    }
  }

  private func greet(_ socket: OpaquePointer, with pass: AccessControl.Pass) {
    lastSession += 1
    metrics.sessions += 1
    let rate = MessageRate(
      TokenBucket(rate: configuration.messageRate, burst: configuration.messageBurst, at: EventLoop.now))
    let id = SessionID(rawValue: lastSession)
    let session = Session(
      id: id, socket: socket, pass: pass, token: resumeTokens.make(for: id), rate: rate,
      keepalive: Keepalive(configuration.patience, at: EventLoop.now))
    periodicTimer.begin(at: EventLoop.now)
    sessions[socket] = session
    sessionsByID[session.id] = session
    session.hasShare = sessionShares.take(pass.token)
    if !session.hasShare {
      refuse(session, .tooManySessionsOfToken(limit: sessionShares.limit), engineKnowsIt: false)
    } else if sessions.count > configuration.sessionLimit {
      refuse(session, .tooManySessions(limit: configuration.sessionLimit), engineKnowsIt: false)
    } else if isStopping {
      session.beginClosing(1001, "the server stops")
    } else {
      greetings.add(session.id, at: EventLoop.now)
      loop.requestTurn()
    }
  }

  private func forget(_ socket: OpaquePointer) {
    transfers[socket] = nil
    headsOnly.remove(socket)
    leaveImages(socket)
    endDownload(on: socket)
    admitted[socket] = nil
    if let session = sessions.removeValue(forKey: socket) {
      sessionsByID[session.id] = nil
      if session.hasShare { sessionShares.release(session.shareToken) }
      stats.unwatch(session.id)
      resumeTokens.leave(session.id)
      actions.leave(session.id)
      if session.isKnownToEngine {
        engine.handle(.close(session.id), at: EventLoop.now)
        loop.requestTurn()
      }
    }
    endWhenEmpty()
  }
}
