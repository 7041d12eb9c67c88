import ListTesting
import Testing

@testable import ListEngine

@Suite struct SectionOrderTests {
  private static let schema = Schema(
    name: "t", key: .integer,
    columns: [Column("host", .text), Column("user", .text), Column("cpu", .integer)])

  private func table(limits: Limits = Limits()) -> Table { Table(Self.schema, limits: limits, seed: 1) }

  private func put(_ key: Int64, _ host: String?, _ cpu: Int64?, user: String = "u", in table: Table) {
    var changes = Changeset()
    changes.upsert(
      .integer(key),
      [
        host.map { .text($0) } ?? .null, .text(user), cpu.map { .integer($0) } ?? .null,
      ])
    table.apply(changes)
  }

  private func delete(_ keys: Int64..., in table: Table) {
    var changes = Changeset()
    for key in keys { changes.delete(.integer(key)) }
    table.apply(changes)
  }

  private func query(_ orders: SectionOrder..., group: [Int] = [0], aggregates: [Aggregate] = []) -> Query {
    var query = Query(group: group)
    query.aggregates = aggregates
    query.sections = orders
    return query
  }

  /// Returns the values of the headers of a level, in order; null as an empty text.
  private func headers(_ view: ListView, level: Int = 0) -> [String] {
    view.catchUp()
    view.checkInvariants()
    return view.items(0..<view.itemCount).compactMap {
      guard case .header(let section) = $0, section.level == level else { return nil }
      if case .text(let text) = section.value { return text }
      return ""
    }
  }

  @Test func `sections move when their counts change, and ties are by value`() {
    let table = table()
    for (key, host) in ["b", "a", "c", "c"].enumerated() { put(Int64(key), host, 1, in: table) }
    let largest = ListView(query(SectionOrder(by: .count, descending: true)), table: table)
    let smallest = ListView(query(SectionOrder(by: .count)), table: table)
    #expect(headers(largest) == ["c", "a", "b"])
    #expect(headers(smallest) == ["a", "b", "c"])
    put(10, "b", 1, in: table)
    put(11, "b", 1, in: table)
    #expect(headers(largest) == ["b", "c", "a"])
    #expect(headers(smallest) == ["a", "c", "b"])
    delete(2, 10, in: table)
    put(12, "d", 1, in: table)
    #expect(headers(largest) == ["b", "a", "c", "d"])
    #expect(headers(smallest) == ["a", "c", "d", "b"])
    delete(1, in: table)
    #expect(headers(largest) == ["b", "c", "d"])
  }

  @Test func `sections are ordered by an aggregate, those without it last`() {
    let table = table()
    put(1, "a", 5, in: table)
    put(2, "b", nil, in: table)
    put(3, "c", 9, in: table)
    put(4, "d", -3, in: table)
    let sum = [Aggregate(.distinct, of: 1), Aggregate(.sum, of: 2)]
    let down = ListView(query(SectionOrder(by: .aggregate(1), descending: true), aggregates: sum), table: table)
    let up = ListView(query(SectionOrder(by: .aggregate(1)), aggregates: sum), table: table)
    #expect(headers(down) == ["c", "a", "d", "b"])
    #expect(headers(up) == ["d", "a", "c", "b"])
    put(2, "b", 7, in: table)
    put(3, "c", nil, in: table)
    #expect(headers(down) == ["b", "a", "d", "c"])
    #expect(headers(up) == ["d", "a", "b", "c"])
  }

  @Test func `a sum beyond 64 bits is greater than every integer`() {
    let table = table()
    put(1, "a", .max, in: table)
    put(2, "b", .max, in: table)
    put(3, "b", .max, in: table)
    put(4, "c", .min, in: table)
    put(5, "d", .min, in: table)
    put(6, "d", .min, in: table)
    let view = ListView(query(SectionOrder(by: .aggregate(0)), aggregates: [Aggregate(.sum, of: 2)]), table: table)
    #expect(headers(view) == ["d", "c", "a", "b"])
  }

  @Test func `the empty section is last in descending order`() {
    let table = table()
    for (key, host) in ["b", nil, "a", "c"].enumerated() { put(Int64(key), host, 1, in: table) }
    let view = ListView(query(SectionOrder(by: .value, descending: true)), table: table)
    #expect(headers(view) == ["c", "b", "a", ""])
    put(9, "bb", 1, in: table)
    #expect(headers(view) == ["c", "bb", "b", "a", ""])
  }

  @Test func `each level has its own order`() {
    let table = table()
    put(1, "a", 1, user: "x", in: table)
    put(2, "a", 5, user: "y", in: table)
    put(3, "b", 1, user: "x", in: table)
    put(4, "b", 2, user: "x", in: table)
    put(5, "b", 9, user: "y", in: table)
    let orders = query(
      SectionOrder(by: .count, descending: true), SectionOrder(by: .aggregate(0), descending: true), group: [0, 1],
      aggregates: [Aggregate(.max, of: 2), Aggregate(.first, of: 2)])
    let view = ListView(orders, table: table)
    #expect(headers(view) == ["b", "a"])
    #expect(headers(view, level: 1) == ["y", "x", "y", "x"])
    // The first value of all rows is that of the first section as ordered.
    #expect(view.totals[1] == .integer(9))
    put(3, "b", 50, user: "x", in: table)
    put(6, "a", 0, user: "z", in: table)
    put(7, "a", 0, user: "z", in: table)
    #expect(headers(view) == ["a", "b"])
    #expect(headers(view, level: 1) == ["y", "x", "z", "x", "y"])
    #expect(view.totals[1] == .integer(5))
  }

  @Test func `a section moves without work for each of its rows`() {
    let table = table()
    var changes = Changeset()
    for key in 0..<2_000 as Range<Int64> {
      changes.upsert(.integer(key), [.text(key < 1_001 ? "a" : "b"), .text("u"), .integer(1)])
    }
    table.apply(changes)
    let view = ListView(query(SectionOrder(by: .count, descending: true)), table: table)
    while view.build != nil { view.work() }
    #expect(headers(view) == ["a", "b"])
    let before = view.workDone
    delete(0, 1, 2, in: table)
    #expect(headers(view) == ["b", "a"])
    #expect(view.workDone - before <= 10)
    #expect(view.items(0..<2).count == 2)
  }

  @Test(arguments: [SectionOrder.Key.count, .aggregate(0), .value])
  func `a view built in steps has the order of one built at once`(_ key: SectionOrder.Key) {
    var limits = Limits()
    limits.stepRows = 400
    let (small, whole) = (table(limits: limits), table())
    var random = SeededGenerator(seed: 5)
    var changes = Changeset()
    for key in 0..<3_000 as Range<Int64> {
      let host = random.number(0...random.number(0...40))
      changes.upsert(
        .integer(key), [.text("h\(host)"), .text("u"), .integer(Int64(random.number(0...99)))])
    }
    for table in [small, whole] { table.apply(changes) }
    let requested = query(SectionOrder(by: key, descending: true), aggregates: [Aggregate(.mean, of: 2)])
    let (stepped, atOnce) = (ListView(requested, table: small), ListView(requested, table: whole))
    while atOnce.build != nil { atOnce.work() }
    var first: [ListView.Item]?
    var steps = 0
    while stepped.build != nil {
      stepped.work()
      steps += 1
      if first == nil, stepped.canShowFirstItems { first = stepped.build?.select([])?.items }
    }
    #expect(steps > 10)
    #expect(headers(stepped) == headers(atOnce))
    // The first items are shown before the rows are sorted, unless the order is not known by then.
    #expect((first == nil) == (key == .aggregate(0)))
    for (one, other) in zip(first ?? [], stepped.items(0..<(first?.count ?? 0))) {
      switch (one, other) {
      case (.header(let a), .header(let b)): #expect(a.value == b.value)
      case (.row(let a), .row(let b)): #expect(a == b)
      default: Issue.record("a row is where a header should be")
      }
    }
  }

  @Test func `an order by an aggregate is not shown before it is known`() {
    var limits = Limits()
    limits.stepRows = 400
    let table = table(limits: limits)
    var changes = Changeset()
    for key in 0..<2_000 as Range<Int64> {
      changes.upsert(.integer(key), [.text("h\(key % 30)"), .text("u"), .integer(key)])
    }
    table.apply(changes)
    let view = ListView(
      query(SectionOrder(by: .aggregate(0)), aggregates: [Aggregate(.min, of: 2)]), table: table)
    while view.build != nil {
      #expect(!view.canShowFirstItems)
      view.work()
    }
    #expect(view.canShowFirstItems)
  }

  // MARK: Clients

  private static let largestFirst = SectionOrderRequest("group", by: .count, descending: true)

  private func ordered(_ orders: SectionOrderRequest..., aggregates: [AggregateRequest] = []) -> QueryRequest {
    var request = QueryRequest(group: ["group"])
    request.aggregates = aggregates
    request.sections = orders
    return request
  }

  private func groups(_ harness: Harness) -> [Cell] {
    harness.replica().items.compactMap { if case .header(let header) = $0 { header.value } else { nil } }
  }

  /// Returns a harness with sections g0 … g39, of 40 to 1 rows.
  private func harness() throws -> Harness {
    let harness = try Harness()
    harness.change { changes in
      var key = 0
      for group in 0..<40 {
        for _ in 0..<40 - group {
          changes.upsert(key, value: key, group: "g\(group + 10)")
          key += 1
        }
      }
    }
    return harness
  }

  @Test func `a client receives moved headers when all are collapsed`() throws {
    let harness = try harness()
    var request = ordered(Self.largestFirst)
    request.collapsed = (0..<40).map { [.text("g\($0 + 10)")] }
    harness.open(query: request, count: 5, buffer: 0, stick: .top)
    try harness.settle()
    #expect(groups(harness) == (10..<15).map { .text("g\($0)") })
    harness.change { changes in for key in 0..<30 { changes.upsert(10_000 + key, value: 0, group: "g13") } }
    try harness.settle(by: .seconds(1))
    #expect(groups(harness) == [13, 10, 11, 12, 14].map { .text("g\($0)") })
    // One header moved; no header was sent again.
    let patch = try #require(harness.deliveries.last).delivery.patch
    #expect(patch.moved.count == 1 && patch.removed.isEmpty && patch.inserted.isEmpty)
  }

  @Test func `the scroll anchor does not follow a header that moves`() throws {
    let harness = try harness()
    var request = ordered(Self.largestFirst)
    request.collapsed = (0..<40).map { [.text("g\($0 + 10)")] }
    harness.open(query: request, first: 20, count: 5, buffer: 0)
    try harness.settle()
    #expect(groups(harness) == (30..<35).map { .text("g\($0)") })
    // The first visible section becomes the largest.
    harness.change { changes in for key in 0..<90 { changes.upsert(10_000 + key, value: 0, group: "g30") } }
    try harness.settle(by: .seconds(1))
    #expect(groups(harness) == [29, 31, 32, 33, 34].map { .text("g\($0)") })
  }

  @Test func `the scroll anchor follows rows of a section that moves`() throws {
    let harness = try harness()
    harness.open(query: ordered(Self.largestFirst), first: 3, count: 10)
    try harness.settle()
    let shown = harness.values()
    // Another section becomes larger than the one being read.
    harness.change { changes in for key in 0..<90 { changes.upsert(10_000 + key, value: -1, group: "g49") } }
    // The section being read moves down past the next one, too.
    harness.change { changes in for key in 30..<35 { changes.delete(key) } }
    try harness.settle(by: .seconds(1))
    let visible = harness.values().filter { shown.contains($0) }
    #expect(visible.count >= 10)
    #expect(harness.deliveries.reduce(0) { $0 + $1.delivery.shift } > 90)
  }

  @Test func `equal section orders share a view, also the default order`() throws {
    let harness = try harness()
    harness.open(1, query: ordered(Self.largestFirst))
    harness.open(2, query: ordered(Self.largestFirst))
    try harness.settle()
    #expect(harness.engine.census.watchedViews == 1)
    harness.open(3, query: ordered(SectionOrderRequest("group", by: .value)))
    harness.open(4, query: ordered())
    try harness.settle()
    #expect(harness.engine.census.watchedViews == 2)
  }

}
