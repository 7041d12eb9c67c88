import CWebSockets
import ListEngine

extension Server {
  /// Pings silent clients, and closes those that do not answer.
  func checkKeepalives(at now: Instant) {
    let round = clients.takeKeepalive(at: now)
    guard round != .notYet else { return }
    var gone: [OpaquePointer] = []
    for client in clients.all where !client.isClosing {
      if round == .late { client.keepalive.forgive() }
      if client.keepalive.isQuiet(at: now) {
        func known(_ bytes: Int64) -> Int64? { bytes < 0 ? nil : bytes }
        client.keepalive.note(received: known(clws_received(client.socket)), at: now)
        client.keepalive.note(arrived: known(clws_arrived(client.socket)), at: now)
      }
      switch client.keepalive.check(at: now) {
      case .fine: break
      case .ask:
        client.keepalive.isPingPending = true
        lws_callback_on_writable(client.socket)
      case .gone: gone.append(client.socket)
      }
    }
    // Closing one socket may close another one of the list.
    for socket in gone where clients[socket] != nil {
      lws_set_timeout(socket, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC)
    }
    if !gone.isEmpty {
      operations.logger.debug("silent clients are disconnected", metadata: ["count": "\(gone.count)"])
    }
  }

  /// Sends a ping as a raw frame, because libwebsockets' own ping adds a timer.
  func ping(_ client: ClientConnection) -> Bool {
    client.keepalive.isPingPending = false
    // With a payload, because libwebsockets reports such a pong at once.
    var frame = [UInt8](repeating: 0, count: CLWS_PRE) + [0x89, 1, 0x3F]
    return frame.withUnsafeMutableBufferPointer {
      clws_write_frame(client.socket, $0.baseAddress! + CLWS_PRE, $0.count - CLWS_PRE) >= 0
    }
  }
}
