import ListEngine

/// Clients that open, resume and fail at random next to the checked ones. Their deliveries are not
/// checked, but no state of theirs may remain at the end.
extension Simulation {
  private static let firstUncheckedClient: UInt64 = 1 << 40

  mutating func runUncheckedClients(_ engine: inout Engine) {
    // Their loads of deferred cells would compete with those of the checked clients.
    guard !isDeferred, uncheckedClients.oneIn(5) else { return }
    for _ in 0..<uncheckedClients.number(1...4) { runUncheckedClient(&engine) }
  }

  private mutating func runUncheckedClient(_ engine: inout Engine) {
    let id = uncheckedClient()
    let column =
      uncheckedClients.oneIn(3) ? "gone" : schema.columns[uncheckedClients.number(0...schema.columns.count - 1)].name
    let query = QueryRequest(sort: [(column, uncheckedClients.oneIn(2))])
    switch uncheckedClients.number(1...9) {
    case 1...5:
      // The resume point is of the same client, another one, or one that never existed.
      let resume =
        uncheckedClients.oneIn(2)
        ? ResumePoint(session: uncheckedClients.oneIn(3) ? id : uncheckedClient(), sequence: 1) : nil
      engine.handle(
        .open(
          id, table: uncheckedClients.oneIn(5) ? "nobody" : "numbers", request: 1, query: query,
          viewport: Viewport(first: 0, count: uncheckedClients.number(1...20)), interval: nil, resume: resume),
        at: clock.now)
      coverage.uncheckedClients += 1
    case 6: engine.handle(.query(id, request: 2, query: query, viewport: nil), at: clock.now)
    case 7: engine.handle(.collapse(id, .path([.text("red")]), isCollapsed: true), at: clock.now)
    default: engine.handle(.close(id), at: clock.now)
    }
  }

  private mutating func uncheckedClient() -> SessionID {
    SessionID(rawValue: Self.firstUncheckedClient + UInt64(uncheckedClients.number(1...12)))
  }

  /// Whether an output is for an unchecked client.
  func isForUncheckedClient(_ output: Output) -> Bool {
    switch output {
    case .deliver(let id, _), .waiting(let id, _), .tiles(let id, _), .facets(let id, _), .pins(let id, _),
      .status(let id, _, _), .refuse(let id, _):
      id.rawValue > Self.firstUncheckedClient
    case .tables, .load, .cancel, .ask, .cancelBlocks: false
    }
  }

  /// Closes all clients and checks that the engine releases all of their state after a while.
  mutating func leave(_ engine: inout Engine) throws {
    for client in clients { engine.handle(.close(client.id), at: clock.now) }
    for number in 1...12 {
      engine.handle(.close(SessionID(rawValue: Self.firstUncheckedClient + UInt64(number))), at: clock.now)
    }
    clients = []
    if let rest = engine.leftovers(&clock) { throw failure(rest) }
  }
}

extension Engine {
  /// Advances time until no state of closed clients may remain; returns a description of what
  /// remains.
  mutating func leftovers(_ clock: inout ManualClock) -> String? {
    guard census.sessions == 0, census.watchedViews == 0 else { return "clients have gone and left \(census)" }
    // Unused views and sessions are kept for a few minutes at most.
    for _ in 0..<60 {
      clock.advance(by: .seconds(60))
      _ = advance(to: clock.now)
    }
    return census == EngineCensus() ? nil : "clients have been gone for an hour and left \(census)"
  }
}
