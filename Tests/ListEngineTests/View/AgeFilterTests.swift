import ListTesting
import Testing

@testable import ListEngine

/// Filters by age: rows match or cease to match because time passes.
@Suite struct AgeFilterTests {
  static let schema = Schema(
    name: "numbers", key: .integer, columns: [Column("n", .integer), Column("at", .timestamp), Column("name", .text)])
  private static let minute: Int64 = 60_000_000_000
  private static let noon: Int64 = 1_795_608_000_000_000_000

  /// Returns a harness at noon, with a row for each age in minutes; `nil` is a row without a time.
  private static func harness(_ ages: [Int64?], limits: Limits = Limits()) throws -> Harness {
    let harness = try Harness(limits: limits, schema: schema)
    harness.engine.handle(.wallTime(noon), at: harness.clock.now)
    harness.change { changes in
      for (row, age) in ages.enumerated() { upsert(&changes, row, age) }
    }
    return harness
  }

  private static func upsert(_ changes: inout Changes, _ row: Int, _ age: Int64?) {
    let time = age.map { Cell.timestamp(noon - $0 * minute) } ?? .null
    changes.set.upsert(.integer(Int64(row)), [.integer(Int64(row)), time, .text(row % 2 == 0 ? "even" : "odd")])
  }

  private static func age(_ comparison: Comparison, _ minutes: Int64) -> Filter<String> {
    .age("at", comparison, .timestamp(minutes * minute))
  }

  @Test(arguments: [
    (Comparison.less, [0, 1, 5]), (.lessOrEqual, [0, 1, 2, 5]), (.greater, [3]), (.greaterOrEqual, [2, 3]),
  ])
  func `compares the present time minus the timestamp`(_ comparison: Comparison, _ rows: [Int64]) throws {
    let harness = try Self.harness([0, 14, 15, 16, nil, -5])
    harness.open(query: QueryRequest(filter: Self.age(comparison, 15)))
    try harness.settle()
    #expect(harness.values() == rows)
  }

  @Test func `matches a row without a time only if it is negated`() throws {
    let harness = try Self.harness([0, nil])
    harness.open(query: QueryRequest(filter: .not(Self.age(.less, 15))))
    try harness.settle()
    #expect(harness.values() == [1])
  }

  @Test func `rows enter and leave at their age, with no turn due before`() throws {
    let harness = try Self.harness([10, 14, 20])
    let start = harness.clock.now
    func pass(to time: Duration) throws {
      try harness.settle(by: harness.clock.now.duration(to: start.advanced(by: time)))
    }
    harness.open(1, query: QueryRequest(filter: Self.age(.less, 15)))
    harness.open(2, query: QueryRequest(filter: Self.age(.greater, 15)))
    try harness.settle()
    try pass(to: .seconds(2))
    #expect(harness.values(1) == [0, 1])
    #expect(harness.values(2) == [2])
    #expect(harness.engine.deadline == start.advanced(by: .seconds(60)))
    try pass(to: .seconds(60))
    #expect(harness.values(1) == [0])
    // One nanosecond later it is older than 15 minutes, and not only as old.
    #expect(harness.values(2) == [2])
    try pass(to: .seconds(60) + .nanoseconds(1))
    #expect(harness.values(2) == [1, 2])
    try pass(to: .seconds(62))
    #expect(harness.engine.deadline == start.advanced(by: .seconds(5 * 60)))
    try pass(to: .seconds(5 * 60))
    try pass(to: .seconds(5 * 60 + 2))
    #expect(harness.values(1) == [])
    #expect(harness.values(2) == [0, 1, 2])
    #expect(harness.engine.deadline == nil)
  }

  @Test func `is never due if time cannot change the result`() throws {
    let harness = try Self.harness([10, 14, 20])
    harness.open(query: QueryRequest(filter: .all([.compare("n", .less, .integer(0)), Self.age(.less, 15)])))
    try harness.settle()
    try harness.settle(by: .seconds(2))
    #expect(harness.engine.deadline == nil)
    // The other term lets the row pass now, so its age counts.
    harness.open(2, query: QueryRequest(filter: .any([.compare("n", .less, .integer(9)), Self.age(.less, 15)])))
    try harness.settle()
    try harness.settle(by: .seconds(2))
    #expect(harness.values(2) == [0, 1, 2])
    #expect(harness.engine.deadline == nil)
  }

  @Test func `follows the changes of rows`() throws {
    let harness = try Self.harness([10, 14, 20])
    harness.open(query: QueryRequest(filter: Self.age(.less, 15)))
    try harness.settle()
    harness.change { changes in
      Self.upsert(&changes, 1, 0)
      Self.upsert(&changes, 2, 13)
      changes.delete(0)
    }
    try harness.settle(by: .seconds(1))
    #expect(harness.values() == [1, 2])
    try harness.settle(by: .seconds(120))
    #expect(harness.values() == [1])
    try harness.settle(by: .seconds(15 * 60))
    #expect(harness.values() == [])
  }

  @Test func `section counts and sums change as time passes`() throws {
    let harness = try Self.harness([10, 11, 12, 13, 14])
    var query = QueryRequest(filter: Self.age(.less, 15), group: ["name"])
    query.aggregates = [AggregateRequest(.sum, of: "n")]
    harness.open(query: query)
    try harness.settle()
    func headers() -> [[Cell]] {
      harness.replica().headers.map { [$0.value, .integer(Int64($0.count))] + $0.aggregates }
    }
    #expect(
      headers() == [[.text("even"), .integer(3), .integer(6)], [.text("odd"), .integer(2), .integer(4)]])
    try harness.settle(by: .seconds(2 * 60))
    #expect(
      headers() == [[.text("even"), .integer(2), .integer(2)], [.text("odd"), .integer(1), .integer(1)]])
    #expect(harness.replica().totals == [.integer(3)])
    try harness.settle(by: .seconds(2 * 60))
    #expect(headers() == [[.text("even"), .integer(1), .integer(0)]])
  }

  @Test func `shows rows again when the time is set back`() throws {
    let harness = try Self.harness([10, 14, 20])
    harness.open(query: QueryRequest(filter: Self.age(.less, 15)))
    try harness.settle()
    try harness.settle(by: .seconds(120))
    #expect(harness.values() == [0])
    harness.engine.handle(.wallTime(Self.noon), at: harness.clock.now)
    try harness.settle()
    try harness.settle(by: .seconds(1))
    #expect(harness.values() == [0, 1])
    harness.engine.handle(.wallTime(Self.noon + 6 * Self.minute), at: harness.clock.now)
    try harness.settle(by: .seconds(1))
    #expect(harness.values() == [])
  }

  @Test func `many rows reach the age in turns of bounded work`() throws {
    var limits = Limits()
    limits.turnRows = 40
    let harness = try Self.harness(Array(repeating: 14, count: 500) + [0], limits: limits)
    harness.open(query: QueryRequest(filter: Self.age(.less, 15)), interval: .zero)
    try harness.settle()
    #expect(harness.replica().total == 501)
    harness.clock.advance(by: .seconds(60))
    var turns = 0
    while harness.replica().total > 1, turns < 100 {
      try harness.advance()
      turns += 1
    }
    #expect(harness.replica().total == 1)
    #expect((3..<100).contains(turns))
  }

  @Test func `the view of a hidden client is not due repeatedly`() throws {
    let harness = try Self.harness([14])
    let id = harness.open(query: QueryRequest(filter: Self.age(.less, 15)))
    try harness.settle()
    harness.engine.handle(.visibility(id, isHidden: true), at: harness.clock.now)
    try harness.settle(by: .seconds(120))
    #expect(harness.values() == [0])
    #expect(harness.engine.deadline.map { $0 > harness.clock.now } ?? true)
    harness.engine.handle(.visibility(id, isHidden: false), at: harness.clock.now)
    try harness.settle(by: .seconds(1))
    #expect(harness.values() == [])
  }

  @Test func `an export has the rows at the time of its start`() throws {
    let harness = try Self.harness([10, 14, 20])
    let now = harness.clock.now
    func rows(at time: Duration) throws -> Int {
      let query = QueryRequest(filter: Self.age(.less, 15))
      let id = try harness.engine.beginExport(of: "numbers", query, at: now.advanced(by: time))
      while !harness.engine.isReady(id) { try harness.advance() }
      defer { harness.engine.endExport(id) }
      guard case .rows(let rows) = harness.engine.read(id, rows: 10) else { return 0 }
      return rows.count
    }
    #expect(try rows(at: .zero) == 2)
    #expect(try rows(at: .seconds(60)) == 1)
    #expect(try rows(at: .seconds(5 * 60)) == 0)
  }

  @Test func `the engine compares ages in the rows of a windowed source`() throws {
    var schema = Self.schema
    schema.windowed = WindowedCapabilities(filters: [.equal, .order, .range])
    var engine = Engine(epoch: "windowed")
    var now = Instant(nanoseconds: 5)
    engine.handle(.wallTime(Self.noon), at: now)
    let table = try engine.addTable(schema, at: now)
    let session = SessionID(rawValue: 1)
    let filter = Filter.all([.compare("n", .less, .integer(9)), Self.age(.less, 15)])
    engine.handle(
      .open(
        session, table: "numbers", request: 1, query: QueryRequest(filter: filter), viewport: nil, interval: .zero),
      at: now)
    var totals: [Int] = []
    func turn(_ engine: inout Engine, at now: Instant) {
      for output in engine.advance(to: now) {
        switch output {
        case .ask(_, let requests):
          for request in requests {
            #expect(request.query.filter == .compare(0, .less, .integer(9)))
            let rows = [10, 14, 20].enumerated().map { row, age in
              (
                key: RowKey.integer(Int64(row)),
                cells: [Cell.integer(Int64(row)), .timestamp(Self.noon - Int64(age) * Self.minute), .null]
              )
            }
            engine.handle(.page(table, request.id, RowBlock(rows, hasMore: false, count: 3)), at: now)
          }
        case .deliver(_, let delivery):
          totals.append(delivery.patch.result.total)
          engine.handle(.writable(session), at: now)
          engine.handle(.acknowledge(session, sequence: delivery.sequence), at: now)
        default: break
        }
      }
    }
    for _ in 0..<4 { turn(&engine, at: now) }
    #expect(totals == [2])
    let next = engine.deadline
    let deadline = try #require(next)
    #expect(now.duration(to: deadline) == .seconds(60))
    now = deadline
    for _ in 0..<4 { turn(&engine, at: now) }
    #expect(totals == [2, 1])
  }

  @Test func `refuses equality and columns that are not timestamps`() throws {
    let harness = try Self.harness([])
    func refusal(_ filter: Filter<String>) -> String? {
      do throws(QueryFault) {
        _ = try harness.engine.resolve(QueryRequest(filter: filter), in: Self.schema, isRestricted: false)
        return nil
      } catch { return error.error.reason }
    }
    #expect(refusal(.age("at", .less, .integer(900_000))) == nil)
    #expect(
      refusal(.age("n", .less, .integer(1)))
        == "query.filter compares ages, but the column “n” is of type integer: compare its values")
    #expect(
      refusal(.age("at", .equal, .integer(1))) == "query.filter compares ages for equality: use <, <=, > or >=")
    #expect(
      refusal(.age("at", .less, .text("x")))
        == "query.filter.value must be a number of milliseconds: the column “at” is of type timestamp")
  }

  @Test func `treats ages beyond 64 bits as never or always reached`() throws {
    let harness = try Self.harness([])
    harness.change { changes in
      for (row, time) in [Int64.min, -1, .max].enumerated() {
        changes.set.upsert(.integer(Int64(row)), [.integer(Int64(row)), .timestamp(time), .null])
      }
    }
    harness.open(1, query: QueryRequest(filter: .age("at", .less, .timestamp(.max))))
    harness.open(2, query: QueryRequest(filter: .age("at", .less, .timestamp(.min))))
    try harness.settle()
    #expect(harness.values(1) == [1, 2])
    #expect(harness.values(2) == [])
  }

  @Test func `a tile follows ages forward and back`() throws {
    let harness = try Self.harness([10, 14, 20])
    harness.open(query: QueryRequest(search: "nowhere"))
    try harness.settle()
    let start = harness.clock.now
    /// Returns the values of the tile that were reported until this time.
    func values(to time: Duration) throws -> [Cell] {
      harness.forgetOthers()
      try harness.settle(by: harness.clock.now.duration(to: start.advanced(by: time)))
      return harness.others.compactMap {
        guard case .tiles(_, let reports) = $0, case .value(let report) = reports.tiles[0] else { return nil }
        return report.value
      }
    }
    harness.engine.handle(
      .tiles(SessionID(rawValue: 1), id: 7, [.tile(TileRequest(filter: Self.age(.less, 15)))]), at: start)
    #expect(try values(to: .zero) == [.integer(2)])
    #expect(try values(to: .seconds(59)).isEmpty)
    #expect(try values(to: .seconds(62)).first == .integer(1))
    // It is 11:54 again: the row of 11:40 is younger than 15 minutes.
    harness.engine.handle(.wallTime(Self.noon - 6 * Self.minute), at: harness.clock.now)
    #expect(try values(to: .seconds(64)).contains(.integer(3)))
  }
}
