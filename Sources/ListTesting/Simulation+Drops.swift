import ListEngine

/// Connections that drop, and clients that resume on another connection.
extension Simulation {
  mutating func drop(_ engine: inout Engine) {
    guard let index = anyClient() else { return }
    let old = clients[index]
    // In some cases the server has not noticed the lost connection.
    if !random.oneIn(4) { engine.handle(.close(old.id), at: clock.now) }
    var client = SimulatedClient(id: newClientID(), viewport: old.viewport)
    (client.replica, client.query, client.collapsed, client.request) = (
      old.replica, old.query, old.collapsed, old.request + 1
    )
    (client.isCurrent, client.awaitsWindow) = (old.isCurrent, old.awaitsWindow)
    (client.moved, client.placed) = (old.moved, old.placed)
    // The lost patch would have listed the rows moved since then.
    client.isReordered = old.isReordered || !old.coming.isEmpty
    client.isResuming = true
    client.viewport.sequence = 0
    let point = ResumePoint(
      session: old.id, sequence: random.oneIn(8) ? UInt64(random.number(0...5)) : old.replica.sequence,
      anchorOffset: random.pick([nil, 0, 2]))
    if let offset = point.anchorOffset { client.sought = sought(client, offset) }
    // A wrong sequence number makes the engine send a whole window.
    if point.sequence != old.replica.sequence { (client.isCurrent, client.awaitsWindow) = (false, true) }
    engine.handle(
      .open(
        client.id, table: "numbers", request: client.request, query: request(client), viewport: client.viewport,
        interval: nil,
        resume: point), at: clock.now)
    clients[index] = client
  }

  /// Returns the row that a resuming client wants to be placed by.
  private func sought(_ client: SimulatedClient, _ offset: Int) -> Sought {
    guard client.viewport.stick == nil, let anchor = client.viewport.anchor else { return .nothing }
    for case .row(let id, _, let cells) in client.replica.items where id == anchor {
      return .row(cells[Self.keyColumn], offset: offset)
    }
    return .unknown
  }

  /// The row that determines a resuming client's position, and its distance from the first visible
  /// item.
  enum Sought {
    case nothing
    case row(Cell, offset: Int)
    /// A row that the client no longer holds.
    case unknown

    /// The user scrolls before the answer arrives.
    mutating func scroll(by distance: Int) {
      if case .row(let key, let offset) = self { self = .row(key, offset: offset - distance) }
    }
  }
}
