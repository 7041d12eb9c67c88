/// What kind of value a column holds. Every column may also hold `null`.
public enum ColumnType: String, CaseIterable, Codable, Sendable {
  /// 64-bit whole numbers.
  case integer
  /// 64-bit floating-point numbers.
  case number
  /// UTF-8 texts.
  case text
  /// Yes or no.
  case boolean
  /// Nanoseconds since 1970.
  case timestamp
  /// Keys of images.
  case image
  /// Short runs of numbers.
  case series
}

/// How a page is to draw a column; a page that does not know a style draws the plain value.
public enum ColumnStyle: String, CaseIterable, Codable, Sendable {
  /// The value as it is.
  case plain
  /// The value with a bar behind it.
  case bar
  /// A coloured label.
  case badge
  /// A number of bytes, with a unit.
  case bytes
  /// A number of seconds, as a length of time.
  case duration
  /// A timestamp, as the time since.
  case age
  /// A picture.
  case image
  /// A small line chart.
  case sparkline
  /// A link to an http or https address.
  case link
}

/// Where a column's values stand in their cells.
public enum ColumnAlignment: String, CaseIterable, Codable, Sendable {
  /// Where reading starts.
  case start
  /// Where reading ends: for numbers.
  case end
  /// In the middle.
  case center
}

/// One column of a table: its name, its type and how it wishes to be shown.
public struct Column: Hashable, Codable, Sendable {
  /// What queries call it; unique in its table.
  public var name: String
  /// What people read; the name when empty.
  public var title: String
  /// What it holds.
  public var type: ColumnType
  /// How it is drawn.
  public var style: ColumnStyle
  /// What its numbers count, such as `%`; may be empty.
  public var unit: String
  /// The wished width in characters; 0 for no wish.
  public var width: Int
  /// Where its values stand.
  public var alignment: ColumnAlignment
  /// In which order its texts stand; only for columns of texts.
  public var collation: Collation
  /// The written form of its numbers or times; `nil` for the page's default: every digit that a value has.
  public var format: ColumnFormat?
  /// The direction in which its numbers improve; `nil` when neither is better: changes are shown in a neutral colour.
  public var better: BetterDirection?
  /// Whether its values cost time to get: they are asked for only where someone looks or is about to look. A row without its value
  /// counts as empty when it is sorted, searched or grouped by this column.
  public var isDeferred: Bool

  /// A column. Numbers stand at the end unless told otherwise.
  public init(
    _ name: String, _ type: ColumnType, title: String = "", style: ColumnStyle = .plain, unit: String = "",
    width: Int = 0, alignment: ColumnAlignment? = nil, collation: Collation = .codeUnit, format: ColumnFormat? = nil,
    better: BetterDirection? = nil, isDeferred: Bool = false
  ) {
    self.name = name
    self.title = title.isEmpty ? name : title
    self.type = type
    self.style = style
    self.unit = unit
    self.width = width
    self.alignment = alignment ?? ([.integer, .number, .timestamp].contains(type) ? .end : .start)
    self.collation = collation
    self.format = format
    self.better = better
    self.isDeferred = isDeferred
  }
}

/// What kind of key a table's rows have.
public enum KeyType: String, Codable, Sendable {
  /// 64-bit whole numbers.
  case integer
  /// UTF-8 texts.
  case text
}

/// What a source says about its table before the first row.
public struct Schema: Hashable, Codable, Sendable {
  /// What sessions ask for; unique in the engine.
  public var name: String
  /// What people read.
  public var title: String
  /// What kind of key the rows have.
  public var key: KeyType
  /// At least one; at most ``Limits/columns``.
  public var columns: [Column]
  /// The name of the column whose value names a row for people, such as a process's name; `nil` when none does.
  public var label: String?
  /// How the source wants to be asked for the values of deferred columns, and for the pages of a windowed table.
  public var prefetch: PrefetchPolicy
  /// What the source can do with its rows, when it keeps them and gives those that are looked at; `nil` when the engine keeps them.
  public var windowed: WindowedCapabilities?
  /// What the table may hold at most.
  public var limits: TableLimits
  /// Which rows the table keeps by itself.
  public var retention: Retention
  /// What the source can do when it is asked.
  public var actions: [Action]
  /// Whether the source can give the bytes of the images whose keys stand in its cells.
  public var loadsImages: Bool

  /// A schema. It is checked when the table is added.
  public init(
    name: String, title: String = "", key: KeyType, columns: [Column], label: String? = nil,
    prefetch: PrefetchPolicy = PrefetchPolicy(), windowed: WindowedCapabilities? = nil,
    limits: TableLimits = TableLimits(), retention: Retention = .everything,
    actions: [Action] = [], loadsImages: Bool = false
  ) {
    self.name = name
    self.title = title.isEmpty ? name : title
    self.key = key
    self.columns = columns
    self.label = label
    self.prefetch = prefetch
    self.windowed = windowed
    self.limits = limits
    self.retention = retention
    self.actions = actions
    self.loadsImages = loadsImages
  }

  /// The number of the column with this name.
  ///
  /// - Complexity: O(columns).
  public func index(of column: String) -> Int? { columns.firstIndex { $0.name == column } }
}
