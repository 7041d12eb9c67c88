/// A query's filter and search, compiled once for a view: a list of tests, each of which says where to go on.
///
///     let filter = RowFilter(query, table: table)
///     filter.lets(slot)
///
/// What a text was found to be is remembered by its number, as long as its column stores repeated texts once: a million rows of
/// ten thousand symbols cost ten thousand looks.
final class RowFilter {
  fileprivate static var shown: Int { -1 }
  fileprivate static var hidden: Int { -2 }
  private static var interrupted: Int { -3 }

  /// Its columns must not go before the filter does.
  private let table: Table
  // All of these are constants, because a variable of a class is looked after at every access, and they are read for every row; and
  // bare memory where something with references is read, because counting these costs as much as looking at a short text.
  private let tests: UnsafeMutableBufferPointer<FilterTest>
  private let start: Int
  private let lists: [[UInt64]]
  private let textTests: UnsafeMutableBufferPointer<TextTest>
  /// For the tests among them that look for a text, which most do that look at every row: the search itself.
  private let searches: UnsafeMutableBufferPointer<Unmanaged<TextSearch>?>
  private let memories: [Verdicts]
  /// The columns whose change may change the outcome; see ``ChangeLog/Entry/columns``.
  let interest: UInt64
  /// How many texts it has looked at.
  private(set) var looks = 0
  /// How much it has done so far: bytes looked at, and steps of regular expressions.
  private(set) var work = 0
  /// Whether the tests of a row were interrupted.
  private var isInterrupted = false

  /// - Precondition: The query fits the table.
  init(_ query: Query, table: Table) {
    self.table = table
    var compiler = FilterCompiler(
      columns: table.columns, searched: query.isRestricted ? table.schema.publicColumnCount : table.columns.count)
    var start = Self.shown
    if !query.search.isEmpty { start = compiler.add(search: query.search, start, Self.hidden) }
    if let filter = query.filter { start = compiler.add(filter, start, Self.hidden) }
    self.start = start
    tests = .allocate(capacity: compiler.tests.count)
    _ = tests.initialize(from: compiler.tests)
    lists = compiler.lists
    textTests = .allocate(capacity: compiler.textTests.count)
    _ = textTests.initialize(from: compiler.textTests)
    searches = .allocate(capacity: compiler.textTests.count)
    _ = searches.initialize(from: compiler.textTests.map { $0.search.map(Unmanaged.passUnretained) })
    memories = compiler.memories.values.map(\.verdicts)
    interest = compiler.interest
  }

  deinit {
    tests.deallocate()
    textTests.deinitialize()
    textTests.deallocate()
    searches.deallocate()
    for memory in memories { memory.words.deallocate() }
  }

  /// Whether it lets every row through.
  var isEmpty: Bool { start == Self.shown }

  /// Whether it lets the row in this slot through.
  ///
  /// - Complexity: O(terms), and for each text that was not looked at before O(bytes).
  @inline(__always) func lets(_ slot: UInt32) -> Bool {
    start < 0 ? start == Self.shown : run(slot, .max) == Self.shown
  }

  /// Whether it lets the row in this slot through; `nil` when ``work`` has reached the limit before that is known. The next call for the row
  /// goes on from there, if its texts are still the same. A row costs one look at each of its texts, whatever the limit.
  @inline(__always) func lets(_ slot: UInt32, until limit: Int) -> Bool? {
    guard start >= 0 else { return start == Self.shown }
    let outcome = run(slot, limit)
    return outcome == Self.interrupted ? nil : outcome == Self.shown
  }

  private func run(_ slot: UInt32, _ limit: Int) -> Int {
    var place = start
    while place >= 0 {
      let test = tests.baseAddress.unsafelyUnwrapped + place
      let isTrue: Bool
      switch test.pointee.kind {
      case .isEmpty: isTrue = test.pointee.column.isNull(slot)
      case .within: isTrue = isWithin(test, slot)
      case .outside: isTrue = !isWithin(test, slot) && !test.pointee.column.isNull(slot)
      case .isListed: isTrue = isListed(test, slot)
      case .text:
        guard let passes = passes(test, slot, limit) else {
          isInterrupted = true
          return Self.interrupted
        }
        isTrue = passes
      }
      place = isTrue ? test.pointee.ifTrue : test.pointee.ifFalse
    }
    if isInterrupted { letGo() }
    return place
  }

  @inline(__always) private func isWithin(_ test: UnsafeMutablePointer<FilterTest>, _ slot: UInt32) -> Bool {
    let key = test.pointee.column.sortKey(slot, descending: false)
    // The greatest key is that of empty cells, and of the greatest integer too.
    return key >= test.pointee.low && key <= test.pointee.high && (key != .max || !test.pointee.column.isNull(slot))
  }

  private func isListed(_ test: UnsafeMutablePointer<FilterTest>, _ slot: UInt32) -> Bool {
    guard !test.pointee.column.isNull(slot) else { return false }
    let key = test.pointee.column.sortKey(slot, descending: false)
    let list = lists[test.pointee.operand]
    let place = partition(list.count) { list[$0] < key }
    return place < list.count && list[place] == key
  }

  /// Forgets how far the tests of an interrupted row have come.
  private func letGo() {
    isInterrupted = false
    for test in textTests { if case .matches(let matcher) = test { matcher.letGo() } }
  }

  @inline(__always)
  private func passes(_ test: UnsafeMutablePointer<FilterTest>, _ slot: UInt32, _ limit: Int) -> Bool? {
    let number = test.pointee.column.textNumber(slot)
    guard number != TextPool.none else { return false }
    guard let memory = test.pointee.memory, let generation = test.pointee.column.sharedGeneration(of: number) else {
      return look(test, test.pointee.column.bytes(slot), limit)
    }
    if let verdict = memory.verdict(number, generation, bit: test.pointee.bit) { return verdict }
    guard let verdict = look(test, test.pointee.column.bytes(slot), limit) else { return nil }
    memory.remember(number, generation, bit: test.pointee.bit, verdict)
    return verdict
  }

  private func look(
    _ test: UnsafeMutablePointer<FilterTest>, _ bytes: UnsafeRawBufferPointer, _ limit: Int
  ) -> Bool? {
    looks += 1
    if let search = searches[test.pointee.operand] {
      work += bytes.count
      return search._withUnsafeGuaranteedRef { $0.isIn(bytes) }
    }
    var spent = 0
    defer { work += spent }
    return textTests[test.pointee.operand].passes(bytes, work: &spent, left: max(1, limit - work))
  }
}

/// One test of a compiled filter.
private struct FilterTest {
  enum Kind: UInt8 {
    /// The cell is empty.
    case isEmpty
    /// Its sort key lies between `low` and `high`.
    case within
    /// It does not, and the cell is not empty.
    case outside
    /// Its sort key is in the list with the number `operand`.
    case isListed
    /// Its text passes the test with the number `operand`.
    case text
  }

  var kind: Kind
  var column: ColumnStore
  var low: UInt64 = 0
  var high: UInt64 = 0
  var operand = 0
  /// Where verdicts are remembered, and as which bit; `nil` for nowhere.
  var memory: Verdicts?
  var bit: UInt64 = 0
  /// Which test is next; or an outcome below 0.
  var ifTrue: Int
  var ifFalse: Int
}

/// Puts the tests of a filter together.
private struct FilterCompiler {
  let columns: UnsafeMutableBufferPointer<ColumnStore>
  /// The number of leading columns in which a search looks.
  let searched: Int
  private(set) var tests: [FilterTest] = []
  private(set) var lists: [[UInt64]] = []
  private(set) var textTests: [TextTest] = []
  /// What is remembered of each column's texts, and for how many tests.
  private(set) var memories: [Int: (verdicts: Verdicts, tests: Int)] = [:]
  private(set) var interest: UInt64 = 0

  init(columns: UnsafeMutableBufferPointer<ColumnStore>, searched: Int) {
    self.columns = columns
    self.searched = searched
  }

  /// Adds the tests of a search: one for each column of texts.
  mutating func add(search: String, _ ifTrue: Int, _ ifFalse: Int) -> Int {
    textTests.append(.contains(TextSearch(search)))
    let operand = textTests.count - 1
    var next = ifFalse
    for column in (0..<searched).reversed() where columns[column].type == .text {
      next = addText(operand, column, ifTrue, next)
    }
    return next
  }

  /// Adds the tests of a filter, the last ones first: the result is where it begins.
  mutating func add(_ filter: Filter<Int>, _ ifTrue: Int, _ ifFalse: Int) -> Int {
    switch filter {
    case .all(let parts):
      return parts.reversed().reduce(ifTrue) { next, part in add(part, next, ifFalse) }
    case .any(let parts):
      return parts.reversed().reduce(ifFalse) { next, part in add(part, ifTrue, next) }
    case .not(let part): return add(part, ifFalse, ifTrue)
    case .isEmpty(let column): return add(.isEmpty, column, ifTrue, ifFalse)
    case .contains(let column, let text):
      return addText(.contains(TextSearch(text.string)), column, ifTrue, ifFalse)
    case .startsWith(let column, let text):
      return addText(.startsWith(TextSearch(text.string)), column, ifTrue, ifFalse)
    case .matches(let column, let text, let ignoringCase):
      guard let pattern = try? Pattern(text.string, ignoringCase: ignoringCase) else {
        preconditionFailure("“\(text)” was no regular expression when the query was resolved")
      }
      return addText(.matches(PatternMatcher(pattern)), column, ifTrue, ifFalse)
    case .oneOf(let column, let values):
      if columns[column].pool != nil {
        let texts = values.map(TextTest.bytes(of:)).sorted { $0.lexicographicallyPrecedes($1) }
        return addText(.isOneOf(texts), column, ifTrue, ifFalse)
      }
      lists.append(values.compactMap(ColumnStore.sortKey(of:)).sorted())
      return add(.isListed, column, operand: lists.count - 1, ifTrue, ifFalse)
    case .compare(let column, let comparison, let value):
      return add(comparison, column, value, ifTrue, ifFalse)
    case .range(let column, let from, let through):
      if columns[column].pool != nil {
        return addText(.isWithin(TextRange(from: from, through: through)), column, ifTrue, ifFalse)
      }
      let low = from.flatMap(ColumnStore.sortKey(of:)) ?? 0
      let high = through.flatMap(ColumnStore.sortKey(of:)) ?? .max
      return add(.within, column, low: low, high: high, ifTrue, ifFalse)
    }
  }

  mutating private func add(
    _ comparison: Comparison, _ column: Int, _ value: Cell, _ ifTrue: Int, _ ifFalse: Int
  ) -> Int {
    guard let key = ColumnStore.sortKey(of: value) else {
      switch comparison {
      case .equal: return addText(.isEqual(TextTest.bytes(of: value)), column, ifTrue, ifFalse)
      case .notEqual: return addText(.isNotEqual(TextTest.bytes(of: value)), column, ifTrue, ifFalse)
      case .less, .lessOrEqual, .greater, .greaterOrEqual:
        return addText(.isWithin(TextRange(comparison, value)), column, ifTrue, ifFalse)
      }
    }
    // No key is below 0 and none above the greatest: then 1...0 lets nothing through.
    let (kind, low, high): (FilterTest.Kind, UInt64, UInt64) =
      switch comparison {
      case .equal: (.within, key, key)
      case .notEqual: (.outside, key, key)
      case .less: key > 0 ? (.within, 0, key - 1) : (.within, 1, 0)
      case .lessOrEqual: (.within, 0, key)
      case .greater: key < .max ? (.within, key + 1, .max) : (.within, 1, 0)
      case .greaterOrEqual: (.within, key, .max)
      }
    return add(kind, column, low: low, high: high, ifTrue, ifFalse)
  }

  mutating private func add(
    _ kind: FilterTest.Kind, _ column: Int, low: UInt64 = 0, high: UInt64 = 0, operand: Int = 0, _ ifTrue: Int,
    _ ifFalse: Int
  ) -> Int {
    interest |= 1 << UInt64(column & 63)
    tests.append(
      FilterTest(
        kind: kind, column: columns[column], low: low, high: high, operand: operand, ifTrue: ifTrue, ifFalse: ifFalse))
    return tests.count - 1
  }

  mutating private func addText(_ test: TextTest, _ column: Int, _ ifTrue: Int, _ ifFalse: Int) -> Int {
    textTests.append(test)
    return addText(textTests.count - 1, column, ifTrue, ifFalse)
  }

  mutating private func addText(_ operand: Int, _ column: Int, _ ifTrue: Int, _ ifFalse: Int) -> Int {
    let place = add(.text, column, operand: operand, ifTrue, ifFalse)
    let memory = memories[column] ?? (Verdicts(), 0)
    memories[column] = (memory.verdicts, memory.tests + 1)
    if memory.tests < Verdicts.greatestTestCount {
      tests[place].memory = memory.verdicts
      tests[place].bit = 1 << UInt64(memory.tests)
    }
    return place
  }
}

/// What tests have found of one column's texts: eight bytes for each text, for up to sixteen tests. The filter owns the memory.
private struct Verdicts: BitwiseCopyable {
  static var greatestTestCount: Int { 16 }
  /// From the lowest: 16 bits for what was found, 16 for whether it was looked for, 32 for the generation of the text's number.
  let words = Chunked<UInt64>(filler: 0)

  @inline(__always) func verdict(_ number: UInt32, _ generation: UInt32, bit: UInt64) -> Bool? {
    guard number < words.count else { return nil }
    let word = words[number]
    return word >> 32 == generation && word & bit << 16 != 0 ? word & bit != 0 : nil
  }

  func remember(_ number: UInt32, _ generation: UInt32, bit: UInt64, _ verdict: Bool) {
    words.grow(to: Int(number) + 1)
    let word = words[number] >> 32 == generation ? words[number] : UInt64(generation) << 32
    words[number] = word | bit << 16 | (verdict ? bit : 0)
  }
}
