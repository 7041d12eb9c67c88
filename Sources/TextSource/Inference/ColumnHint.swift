import ListEngine

/// The declared type and presentation of one column of untyped rows.
package struct ColumnHint: Hashable, Sendable {
  /// The declared type, or `nil` to infer it.
  package var kind: ColumnKind?
  /// The heading, or `nil` for the column's name.
  package var title: String?
  /// The unit behind the numbers.
  package var unit: String?
  /// The rendering style.
  package var style: ColumnStyle?
  /// The direction in which the numbers improve.
  package var better: BetterDirection?
  /// The values that need attention and those that need action.
  package var severity = ColumnPresentation()

  /// Creates a declaration.
  package init(
    _ kind: ColumnKind? = nil, title: String? = nil, unit: String? = nil, style: ColumnStyle? = nil,
    better: BetterDirection? = nil
  ) {
    self.kind = kind
    self.title = title
    self.unit = unit
    self.style = style
    self.better = better
  }

  /// Applies the declaration to an inferred column.
  ///
  /// A key keeps its type, because its values identify the rows.
  package func column(_ guessed: Column, isKey: Bool) -> Column {
    var column = guessed
    if !isKey, let kind { column = kind.column(guessed.name) }
    if let title { column.title = title }
    if let style, column.type == .number || style == .badge || style == .link { column.style = style }
    let isNumeric = column.type == .number || column.type == .integer
    if let unit, isNumeric { column.unit = unit }
    if let better, isNumeric { column.better = better }
    var fitting = ColumnPresentation()
    fitting.warning = Self.fitting(severity.warning, column.type)
    fitting.critical = Self.fitting(severity.critical, column.type)
    if fitting != ColumnPresentation() { column.presentation = fitting }
    return column
  }

  /// Returns a rule if it fits a column of this type, which may have been inferred.
  private static func fitting(_ rule: SeverityRule?, _ type: ColumnType) -> SeverityRule? {
    switch rule {
    case .threshold where type == .number || type == .integer: rule
    case .values(let values) where type == .text && values.allSatisfy(\.isText): rule
    default: nil
    }
  }
}

extension Cell {
  fileprivate var isText: Bool { if case .text = self { true } else { false } }
}

/// A type that `--types` and presets can declare for a column.
package enum ColumnKind: Hashable, Sendable {
  case text, badge, link, number, integer, boolean, percent, timestamp, date
  /// Sizes; a number without a unit is multiplied by the factor.
  case bytes(Double)
  /// Durations; a number without a unit is multiplied by the factor.
  case duration(Double)

  private static let names: [String: ColumnKind] = [
    "text": .text, "badge": .badge, "link": .link, "number": .number, "integer": .integer, "boolean": .boolean,
    "percent": .percent, "time": .timestamp, "timestamp": .timestamp, "date": .date, "bytes": .bytes(1),
    "KiB": .bytes(1024), "MiB": .bytes(1_048_576), "GiB": .bytes(1_073_741_824), "kB": .bytes(1e3), "MB": .bytes(1e6),
    "GB": .bytes(1e9), "duration": .duration(1), "ms": .duration(1e-3), "us": .duration(1e-6), "ns": .duration(1e-9),
  ]

  /// The accepted names, for messages.
  package static var rule: String { names.keys.sorted { $0.lowercased() < $1.lowercased() }.joined(separator: ", ") }

  /// Parses a name such as `bytes`; `nil` for an unknown one.
  package init?(_ name: String) {
    guard let kind = Self.names[name] else { return nil }
    self = kind
  }

  /// The factor for numbers without a unit, or `nil` where they have none.
  var scale: Double? {
    switch self {
    case .bytes(let factor), .duration(let factor): factor
    default: nil
    }
  }

  /// Returns a column of this type.
  package func column(_ name: String) -> Column {
    switch self {
    case .text: Column(name, .text)
    case .badge: Column(name, .text, style: .badge)
    case .link: Column(name, .text, style: .link)
    case .number: Column(name, .number, format: .grouped())
    case .integer: Column(name, .integer, format: .grouped())
    case .boolean: Column(name, .boolean)
    case .percent: Column(name, .number, style: .bar, unit: "%")
    case .timestamp: Column(name, .timestamp)
    case .date: Column(name, .timestamp, format: .date)
    case .bytes: Column(name, .number, style: .bytes)
    case .duration: Column(name, .number, style: .duration)
    }
  }
}
