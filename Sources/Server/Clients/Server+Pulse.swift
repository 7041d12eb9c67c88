import CWebSockets
import ListEngine

extension Server {
  /// Pings silent clients, and closes those that do not answer.
  func checkKeepalives(at now: Instant) {
    let round = periodicTimer.take(at: now, isAnyoneThere: !sessions.isEmpty)
    guard round != .notYet else { return }
    var gone: [OpaquePointer] = []
    for session in sessions.values where !session.isClosing {
      if round == .late { session.keepalive.forgive() }
      if session.keepalive.isQuiet(at: now) {
        let bytes = clws_arrived(session.socket)
        session.keepalive.note(arrived: bytes < 0 ? nil : bytes, at: now)
      }
      switch session.keepalive.look(at: now) {
      case .fine: break
      case .ask:
        session.owesPing = true
        lws_callback_on_writable(session.socket)
      case .gone: gone.append(session.socket)
      }
    }
    // Closing one socket may close another one of the list.
    for socket in gone where sessions[socket] != nil {
      lws_set_timeout(socket, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC)
    }
    if !gone.isEmpty { logger.debug("pages are gone without a word", metadata: ["count": "\(gone.count)"]) }
  }

  /// Sends a ping as a raw frame, because libwebsockets' own ping adds a timer.
  func ping(_ session: Session) -> Bool {
    session.owesPing = false
    // The payload is needed, because libwebsockets does not report an empty pong.
    var frame = [UInt8](repeating: 0, count: CLWS_PRE) + [0x89, 1, 0x3F]
    return frame.withUnsafeMutableBufferPointer {
      clws_write_frame(session.socket, $0.baseAddress! + CLWS_PRE, $0.count - CLWS_PRE) >= 0
    }
  }
}
