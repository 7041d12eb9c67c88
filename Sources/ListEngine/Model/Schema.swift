/// The type of a column's values other than `null`.
public enum ColumnType: String, CaseIterable, Codable, Sendable {
  /// 64-bit integers.
  case integer
  /// 64-bit floating-point numbers.
  case number
  /// UTF-8 strings.
  case text
  /// Booleans.
  case boolean
  /// Nanoseconds since 1970.
  case timestamp
  /// Keys of images.
  case image
  /// Short runs of numbers.
  case series
}

/// A rendering style for a column.
///
/// A client that does not know a style renders the plain value.
public enum ColumnStyle: String, CaseIterable, Codable, Sendable {
  /// The plain value.
  case plain
  /// The value in front of a bar.
  case bar
  /// A colored label.
  case badge
  /// A number of bytes, with a unit.
  case bytes
  /// A number of seconds, rendered as a duration.
  case duration
  /// A timestamp, rendered as the time since then.
  case age
  /// An image.
  case image
  /// A small line chart.
  case sparkline
  /// A link to an http or https address.
  case link
}

/// The horizontal alignment of a column's values.
public enum ColumnAlignment: String, CaseIterable, Codable, Sendable {
  /// Aligned with the start of the line.
  case start
  /// Aligned with the end of the line, as is usual for numbers.
  case end
  /// Centered.
  case center
}

/// A column of a table: its name, its type and its presentation.
public struct Column: Hashable, Codable, Sendable {
  /// The column's identifier, unique in its table.
  public var name: String
  /// The heading shown to users.
  public var title: String
  /// The type of the values.
  public var type: ColumnType
  /// The rendering style.
  public var style: ColumnStyle
  /// The unit of the numbers, such as `%`, or an empty string.
  public var unit: String
  /// The preferred width in characters, or 0 for none.
  public var width: Int
  /// The horizontal alignment of the values.
  public var alignment: ColumnAlignment
  /// The sort order of a text column.
  public var collation: Collation
  /// The display format of numbers or times; `nil` shows all digits of a value.
  public var format: ColumnFormat?
  /// The direction in which the numbers improve; `nil` shows changes in a neutral color.
  public var better: BetterDirection?
  /// Whether the values are expensive to obtain and therefore loaded only in or near a viewport.
  ///
  /// Missing values count as null in sorting, searching and grouping.
  public var isDeferred: Bool
  /// The users who see the column; `nil` for all.
  public var audience: Audience?
  /// The column's explanation and the severity of its values; `nil` for none.
  public var presentation: ColumnPresentation?
  /// The rule by which the engine fills the column; `nil` if the source gives its values.
  public var derivation: Derivation?

  /// Creates a column.
  ///
  /// Numeric columns are end-aligned by default, and an empty title defaults to the name.
  public init(
    _ name: String, _ type: ColumnType, title: String = "", style: ColumnStyle = .plain, unit: String = "",
    width: Int = 0, alignment: ColumnAlignment? = nil, collation: Collation = .codeUnit, format: ColumnFormat? = nil,
    better: BetterDirection? = nil, isDeferred: Bool = false, audience: Audience? = nil,
    presentation: ColumnPresentation? = nil, derivation: Derivation? = nil
  ) {
    self.name = name
    self.title = title.isEmpty ? name : title
    self.derivation = derivation
    self.type = type
    self.style = style
    self.unit = unit
    self.width = width
    self.alignment = alignment ?? ([.integer, .number, .timestamp].contains(type) ? .end : .start)
    self.collation = collation
    self.format = format
    self.better = better
    self.isDeferred = isDeferred
    self.audience = audience
    self.presentation = presentation
  }
}

/// The users who see a column that is not for all.
public enum Audience: String, Codable, Sendable {
  /// Users with the role operator. Sessions of others are restricted: for them the column does not
  /// exist.
  case operators
}

/// The type of a table's row keys.
public enum KeyType: String, Codable, Sendable {
  /// 64-bit integers.
  case integer
  /// UTF-8 strings.
  case text
}

/// A source's declaration of its table, sent before the first row.
public struct Schema: Hashable, Codable, Sendable {
  /// The table's identifier, unique in the engine.
  public var name: String
  /// The title shown to users.
  public var title: String
  /// The type of the row keys.
  public var key: KeyType
  /// The columns, from one to ``Limits/columns`` of them.
  public var columns: [Column]
  /// The name of the column that identifies a row to users, such as a process's name, or `nil` for
  /// none.
  public var label: String?
  /// The limits for requests of deferred cells and of blocks.
  public var prefetch: PrefetchPolicy
  /// The source's query capabilities if the rows stay at the source.
  ///
  /// `nil` for a resident table, whose rows the engine stores.
  public var windowed: WindowedCapabilities?
  /// The maximum size of the table.
  public var limits: TableLimits
  /// The rule by which the table evicts rows.
  public var retention: Retention
  /// The actions that the source offers.
  public var actions: [Action]
  /// Whether the source can load the images whose keys appear in its cells.
  public var loadsImages: Bool
  /// The table's explanation, and its default view; `nil` for none.
  public var presentation: TablePresentation?

  /// Creates a schema.
  ///
  /// It is validated when the table is added. An empty title defaults to the name.
  public init(
    name: String, title: String = "", key: KeyType, columns: [Column], label: String? = nil,
    prefetch: PrefetchPolicy = PrefetchPolicy(), windowed: WindowedCapabilities? = nil,
    limits: TableLimits = TableLimits(), retention: Retention = .everything,
    actions: [Action] = [], loadsImages: Bool = false, presentation: TablePresentation? = nil
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
    self.presentation = presentation
  }

  /// The end at which the newest rows are: as declared, or the end of a table that keeps only its
  /// most recent rows; `nil` if they may be anywhere.
  public var newest: NewestEnd? {
    if let newest = presentation?.newest { return newest }
    return retention == .everything ? nil : .end
  }

  /// Returns the number of the column with this name.
  ///
  /// - Complexity: O(columns).
  public func index(of column: String) -> Int? { columns.firstIndex { $0.name == column } }

  /// The number of columns that all users see; they stand before the others.
  var publicColumnCount: Int { columns.firstIndex { $0.audience != nil } ?? columns.count }

  /// Throws if leaving out the columns for operators would not leave a usable table.
  func checkAudiences() throws(SchemaError) {
    guard let first = columns.first(where: { $0.audience != nil }) else { return }
    guard publicColumnCount > 0, columns.dropFirst(publicColumnCount).allSatisfy({ $0.audience != nil }) else {
      throw .operatorColumnNotLast(first.name)
    }
    guard windowed == nil, !first.isDeferred, !columns.contains(where: { $0.audience != nil && $0.isDeferred }) else {
      throw .operatorColumnNotResident(first.name)
    }
  }
}
