import CWebSockets
import ListEngine
import Wire

/// Heartbeats for clients that receive nothing else.
extension Server {
  /// Sends a heartbeat to the clients that are due and have received nothing lately.
  ///
  /// Hidden pages get none. A client to which a message is on its way needs none.
  func sendHeartbeats(at now: Instant) {
    let due = clients.takeDueForHeartbeat(at: now)
    guard !due.isEmpty else { return }
    outgoing.removeAll(keepingCapacity: true)
    outgoing.append(contentsOf: Self.frameRoom)
    ServerMessage.alive.encode(to: &outgoing)
    for client in due {
      guard !client.display.isHidden,
        client.heartbeats.lastSent.duration(to: now) >= ClientConnection.Heartbeats.sufficient,
        !hasMore(client), !client.delivery.isDraining, lws_partial_buffered(client.socket) == 0
      else { continue }
      client.heartbeats.lastSent = now
      if !send(&outgoing, to: client.socket) {
        // libwebsockets allows closing a socket only from its own callback.
        client.phase = .broken
        lws_callback_on_writable(client.socket)
      }
    }
  }
}
