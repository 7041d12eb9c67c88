import ListTesting
import Testing

@testable import ListEngine

/// Residual queries: the engine evaluates what a windowed source does not support, on all remaining
/// rows.
@Suite struct ResidualQueryTests {
  private let small = WindowedHarness.limits {
    $0.remainderRows = 40
    $0.remainderPageRows = 15
  }

  private func harness(
    _ capabilities: WindowedCapabilities = WindowedCapabilities(), rows: Int = 40, limits: Limits? = nil
  ) throws -> WindowedHarness {
    try WindowedHarness(capabilities, rows: rows, limits: limits ?? small)
  }

  @Test(arguments: [WindowedCapabilities.Paging.offset, .keyset, .keysetAndOffset])
  func `sorts by a column that the source cannot sort by`(_ paging: WindowedCapabilities.Paging) throws {
    let harness = try harness(WindowedCapabilities(paging: paging))
    harness.open(query: QueryRequest(sort: [("value", true)]))
    try harness.settle()
    #expect(harness.lines() == (0..<15).map { "\((39 - $0) * 10)" })
    #expect(harness.replica().total == 40)
    #expect(harness.replica().accuracy == .exact)
    // Three blocks of fifteen, and nothing else.
    #expect(harness.source.requests.count == 3)
  }

  /// The column's collation applies as in a resident table.
  @Test(arguments: [
    (Collation.codeUnit, [0, 10, 100, 110, 20, 30]), (.natural, [0, 10, 20, 30, 100, 110]),
    // Only the last two characters count, the last one first.
    (.locale("invented"), [0, 100, 10, 110, 20, 30]),
  ]) func `sorts and groups by the column's collation`(_ collation: Collation, _ values: [Int]) throws {
    let harness = try WindowedHarness(WindowedCapabilities(), limits: small, collation: collation)
    for key in [11, 3, 10, 0, 2, 1] { harness.upsert(key, group: "group \(key)") }
    harness.open(1, query: QueryRequest(sort: [("name", false)]))
    harness.open(2, query: QueryRequest(group: ["group"]))
    try harness.settle()
    #expect(harness.lines(1) == values.map { "\($0)" })
    #expect(harness.lines(2) == values.flatMap { ["group \($0 / 10):1", "\($0)"] })
  }

  @Test func `sends nothing before all rows are loaded`() throws {
    let harness = try harness()
    harness.plan = { _ in .init(after: .seconds(1)) }
    harness.open(query: QueryRequest(search: "row 3"))
    try harness.settle(within: .milliseconds(2_900))
    #expect(harness.deliveries.isEmpty)
    try harness.settle()
    #expect(harness.lines() == ["30"] + (30..<40).map { "\($0 * 10)" })
  }

  @Test func `a paused client that waits for rows needs no turn`() throws {
    let harness = try harness()
    harness.plan = { _ in .init(after: .seconds(5)) }
    harness.open(query: QueryRequest(search: "row 3"))
    try harness.turn()
    let id = SessionID(rawValue: 1)
    for input in [Input.pause(id, isPaused: true), .visibility(id, isHidden: true), .visibility(id, isHidden: false)] {
      harness.engine.handle(input, at: harness.clock.now)
    }
    for _ in 0..<3 { try harness.turn() }
    let deadline = harness.engine.deadline
    #expect(try #require(deadline) > harness.clock.now)
  }

  @Test func `cuts for residual queries stay counted after a session closes`() throws {
    let harness = try harness()
    harness.open(query: QueryRequest(search: "row 3"))
    try harness.settle()
    let shown = harness.engine.counters
    #expect(shown.cuts == 1)
    harness.close()
    let left = harness.engine.counters
    #expect(left.cuts == 1)
  }

  @Test func `passes only the supported filter terms to the source`() throws {
    let harness = try harness(WindowedCapabilities(sort: [0], filters: [.order], group: [2]), rows: 100)
    harness.open(
      query: QueryRequest(
        sort: [("value", true)],
        filter: .all([.compare("value", .less, .integer(300)), .contains("name", "2")]), group: ["group"]))
    try harness.settle()
    let query = try #require(harness.source.requests.first?.query)
    #expect(query == Query(filter: .compare(0, .less, .integer(300))))
    #expect(harness.lines().prefix(4) == ["even:7", "280", "260", "240"])
  }

  @Test func `answers a residual query of exactly the row limit`() throws {
    let harness = try harness(rows: 40)
    harness.open(query: QueryRequest(sort: [("value", false)]))
    try harness.settle()
    #expect(harness.refusals.isEmpty)
    #expect(harness.replica().total == 40)
  }

  @Test func `a refusal over the row limit names all unsupported parts`() throws {
    let harness = try harness(rows: 41)
    let id = harness.open(
      query: QueryRequest(
        sort: [("value", false), ("name", true)], search: "row", filter: .compare("value", .greater, .integer(-1)),
        group: ["group"]))
    try harness.settle()
    #expect(
      harness.refusals[id]
        == .remainderTooLarge(
          "This source cannot sort by “value” and “name”, filter “value” with >, search or group by “group”, and 41 rows "
            + "are too many to do it here (limit 40). Narrow it down first."))
    #expect(harness.deliveries.isEmpty)
    // One answer was enough, and nothing else is requested.
    #expect(harness.source.requests.count == 1)
    #expect(harness.engine.deadline == nil)
  }

  @Test(arguments: [CountAccuracy.estimated, .unknown])
  func `refuses by rows loaded when counts are not exact`(_ count: CountAccuracy) throws {
    for (rows, isRefused) in [(40, false), (41, true), (100, true)] {
      let harness = try harness(WindowedCapabilities(count: count), rows: rows)
      harness.source.estimate = 1_000
      let id = harness.open(query: QueryRequest(sort: [("value", true)]))
      try harness.settle()
      #expect((harness.refusals[id] != nil) == isRefused, "\(rows) rows")
      guard isRefused else { continue }
      #expect(
        harness.refusals[id]
          == .remainderTooLarge(
            "This source cannot sort by “value”, and more than 40 rows are too many to do it here (limit 40). "
              + "Narrow it down first."))
      #expect(harness.source.requests.count == 3)
    }
  }

  @Test func `refuses at the limit without requesting the rows beyond`() throws {
    var limits = small
    limits.remainderPageRows = 20
    let harness = try harness(WindowedCapabilities(count: .unknown), rows: 41, limits: limits)
    let id = harness.open(query: QueryRequest(sort: [("value", true)]))
    try harness.settle()
    #expect(harness.refusals[id] != nil)
    // Twice twenty and more to follow is too much.
    #expect(harness.source.requests.count == 2)
  }

  @Test func `a filter at the source can reduce the rows to the limit`() throws {
    let harness = try harness(WindowedCapabilities(filters: [.order]), rows: 1_000)
    harness.open(
      query: QueryRequest(sort: [("value", true)], filter: .compare("value", .less, .integer(400))))
    try harness.settle()
    #expect(harness.refusals.isEmpty)
    #expect(harness.lines().first == "390")
  }

  @Test func `sessions with different residual queries share loaded rows`() throws {
    let harness = try harness()
    harness.open(1, query: QueryRequest(sort: [("value", true)]))
    harness.open(2, query: QueryRequest(search: "row 1"))
    try harness.settle()
    harness.open(3, query: QueryRequest(sort: [("name", false)]))
    try harness.settle()
    #expect(harness.lines(2).prefix(2) == ["10", "100"])
    #expect(harness.lines(3).prefix(2) == ["0", "10"])
    #expect(harness.source.requests.count == 3)
  }

  /// A client that knows a row by its identifier must not find another row after another query.
  @Test func `a row id never identifies different keys across queries`() throws {
    let harness = try harness(WindowedCapabilities(sort: [0], filters: [.order]), rows: 30)
    // The residual query starts with another row each time.
    let queries =
      [QueryRequest(sort: [("value", true)])]
      + [0, 50, 120, 200].map {
        QueryRequest(sort: [("name", false)], filter: .compare("value", .greaterOrEqual, .integer($0)))
      }
    var keys: [RowID: RowKey] = [:]
    for (number, query) in (queries + queries.reversed()).enumerated() {
      // Two at a time, then the previous one again.
      let id = harness.open(UInt64(number + 1), query: query)
      try harness.settle()
      for value in stride(from: Int64(0), to: 300, by: 10) {
        guard let row = harness.row(value, UInt64(number + 1)), let key = harness.engine.key(of: row, shownTo: id)
        else {
          continue
        }
        #expect(key == .integer(value / 10))
        #expect(keys.updateValue(key, forKey: row) ?? key == key, "\(row) by query \(number)")
      }
      for (row, key) in keys {
        #expect(harness.engine.key(of: row, shownTo: id) ?? key == key, "\(row) for query \(number)")
      }
      if number > 0 { harness.close(UInt64(number)) }
    }
    #expect(keys.count > 40)
  }

  @Test func `sends a change as a patch with only the changed cells`() throws {
    let harness = try harness(rows: 30)
    harness.open(query: QueryRequest(sort: [("value", true)]), first: 5)
    try harness.settle()
    harness.upsert(100, value: 1_000)
    harness.upsert(20, value: 205)
    harness.change()
    try harness.settle()
    let patches = harness.deliveries.dropFirst()
    #expect(patches.map(\.shift).reduce(0, +) == 1)
    #expect(patches.flatMap(\.patch.updatedRows).map(\.columns) == [[0]])
    #expect(patches.allSatisfy { $0.patch.base != nil })
    #expect(harness.replica().total == 31)
    #expect(harness.lines().contains("205"))
    #expect(!harness.lines().contains("200"))
  }

  @Test func `refuses a displayed query when inserts exceed the limit`() throws {
    let harness = try harness(rows: 40)
    let id = harness.open(query: QueryRequest(sort: [("value", true)]))
    try harness.settle()
    harness.upsert(100)
    harness.change()
    try harness.settle()
    #expect(harness.refusals[id] != nil)
    #expect(harness.engine.deadline == nil)
  }

  @Test func `does not refuse a client that changed its query meanwhile`() throws {
    let harness = try harness(rows: 41)
    let id = harness.open(query: QueryRequest(sort: [("value", true)]))
    try harness.turn()
    // The answer that there are too many rows arrives before the client changes its query, and both
    // before the next turn.
    harness.answer()
    harness.engine.handle(.query(id, request: 2, query: QueryRequest(), viewport: nil), at: harness.clock.now)
    try harness.settle()
    #expect(harness.refusals.isEmpty)
    #expect(harness.lines().prefix(2) == ["0", "10"])
  }

  @Test func `refuses sessions that join a query just found too large`() throws {
    let harness = try harness(rows: 41)
    let first = harness.open(1, query: QueryRequest(sort: [("value", true)]))
    try harness.turn()
    harness.answer()
    // One query changes and one is new: neither waits for rows that are not being loaded.
    harness.engine.handle(
      .query(first, request: 2, query: QueryRequest(sort: [("value", false)]), viewport: nil), at: harness.clock.now)
    let second = harness.open(2, query: QueryRequest(search: "row"))
    try harness.settle()
    #expect(Set(harness.refusals.keys) == [first, second])
    #expect(harness.engine.deadline == nil)
  }

  @Test func `refuses a third residual query until another is closed`() throws {
    let harness = try harness(
      WindowedCapabilities(filters: [.order]), rows: 30, limits: WindowedHarness.limits { $0.remainders = 2 })
    func query(_ value: Int64) -> QueryRequest {
      QueryRequest(sort: [("value", true)], filter: .compare("value", .less, .integer(value)))
    }
    harness.open(1, query: query(100))
    harness.open(2, query: query(200))
    let third = harness.open(3, query: query(300))
    try harness.settle()
    #expect(
      harness.refusals[third]
        == .remainderTooLarge("the engine does what a source cannot for 2 queries of one table at most"))
    // A closed session makes room.
    harness.close(1)
    harness.open(4, query: query(300))
    try harness.settle()
    #expect(harness.lines(4).first == "290")
  }

  @Test func `retries a failed load and then shows the rows`() throws {
    let harness = try harness()
    harness.plan = { _ in .init(.fails("gone")) }
    harness.open(query: QueryRequest(sort: [("value", true)]))
    try harness.settle(within: .seconds(5))
    #expect(harness.deliveries.isEmpty)
    harness.plan = { _ in .init() }
    try harness.settle()
    #expect(harness.lines().first == "390")
  }

  @Test func `cancels the load when its last session closes`() throws {
    let harness = try harness()
    harness.plan = { _ in .init(after: .seconds(10)) }
    harness.open(query: QueryRequest(sort: [("value", true)]))
    try harness.turn()
    #expect(harness.source.inFlight.count == 1)
    harness.close()
    try harness.settle(within: .seconds(1))
    #expect(harness.source.inFlight.isEmpty)
    #expect(harness.source.cancels.count == 1)
    #expect(harness.engine.deadline == nil)
  }

  @Test func `a new query replaces a residual query still being loaded`() throws {
    let harness = try harness()
    harness.plan = { request in .init(after: .seconds(1)) }
    let id = harness.open(query: QueryRequest(sort: [("value", true)]))
    try harness.settle(within: .milliseconds(500))
    harness.engine.handle(.query(id, request: 2, query: QueryRequest(), viewport: nil), at: harness.clock.now)
    try harness.settle()
    #expect(harness.lines().prefix(2) == ["0", "10"])
    #expect(harness.deliveries.allSatisfy { $0.request == 2 })
  }

  @Test func `sections of a residual query collapse and expand`() throws {
    let harness = try harness()
    var query = QueryRequest(sort: [("value", false)], group: ["group"])
    query.collapsed = [[.text("even")]]
    let id = harness.open(query: query)
    try harness.settle()
    #expect(harness.lines().prefix(3) == ["even:20", "odd:20", "10"])
    harness.engine.handle(.collapse(id, .path([.text("even")]), isCollapsed: false), at: harness.clock.now)
    try harness.settle()
    #expect(harness.lines().prefix(2) == ["even:20", "0"])
  }

  @Test func `a query with aggregates is always residual`() throws {
    let harness = try harness(WindowedCapabilities(sort: [0], searches: true, group: [2]), rows: 10)
    var query = QueryRequest()
    query.aggregates = [AggregateRequest(.sum, of: "value")]
    harness.open(query: query)
    try harness.settle()
    #expect(harness.replica().totals == [.integer(450)])
  }
}
