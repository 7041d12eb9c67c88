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
  func deliver(_ delivery: Delivery, to client: ClientConnection) {
    precondition(
      client.pending.patch == nil && !client.delivery.isDraining,
      "page \(client.id.rawValue) was given two patches at once")
    let now = EventLoop.now
    client.delivery.noteCut(
      of: engine.table(named: delivery.schema.name), every: delivery.interval, isWhole: delivery.patch.base == nil,
      at: now)
    operations.metrics.patches += 1
    let message = ServerMessage.delivery(delivery, epoch: engine.epoch)
    // Earlier messages must arrive first.
    guard !hasMore(client), lws_partial_buffered(client.socket) == 0 else {
      var bytes = Self.frameRoom
      message.encode(to: &bytes, counting: &operations.metrics.encoding)
      client.send { $0.patch = bytes }
      return
    }
    outgoing.removeAll(keepingCapacity: true)
    outgoing.append(contentsOf: Self.frameRoom)
    message.encode(to: &outgoing, counting: &operations.metrics.encoding)
    let isSent = send(&outgoing, to: client.socket)
    // Release an unusually large buffer.
    if outgoing.capacity > Self.greatestOutgoing { outgoing = [] }
    guard isSent else {
      // libwebsockets allows closing a socket only from its own callback.
      client.phase = .broken
      lws_callback_on_writable(client.socket)
      return
    }
    client.heartbeats.lastSent = now
    noteDelivered(to: client)
  }

  /// The space for the frame header, which libwebsockets writes in front of the message.
  static let frameRoom = [UInt8](repeating: 0, count: CLWS_PRE)
  private static let greatestOutgoing = 1 << 20

  /// Notes that a patch was passed to libwebsockets, which may still buffer a part of it.
  func noteDelivered(to client: ClientConnection) {
    guard lws_partial_buffered(client.socket) == 0 else {
      client.delivery.isDraining = true
      lws_callback_on_writable(client.socket)
      return
    }
    noteWritable(client)
  }

  /// Reports to the engine that a patch was sent completely, so that it may cut the next one.
  func noteWritable(_ client: ClientConnection) {
    let now = EventLoop.now
    if let since = client.delivery.patchSince { operations.metrics.flushes.record(since.duration(to: now)) }
    if let (from, cut) = client.delivery.carried, let table = client.delivery.table.flatMap({ sources[$0] }) {
      table.delays.noteSent(after: from, through: cut, at: now) { operations.metrics.delays.record($0) }
    }
    client.delivery.noteSent(at: now)
    guard client.phase == .open else { return }
    engine.handle(.writable(client.id), at: now)
    loop.requestTurn()
  }

  /// Passes a message to libwebsockets, which buffers what the socket does not accept.
  ///
  /// - Parameter message: The message after ``frameRoom``, which is overwritten.
  /// - Returns: `false` if the socket is broken.
  func send(_ message: inout [UInt8], to socket: OpaquePointer) -> Bool {
    operations.metrics.messagesSent += 1
    operations.metrics.bytesSent += UInt64(message.count - CLWS_PRE)
    return message.withUnsafeMutableBufferPointer {
      clws_write_text(socket, $0.baseAddress! + CLWS_PRE, $0.count - CLWS_PRE) >= 0
    }
  }
}
