import CWebSockets
import ListEngine
import Wire

/// Signs of life for clients that receive nothing else.
extension Server {
  /// Sends a sign of life to the clients that are due and have received nothing lately.
  ///
  /// Hidden pages get none. A client to which a message is on its way needs none.
  func sendSigns(at now: Instant) {
    for client in clients.takeDueForSign(at: now) {
      guard !client.display.isHidden, client.signs.lastSent.duration(to: now) >= SignQueue.sufficient,
        !hasMore(client), !client.delivery.isDraining, lws_partial_buffered(client.socket) == 0
      else { continue }
      outgoing.removeAll(keepingCapacity: true)
      outgoing.append(contentsOf: Self.frameRoom)
      ServerMessage.alive.encode(to: &outgoing)
      client.signs.lastSent = now
      if !send(&outgoing, to: client.socket) {
        // libwebsockets allows closing a socket only from its own callback.
        client.phase = .broken
        lws_callback_on_writable(client.socket)
      }
    }
  }
}
