/// A check of a windowed source's rows against the query: order, filter, search and section.
///
/// The check covers one block and reports only certain faults. It ignores differences that can be
/// legitimate: locale-specific order, letters beyond ASCII, and rounding.
public struct BlockCheck {
  /// A row that does not match the query.
  public enum Fault: Hashable, Sendable {
    /// The row belongs before its predecessor, judged by this column.
    case order(RowKey, after: RowKey, column: Int)
    /// The filter or the search excludes the row.
    case filter(RowKey)
    /// The row belongs to another section.
    case section(RowKey)

    /// Returns the fault as a message, followed by the row after a line break.
    public func words(_ schema: Schema) -> String {
      switch self {
      case .order(let row, let previous, let column):
        "rows do not come in the order that was asked for, by “\(schema.columns[column].name)”\n"
          + "row \(row) came after row \(previous)"
      case .filter(let row): "rows come that the filter leaves out\nrow \(row)"
      case .section(let row): "rows of another section come\nrow \(row)"
      }
    }
  }

  /// The result of a comparison; `nil` if only the source can know it.
  private typealias Verdict = Bool?

  private let schema: Schema
  private let query: Query
  private let section: [Cell]
  private let search: TextSearch?
  private var searches: [ExactText: TextSearch] = [:]
  private var patterns: [Filter<Int>: PatternMatcher] = [:]
  private var natural = NaturalCollator()

  /// The relative difference below which two numbers may be equal in the source.
  private static let precision = 1e-6
  /// The maximum number of pattern matching steps per block; rows beyond it are not checked.
  private static let patternSteps = 1 << 22
  /// The difference in nanoseconds below which two timestamps may be equal in the source.
  private static let moment: Int64 = 1_000_000

  /// Creates a check for answers to this query, or to one of its sections.
  ///
  /// - Precondition: The query fits the schema.
  public init(_ schema: Schema, _ query: Query, section: [Cell] = []) {
    (self.schema, self.query, self.section) = (schema, query, section)
    search = query.search.isEmpty ? nil : TextSearch(query.search)
    if let filter = query.filter { prepare(filter) }
  }

  mutating private func prepare(_ filter: Filter<Int>) {
    switch filter {
    case .all(let parts), .any(let parts): for part in parts { prepare(part) }
    case .not(let part): prepare(part)
    case .contains(_, let text), .startsWith(_, let text): searches[text] = TextSearch(text.string)
    case .matches(_, let text, let ignoringCase):
      patterns[filter] = (try? Pattern(text.string, ignoringCase: ignoringCase)).map(PatternMatcher.init)
    case .compare, .range, .oneOf, .age, .isEmpty: break
    }
  }

  /// Returns the first fault of a block, or `nil`.
  ///
  /// Rows that do not fit the schema are skipped.
  ///
  /// - Complexity: O(rows × terms), plus the size of the texts compared.
  public func fault(in rows: [RowBlock.Row]) -> Fault? {
    var last: Int?
    var descents: [(Int, Int, Int)] = []
    var pairs = 0
    for index in rows.indices where rows[index].cells.count == schema.columns.count {
      let row = rows[index]
      if zip(query.group, section).contains(where: { row.cells[$0] != $1 && !isLikely(row.cells[$0], $1) }) {
        return .section(row.key)
      }
      if passes(row.cells) == false { return .filter(row.key) }
      defer { last = index }
      guard let last, !query.sort.isEmpty else { continue }
      pairs += 1
      switch order(rows[last].cells, row.cells) {
      case .certain(let column): return .order(row.key, after: rows[last].key, column: column)
      case .likely(let column): descents.append((last, index, column))
      case .fine: break
      }
    }
    // A locale may order a few rows differently. In an unsorted list about half of the pairs are
    // wrong.
    guard let (before, index, column) = descents.first, descents.count * 4 > pairs, pairs >= 4 else { return nil }
    return .order(rows[index].key, after: rows[before].key, column: column)
  }

  /// Whether a row passes the filter and the search, or `nil` if only the source can know.
  public func passes(_ cells: [Cell]) -> Bool? {
    guard cells.count == schema.columns.count else { return nil }
    let found = search.map { finds($0, query.search, in: cells) } ?? true
    if found == false { return false }
    let passes = query.filter.map { self.passes($0, cells) } ?? true
    return passes == false ? false : passes == true && found == true ? true : nil
  }

  // MARK: Order

  private enum Order { case fine, likely(Int), certain(Int) }

  private func order(_ a: [Cell], _ b: [Cell]) -> Order {
    for term in query.sort {
      let column = schema.columns[term.column]
      let (x, y) = (a[term.column], b[term.column])
      // Nulls come last in both directions.
      if x == .null || y == .null {
        if x == .null, y == .null { continue }
        return x == .null ? .certain(term.column) : .fine
      }
      guard let comparison = compare(x, y, column.collation) else { return .fine }
      if comparison == 0 { continue }
      guard (comparison > 0) != term.isDescending else { return .fine }
      if case .locale = column.collation { return .likely(term.column) }
      return .certain(term.column)
    }
    return .fine
  }

  /// Compares two values, or returns `nil` if the source may legitimately order them differently.
  private func compare(_ a: Cell, _ b: Cell, _ collation: Collation = .codeUnit) -> Int? {
    func sign<Value: Comparable>(_ x: Value, _ y: Value) -> Int { x < y ? -1 : x == y ? 0 : 1 }
    switch (a, b) {
    case (.integer(let x), .integer(let y)): return sign(x, y)
    case (.timestamp(let x), .timestamp(let y)):
      let (difference, overflows) = x.subtractingReportingOverflow(y)
      return x == y ? 0 : !overflows && difference.magnitude < UInt64(Self.moment) ? nil : sign(x, y)
    case (.boolean(let x), .boolean(let y)): return sign(x ? 1 : 0, y ? 1 : 0)
    case (.number, .number), (.number, .integer), (.integer, .number):
      guard let x = Self.number(a), let y = Self.number(b), x.isFinite, y.isFinite else { return nil }
      return x == y ? 0 : (x - y).magnitude <= Self.precision * max(x.magnitude, y.magnitude) ? nil : sign(x, y)
    case (.text(let x), .text(let y)), (.image(let x), .image(let y)):
      if case .natural = collation {
        let (x, y) = (naturalKey(x), naturalKey(y))
        if x != y { return x.lexicographicallyPrecedes(y) ? -1 : 1 }
        // The engine breaks ties by code unit; a source may break them by case or not at all.
        return nil
      }
      var (x, y) = (x, y)
      if case .locale = collation {
        // Locales agree on ASCII letters, digits and spaces, except for their case.
        let isPlain = { (text: String) in
          text.utf8.allSatisfy { $0 == 0x20 || (0x30...0x39).contains($0) || Self.isLetter($0) }
        }
        guard isPlain(x), isPlain(y) else { return nil }
        (x, y) = (x.lowercased(), y.lowercased())
        if x == y { return nil }
      }
      let order = x.withUTF8 { x in
        y.withUTF8 { y in compareBytes(UnsafeRawBufferPointer(x), UnsafeRawBufferPointer(y)) }
      }
      return order < 0 ? -1 : order == 0 ? 0 : 1
    default: return nil
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  private static func number(_ cell: Cell) -> Double? {
    switch cell {
    case .number(let value): value
    case .integer(let value): Double(value)
    default: nil
    }
  }

  private func naturalKey(_ text: String) -> [UInt8] {
    var (text, key) = (text, [UInt8]())
    text.withUTF8 { natural.appendKey(of: UnsafeRawBufferPointer($0), to: &key) }
    return key
  }

  /// Whether the source may consider these different values equal.
  private func isLikely(_ a: Cell, _ b: Cell) -> Bool { a != .null && b != .null && compare(a, b) ?? 0 == 0 }

  // MARK: Filter

  private func passes(_ filter: Filter<Int>, _ cells: [Cell]) -> Verdict {
    switch filter {
    case .all(let parts): return all(parts.lazy.map { passes($0, cells) })
    case .any(let parts): return all(parts.lazy.map { passes($0, cells).map { !$0 } }).map { !$0 }
    case .not(let part): return passes(part, cells).map { !$0 }
    // A source is never asked to compare ages.
    case .age: return nil
    case .isEmpty(let column): return cells[column] == .null
    case .compare(let column, let comparison, let value): return compares(cells[column], comparison, value)
    case .range(let column, let from, let through):
      return all([
        cells[column] != .null, from.map { compares(cells[column], .greaterOrEqual, $0) } ?? true,
        through.map { compares(cells[column], .lessOrEqual, $0) } ?? true,
      ])
    case .oneOf(let column, let values):
      guard cells[column] != .null else { return false }
      return all(values.lazy.map { compares(cells[column], .equal, $0).map { !$0 } }).map { !$0 }
    case .contains(let column, let text):
      guard case .text(let value) = cells[column] else { return false }
      return test(value, text.string) { searches[text]?.isIn($0) }
    case .startsWith(let column, let text):
      guard case .text(let value) = cells[column] else { return false }
      return test(value, text.string) { searches[text]?.begins($0) }
    case .matches(let column, let text, _):
      guard case .text(let value) = cells[column] else { return false }
      return test(value, text.string) { bytes in
        patterns[filter].flatMap { $0.matches(bytes, until: Self.patternSteps) }
      }
    }
  }

  /// Returns the three-valued conjunction, where `nil` means unknown.
  private func all(_ verdicts: some Sequence<Verdict>) -> Verdict {
    var isKnown = true
    for verdict in verdicts {
      if verdict == false { return false }
      if verdict == nil { isKnown = false }
    }
    return isKnown ? true : nil
  }

  private func compares(_ cell: Cell, _ comparison: Comparison, _ value: Cell) -> Verdict {
    guard cell != .null else { return false }
    guard let order = compare(cell, value) else { return nil }
    // A source with numbers of less than 64 bits returns rounded values.
    if order == 0, case .number = cell, comparison != .equal { return nil }
    switch comparison {
    case .equal: return order == 0
    case .notEqual: return order != 0
    case .less: return order < 0
    case .lessOrEqual: return order <= 0
    case .greater: return order > 0
    case .greaterOrEqual: return order >= 0
    }
  }

  private func finds(_ search: TextSearch, _ needle: String, in cells: [Cell]) -> Verdict {
    var isKnown = true
    for case .text(let text) in cells {
      switch test(text, needle, { search.isIn($0) }) {
      case true?: return true
      case false?: break
      case nil: isKnown = false
      }
    }
    return isKnown ? false : nil
  }

  /// Applies a text test.
  ///
  /// The result is unknown if case mapping beyond ASCII may matter.
  private func test(_ text: String, _ needle: String, _ body: (UnsafeRawBufferPointer) -> Bool?) -> Verdict {
    var text = text
    let verdict = text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    let isPlain = text.utf8.allSatisfy { $0 < 0x80 } && needle.utf8.allSatisfy { $0 < 0x80 }
    return isPlain ? verdict : nil
  }
}
