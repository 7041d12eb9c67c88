import ListEngine

/// Descriptions of queries and values for findings.
extension QueriesExam {
  static func written(_ key: RowKey) -> String {
    switch key {
    case .integer(let number): "\(number)"
    case .text(let text): "“\(text.prefix(80))”"
    }
  }

  static func words(_ sort: [SortTerm], _ schema: Schema) -> String {
    sort.map { "“\(schema.columns[$0.column].name)”" + ($0.isDescending ? " descending" : "") }.joined(
      separator: ", then ")
  }

  static func words(_ values: [Cell]) -> String { values.map(words).joined(separator: ", ") }

  static func words(_ value: Cell) -> String {
    switch value {
    case .null: "“”"
    case .text(let text), .image(let text): "“\(text.prefix(80))”"
    case .integer(let number), .timestamp(let number): "\(number)"
    case .number(let number): "\(number)"
    case .boolean(let flag): "\(flag)"
    case .series: "a series"
    }
  }

  static func words(_ filter: Filter<Int>, _ schema: Schema) -> String {
    func name(_ column: Int) -> String { "“\(schema.columns[column].name)”" }
    switch filter {
    case .all(let parts): return parts.map { words($0, schema) }.joined(separator: " and ")
    case .any(let parts): return parts.map { words($0, schema) }.joined(separator: " or ")
    case .not(let part): return "not (\(words(part, schema)))"
    case .compare(let column, let comparison, let value):
      return "\(name(column)) \(comparison.rawValue) \(words(value))"
    case .range(let column, let from, let through):
      return "\(name(column)) from \(from.map(words) ?? "the first") through \(through.map(words) ?? "the last")"
    case .contains(let column, let text): return "\(name(column)) contains “\(text)”"
    case .startsWith(let column, let text): return "\(name(column)) starts with “\(text)”"
    case .matches(let column, let text, _): return "\(name(column)) matches “\(text)”"
    case .oneOf(let column, let values): return "\(name(column)) is one of \(words(values))"
    case .age(let column, let comparison, let duration):
      return "the age of \(name(column)) \(comparison.rawValue) \(words(duration))"
    case .isEmpty(let column): return "\(name(column)) is empty"
    }
  }
}

/// Filters for testing a plugin, built from values in its rows.
///
/// Each excludes some rows if possible.
struct FilterSamples {
  private(set) var filters: [Filter<Int>] = []
  /// A text to search for.
  private(set) var needle: String?

  /// The maximum number of columns per operator.
  private static let columns = 3

  init(_ schema: Schema, _ windowed: WindowedCapabilities, _ rows: [RowBlock.Row]) {
    let usable = schema.columns.indices.filter { ![.image, .series].contains(schema.columns[$0].type) }
    let named = usable.filter { windowed.filterColumns?.contains($0) ?? true }
    // Columns with different values are more useful and come first.
    let values = Dictionary(uniqueKeysWithValues: usable.map { ($0, Self.values(of: $0, rows)) })
    let columns = named.filter { values[$0]!.count > 1 } + named.filter { values[$0]!.count == 1 }
    for power in WindowedCapabilities.FilterOperator.allCases where windowed.filters.contains(power) {
      let made = columns.compactMap { column in Self.filter(power, column, values[column]!, windowed.filters) }
      filters += made.prefix(Self.columns)
    }
    // A text missing in some row is preferred, because it detects a source that ignores the search.
    let texts = usable.flatMap { values[$0]! }
    let needles = texts.compactMap(Self.part) + texts.compactMap(Self.whole)
    needle = needles.first { needle in rows.contains { !Self.has(needle, $0.cells) } } ?? needles.first
  }

  private static func whole(_ cell: Cell) -> String? {
    if case .text(let text) = cell, !text.isEmpty, text.count <= 100 { text } else { nil }
  }

  private static func has(_ needle: String, _ cells: [Cell]) -> Bool {
    let needle = needle.lowercased()
    return cells.contains { if case .text(let text) = $0 { text.lowercased().contains(needle) } else { false } }
  }

  /// Returns up to two values of a column: one from the middle row, and a different one.
  private static func values(of column: Int, _ rows: [RowBlock.Row]) -> [Cell] {
    let cells = rows.map { $0.cells[column] }.filter { $0 != .null }
    guard !cells.isEmpty else { return [] }
    let middle = cells[cells.count / 2]
    return [middle] + (cells.first { $0 != middle }.map { [$0] } ?? [])
  }

  private static func filter(
    _ power: WindowedCapabilities.FilterOperator, _ column: Int, _ values: [Cell],
    _ powers: Set<WindowedCapabilities.FilterOperator>
  ) -> Filter<Int>? {
    guard let value = values.first, let other = values.last else { return power == .isEmpty ? .isEmpty(column) : nil }
    switch power {
    case .equal: return .compare(column, .equal, value)
    case .notEqual: return .compare(column, .notEqual, value)
    case .order: return .compare(column, .less, value)
    case .range: return .range(column, from: value, through: nil)
    case .contains: return part(of: value).map { .contains(column, ExactText($0)) }
    case .startsWith: return part(of: value, isFirst: true).map { .startsWith(column, ExactText($0)) }
    case .matches: return part(of: value).map { .matches(column, ExactText($0), ignoringCase: true) }
    case .oneOf: return .oneOf(column, values)
    case .isEmpty: return .isEmpty(column)
    case .any:
      return powers.contains(.equal) ? .any([.compare(column, .equal, value), .compare(column, .equal, other)]) : nil
    case .not: return powers.contains(.equal) ? .not(.compare(column, .equal, value)) : nil
    }
  }

  private static func part(_ value: Cell) -> String? { part(of: value) }

  /// Returns up to three letters and digits of a text with the case inverted.
  private static func part(of value: Cell, isFirst: Bool = false) -> String? {
    guard case .text(let text) = value else { return nil }
    func isPlain(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) }
    let rest = isFirst ? Substring(text).utf8 : Substring(text).utf8.drop { !isPlain($0) }
    let bytes = rest.prefix { isPlain($0) }.prefix(3)
    guard !bytes.isEmpty else { return nil }
    return String(decoding: bytes.map { $0 >= 0x41 ? $0 ^ 0x20 : $0 }, as: UTF8.self)
  }
}
