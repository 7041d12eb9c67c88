import ListEngine

/// Clients that open, resume and fail at random next to the checked ones. Their deliveries are not
/// checked, but no state of theirs may remain at the end.
extension Simulation {
  private static let firstStranger: UInt64 = 1 << 40

  mutating func meetStrangers(_ engine: inout Engine) {
    // Their loads of deferred cells would compete with those of the checked clients.
    guard !isDeferred, strangers.oneIn(5) else { return }
    for _ in 0..<strangers.number(1...4) { meetStranger(&engine) }
  }

  private mutating func meetStranger(_ engine: inout Engine) {
    let id = stranger()
    let column = strangers.oneIn(3) ? "gone" : schema.columns[strangers.number(0...schema.columns.count - 1)].name
    let query = QueryRequest(sort: [(column, strangers.oneIn(2))])
    switch strangers.number(1...9) {
    case 1...5:
      // The resume point is of the same client, another one, or one that never existed.
      let resume = strangers.oneIn(2) ? ResumePoint(session: strangers.oneIn(3) ? id : stranger(), sequence: 1) : nil
      engine.handle(
        .open(
          id, table: strangers.oneIn(5) ? "nobody" : "numbers", request: 1, query: query,
          viewport: Viewport(first: 0, count: strangers.number(1...20)), interval: nil, resume: resume), at: clock.now)
      coverage.strangers += 1
    case 6: engine.handle(.query(id, request: 2, query: query, viewport: nil), at: clock.now)
    case 7: engine.handle(.collapse(id, .path([.text("red")]), isCollapsed: true), at: clock.now)
    default: engine.handle(.close(id), at: clock.now)
    }
  }

  private mutating func stranger() -> SessionID {
    SessionID(rawValue: Self.firstStranger + UInt64(strangers.number(1...12)))
  }

  /// Whether an output is for an unchecked client.
  func isForStranger(_ output: Output) -> Bool {
    switch output {
    case .deliver(let id, _), .waiting(let id, _), .tiles(let id, _), .facets(let id, _), .status(let id, _, _),
      .refuse(let id, _):
      id.rawValue > Self.firstStranger
    case .tables, .load, .cancel, .ask, .cancelPages: false
    }
  }

  /// Closes all clients and checks that the engine releases all of their state after a while.
  mutating func leave(_ engine: inout Engine) throws {
    for page in pages { engine.handle(.close(page.id), at: clock.now) }
    for number in 1...12 {
      engine.handle(.close(SessionID(rawValue: Self.firstStranger + UInt64(number))), at: clock.now)
    }
    pages = []
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
