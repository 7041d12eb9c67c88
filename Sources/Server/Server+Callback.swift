import CWebSockets
import ListEngine

/// The callback for all libwebsockets events; it dispatches them to the server that owns the
/// context.
let libraryCallback:
  @convention(c) (
    OpaquePointer?, lws_callback_reasons, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int
  ) -> Int32 = { socket, reason, user, bytes, count in
    guard let socket, let context = lws_get_context(socket), let owner = lws_context_user(context) else { return 0 }
    let server = Unmanaged<Server>.fromOpaque(owner).takeUnretainedValue()
    if reason == LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS {
      server.listener.tlsContext = user.map { OpaquePointer($0) }
      return 0
    }
    return server.react(to: reason, on: socket, bytes, count) ? 0 : -1
  }

extension Server {
  /// Handles one event of a socket.
  ///
  /// - Returns: `false` if the socket is to be closed.
  fileprivate func react(
    to reason: lws_callback_reasons, on socket: OpaquePointer, _ bytes: UnsafeMutableRawPointer?, _ count: Int
  ) -> Bool {
    switch reason {
    case LWS_CALLBACK_FILTER_NETWORK_CONNECTION:
      // At the process's descriptor limit accept() fails, and libwebsockets retries in a busy loop.
      // Its own limit (fd_limit_per_thread) makes every event search all sockets. Therefore check
      // the limit here: a descriptor's number shows how many are in use.
      let descriptor = Int(bitPattern: bytes)
      guard !isStopping, descriptor < greatestDescriptor else { return false }
      switch exchanges.connections.admit(from: Self.remoteAddress(of: Int32(descriptor)), at: EventLoop.now) {
      case .welcome: return true
      case .enoughFromThere: return false
      case .tooMany:
        operations.metrics.rejectedConnections += 1
        return false
      }
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
      exchanges.connections.add(socket, at: EventLoop.now)
      if exchanges.connections.deadline != nil { loop.requestTurn() }
      return true

    // Plain requests.
    case LWS_CALLBACK_FILTER_HTTP_CONNECTION: return admitPageRequest(socket)
    case LWS_CALLBACK_HTTP: return answerPageRequest(socket)
    case LWS_CALLBACK_HTTP_WRITEABLE: return continueTransfer(on: socket)
    case LWS_CALLBACK_CLOSED_HTTP:
      endExchange(on: socket)
      endWhenEmpty()
      return true
    // Bodies other than those of uploads and views are refused before they begin.
    case LWS_CALLBACK_HTTP_BODY:
      let part = UnsafeRawBufferPointer(start: bytes, count: count)
      return views.requests[body: socket] == nil ? receiveBody(part, on: socket) : receiveView(part, on: socket)
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
      endBody(on: socket)
      endViewBody(on: socket)
      return views.requests.isPending(socket) || exchanges.uploads[socket] != nil || exchanges.isDiscarding(socket)

    // Upgrades. Never read `bytes` here: it may point to freed memory (CVE-2025-11677).
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return admitUpgrade(socket)
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
      return lws_get_protocol(socket).map { String(cString: $0.pointee.name) } == RequestGuard.subprotocol

    // Established WebSockets.
    case LWS_CALLBACK_ESTABLISHED:
      // Only sockets with an accepted upgrade have an entry.
      guard let pass = exchanges.takePass(of: socket) else { return false }
      exchanges.connections.settle(socket)
      accept(socket, with: pass)
      return true
    case LWS_CALLBACK_RECEIVE:
      guard let client = clients[socket] else { return false }
      return receive(UnsafeRawBufferPointer(start: bytes, count: count), from: client)
    case LWS_CALLBACK_RECEIVE_PONG:
      clients[socket]?.keepalive.noteMessage(at: EventLoop.now)
      return true
    case LWS_CALLBACK_SERVER_WRITEABLE:
      guard let client = clients[socket] else { return false }
      return write(to: client)
    case LWS_CALLBACK_TIMER:
      return clients[socket].map(timerRanOut) ?? true
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
      // The client's reply to our Close frame needs no reply.
      return clients[socket]?.phase != .sentClose
    case LWS_CALLBACK_CLOSED:
      forget(socket)
      return true
    case LWS_CALLBACK_WSI_DESTROY:
      exchanges.connections.remove(socket)
      forget(socket)
      return true

    // CONNECT would turn a request into a raw socket, which the server does not support.
    case LWS_CALLBACK_RAW_ADOPT, LWS_CALLBACK_RAW_RX, LWS_CALLBACK_RAW_WRITEABLE, LWS_CALLBACK_RAW_PROXY_SRV_ADOPT:
      return false
    default: return true
    }
  }

  private func accept(_ socket: OpaquePointer, with pass: AccessControl.Pass) {
    let now = EventLoop.now
    operations.metrics.sessions += 1
    let rate = MessageRate(TokenBucket(rate: configuration.messageRate, burst: configuration.messageBurst, at: now))
    let id = clients.nextID()
    let client = ClientConnection(
      id: id, socket: socket, pass: pass, token: clients.resumeTokens.make(for: id), rate: rate,
      keepalive: Keepalive(configuration.patience, at: now))
    if !clients.add(client, at: now) {
      refuse(client, .tooManySessionsOfToken(limit: clients.shareLimit), engineKnowsIt: false)
    } else if clients.count > configuration.sessionLimit {
      refuse(client, .tooManySessions(limit: configuration.sessionLimit), engineKnowsIt: false)
    } else if isStopping {
      client.beginClosing(1001, "the server stops")
    } else {
      clients.awaitHello(of: client, at: now)
      loop.requestTurn()
    }
  }

  /// Ends everything that belongs to a closed socket.
  private func forget(_ socket: OpaquePointer) {
    endExchange(on: socket)
    if let client = clients.remove(socket) {
      operations.stats.unwatch(client.id)
      if client.isKnownToEngine {
        engine.handle(.close(client.id), at: EventLoop.now)
        loop.requestTurn()
      }
    }
    endWhenEmpty()
  }

  private func endExchange(on socket: OpaquePointer) {
    leaveImages(socket)
    leaveUpload(socket)
    endExport(on: socket)
    views.requests.leave(socket)
    exchanges.remove(socket)
  }
}
