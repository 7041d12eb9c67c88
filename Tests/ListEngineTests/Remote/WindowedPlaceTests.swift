import ListTesting
import Testing

@testable import ListEngine

/// The scroll anchor, pauses and row keys in windowed tables.
@Suite struct WindowedPlaceTests {
  private func reading(_ query: QueryRequest, first: Int) throws -> WindowedHarness {
    let harness = try WindowedHarness(rows: 100, limits: WindowedHarness.limits { _ in })
    harness.open(query: query, first: first)
    try harness.settle()
    return harness
  }

  @Test func `the viewport does not follow an anchor row that moves`() throws {
    let harness = try reading(QueryRequest(sort: [("value", false)]), first: 30)
    let anchor = try #require(harness.row(300))
    harness.scroll(first: 30, anchor: anchor)
    try harness.settle()
    let before = harness.deliveries.count
    // The anchor row moves far down; the row below it keeps its place on the screen.
    harness.upsert(30, value: 905)
    harness.change()
    try harness.settle()
    #expect(harness.deliveries[before...].map(\.shift).reduce(0, +) == -1)
  }

  @Test func `the viewport shifts by rows inserted above its anchor`() throws {
    let harness = try reading(QueryRequest(sort: [("value", false)]), first: 30)
    let anchor = try #require(harness.row(300))
    harness.scroll(first: 30, anchor: anchor)
    try harness.settle()
    let before = harness.deliveries.count
    for key in 200..<203 { harness.upsert(key, value: 1) }
    harness.change()
    try harness.settle()
    #expect(harness.deliveries[before...].map(\.shift).reduce(0, +) == 3)
  }

  // MARK: Keys

  @Test func `returns a row's key only for a session that displays it`() throws {
    let harness = try reading(QueryRequest(sort: [("value", true)]), first: 0)
    let (id, other) = (SessionID(rawValue: 1), SessionID(rawValue: 2))
    let row = try #require(harness.row(950))
    #expect(harness.engine.key(of: row, shownTo: id) == .integer(95))
    #expect(harness.engine.key(of: RowID(rawValue: 1 << 40), shownTo: id) == nil)
    #expect(harness.engine.key(of: row, shownTo: other) == nil)
  }

  @Test func `returns no key between a query and its first delivery`() throws {
    let harness = try reading(QueryRequest(sort: [("value", true)]), first: 0)
    let id = SessionID(rawValue: 1)
    let row = try #require(harness.row(950))
    harness.engine.handle(
      .query(id, request: 2, query: QueryRequest(sort: [("value", false)]), viewport: nil), at: harness.clock.now)
    #expect(harness.engine.key(of: row, shownTo: id) == nil)
    try harness.settle()
    let now = try #require(harness.row(0))
    #expect(harness.engine.key(of: now, shownTo: id) == .integer(0))
  }

  // MARK: Pauses

  /// Returns the numbers of waiting changes that a paused client receives within this duration.
  private func reported(_ harness: WindowedHarness, for duration: Duration) throws -> [Waiting] {
    let end = harness.clock.now.advanced(by: duration)
    var reported: [Waiting] = []
    for _ in 0..<10_000 {
      for output in harness.engine.advance(to: harness.clock.now) {
        harness.source.take(output, at: harness.clock.now, plan: harness.plan)
        if case .waiting(_, let waiting) = output { reported.append(waiting) }
        if case .deliver = output { Issue.record("a page that pauses is sent something") }
      }
      harness.answer()
      let due = [harness.engine.deadline, harness.source.deadline].compactMap(\.self).min()
      guard let due, due <= end else { break }
      harness.clock.advance(by: max(.zero, harness.clock.now.duration(to: due)))
    }
    harness.clock.advance(by: harness.clock.now.duration(to: end))
    return reported
  }

  @Test func `a paused client receives the number of changed visible rows`() throws {
    let harness = try reading(QueryRequest(sort: [("value", false)]), first: 0)
    let id = SessionID(rawValue: 1)
    harness.engine.handle(.pause(id, isPaused: true), at: harness.clock.now)
    #expect(try reported(harness, for: .seconds(5)).isEmpty)
    for key in [2, 5, 7] { harness.upsert(key, value: key * 10 + 1) }
    harness.upsert(90, value: 9_000)  // far from the viewport
    harness.change()
    let reported = try reported(harness, for: .seconds(5))
    #expect(reported.last?.changed == 3)
    #expect(reported.last?.rows == 100)
    harness.engine.handle(.pause(id, isPaused: false), at: harness.clock.now)
    try harness.settle()
    #expect(harness.lines().prefix(8) == ["0", "10", "21", "30", "40", "51", "60", "71"])
  }
}
