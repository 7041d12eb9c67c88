import ListTesting
import Testing

@testable import ListEngine

@Suite struct RetentionTests {
  private static func schema(_ retention: Retention, rows: Int? = nil) -> Schema {
    var schema = Harness.schema
    schema.retention = retention
    schema.limits.rows = rows
    return schema
  }

  private func harness(_ retention: Retention, rows: Int? = nil, evictions: Int = 4096) throws -> Harness {
    var limits = Limits()
    limits.evictions = evictions
    return try Harness(limits: limits, schema: Self.schema(retention, rows: rows))
  }

  private func add(_ keys: ClosedRange<Int>, to harness: Harness) {
    harness.change { changes in for key in keys { changes.upsert(key, value: key) } }
  }

  // MARK: The most recent rows

  @Test func `an insertion evicts the oldest row`() throws {
    let harness = try harness(.last(3))
    harness.open(interval: .zero)
    add(1...3, to: harness)
    try harness.settle()
    #expect(harness.values() == [1, 2, 3])
    add(4...4, to: harness)
    // The eviction happens together with the insertion: no client ever sees four rows.
    try harness.settle()
    #expect(harness.values() == [2, 3, 4])
  }

  @Test func `a changeset larger than the retention keeps its last rows`() throws {
    let harness = try harness(.last(3))
    add(1...1000, to: harness)
    #expect(harness.engine.tables(at: harness.clock.now)[0].rows == 3)
    harness.open(interval: .zero)
    try harness.settle()
    #expect(harness.values() == [998, 999, 1000])
  }

  @Test func `updates, upserts and moves do not postpone a row's eviction`() throws {
    let harness = try harness(.last(2))
    harness.open(interval: .zero)
    add(1...2, to: harness)
    harness.change {
      $0.update(1, value: 10)
      $0.upsert(1, value: 11)
      $0.set.move(.integer(1), before: nil)
      $0.upsert(3, value: 3)
    }
    try harness.settle()
    #expect(harness.values() == [2, 3])
  }

  @Test func `a row deleted and inserted again counts as new`() throws {
    let harness = try harness(.last(2))
    harness.open(interval: .zero)
    add(1...2, to: harness)
    harness.change {
      $0.delete(1)
      $0.upsert(1, value: 1)
      $0.upsert(3, value: 3)
    }
    try harness.settle()
    #expect(harness.values() == [1, 3])
  }

  @Test func `a row limit below the retention evicts instead of rejecting`() throws {
    let harness = try harness(.last(5), rows: 2)
    add(1...4, to: harness)
    #expect(harness.engine.tables(at: harness.clock.now)[0].source.rejected == 0)
    #expect(harness.engine.tables(at: harness.clock.now)[0].rows == 2)
  }

  @Test func `a row rejected for its size evicts nothing`() throws {
    var schema = Self.schema(.last(2))
    // Three columns and an integer key weigh 64 bytes; the texts weigh six.
    schema.limits.bytes = 2 * 70 + 2
    let harness = try Harness(schema: schema)
    harness.open(interval: .zero)
    harness.change {
      $0.upsert(1, value: 1)
      $0.upsert(2, value: 2)
      $0.upsert(3, value: 3, name: "rows..", group: "one")
    }
    try harness.settle()
    #expect(harness.values() == [1, 2])
    // The new row may be two bytes heavier than the evicted one, but not three.
    harness.change { $0.upsert(4, value: 4, name: "rows.", group: "one") }
    try harness.settle()
    #expect(harness.values() == [2, 4])
  }

  @Test func `a reload beyond the retention loses its first rows in slices`() throws {
    let harness = try harness(.last(3), evictions: 2)
    var reload = Changeset()
    (reload.beginsReload, reload.endsReload) = (true, true)
    for key in 1...8 { reload.upsert(.integer(Int64(key)), [.integer(Int64(key)), .null, .null]) }
    harness.engine.handle(.changes(harness.table, reload), at: harness.clock.now)
    func rows() -> Int { harness.engine.tables(at: harness.clock.now)[0].rows }
    #expect(rows() == 8)
    for left in [6, 4, 3] {
      #expect(harness.engine.deadline == .zero)
      try harness.advance()
      #expect(rows() == left)
    }
    #expect(harness.engine.deadline != .zero)
    harness.open(interval: .zero)
    try harness.settle()
    #expect(harness.values() == [6, 7, 8])
  }

  // MARK: Rows of a recent period

  @Test func `a row is evicted exactly when its time has passed`() throws {
    let harness = try harness(.recent(.seconds(10)))
    harness.open(interval: .zero)
    add(1...1, to: harness)
    try harness.settle()
    try harness.settle(by: .seconds(4))
    add(2...2, to: harness)
    try harness.settle()
    #expect(harness.engine.deadline == harness.clock.now.advanced(by: .seconds(6)))
    try harness.settle(by: .seconds(6) - .nanoseconds(1))
    #expect(harness.values() == [1, 2])
    try harness.settle(by: .nanoseconds(1))
    #expect(harness.values() == [2])
    #expect(harness.engine.deadline == harness.clock.now.advanced(by: .seconds(4)))
    try harness.settle(by: .seconds(4))
    #expect(harness.values() == [])
    #expect(harness.engine.deadline == nil)
  }

  @Test func `rows that expire together are evicted in slices`() throws {
    let harness = try harness(.recent(.seconds(1)), evictions: 4)
    add(1...10, to: harness)
    try harness.settle()
    harness.clock.advance(by: .seconds(1))
    for left in [6, 2, 0] {
      #expect(harness.engine.deadline.map { $0 <= harness.clock.now } == true)
      try harness.advance()
      #expect(harness.engine.tables(at: harness.clock.now)[0].rows == left)
    }
    #expect(harness.engine.deadline.map { $0 > harness.clock.now } != false)
  }

  @Test func `a clock that goes back counts as standing still`() throws {
    let harness = try harness(.recent(.seconds(10)))
    add(1...1, to: harness)
    try harness.settle(by: .seconds(4))
    try harness.settle(by: .seconds(-3600))
    add(2...2, to: harness)
    try harness.settle()
    #expect(harness.engine.deadline == harness.clock.now.advanced(by: .seconds(6)))
    try harness.settle(by: .seconds(6))
    #expect(harness.engine.tables(at: harness.clock.now)[0].rows == 1)
    try harness.settle(by: .seconds(4))
    #expect(harness.engine.tables(at: harness.clock.now)[0].rows == 0)
  }

  @Test func `evictions do not reset the age of the source`() throws {
    let harness = try harness(.recent(.seconds(1)))
    add(1...1, to: harness)
    try harness.settle(by: .seconds(5))
    #expect(harness.engine.tables(at: harness.clock.now)[0].source.age == .seconds(5))
    #expect(harness.engine.tables(at: harness.clock.now)[0].rows == 0)
  }

  // MARK: Clients

  @Test func `an anchored viewport follows its rows as others are evicted`() throws {
    let harness = try harness(.last(100))
    add(1...100, to: harness)
    harness.open(first: 50, interval: .zero)
    try harness.settle()
    let row = try #require(harness.row(53))
    harness.scroll(first: 50, anchor: row)
    try harness.settle()
    let count = harness.deliveries.count
    add(101...120, to: harness)
    try harness.settle()
    #expect(harness.deliveries[count...].map(\.delivery.shift).reduce(0, +) == -20)
    #expect(harness.replica().start + 5 == 30)
  }

  @Test func `a viewport that sticks to the end stays at the end`() throws {
    let harness = try harness(.last(100))
    add(1...100, to: harness)
    harness.open(first: 90, stick: .end, interval: .zero)
    try harness.settle()
    add(101...103, to: harness)
    try harness.settle()
    #expect(harness.replica().total == 100)
    #expect(harness.values().last == 103)
    #expect(harness.values().contains(94))
  }

  // MARK: Plugin errors

  @Test(arguments: [Retention.last(0), .last(-1), .recent(.zero), .recent(.seconds(-1))])
  func `a retention that is zero or negative is refused`(retention: Retention) {
    var engine = Engine(epoch: "test")
    #expect(throws: SchemaError.badRetention(retention)) {
      try engine.addTable(Self.schema(retention), at: .zero)
    }
  }
}
