import ListTesting
import Testing

@testable import ListEngine

@Suite struct ListViewTests {
  private static let schema = Schema(
    name: "t", key: .integer,
    columns: [Column("number", .number), Column("text", .text), Column("group", .text), Column("flag", .boolean)])

  /// Returns the items of a view as lines.
  private func lines(_ view: ListView) -> [PlainTable.Line] {
    view.items(0..<view.itemCount).map {
      switch $0 {
      case .row(let slot): .row(view.table.snapshot(slot).cells)
      case .header(let section): .header(section.value, count: section.count, level: section.level)
      case .absent(let absent): preconditionFailure("a resident view lacks \(absent)")
      }
    }
  }

  private func cells(_ random: inout SeededGenerator) -> [Cell] {
    [
      random.oneIn(9) ? .null : .number(Double(random.number(0...300)) / 4),
      random.oneIn(9)
        ? .null : .text(random.pick(["a", "ab", "B", "", "abcdefgh", "abcdefghi", "abcdefgh\u{0}", "é", "日本"])),
      random.oneIn(9) ? .null : .text("g\(random.number(0...4))"),
      random.oneIn(9) ? .null : .boolean(random.oneIn(2)),
    ]
  }

  @Test(arguments: [
    Query(), Query(sort: [SortTerm(0)]), Query(sort: [SortTerm(0, descending: true)]), Query(sort: [SortTerm(1)]),
    Query(sort: [SortTerm(1, descending: true)]),
    Query(sort: [SortTerm(3), SortTerm(2, descending: true), SortTerm(0)]),
    Query(search: "AB"), Query(group: [2]), Query(sort: [SortTerm(0, descending: true)], search: "g", group: [2]),
    Query(sort: [SortTerm(1)], group: [3]), Query(group: [0]), Query(sort: [SortTerm(0)], group: [2, 3]),
    Query(search: "g", group: [3, 1, 2, 0]),
  ])
  func `items and positions match a plain table after changes`(query: Query) {
    var random = SeededGenerator(seed: 11)
    let table = Table(Self.schema, limits: Limits(), seed: 1)
    var plain = PlainTable(Self.schema)
    let view = ListView(query, table: table)
    // More rows than a chunk holds, so that chunks split, merge and become empty.
    for round in 0..<60 {
      var changes = Changeset()
      for _ in 0..<(round < 20 ? 120 : 40) {
        let key = RowKey.integer(Int64(random.number(0...1500)))
        let isShrinking = round > 40
        if random.number(0...9) < (isShrinking ? 8 : 2) {
          changes.delete(key)
          plain.delete(key)
        } else {
          let cells = cells(&random)
          changes.upsert(key, cells)
          plain.upsert(key, cells)
        }
      }
      table.apply(changes)
      guard round % 3 == 0 else { continue }
      view.catchUp()
      #expect(lines(view) == plain.lines(query))
      for (position, item) in view.items(0..<view.itemCount).enumerated() {
        if case .row(let slot) = item { #expect(view.position(of: slot) == position) }
      }
    }
  }

  /// The distribution of numbers between the least and the greatest of a column.
  enum Spread: CaseIterable {
    case even, steep, twoHeaps, nearlyOne, one

    func number(_ random: inout SeededGenerator) -> Double {
      let number = Double(random.number(0...1_000_000))
      return switch self {
      case .even: number
      case .steep: Double(sign: .plus, exponent: Int(number / 1_000), significand: 1 + number / 1e7)
      case .twoHeaps: random.oneIn(2) ? number / 1e9 : 1e300 - number
      case .nearlyOne: random.oneIn(50) ? number : 7
      case .one: 7
      }
    }
  }

  @Test(arguments: Spread.allCases, [false, true])
  func `sorts any distribution of numbers like a plain table`(spread: Spread, isDescending: Bool) {
    var random = SeededGenerator(seed: 12)
    let table = Table(Self.schema, limits: Limits(), seed: 1)
    var plain = PlainTable(Self.schema)
    let query = Query(sort: [SortTerm(0, descending: isDescending)])
    let view = ListView(query, table: table)
    for round in 0..<12 {
      var changes = Changeset()
      for _ in 0..<(round == 0 ? 1_800 : 300) {
        let key = RowKey.integer(Int64(random.number(0...2_400)))
        let cells: [Cell] = [.number(spread.number(&random)), .null, .null, .null]
        changes.upsert(key, cells)
        plain.upsert(key, cells)
      }
      table.apply(changes)
      view.catchUp()
      #expect(lines(view) == plain.lines(query), "in round \(round)")
    }
  }

  @Test func `empty cells come last in both directions`() {
    let table = Table(Self.schema, limits: Limits(), seed: 1)
    var changes = Changeset()
    for (key, value) in [Cell.null, .number(2), .number(-1), .null, .number(1e300)].enumerated() {
      changes.upsert(.integer(Int64(key)), [value, .null, .null, .null])
    }
    table.apply(changes)
    func numbers(_ query: Query) -> [Cell] {
      let view = ListView(query, table: table)
      return view.items(0..<5).compactMap { if case .row(let slot) = $0 { table.columns[0].cell(slot) } else { nil } }
    }
    #expect(numbers(Query(sort: [SortTerm(0)])) == [.number(-1), .number(2), .number(1e300), .null, .null])
    #expect(
      numbers(Query(sort: [SortTerm(0, descending: true)])) == [.number(1e300), .number(2), .number(-1), .null, .null])
  }

  @Test func `ties keep the order of the source in both directions`() {
    let table = Table(Self.schema, limits: Limits(), seed: 1)
    var changes = Changeset()
    for key in [5, 3, 9, 1] as [Int64] { changes.upsert(.integer(key), [.number(1), .null, .null, .null]) }
    changes.move(.integer(9), before: .integer(5))
    table.apply(changes)
    for descending in [false, true] {
      let view = ListView(Query(sort: [SortTerm(0, descending: descending)]), table: table)
      let keys = view.items(0..<4).compactMap { if case .row(let slot) = $0 { table.keys.key(of: slot) } else { nil } }
      #expect(keys == [9, 5, 3, 1])
    }
  }

  @Test func `sections are ordered, counted and removed when empty`() {
    let table = Table(Self.schema, limits: Limits(), seed: 1)
    func group(_ key: Int64, _ value: Cell) {
      var changes = Changeset()
      changes.upsert(.integer(key), [.null, .null, value, .null])
      table.apply(changes)
    }
    for (key, value) in [Cell.text("b"), .text("a"), .null, .text("b")].enumerated() { group(Int64(key), value) }
    let view = ListView(Query(group: [2]), table: table)
    func headers() -> [PlainTable.Line] { lines(view).filter { if case .header = $0 { true } else { false } } }
    #expect(headers() == [.header(.text("a"), count: 1), .header(.text("b"), count: 2), .header(.null, count: 1)])
    group(1, .text("b"))
    group(2, .text("0"))
    view.catchUp()
    #expect(headers() == [.header(.text("0"), count: 1), .header(.text("b"), count: 3)])
    #expect(view.itemCount == 6 && view.rowCount == 4)
  }

  @Test func `nested sections are ordered, counted and removed when empty`() {
    let table = Table(Self.schema, limits: Limits(), seed: 1)
    func put(_ key: Int64, _ group: Cell, _ flag: Cell) {
      var changes = Changeset()
      changes.upsert(.integer(key), [.number(Double(key)), .null, group, flag])
      table.apply(changes)
    }
    put(1, .text("b"), .boolean(true))
    put(2, .text("a"), .null)
    put(3, .text("b"), .boolean(false))
    put(4, .text("a"), .null)
    let view = ListView(Query(group: [2, 3]), table: table)
    func headers() -> [PlainTable.Line] { lines(view).filter { if case .header = $0 { true } else { false } } }
    #expect(
      headers() == [
        .header(.text("a"), count: 2), .header(.null, count: 2, level: 1), .header(.text("b"), count: 2),
        .header(.boolean(false), count: 1, level: 1), .header(.boolean(true), count: 1, level: 1),
      ])
    #expect(view.sections(above: 0).isEmpty)
    #expect(view.sections(above: 1).map(\.value) == [.text("a")])
    #expect(view.sections(above: 3).map(\.value) == [.text("a"), .null])
    #expect(view.sections(above: 4).isEmpty)
    // Deleting the last subsection deletes the enclosing section, too.
    put(2, .text("b"), .null)
    put(4, .text("b"), .null)
    view.catchUp()
    #expect(
      headers() == [
        .header(.text("b"), count: 4), .header(.boolean(false), count: 1, level: 1),
        .header(.boolean(true), count: 1, level: 1), .header(.null, count: 2, level: 1),
      ])
    #expect(view.itemCount == 8 && view.rowCount == 4)
  }

  @Test func `nested sections keep their numbers when most rows change`() {
    let table = Table(Self.schema, limits: Limits(), seed: 1)
    var changes = Changeset()
    for key in 0..<5000 as Range<Int64> {
      changes.upsert(.integer(key), [.number(Double(key)), .null, .text("g\(key % 3)"), .boolean(key % 2 == 0)])
    }
    table.apply(changes)
    let view = ListView(Query(group: [2, 3]), table: table)
    func numbers() -> [[Cell]: UInt32] {
      var numbers: [[Cell]: UInt32] = [:]
      for case .header(let section) in view.items(0..<view.itemCount) { numbers[section.path] = section.number }
      return numbers
    }
    let before = numbers()
    #expect(before.count == 9)
    var all = Changeset()
    for key in 0..<5000 as Range<Int64> { all.update(.integer(key), [nil, nil, .text("g\(key / 2 % 4)"), nil]) }
    table.apply(all)
    view.catchUp()
    let after = numbers()
    #expect(after.count == 12 && Set(after.values).count == 12)
    for (path, number) in before { #expect(after[path] == number) }
  }

  @Test func `the revision of a header changes only with its count`() {
    let table = Table(Self.schema, limits: Limits(), seed: 1)
    func set(_ key: Int64, _ number: Double, _ group: String) {
      var changes = Changeset()
      changes.upsert(.integer(key), [.number(number), .null, .text(group), .null])
      table.apply(changes)
    }
    for key in 0..<4 as Range<Int64> { set(key, Double(key), "g") }
    let view = ListView(Query(sort: [SortTerm(0)], group: [2]), table: table)
    func revision() -> UInt32? {
      if case .header(let section) = view.items(0..<1)[0] { section.revision } else { nil }
    }
    let before = revision()
    set(0, 99, "g")
    view.catchUp()
    #expect(revision() == before)
    set(9, 5, "g")
    view.catchUp()
    #expect(revision() != before)
  }

  @Test func `sections keep their numbers when the table is relabeled`() {
    let table = Table(Self.schema, limits: Limits(), seed: 1)
    func apply(_ body: (inout Changeset) -> Void) {
      var changes = Changeset()
      body(&changes)
      table.apply(changes)
    }
    apply { changes in
      for key in 0..<9 as Range<Int64> {
        changes.upsert(.integer(key), [.null, .null, .text("g\(8 - key % 3)"), .null])
      }
    }
    let view = ListView(Query(group: [2]), table: table)
    func numbers() -> [Cell: UInt32] {
      var numbers: [Cell: UInt32] = [:]
      for case .header(let section) in view.items(0..<view.itemCount) { numbers[section.value] = section.number }
      return numbers
    }
    let before = numbers()
    let relabelings = table.relabelings
    for move in 0..<100 as Range<Int64> where table.relabelings == relabelings {
      apply { $0.move(.integer(1 + move % 8), before: .integer(0)) }
    }
    #expect(table.relabelings > relabelings)
    view.catchUp()
    #expect(before.count == 3)
    #expect(numbers() == before)
  }

  @Test func `a build stays in order when the table is relabeled meanwhile`() {
    var limits = Limits()
    limits.stepRows = 400
    let table = Table(Self.schema, limits: limits, seed: 1)
    var changes = Changeset()
    for key in 0..<3000 as Range<Int64> { changes.upsert(.integer(key), [.number(1), .null, .null, .null]) }
    for key in 0..<1500 as Range<Int64> { changes.delete(.integer(key)) }
    table.apply(changes)
    let view = ListView(Query(), table: table)
    for _ in 0..<20 { view.work() }
    #expect(view.build != nil)
    var moves = Changeset()
    for key in 2500..<2540 as Range<Int64> { moves.move(.integer(key), before: .integer(2000)) }
    table.apply(moves)
    #expect(table.relabelings > 0)
    for _ in 0..<1000 where view.build != nil { view.work() }
    view.catchUp()
    var shown: [UInt64] = []
    for case .row(let slot) in view.items(0..<view.itemCount) { shown.append(table.labels[slot]) }
    #expect(shown.count == 1500)
    #expect(shown == shown.sorted())
  }

  @Test func `sections above an item are those that enclose it`() {
    let table = Table(Self.schema, limits: Limits(), seed: 1)
    var changes = Changeset()
    for key in 0..<4 as Range<Int64> {
      changes.upsert(.integer(key), [.null, .null, .text(key < 2 ? "a" : "b"), .boolean(key % 2 == 0)])
    }
    table.apply(changes)
    let view = ListView(Query(group: [2, 3]), table: table)
    // The items: a, a false, row 1, a true, row 0, b, b false, row 3, b true, row 2, and the end.
    let above = (0...view.itemCount).map { view.sections(above: $0).map(\.value) }
    let (a, b) = (Cell.text("a"), Cell.text("b"))
    #expect(
      above == [
        [], [a], [a, .boolean(false)], [a], [a, .boolean(true)], [], [b], [b, .boolean(false)], [b],
        [b, .boolean(true)], [],
      ])
  }

  @Test func `reuses a dropped chunk`() {
    let section = Section(number: 0, level: -1, value: .null, parent: nil)
    let pool = ChunkPool()
    let first = pool.make(for: section)
    pool.drop(first)
    _ = pool.make(for: section)
    #expect(pool.chunks.count == 1)
  }

  @Test func `shows headers of collapsed sections before rows are sorted`() throws {
    var limits = Limits()
    limits.stepRows = 400
    let harness = try Harness(limits: limits, rows: 0)
    harness.change { changes in
      for row in 0..<3000 { changes.upsert(row, value: row, group: "group \(row % 3)") }
    }
    var query = QueryRequest()
    (query.group, query.aggregates) = (["group"], [AggregateRequest(.sum, of: "value")])
    query.collapsed = (0...3).map { [.text("group \($0)")] }
    harness.open(query: query, buffer: 0, interval: .zero)
    // One row changes its section while the view is built, another one starts a new section.
    harness.change { changes in
      changes.upsert(0, value: 0, group: "group 1")
      changes.upsert(3000, value: 7, group: "group 3")
    }
    func headers() -> [(value: Cell, rows: Int, isCollapsed: Bool)] {
      harness.replica().items.compactMap { item in
        if case .header(let header) = item { (header.value, header.count, header.isCollapsed) } else { nil }
      }
    }
    var turns = 0
    while harness.deliveries.isEmpty, turns < 1000 {
      try harness.advance()
      turns += 1
    }
    #expect(harness.engine.deadline == .zero, "the order is not ready")
    #expect(harness.replica().total == 4)
    #expect(headers().map(\.value) == (0...3).map { .text("group \($0)") })
    #expect(headers().map(\.rows) == [999, 1001, 1000, 1])
    let areCollapsed = headers().map(\.isCollapsed)
    #expect(areCollapsed == [true, true, true, true])
    for _ in 0..<100 where harness.engine.deadline != nil { try harness.settle() }
    #expect(headers().map(\.rows) == [999, 1001, 1000, 1])
    #expect(harness.replica().total == 4)
  }

  @Test func `a window beyond the first items waits for the build`() throws {
    var limits = Limits()
    limits.stepRows = 400
    let harness = try Harness(limits: limits, rows: 3000)
    harness.open(query: QueryRequest(sort: [("value", true)]), first: 2500)
    var turns = 0
    while harness.engine.deadline != nil, harness.deliveries.isEmpty, turns < 1000 {
      try harness.advance()
      turns += 1
    }
    #expect(turns > 10)
    #expect(harness.values().first == 5040)
  }

  @Test func `the search ignores case, also beyond ASCII`() {
    func finds(_ needle: String, _ text: String) -> Bool {
      var text = text
      return text.withUTF8 { TextSearch(needle).isIn(UnsafeRawBufferPointer($0)) }
    }
    #expect(finds("abc", "xxABCxx") && finds("ABC", "abc") && finds("c", "abc"))
    #expect(!finds("abc", "ab") && !finds("abc", "abxc") && !finds("a", ""))
    #expect(finds("grün", "GRÜN") && finds("ÜN", "grün") && finds("x", "äöüx") && !finds("x", "äöü"))
    #expect(finds("aab", "aaab") && finds("ß", "Straße"))
    #expect(finds("az", "AZ") && finds("AZ", "az") && !finds("[", "{") && !finds("@", "`"))
  }

  @Test func `compressed keys keep their order, and close ones differ`() {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<500 {
      let bits = random.number(0...63)
      let base = random.next() >> UInt64(random.number(0...63))
      let keys = (0..<20).map { _ in base &+ random.next() >> UInt64(bits) }.sorted()
      let compressor = KeyCompressor(least: keys[random.number(0...5)], greatest: keys[random.number(10...19)])
      let compressed = keys.map { compressor.compress($0) }
      #expect(compressed == compressed.sorted())
    }
    // Keys that are close together stay distinct.
    let compressor = KeyCompressor(least: 1 << 62, greatest: 1 << 62 + 1_000_000)
    #expect(compressor.compress(1 << 62 + 10) < compressor.compress(1 << 62 + 11))
  }

  @Test func `finds a longest increasing run`() {
    #expect(longestIncreasingRun([3, 1, 2, 4]) == [false, true, true, true])
    #expect(longestIncreasingRun([Int]()) == [])
    #expect(longestIncreasingRun([5, 4, 3, 2, 1]).count { $0 } == 1)
    #expect(longestIncreasingRun([1, 2, 3, 0, 4, 5]).count { $0 } == 5)
  }
}
