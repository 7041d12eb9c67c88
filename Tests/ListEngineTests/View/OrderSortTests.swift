import ListTesting
import Testing

@testable import ListEngine

/// Values that are hard to sort: nulls, extremes, and texts that agree for long or are filled up
/// with zeros.
private func cell(_ type: ColumnType, _ random: inout SeededGenerator) -> Cell {
  if random.oneIn(8) { return .null }
  switch type {
  case .integer:
    return .integer(
      random.pick([.min, .max, 0, 1, -1, Int64(random.number(-3...3)), Int64(random.number(0...1 << 40))]))
  case .number:
    return .number(
      random.pick([0, -.infinity, .infinity, .leastNonzeroMagnitude, Double(random.number(-9...9)) / 3]))
  case .boolean: return .boolean(random.oneIn(2))
  default:
    let beginning = random.pick(["", "a", "abcdefgh", "abcdefgh\0", "abcdefghabcdefgh", "Ab", "ÿÿÿÿ"])
    let end = random.pick(["", "\0", "\0\0", "a", "B", "10", "9", "\(random.number(0...99))"])
    return .text(beginning + end)
  }
}

private let sortedSchema = Schema(
  name: "rows", key: .integer,
  columns: [
    Column("whole", .integer), Column("number", .number), Column("flag", .boolean), Column("text", .text),
    Column("natural", .text),
  ])

private struct SortedTable {
  let table: Table
  let comparator: RowComparator
  var changed = ChangedRows()
  var random: SeededGenerator

  init(seed: UInt64, rows: Int) {
    var random = SeededGenerator(seed: seed)
    table = Table(sortedSchema, limits: Limits(), seed: seed, collators: [4: NaturalCollator()])
    let terms = (0..<random.number(0...3)).map { _ in
      SortTerm(random.number(0...sortedSchema.columns.count - 1), descending: random.oneIn(2))
    }
    comparator = RowComparator(Query(sort: terms), table: table)
    self.random = random
    upsert(0..<rows)
  }

  mutating func upsert(_ keys: some Sequence<Int>) {
    var changes = Changeset()
    for key in keys {
      changes.upsert(.integer(Int64(key)), sortedSchema.columns.map { cell($0.type, &random) })
    }
    table.apply(changes)
  }

  /// Changes or deletes some rows, as happens between two steps.
  mutating func disturb() {
    let end = table.log.end
    upsert((0..<random.number(0...2)).map { _ in random.number(0...300) })
    if random.oneIn(3) {
      var changes = Changeset()
      changes.delete(.integer(Int64(random.number(0...300))))
      table.apply(changes)
    }
    for change in table.log.since(end) { _ = changed.insert(change.slot) }
  }
}

@Suite struct OrderSortTests {
  /// Sorts all rows of a table, with disturbances between the steps if wanted.
  private func sorted(_ some: inout SortedTable, stepRows: Int, isDisturbed: Bool) -> [UInt32] {
    let slots = (0..<some.table.slots).filter { some.table.isAlive($0) }
    let keys = slots.map { some.comparator.key($0) }
    let known = keys.filter { $0 < .max }
    let compressor = known.isEmpty ? KeyCompressor() : KeyCompressor(least: known.min()!, greatest: known.max()!)
    let sort = OrderSort(comparator: some.comparator, stepRows: stepRows)
    var bins = SectionBins(binRows: OrderSort.pieceRows(stepRows: stepRows))
    defer { bins.deallocate() }
    bins.keys = compressor.compress(known.min() ?? .max)...compressor.compress(known.max() ?? .max)
    bins.add(0, rows: slots.count)
    for (key, slot) in zip(keys, slots) { bins.append(slot, key: compressor.compress(key), to: 0) }
    var rows: [UInt32] = []
    while let bin = bins.takeNext(of: 0) {
      sort.begin(bin)
      while !sort.isDone {
        sort.step(atMost: stepRows, except: some.changed) { entries in
          for entry in entries {
            let slot = UInt32(truncatingIfNeeded: entry)
            #expect(UInt32(entry >> 32) == compressor.compress(keys[slots.firstIndex(of: slot)!]))
            rows.append(slot)
          }
        }
        if isDisturbed { some.disturb() }
      }
    }
    // Rows that changed after they were returned are the business of the view.
    return rows.filter { !some.changed.contains($0) }
  }

  @Test(arguments: [1, 3, 40, 1 << 16], [false, true])
  func `gives the order of the comparator`(stepRows: Int, isDisturbed: Bool) {
    for seed: UInt64 in 1...60 {
      var some = SortedTable(seed: seed, rows: 250)
      let slots = (0..<some.table.slots).filter { some.table.isAlive($0) }
      let rows = sorted(&some, stepRows: stepRows, isDisturbed: isDisturbed)
      let wanted = slots.filter { !some.changed.contains($0) }.sorted { some.comparator.precedes($0, $1) }
      #expect(rows == wanted, "seed \(seed)")
    }
  }

  /// Returns the first rows of a table in a bin, with equal keys.
  private func bin(_ rows: Int) -> EntryBin {
    var bin = EntryBin(rows: OrderSort.pieceRows(stepRows: 1 << 16))
    for slot in 0..<UInt64(rows) { bin.append(slot) }
    return bin
  }

  @Test func `an abandoned sort is freed a bounded number of blocks at a time`() {
    let some = SortedTable(seed: 1, rows: 30_000)
    let comparator = RowComparator(Query(sort: [SortTerm(1)]), table: some.table)
    // Half of the rows are distributed to groups when it is abandoned.
    let sort = OrderSort(comparator: comparator, stepRows: 1 << 16)
    var rows = EntryBin(rows: 8192)
    for slot in 0..<UInt64(30_000) { rows.append((slot * 7_919 % 30_000) << 32 | slot) }
    sort.begin(rows)
    sort.step(atMost: 60_000, except: some.changed) { _ in Issue.record("rows are returned") }
    var freed = 0
    while case let count = sort.free(atMost: 10), count > 0 {
      #expect(count <= 10)
      freed += count
    }
    #expect(freed >= 30_000 / 511 && sort.isDone)
  }

  @Test func `sorts 40,000 tied rows in steps of bounded work`() {
    // Two values of each row tie with thousands of others, so that every kind of work occurs.
    let some = SortedTable(seed: 1, rows: 0)
    let comparator = RowComparator(Query(sort: [SortTerm(2), SortTerm(3, descending: true)]), table: some.table)
    var changes = Changeset()
    for row in 0..<40_000 {
      let text = "a beginning that all rows share \(row * 7919 % 9_000)"
      changes.upsert(
        .integer(Int64(row)), [.integer(0), .number(0), .boolean(row % 3 == 0), .text(text), .text("")])
    }
    some.table.apply(changes)
    let sort = OrderSort(comparator: comparator, stepRows: 1 << 16)
    sort.begin(bin(40_000))
    var (rows, steps) = ([UInt32](), 0)
    while !sort.isDone {
      steps += 1
      let before = sort.spent
      sort.step(atMost: 1 << 12, except: some.changed) { rows += $0.map { UInt32(truncatingIfNeeded: $0) } }
      #expect(sort.spent - before <= 1 << 12 + 1 << 17)
    }
    #expect(steps > 20)
    #expect(rows == (0..<40_000).sorted { comparator.precedes($0, $1) })
  }

  @Test func `work grows in proportion to the rows`() {
    func work(_ rows: Int) -> Int {
      var some = SortedTable(seed: 1, rows: 0)
      some.upsert(0..<rows)
      let comparator = RowComparator(Query(sort: [SortTerm(2)]), table: some.table)
      let sort = OrderSort(comparator: comparator, stepRows: 1 << 16)
      sort.begin(bin(rows))
      while !sort.isDone { sort.step(atMost: 1 << 16, except: ChangedRows()) { _ in } }
      return sort.spent
    }
    #expect(work(80_000) < 5 * work(20_000))
  }
}
