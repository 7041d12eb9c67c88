import ListTesting
import Testing

@testable import ListEngine

/// A refused query is identified by its number, and the client keeps its previous rows.
@Suite struct RefusalTests {
  private static let id = SessionID(rawValue: 1)

  private func refusals(_ harness: Harness) -> [Refusal] {
    harness.others.compactMap { if case .refuse(_, let refusal) = $0 { refusal } else { nil } }
  }

  private func ask(_ harness: Harness, _ request: UInt64, _ query: QueryRequest, _ viewport: Viewport? = nil) {
    harness.engine.handle(.query(Self.id, request: request, query: query, viewport: viewport), at: harness.clock.now)
  }

  private func ask(_ harness: WindowedHarness, _ request: UInt64, _ query: QueryRequest) {
    harness.engine.handle(.query(Self.id, request: request, query: query, viewport: nil), at: harness.clock.now)
  }

  private static func aggregates(_ column: String, _ function: Aggregate.Function = .mean) -> QueryRequest {
    var query = QueryRequest()
    query.aggregates = [AggregateRequest(.distinct, of: "name"), AggregateRequest(function, of: column)]
    return query
  }

  private static func ordered(_ orders: SectionOrderRequest..., aggregates: [AggregateRequest] = []) -> QueryRequest {
    var query = QueryRequest(group: ["group"])
    query.sections = orders
    query.aggregates = aggregates
    return query
  }

  private static var collapsed: QueryRequest {
    var query = QueryRequest(group: ["group"])
    query.collapsed = Array(repeating: [.text("x")], count: 10_001)
    return query
  }

  private static var unreadable: QueryRequest {
    var query = QueryRequest()
    query.fault = QueryFault(.outOfRange("what is that"), at: ["query.aggregates[3]"])
    return query
  }

  /// All ways in which a query of a resident table is invalid, with the faulty part.
  static let faults: [(query: QueryRequest, at: [String])] = [
    (QueryRequest(sort: [("value", false), ("nothing", true)]), ["query.sort[1]"]),
    (QueryRequest(sort: Array(repeating: ("value", false), count: 9)), ["query.sort"]),
    (QueryRequest(group: ["group", "nothing"]), ["query.group[1]"]),
    (QueryRequest(group: Array(repeating: "group", count: 5)), ["query.group"]),
    (QueryRequest(search: String(repeating: "x", count: 1_001)), ["query.search"]),
    (aggregates("nothing"), ["query.aggregates[1]"]), (aggregates("name"), ["query.aggregates[1]"]),
    (ordered(SectionOrderRequest("nothing", by: .count)), ["query.sections[0]"]),
    (ordered(SectionOrderRequest("name", by: .count)), ["query.sections[0]"]),
    (
      ordered(SectionOrderRequest("group", by: .count), SectionOrderRequest("group", by: .value)), ["query.sections[1]"]
    ),
    (
      ordered(
        SectionOrderRequest("group", by: .aggregate(AggregateRequest(.sum, of: "value"))),
        aggregates: [AggregateRequest(.max, of: "value")]), ["query.sections[0]"]
    ),
    (collapsed, ["query.collapsed"]), (unreadable, ["query.aggregates[3]"]),
    (QueryRequest(filter: .isEmpty("nothing")), ["query.filter"]),
    (
      QueryRequest(filter: .all([.isEmpty("name"), .not(.matches("name", "a{1000}"))])), ["query.filter.all[1].not"]
    ),
    (QueryRequest(filter: .any([.isEmpty("name"), .matches("name", "(")])), ["query.filter.any[1]"]),
    (QueryRequest(filter: .all([.compare("value", .less, .text("x")), .isEmpty("name")])), ["query.filter.all[0]"]),
    (QueryRequest(filter: .contains("value", "7")), ["query.filter"]),
  ]

  @Test(arguments: faults.indices) func `a refused query leaves query, window and sections unchanged`(_ index: Int)
    throws
  {
    let harness = try Harness(rows: 200)
    var good = QueryRequest(sort: [("value", true)], group: ["group"])
    good.collapsed = [[.text("two")]]
    harness.open(query: good, first: 50)
    harness.change { $0.upsert(500, value: 5, group: "two") }
    try harness.settle(by: .seconds(1))
    let before = harness.replica()
    #expect(before.total == 202)
    let (query, places) = Self.faults[index]
    ask(harness, 2, query, Viewport(first: 0, count: 3))
    #expect(try harness.advance().isEmpty)
    #expect(refusals(harness).map(\.request) == [2])
    #expect(refusals(harness).map(\.fault.at) == [places])
    #expect(refusals(harness).map(\.shown) == [1])
    // Changes are shown as before, at the same position, with the number of the request shown.
    harness.change { $0.update(145, name: "another") }
    let sent = try harness.advance(by: .seconds(1))
    #expect(sent.map(\.request) == [1] && sent.allSatisfy { $0.patch.base != nil && $0.patch.inserted.isEmpty })
    #expect(harness.replica().start == before.start && harness.replica().items.count == before.items.count)
    try harness.settle()
    // Scrolling works, and another query is answered.
    harness.scroll(first: 100)
    try harness.settle()
    #expect(harness.replica().start == 95)
    ask(harness, 3, QueryRequest())
    #expect(try harness.advance().map(\.request) == [3])
    #expect(harness.replica().start == 0)
  }

  @Test func `after a refused open the session has no table until it retries`() throws {
    for opensAgain in [false, true] {
      let harness = try Harness(rows: 20)
      harness.open(query: QueryRequest(sort: [("nothing", false)]))
      #expect(try harness.advance(by: .seconds(1)).isEmpty)
      #expect(refusals(harness).map(\.shown) == [nil])
      #expect(harness.engine.deadline == nil)
      harness.scroll(first: 3)
      harness.change { $0.update(1, value: 3) }
      #expect(try harness.advance(by: .seconds(1)).isEmpty)
      if opensAgain { harness.open() } else { ask(harness, 2, QueryRequest()) }
      #expect(try harness.advance().count == 1)
      #expect(harness.values().count == 15)
    }
  }

  @Test func `a refusal reports no shown query while nothing is shown`() throws {
    let harness = try Harness(rows: 20)
    harness.open(query: QueryRequest(sort: [("nothing", false)]))
    ask(harness, 2, QueryRequest(search: String(repeating: "x", count: 1_001)))
    try harness.advance()
    #expect(refusals(harness).map(\.request) == [1, 2])
    #expect(refusals(harness).map(\.shown) == [nil, nil])
  }

  @Test func `a query on a later table is refused when the table is added`() throws {
    let harness = try Harness(rows: 20)
    let id = SessionID(rawValue: 7)
    harness.engine.handle(
      .open(
        id, table: "later", request: 4, query: QueryRequest(group: ["nothing"]), viewport: nil, interval: nil),
      at: harness.clock.now)
    try harness.advance()
    #expect(refusals(harness).isEmpty)
    var schema = Harness.schema
    schema.name = "later"
    _ = try harness.engine.addTable(schema, at: harness.clock.now)
    try harness.advance()
    #expect(refusals(harness).map(\.request) == [4])
    harness.engine.handle(.query(id, request: 5, query: QueryRequest(), viewport: nil), at: harness.clock.now)
    #expect(try harness.advance().map(\.request) == [5])
  }

  @Test func `a refused query ends a pause and a hold`() throws {
    let harness = try Harness(rows: 20)
    harness.open(interval: .zero)
    try harness.settle()
    for input in [Input.pause(Self.id, isPaused: true), .hold(Self.id, isHeld: true)] {
      harness.engine.handle(input, at: harness.clock.now)
      harness.change { $0.upsert(-1, value: -10) }
      harness.change { $0.delete(3) }
      ask(harness, 2, QueryRequest(sort: [("nothing", false)]))
      try harness.settle(by: .seconds(1))
      #expect(harness.replica().held == nil)
      #expect(!harness.values().contains(30))
      harness.change { $0.upsert(3, value: 30) }
      try harness.settle(by: .seconds(1))
    }
  }

  @Test func `a collapse beyond the limit leaves collapsed sections unchanged`() throws {
    var limits = Limits()
    limits.collapsed = 1
    let harness = try Harness(limits: limits, rows: 4)
    harness.change { $0.upsert(10, value: 1, group: "two") }
    harness.open(query: QueryRequest(group: ["group"]))
    try harness.settle()
    for group in ["one", "two", "one"] {
      harness.engine.handle(.collapse(Self.id, .path([.text(group)]), isCollapsed: true), at: harness.clock.now)
      try harness.settle()
    }
    #expect(harness.replica().total == 3)
    #expect(refusals(harness).map(\.fault.at) == [["query.collapsed"]])
    #expect(refusals(harness).map { [$0.request, $0.shown] } == [[1, 1]])
    harness.engine.handle(.collapse(Self.id, .path([.text("one")]), isCollapsed: false), at: harness.clock.now)
    try harness.settle()
    #expect(harness.replica().total == 7)
  }

  // MARK: What is found out later

  private let small = WindowedHarness.limits {
    $0.remainderRows = 40
    $0.remainderPageRows = 15
  }

  @Test func `a later refusal restores the rows that were shown`() throws {
    let harness = try WindowedHarness(rows: 100, limits: small)
    harness.plan = { _ in .init(after: .milliseconds(50)) }
    harness.open(query: QueryRequest(sort: [("value", true)]), first: 30)
    try harness.settle()
    let before = harness.replica()
    ask(harness, 2, QueryRequest(filter: .matches("name", "7$")))
    // Until the result is known, the client can scroll in its rows.
    try harness.turn()
    harness.scroll(first: 33)
    try harness.settle()
    #expect(harness.refused.map(\.request) == [2])
    #expect(harness.refused.map(\.shown) == [1])
    #expect(harness.refused.map(\.fault.at) == [["query.filter"]])
    // No window is sent: the old one continues at the client's current position.
    #expect(harness.deliveries.filter { $0.patch.base == nil }.count == 1)
    #expect(harness.replica().start == before.start + 3)
    #expect(harness.lines() == (28..<48).map { "\((99 - $0) * 10)" })
    harness.upsert(200, value: 5_000)
    harness.change()
    try harness.settle()
    #expect(harness.replica().total == 101)
    ask(harness, 3, QueryRequest())
    try harness.settle()
    #expect(harness.lines().first == "0")
  }

  @Test func `a later refusal restores rows that the engine had sorted`() throws {
    var limits = small
    limits.remainderRows = 60
    let harness = try WindowedHarness(
      WindowedCapabilities(filters: [.order]), rows: 100, limits: limits)
    let good = QueryRequest(sort: [("value", true)], filter: .compare("value", .less, .integer(500)))
    harness.open(query: good)
    try harness.settle()
    ask(harness, 2, QueryRequest(sort: [("value", true)]))
    try harness.settle()
    #expect(harness.refused.map(\.shown) == [1])
    #expect(harness.lines().first == "490")
    harness.upsert(49, value: 491)
    harness.change()
    try harness.settle()
    #expect(harness.lines().first == "491")
  }

  @Test func `a refusal of the shown query leaves no rows to restore`() throws {
    let harness = try WindowedHarness(WindowedCapabilities(), rows: 40, limits: small)
    harness.open(query: QueryRequest(sort: [("value", true)]))
    try harness.settle()
    harness.upsert(100)
    harness.change()
    try harness.settle()
    #expect(harness.refused.map(\.shown) == [nil])
    #expect(harness.engine.deadline == nil)
    ask(harness, 2, QueryRequest())
    try harness.settle()
    #expect(harness.lines().first == "0")
  }

  @Test func `a refusal names every part that the source does not support`() throws {
    let harness = try WindowedHarness(WindowedCapabilities(filters: [.order]), rows: 100, limits: small)
    var query = QueryRequest(
      sort: [("value", true)], search: "7",
      filter: .all([
        .compare("value", .less, .integer(999)), .matches("name", "7"),
        .all([.isEmpty("name"), .compare("value", .greater, .integer(-1))]),
      ]), group: ["group"])
    query.aggregates = [AggregateRequest(.sum, of: "value")]
    harness.open(query: query)
    try harness.settle()
    #expect(
      harness.refused.map(\.fault.at) == [
        [
          "query.sort[0]", "query.filter.all[1]", "query.filter.all[2].all[0]", "query.search", "query.group[0]",
          "query.aggregates[0]",
        ]
      ])
  }

  @Test func `repeated refused queries request a count once a second`() throws {
    let harness = try WindowedHarness(WindowedCapabilities(), rows: 100, limits: small)
    harness.open()
    try harness.settle()
    let requested = harness.source.requests.count
    for request in 2..<52 as Range<UInt64> {
      ask(harness, request, QueryRequest(sort: [("value", request % 2 == 0)]))
      try harness.settle(within: .zero)
    }
    #expect(harness.refused.map(\.request) == Array(2..<52))
    #expect(harness.source.requests.count == requested + 1)
    // Rows may have been deleted in the meantime: the engine requests the count again.
    try harness.turn(by: .seconds(1))
    for row in 40..<100 { harness.source.delete(.integer(Int64(row))) }
    ask(harness, 60, QueryRequest(sort: [("value", true)]))
    try harness.settle()
    #expect(harness.refused.count == 50)
    #expect(harness.lines().first == "390")
  }

  @Test func `a refusal recommends contains if the source supports it`() throws {
    for canContain in [false, true] {
      let harness = try WindowedHarness(
        WindowedCapabilities(filters: canContain ? [.contains] : []), rows: 1_234, limits: small)
      harness.open(query: QueryRequest(filter: .matches("name", "7")))
      try harness.settle()
      let end = canContain ? ", or use “contains”." : "."
      #expect(
        harness.refused.map(\.fault.error) == [
          .remainderTooLarge(
            "This source cannot run regular expressions, and 1,234 rows are too many to do it here (limit 40). "
              + "Narrow it down first\(end)")
        ])
    }
  }
}
