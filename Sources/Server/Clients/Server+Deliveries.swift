import CWebSockets
import ListEngine
import Wire

/// Sending windows and patches.
extension Server {
  /// Sends a window or patch: immediately if the socket is idle, otherwise when it becomes
  /// writable.
  ///
  /// Waiting for writability costs four system calls per patch, because libuv removes the socket
  /// from epoll and adds it again. That is as much as sending a small patch. The socket nearly
  /// always has room, because a client has at most one unacknowledged patch. If it has none,
  /// libwebsockets buffers the rest, and nothing else is sent to the client meanwhile.
  func deliver(_ delivery: Delivery, to session: Session) {
    precondition(
      session.patch == nil && !session.isDraining, "page \(session.id.rawValue) was given two patches at once")
    let now = EventLoop.now
    session.patchSince = now
    noteCut(delivery, for: session, at: now)
    metrics.patches += 1
    let message = ServerMessage.delivery(delivery, epoch: engine.epoch)
    // Earlier messages must arrive first.
    guard !hasMore(session), lws_partial_buffered(session.socket) == 0 else {
      var bytes = Self.frameRoom
      message.encode(to: &bytes, counting: &metrics.encoding)
      session.patch = bytes
      lws_callback_on_writable(session.socket)
      return
    }
    outgoing.removeAll(keepingCapacity: true)
    outgoing.append(contentsOf: Self.frameRoom)
    message.encode(to: &outgoing, counting: &metrics.encoding)
    let isSent = send(&outgoing, to: session.socket)
    // Release an unusually large buffer.
    if outgoing.capacity > Self.greatestOutgoing { outgoing = [] }
    guard isSent else {
      // libwebsockets allows closing a socket only from its own callback.
      session.isBroken = true
      lws_callback_on_writable(session.socket)
      return
    }
    noteDelivered(to: session)
  }

  /// The space for the frame header, which libwebsockets writes in front of the message.
  static let frameRoom = [UInt8](repeating: 0, count: CLWS_PRE)
  private static let greatestOutgoing = 1 << 20

  /// Notes that a patch was passed to libwebsockets, which may still buffer a part of it.
  func noteDelivered(to session: Session) {
    guard lws_partial_buffered(session.socket) == 0 else {
      session.isDraining = true
      lws_callback_on_writable(session.socket)
      return
    }
    tellWritable(session)
  }

  /// Reports to the engine that a patch was sent completely, so that it may cut the next one.
  func tellWritable(_ session: Session) {
    let now = EventLoop.now
    if let since = session.patchSince { metrics.flushes.record(since.duration(to: now)) }
    noteSent(to: session, at: now)
    session.readySince = now
    session.patchSince = nil
    guard session.phase == .open else { return }
    engine.handle(.writable(session.id), at: now)
    loop.requestTurn()
  }

  /// Passes a message to libwebsockets, which buffers what the socket does not accept.
  ///
  /// - Parameter message: The message after ``frameRoom``, which is overwritten.
  /// - Returns: `false` if the socket is broken.
  func send(_ message: inout [UInt8], to socket: OpaquePointer) -> Bool {
    metrics.messagesSent += 1
    metrics.bytesSent += UInt64(message.count - CLWS_PRE)
    return message.withUnsafeMutableBufferPointer {
      clws_write_text(socket, $0.baseAddress! + CLWS_PRE, $0.count - CLWS_PRE) >= 0
    }
  }
}
