import ListTesting
import Testing

@testable import ListEngine

/// Reloading after changes: missing rows are requested first, and neither kind of request starves
/// the other.
@Suite struct WindowedRefreshTests {
  private let small = WindowedHarness.limits { _ in }
  private let tellsNothing = WindowedCapabilities(sort: [0], tellsChanges: false, refresh: .seconds(1))

  private func values(_ range: Range<Int>) -> [String] { range.map { "\($0 * 10)" } }

  private func skip(_ request: BlockRequest) -> Int {
    if case .rows(_, _, let skip, _) = request.what { skip } else { -1 }
  }

  /// Opens a session at row 40 and settles.
  private func reading(inFlight: Int = 8) throws -> WindowedHarness {
    let harness = try WindowedHarness(
      WindowedCapabilities(), rows: 200, limits: small, prefetch: PrefetchPolicy(inFlight: inFlight))
    harness.open(first: 40)
    try harness.settle()
    return harness
  }

  @Test(arguments: [1, 8]) func `loads visible rows even if polling outpaces the answers`(
    _ inFlight: Int
  ) throws {
    let harness = try WindowedHarness(
      tellsNothing, rows: 200, limits: small, prefetch: PrefetchPolicy(inFlight: inFlight))
    // Blocks further down take longer.
    harness.plan = { .init(after: .milliseconds(3_000 + skip($0) * 10)) }
    harness.open()
    try harness.settle(within: .seconds(30))
    #expect(harness.lines() == values(0..<15))
    harness.scroll(first: 70)
    try harness.settle(within: .seconds(30))
    #expect(harness.lines() == values(65..<85))
    harness.upsert(72, value: 7)
    try harness.settle(within: .seconds(30))
    #expect(harness.lines()[7] == "7")
  }

  @Test func `requests missing blocks before reloading loaded ones`() throws {
    let harness = try reading(inFlight: 1)
    harness.plan = { _ in .init(after: .seconds(1)) }
    let known = harness.source.requests.count
    harness.change()
    try harness.turn()
    harness.scroll(first: 50)
    try harness.settle()
    // Rows 60 to 69 are not visible yet and were never loaded; those from 50 are visible and were
    // loaded.
    #expect(harness.source.requests.dropFirst(known).map(skip) == [40, 60, 50])
  }

  /// The rows 40 and on, requested again after each of five changes 100 ms apart.
  @Test(arguments: [(Duration.milliseconds(50), 5), (nil, 1)] as [(Duration?, Int)])
  func `reloads at the source's refresh interval or the default`(_ refresh: Duration?, _ times: Int) throws {
    let harness = try WindowedHarness(WindowedCapabilities(refresh: refresh), rows: 200, limits: small)
    harness.open(first: 40)
    try harness.settle()
    let known = harness.source.requests.count
    for _ in 1...5 {
      harness.change()
      try harness.settle(within: .milliseconds(100))
    }
    #expect(harness.source.requests.dropFirst(known).count(where: { skip($0) == 40 }) == times)
  }

  @Test func `reloads only after all missing blocks are answered`() throws {
    let harness = try reading()
    harness.plan = { .init(after: skip($0) == 90 ? .seconds(2) : .seconds(1)) }
    harness.scroll(first: 80)
    try harness.turn()
    let known = harness.source.requests.count
    harness.change()
    try harness.settle(within: .milliseconds(1_999))
    #expect(harness.source.requests.count == known)
    try harness.settle(within: .milliseconds(1))
    #expect(Set(harness.source.requests.dropFirst(known).map(skip)) == [70, 80, 90])
  }

  @Test func `a failed block does not delay a reload`() throws {
    let harness = try reading()
    harness.plan = { skip($0) == 90 ? .init(after: .seconds(1), .fails("gone")) : .init(after: .milliseconds(10)) }
    harness.scroll(first: 80)
    try harness.turn()
    harness.upsert(82, value: 7)
    harness.change()
    try harness.settle(within: .milliseconds(1_500))
    #expect(harness.lines()[7] == "7")
    #expect(harness.lines().suffix(5).allSatisfy { $0 == "..." || $0 == "!" })
  }

  @Test func `a block no longer needed does not delay a reload`() throws {
    let harness = try reading()
    harness.plan = { skip($0) == 90 ? .init(.isForgotten) : .init() }
    harness.scroll(first: 80)
    try harness.settle(within: .milliseconds(100))
    harness.change()
    try harness.settle(within: .milliseconds(100))
    let known = harness.source.requests.count
    harness.scroll(first: 40)
    try harness.settle(within: .milliseconds(100))
    #expect(Set(harness.source.requests.dropFirst(known).map(skip)) == [30, 40, 50])
  }

  @Test func `a client that keeps scrolling does not block others' reload`() throws {
    let harness = try reading()
    harness.open(2, first: 100)
    try harness.settle()
    harness.plan = { _ in .init(after: .seconds(3)) }
    harness.upsert(42, value: 7)
    harness.change()
    for step in 1...20 {
      harness.scroll(2, first: 100 + step * 37 % 80)
      try harness.settle(within: .seconds(1))
    }
    #expect(harness.lines()[7] == "7")
  }

  @Test func `constantly reloaded views do not starve each other`() throws {
    let harness = try WindowedHarness(
      tellsNothing, rows: 200, limits: small, prefetch: PrefetchPolicy(inFlight: 1))
    harness.plan = { _ in .init(after: .seconds(2)) }
    harness.open(1, count: 5, buffer: 0)
    harness.open(2, query: QueryRequest(sort: [("value", true)]), count: 10, buffer: 20)
    try harness.settle(within: .seconds(60))
    harness.upsert(2, value: 21)
    harness.upsert(175, value: 1_751)
    try harness.settle(within: .seconds(60))
    #expect(harness.lines(1)[2] == "21")
    #expect(harness.lines(2)[24] == "1751")
  }

  @Test func `a lost answer delays a reload only until it times out`() throws {
    let harness = try WindowedHarness(
      WindowedCapabilities(), rows: 200, limits: small, prefetch: PrefetchPolicy(patience: .seconds(5)))
    harness.open(first: 40)
    try harness.settle()
    harness.plan = { skip($0) == 90 ? .init(.isForgotten) : .init() }
    harness.scroll(first: 80)
    try harness.turn()
    harness.change()
    let known = harness.source.requests.count
    try harness.settle(within: .milliseconds(4_999))
    #expect(harness.source.requests.count == known)
    try harness.settle(within: .milliseconds(1))
    #expect(Set(harness.source.requests.dropFirst(known).map(skip)) == [70, 80, 90])
  }

  @Test func `requests missing blocks before reloading residual queries`() throws {
    let limits = WindowedHarness.limits { $0.remainderPageRows = 50 }
    let harness = try WindowedHarness(
      WindowedCapabilities(), rows: 200, limits: limits, prefetch: PrefetchPolicy(inFlight: 1))
    harness.open(1, query: QueryRequest(search: "row"))
    harness.open(2, count: 10, buffer: 0)
    try harness.settle()
    harness.plan = { _ in .init(after: .seconds(1)) }
    harness.change()
    try harness.turn()
    let known = harness.source.requests.count
    harness.scroll(2, first: 100, count: 20, buffer: 0)
    try harness.settle(within: .seconds(3))
    #expect(harness.source.requests.dropFirst(known).prefix(2).map(skip) == [100, 110])
  }

  @Test func `a reload counts as renewed, not as hit or late`() throws {
    let harness = try reading()
    let before = harness.engine.prefetch(of: harness.table)
    harness.change()
    try harness.settle()
    let after = harness.engine.prefetch(of: harness.table)
    #expect(after.renewed - before.renewed == 3)
    #expect(after.hits == before.hits && after.late == before.late)
  }
}
