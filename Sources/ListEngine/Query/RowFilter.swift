/// A query's filter and search, compiled for a view: a list of tests with jump targets.
///
///     let filter = RowFilter(query, table: table)
///     filter.lets(slot)
///
/// Results of text tests are cached by the text's number in columns that share repeated texts. A
/// million rows with ten thousand distinct texts then cost ten thousand tests.
final class RowFilter {
  fileprivate static var shown: Int { -1 }
  fileprivate static var hidden: Int { -2 }
  private static var interrupted: Int { -3 }

  /// Keeps the table's columns alive as long as the filter.
  private let table: Table
  // All properties read for each row are constants, because a variable of a class is checked at
  // every access. Unmanaged memory avoids reference counting, which costs as much as testing a
  // short text.
  private let tests: UnsafeMutableBufferPointer<FilterTest>
  private let start: Int
  private let lists: [[UInt64]]
  private let textTests: UnsafeMutableBufferPointer<TextTest>
  /// The text searches among the tests, which are the most frequent tests of every row.
  private let searches: UnsafeMutableBufferPointer<Unmanaged<TextSearch>?>
  private let memories: [Verdicts]
  /// The rows of a block that each test is yet to see, as bits; zeros between two calls.
  private let pending: UnsafeMutablePointer<UInt64>
  /// Whether ``matching(_:from:)`` can be used: no test can be interrupted or depends on the time,
  /// and texts are short.
  private(set) var testsBlocks: Bool
  /// The work for a row above which texts are long; those of a block at once could exceed a turn.
  private static var greatestRowWork: Int { 1_024 }
  /// The columns that affect the result, as a bit set; see ``ChangeLog/Entry/columns``.
  let interest: UInt64
  /// The number of texts tested.
  private(set) var looks = 0
  /// The work done so far: bytes read, and steps of regular expressions.
  private(set) var work = 0
  /// Whether the result for a row may change as time passes.
  let isRelative: Bool
  /// The time of day at which ages are computed, in nanoseconds since 1970.
  var time: Int64 = 0
  /// The time of day at which the result for the row that was tested last may change, or
  /// `Int64.max` if it stays.
  private(set) var crossing = Int64.max
  /// Whether the tests of a row were interrupted.
  private var isInterrupted = false

  /// Compiles a query.
  ///
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
    isRelative = compiler.isRelative
    pending = .allocate(capacity: compiler.tests.count)
    pending.initialize(repeating: 0, count: compiler.tests.count)
    testsBlocks =
      !isRelative && !compiler.textTests.contains { if case .matches = $0 { true } else { false } }
  }

  deinit {
    tests.deallocate()
    textTests.deinitialize()
    textTests.deallocate()
    searches.deallocate()
    for memory in memories { memory.words.deallocate() }
    pending.deallocate()
  }

  /// Whether every row matches.
  var isEmpty: Bool { start == Self.shown }

  /// Returns whether a row matches.
  ///
  /// - Complexity: O(terms), plus O(bytes) for each text that was not tested before.
  @inline(__always) func lets(_ slot: UInt32) -> Bool {
    start < 0 ? start == Self.shown : run(slot, .max) == Self.shown
  }

  /// Returns whether a row matches, within a limit of work.
  ///
  /// Returns `nil` if ``work`` reaches the limit first. The next call for the row continues, if its
  /// texts are unchanged. Each text of a row is tested at least once, whatever the limit.
  @inline(__always) func lets(_ slot: UInt32, until limit: Int) -> Bool? {
    guard start >= 0 else { return start == Self.shown }
    let outcome = run(slot, limit)
    return outcome == Self.interrupted ? nil : outcome == Self.shown
  }

  /// Returns the matching ones of rows whose slots are below the same multiple of 64.
  ///
  /// It decides once for all rows what a test is, which costs less than testing them one by one.
  ///
  /// - Parameters:
  ///   - rows: The rows, as bits counted from `base`.
  ///   - base: A multiple of 64.
  /// - Precondition: ``testsBlocks`` is true.
  func matching(_ rows: UInt64, from base: UInt32) -> UInt64 {
    guard start >= 0, rows != 0 else { return start == Self.shown ? rows : 0 }
    var shown: UInt64 = 0
    func send(_ rows: UInt64, to target: Int) {
      if target >= 0 { pending[target] |= rows } else if target == Self.shown { shown |= rows }
    }
    let limit = work + rows.nonzeroBitCount * Self.greatestRowWork
    send(rows, to: start)
    // A test only jumps to tests that were compiled before it.
    for place in (0...start).reversed() where pending[place] != 0 {
      let (test, rows) = (tests.baseAddress.unsafelyUnwrapped + place, pending[place])
      pending[place] = 0
      let passing = passing(test, rows, from: base)
      send(passing, to: test.pointee.ifTrue)
      send(rows & ~passing, to: test.pointee.ifFalse)
    }
    if work > limit { testsBlocks = false }
    return shown
  }

  private func passing(_ test: UnsafeMutablePointer<FilterTest>, _ rows: UInt64, from base: UInt32) -> UInt64 {
    let column = test.pointee.column
    switch test.pointee.kind {
    case .text: return passingTexts(test, rows, from: base)
    case .within: return filtered(rows) { isWithin(test, base + $0) }
    case .outside: return filtered(rows) { !isWithin(test, base + $0) && !column.isNull(base + $0) }
    case .isListed: return filtered(rows) { isListed(test, base + $0) }
    case .isEmpty: return filtered(rows) { column.isNull(base + $0) }
    case .isYounger, .isOlder: preconditionFailure("ages are tested row by row")
    }
  }

  private func passingTexts(_ test: UnsafeMutablePointer<FilterTest>, _ rows: UInt64, from base: UInt32) -> UInt64 {
    let column = test.pointee.column
    let numbers = column.numbers.pointer(base)
    guard let memory = test.pointee.memory, let generations = column.sharedGenerations else {
      return filtered(rows) { numbers[Int($0)] != TextPool.none && look(test, column.bytes(base + $0), .max) == true }
    }
    return filtered(rows) { place in
      let number = numbers[Int(place)]
      guard number != TextPool.none else { return false }
      return memory.verdict(number, generations[number], bit: test.pointee.bit)
        ?? (passes(test, base + place, .max) == true)
    }
  }

  /// Returns the bits whose numbers satisfy a condition.
  @inline(__always) private func filtered(_ bits: UInt64, _ passes: (UInt32) -> Bool) -> UInt64 {
    var (passing, left): (UInt64, UInt64) = (0, bits)
    while left != 0 {
      let bit = left & (0 &- left)
      if passes(UInt32(left.trailingZeroBitCount)) { passing |= bit }
      left ^= bit
    }
    return passing
  }

  private func run(_ slot: UInt32, _ limit: Int) -> Int {
    var place = start
    if isRelative { crossing = .max }
    while place >= 0 {
      let test = tests.baseAddress.unsafelyUnwrapped + place
      let isTrue: Bool
      switch test.pointee.kind {
      case .isEmpty: isTrue = test.pointee.column.isNull(slot)
      case .within: isTrue = isWithin(test, slot)
      case .outside: isTrue = !isWithin(test, slot) && !test.pointee.column.isNull(slot)
      case .isListed: isTrue = isListed(test, slot)
      case .isYounger: isTrue = isOld(test, slot) == false
      case .isOlder: isTrue = isOld(test, slot) == true
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
    // The greatest key is shared by nulls and the greatest integer.
    return key >= test.pointee.low && key <= test.pointee.high && (key != .max || !test.pointee.column.isNull(slot))
  }

  /// Returns whether a timestamp has reached an age; `nil` without a timestamp.
  ///
  /// If it has not, the result may change when it does.
  private func isOld(_ test: UnsafeMutablePointer<FilterTest>, _ slot: UInt32) -> Bool? {
    guard !test.pointee.column.isNull(slot) else { return nil }
    let timestamp = ColumnStore.whole(test.pointee.column.sortKey(slot, descending: false))
    let age = ColumnStore.whole(test.pointee.low)
    let (sum, overflows) = timestamp.addingReportingOverflow(age)
    // Beyond 64 bits a timestamp reaches the age never, or always has.
    let moment = overflows ? (age < 0 ? .min : .max) : sum
    if moment <= time { return true }
    crossing = min(crossing, moment)
    return false
  }

  private func isListed(_ test: UnsafeMutablePointer<FilterTest>, _ slot: UInt32) -> Bool {
    guard !test.pointee.column.isNull(slot) else { return false }
    let key = test.pointee.column.sortKey(slot, descending: false)
    let list = lists[test.pointee.operand]
    let place = partition(list.count) { list[$0] < key }
    return place < list.count && list[place] == key
  }

  /// Discards the progress of an interrupted row.
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

/// A test of a compiled filter.
private struct FilterTest {
  enum Kind: UInt8 {
    /// The cell is null.
    case isEmpty
    /// The sort key is in `low...high`.
    case within
    /// The sort key is not in `low...high`, and the cell is not null.
    case outside
    /// The sort key is in the list with index `operand`.
    case isListed
    /// The timestamp has not reached the age whose sort key is `low`.
    case isYounger
    /// The timestamp has reached the age whose sort key is `low`.
    case isOlder
    /// The text passes the text test with index `operand`.
    case text
  }

  var kind: Kind
  var column: ColumnStore
  var low: UInt64 = 0
  var high: UInt64 = 0
  var operand = 0
  /// The cache of results, or `nil` if they are not cached.
  var memory: Verdicts?
  var bit: UInt64 = 0
  /// The index of the next test, or a negative outcome.
  var ifTrue: Int
  var ifFalse: Int
}

/// A compiler of filters into tests.
private struct FilterCompiler {
  let columns: UnsafeMutableBufferPointer<ColumnStore>
  /// The number of leading columns to search.
  let searched: Int
  private(set) var tests: [FilterTest] = []
  private(set) var lists: [[UInt64]] = []
  private(set) var textTests: [TextTest] = []
  /// The caches by column, with the number of tests that use each.
  private(set) var memories: [Int: (verdicts: Verdicts, tests: Int)] = [:]
  private(set) var interest: UInt64 = 0
  private(set) var isRelative = false

  init(columns: UnsafeMutableBufferPointer<ColumnStore>, searched: Int) {
    self.columns = columns
    self.searched = searched
  }

  /// Adds the tests of a search, one for each text column, and returns the index of the first.
  mutating func add(search: String, _ ifTrue: Int, _ ifFalse: Int) -> Int {
    textTests.append(.contains(TextSearch(search)))
    let operand = textTests.count - 1
    var next = ifFalse
    for column in (0..<searched).reversed() where columns[column].type == .text {
      next = addText(operand, column, ifTrue, next)
    }
    return next
  }

  /// Adds the tests of a filter, from last to first, and returns the index of the first.
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
    case .age(let column, let comparison, let duration):
      isRelative = true
      let (kind, age) = Self.reached(comparison, ColumnStore.sortKey(of: duration) ?? 0)
      return add(kind, column, low: age, ifTrue, ifFalse)
    case .range(let column, let from, let through):
      if columns[column].pool != nil {
        return addText(.isWithin(TextRange(from: from, through: through)), column, ifTrue, ifFalse)
      }
      let low = from.flatMap(ColumnStore.sortKey(of:)) ?? 0
      let high = through.flatMap(ColumnStore.sortKey(of:)) ?? .max
      return add(.within, column, low: low, high: high, ifTrue, ifFalse)
    }
  }

  /// Returns a comparison of ages as the test of whether an age is reached, with its sort key.
  ///
  /// An age above one nanosecond below a second is at least a second.
  private static func reached(_ comparison: Comparison, _ key: UInt64) -> (FilterTest.Kind, UInt64) {
    let isIncluded = comparison == .lessOrEqual || comparison == .greater
    let age = isIncluded && key < .max ? key + 1 : key
    return (comparison == .less || comparison == .lessOrEqual ? .isYounger : .isOlder, age)
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
    // Keys below 0 or above the maximum do not exist; `1...0` matches nothing.
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

/// The cached results of up to sixteen tests for the texts of a column, in eight bytes per text.
///
/// The filter owns the memory.
private struct Verdicts: BitwiseCopyable {
  static var greatestTestCount: Int { 16 }
  /// One word per text: 16 bits of results, 16 bits that mark known results, and the 32-bit
  /// generation of the text's number, from the lowest bit up.
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
