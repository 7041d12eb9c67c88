import ListTesting
import Testing

@testable import ListEngine

@Suite struct AggregateTests {
  private static let schema = Schema(
    name: "t", key: .integer,
    columns: [
      Column("whole", .integer), Column("number", .number), Column("text", .text), Column("time", .timestamp),
      Column("group", .text),
    ])

  private let table = Table(Self.schema, limits: Limits(), seed: 1)

  private func put(
    _ key: Int64, _ whole: Int64? = nil, _ number: Double? = nil, text: String? = nil, time: Int64? = nil,
    group: String = "g"
  ) {
    var changes = Changeset()
    changes.upsert(
      .integer(key),
      [
        whole.map { .integer($0) } ?? .null, number.map { .number($0) } ?? .null, text.map { .text($0) } ?? .null,
        time.map { .timestamp($0) } ?? .null, .text(group),
      ])
    table.apply(changes)
  }

  private func view(_ aggregates: Aggregate..., group: [Int] = []) -> ListView {
    var query = Query(group: group)
    query.aggregates = aggregates
    return ListView(query, table: table)
  }

  @Test func `aggregates of no values are null, and distinct is 0`() {
    let all = view(
      Aggregate(.sum, of: 0), Aggregate(.mean, of: 1), Aggregate(.min, of: 3), Aggregate(.max, of: 0),
      Aggregate(.distinct, of: 2))
    #expect(all.totals == [.null, .null, .null, .null, .integer(0)])
    put(1)
    all.catchUp()
    #expect(all.totals == [.null, .null, .null, .null, .integer(0)])
  }

  @Test func `distinct counts images and series by value`() {
    let table = Table(
      Schema(name: "t", key: .integer, columns: [Column("image", .image), Column("run", .series)]), limits: Limits(),
      seed: 1)
    var query = Query()
    query.aggregates = [Aggregate(.distinct, of: 0), Aggregate(.distinct, of: 1)]
    let view = ListView(query, table: table)
    var changes = Changeset()
    let rows: [[Cell]] = [
      [.image("a"), .series([1])], [.image("a"), .series([1])], [.image("b"), .series([1, 2])], [.null, .series([])],
      [.image(""), .null],
    ]
    for (key, cells) in rows.enumerated() { changes.upsert(.integer(Int64(key)), cells) }
    table.apply(changes)
    view.catchUp()
    #expect(view.totals == [.integer(3), .integer(3)])
    var removal = Changeset()
    for key in [0, 2] as [Int64] { removal.delete(.integer(key)) }
    table.apply(removal)
    view.catchUp()
    #expect(view.totals == [.integer(2), .integer(2)])
  }

  @Test func `sum, mean, min, max and distinct follow changes and deletions`() {
    put(1, 5, 0.5, text: "a", time: 10)
    put(2, -2, 1.5, text: "b", time: 30)
    put(3, 9, nil, text: "a", time: 20)
    let all = view(
      Aggregate(.sum, of: 0), Aggregate(.mean, of: 1), Aggregate(.min, of: 0), Aggregate(.max, of: 3),
      Aggregate(.distinct, of: 2))
    #expect(all.totals == [.integer(12), .number(1), .integer(-2), .timestamp(30), .integer(2)])
    put(2, 7, 2.5, text: "a", time: 5)
    all.catchUp()
    #expect(all.totals == [.integer(21), .number(1.5), .integer(5), .timestamp(20), .integer(1)])
    var changes = Changeset()
    changes.delete(.integer(3))
    table.apply(changes)
    all.catchUp()
    #expect(all.totals == [.integer(12), .number(1.5), .integer(5), .timestamp(10), .integer(1)])
  }

  @Test func `an integer sum is exact, or the nearest double beyond 64 bits`() {
    let sum = view(Aggregate(.sum, of: 0), Aggregate(.mean, of: 0))
    put(1, .max)
    put(2, .max)
    put(3, 7)
    sum.catchUp()
    #expect(sum.totals == [.number(0x1p64), .number(0x1p64 / 3)])
    put(2, .min)
    sum.catchUp()
    #expect(sum.totals == [.integer(6), .number(2)])
    put(1, .min)
    sum.catchUp()
    #expect(sum.totals == [.number(-0x1p64), .number(-0x1p64 / 3)])
  }

  @Test func `a sum of doubles keeps no error from replaced values`() {
    let sum = view(Aggregate(.sum, of: 1))
    put(1, nil, 1e300)
    put(2, nil, 1)
    put(3, nil, 1e-300)
    sum.catchUp()
    put(1, nil, 0)
    sum.catchUp()
    #expect(sum.totals == [.number(1)])
    put(2, nil, -0.0)
    sum.catchUp()
    #expect(sum.totals == [.number(1e-300)])
  }

  @Test func `an overflowing sum is null and recovers`() {
    let sum = view(Aggregate(.sum, of: 1))
    for key in 1...3 { put(Int64(key), nil, .greatestFiniteMagnitude) }
    sum.catchUp()
    #expect(sum.totals == [.null])
    put(2, nil, -.greatestFiniteMagnitude)
    put(3, nil, 1)
    sum.catchUp()
    #expect(sum.totals == [.number(1)])
  }

  @Test func `an exact sum does not depend on order or removed values`() {
    var random = SeededGenerator(seed: 8)
    for _ in 0..<200 {
      func draw() -> Double {
        let value = Double(bitPattern: random.next())
        return value.isFinite && !random.oneIn(3) ? value : Double(random.number(-1000...1000)) / 7
      }
      let kept = (0..<random.number(0...20)).map { _ in draw() }
      let passing = (0..<random.number(0...20)).map { _ in draw() }
      var fresh = ExactSum()
      for value in kept { fresh.add(value, isRemoved: false) }
      var worn = ExactSum()
      for value in (kept + passing).shuffled(using: &random) { worn.add(value, isRemoved: false) }
      for value in passing { worn.add(value, isRemoved: true) }
      #expect(worn.number == fresh.number)
    }
    for value in [
      1.0, -0.1, .leastNonzeroMagnitude, -.leastNormalMagnitude, .greatestFiniteMagnitude, 1 / 3, 0x1p-1040,
    ] {
      var sum = ExactSum()
      sum.add(value, isRemoved: false)
      #expect(sum.number == value)
    }
  }

  @Test func `sections of every level aggregate their own rows`() {
    put(1, 1, text: "x", group: "a")
    put(2, 2, text: "y", group: "a")
    put(3, 4, text: "x", group: "b")
    let nested = view(Aggregate(.sum, of: 0), group: [4, 2])
    func sums() -> [Cell] {
      nested.items(0..<nested.itemCount).compactMap {
        if case .header(let section) = $0 { nested.aggregates(of: section)[0] } else { nil }
      }
    }
    #expect(sums() == [.integer(3), .integer(1), .integer(2), .integer(4), .integer(4)])
    #expect(nested.totals == [.integer(7)])
    // A row that changes its section moves its share of the sum.
    put(2, 8, text: "x", group: "b")
    nested.catchUp()
    #expect(sums() == [.integer(1), .integer(1), .integer(12), .integer(12)])
    #expect(nested.totals == [.integer(13)])
  }

  @Test func `a header's revision changes only with its aggregates`() {
    put(1, 1, 1, group: "a")
    put(2, 5, 1, group: "a")
    let grouped = view(Aggregate(.max, of: 0), group: [4])
    func revision() -> UInt32? {
      if case .header(let section) = grouped.items(0..<1)[0] { section.revision } else { nil }
    }
    let before = revision()
    put(1, 2, 99, group: "a")
    grouped.catchUp()
    #expect(revision() == before)
    put(1, 6, 99, group: "a")
    grouped.catchUp()
    #expect(revision() != before)
  }

  @Test func `least, greatest and distinct are right after random removals`() {
    var random = SeededGenerator(seed: 4)
    var counts = ValueCounts(findsLeast: true, findsGreatest: true)
    var plain: [UInt64] = []
    for _ in 0..<3000 {
      if random.number(0...9) < 5 || plain.isEmpty {
        let word = random.pick([0, .max, UInt64(random.number(0...50)), random.next()])
        counts.add(word)
        plain.append(word)
      } else {
        counts.remove(plain.remove(at: random.number(0...plain.count - 1)))
      }
      #expect(counts.distinct == Set(plain).count)
      if random.oneIn(3) {
        #expect(counts.least() == plain.min())
        #expect(counts.greatest() == plain.max())
      }
    }
  }

  @Test func `distinct is exact when most texts differ`() {
    var changes = Changeset()
    for key in 0..<20_000 as Range<Int64> {
      changes.upsert(.integer(key), [.null, .null, .text("text \(key % 15_000)"), .null, .text("g")])
    }
    table.apply(changes)
    let all = view(Aggregate(.distinct, of: 2))
    while all.build != nil { all.work() }
    #expect(all.totals == [.integer(15_000)])
  }

  @Test(
    arguments: [(1, [1, 1, 1, 1]), (4, [2, 4, 4, 4]), (10, [5, 9, 10, 10]), (200, [100, 180, 190, 198])]
      as [(Int64, [Int64])])
  func `percentiles are values of the nearest rank`(_ count: Int64, _ expected: [Int64]) {
    let all = view(Aggregate(.median, of: 0), Aggregate(.p90, of: 0), Aggregate(.p95, of: 0), Aggregate(.p99, of: 0))
    // A null does not count, and the order of arrival has no effect.
    put(0)
    for key in (1...count).reversed() { put(key, key) }
    all.catchUp()
    #expect(all.totals == expected.map { .integer($0) })
  }

  @Test func `percentiles follow changed and deleted rows`() {
    put(1, 10, 0.5, time: 5)
    put(2, 20, 1.5, time: 7)
    put(3, 30, -2.5, time: 9)
    let all = view(Aggregate(.median, of: 0), Aggregate(.median, of: 1), Aggregate(.p90, of: 3))
    #expect(all.totals == [.integer(20), .number(0.5), .timestamp(9)])
    put(2, 5, 0.25, time: 8)
    all.catchUp()
    #expect(all.totals == [.integer(10), .number(0.25), .timestamp(9)])
    var changes = Changeset()
    for key in [1, 3] as [Int64] { changes.delete(.integer(key)) }
    table.apply(changes)
    all.catchUp()
    #expect(all.totals == [.integer(5), .number(0.25), .timestamp(8)])
    var last = Changeset()
    last.delete(.integer(2))
    table.apply(last)
    all.catchUp()
    #expect(all.totals == [.null, .null, .null])
  }

  @Test func `first and last follow the view's order and include nulls`() {
    put(1, 3, text: "c")
    put(2, nil, text: "b")
    put(3, 1, text: "a")
    var query = Query(sort: [SortTerm(0)])
    query.aggregates = [Aggregate(.first, of: 2), Aggregate(.last, of: 0), Aggregate(.last, of: 2)]
    let sorted = ListView(query, table: table)
    #expect(sorted.totals == [.text("a"), .null, .text("b")])
    put(2, 0, text: "b")
    sorted.catchUp()
    #expect(sorted.totals == [.text("b"), .integer(3), .text("c")])
    // A change of a column that is neither sorted nor counted otherwise is seen, too.
    put(2, 0, text: "z")
    sorted.catchUp()
    #expect(sorted.totals == [.text("z"), .integer(3), .text("c")])
    var removal = Changeset()
    removal.delete(.integer(1))
    table.apply(removal)
    sorted.catchUp()
    #expect(sorted.totals == [.text("z"), .integer(1), .text("a")])
  }

  @Test func `first and last of an outer section follow its inner sections`() {
    put(1, 1, text: "y", group: "a")
    put(2, 2, text: "x", group: "a")
    put(3, 3, text: "z", group: "a")
    let nested = view(Aggregate(.first, of: 0), Aggregate(.last, of: 0), group: [4, 2])
    func ends() -> [[Cell]] {
      nested.items(0..<nested.itemCount).compactMap {
        if case .header(let section) = $0, section.level == 0 { nested.aggregates(of: section) } else { nil }
      }
    }
    #expect(ends() == [[.integer(2), .integer(3)]])
    put(3, 3, text: "z", group: "b")
    nested.catchUp()
    #expect(ends() == [[.integer(2), .integer(1)], [.integer(3), .integer(3)]])
    #expect(nested.totals == [.integer(2), .integer(3)])
  }

  @Test func `refuses aggregates that a column's type does not support`() throws {
    let harness = try Harness(rows: 3)
    for (function, column, isFitting) in [
      (Aggregate.Function.sum, "name", false), (.min, "group", false), (.distinct, "group", true),
      (.mean, "value", true), (.median, "name", false), (.p99, "value", true), (.first, "group", true),
    ] {
      var query = QueryRequest()
      query.aggregates = [AggregateRequest(function, of: column)]
      harness.open(query: query)
      let answers = harness.engine.advance(to: harness.clock.now)
      let isRefused = answers.contains {
        if case .refuse(_, let refusal) = $0, case .outOfRange = refusal.fault.error { true } else { false }
      }
      #expect(isRefused != isFitting, "\(function) of \(column)")
    }
  }

  @Test func `sends new totals when only a row outside the window changes`() throws {
    let harness = try Harness(rows: 100)
    var query = QueryRequest()
    query.aggregates = [AggregateRequest(.sum, of: "value")]
    harness.open(query: query)
    try harness.settle()
    #expect(harness.replica().totals == [.integer(49_500)])
    harness.change { $0.update(90, value: 901) }
    try harness.settle(by: .seconds(1))
    #expect(harness.replica().totals == [.integer(49_501)])
    harness.change { $0.update(90, name: "nothing that is asked for") }
    #expect(try harness.advance(by: .seconds(1)).isEmpty)
  }
}
