import CWebSockets
import ListEngine
import Wire

/// Windows and patches on their way to pages.
extension Server {
  /// Sends a window or patch: at once when the socket is free, otherwise when its turn comes.
  ///
  /// Waiting for the socket to be writable costs four calls of the system for each patch (libuv takes the socket out of epoll and puts it
  /// in again to wait, and once more to stop waiting), which is as much as sending a small one. A page has at most one patch on its way
  /// and has acknowledged the last one, so there is nearly always room. Where there is not, libwebsockets keeps the rest, and the page
  /// gets nothing more before that has gone.
  func deliver(_ delivery: Delivery, to session: Session) {
    precondition(
      session.patch == nil && !session.isDraining, "page \(session.id.rawValue) was given two patches at once")
    let now = EventLoop.now
    session.patchSince = now
    noteCut(delivery, for: session, at: now)
    metrics.patches += 1
    let message = ServerMessage.delivery(delivery, epoch: engine.epoch)
    // What was said before it arrives before it.
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
    // A very large one is not kept for ever.
    if outgoing.capacity > Self.greatestOutgoing { outgoing = [] }
    guard isSent else {
      // A socket is closed from its own callback only.
      session.isBroken = true
      lws_callback_on_writable(session.socket)
      return
    }
    noteDelivered(to: session)
  }

  /// libwebsockets writes a frame's head in front of the message.
  static let frameRoom = [UInt8](repeating: 0, count: CLWS_PRE)
  private static let greatestOutgoing = 1 << 20

  /// A patch was handed over: all of it, or libwebsockets keeps a part.
  func noteDelivered(to session: Session) {
    guard lws_partial_buffered(session.socket) == 0 else {
      session.isDraining = true
      lws_callback_on_writable(session.socket)
      return
    }
    tellWritable(session)
  }

  /// Tells the engine that a page's patch has gone, and that the next one may be cut.
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

  /// Hands a message to libwebsockets, which keeps what the socket does not take.
  ///
  /// - Parameter message: with ``frameRoom`` in front, which is written over.
  /// - Returns: `false` when the socket is of no use any more.
  func send(_ message: inout [UInt8], to socket: OpaquePointer) -> Bool {
    metrics.messagesSent += 1
    metrics.bytesSent += UInt64(message.count - CLWS_PRE)
    return message.withUnsafeMutableBufferPointer {
      clws_write_text(socket, $0.baseAddress! + CLWS_PRE, $0.count - CLWS_PRE) >= 0
    }
  }
}
