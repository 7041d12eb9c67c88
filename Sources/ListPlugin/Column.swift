/// A column of a table: its name, its type and its presentation.
public struct Column: Hashable, Sendable {
  /// The name in queries; unique in its table.
  public var name: String
  /// The header that users see; the name when empty.
  public var title: String
  /// The type of its values.
  public var type: ColumnType
  /// The way a client draws it.
  public var style: ColumnStyle
  /// The unit of its numbers, such as `%`; may be empty.
  public var unit: String
  /// The preferred width in characters; 0 for no preference.
  public var width: Int
  /// The alignment of its values in their cells.
  public var alignment: ColumnAlignment
  /// The sort order of its texts; only for text columns.
  public var collation: Collation
  /// The form of its numbers or times; nil for the default, which shows every digit.
  public var format: ColumnFormat?
  /// The direction in which its numbers improve; nil shows changes in a neutral colour.
  public var better: BetterDirection?
  /// Whether its cells are loaded on demand by ``DataSource/loader``.
  ///
  /// The source sends null in place of a deferred cell.
  public var isDeferred: Bool
  /// The users who see the column.
  public var audience: Audience
  /// A sentence that explains the column to users; may be empty.
  public var description: String
  /// The values that need attention; nil for none.
  public var warning: SeverityRule?
  /// The values that need action; nil for none.
  public var critical: SeverityRule?
  /// The number of values of each row that the server keeps in another column; nil for none.
  public var history: Int?

  /// Creates a column.
  public init(
    _ name: String, _ type: ColumnType, title: String = "", style: ColumnStyle = .plain, unit: String = "",
    width: Int = 0, alignment: ColumnAlignment = .standard, collation: Collation = .codeUnit,
    format: ColumnFormat? = nil, better: BetterDirection? = nil, isDeferred: Bool = false,
    audience: Audience = .all, description: String = "", warning: SeverityRule? = nil, critical: SeverityRule? = nil,
    history: Int? = nil
  ) {
    self.name = name
    self.title = title
    self.type = type
    self.style = style
    self.unit = unit
    self.width = width
    self.alignment = alignment
    self.collation = collation
    self.format = format
    self.better = better
    self.isDeferred = isDeferred
    self.audience = audience
    self.description = description
    self.warning = warning
    self.critical = critical
    self.history = history
  }
}

/// The users who see a column.
public enum Audience: UInt32, Sendable {
  // The values of `enum list_audience`; a test compares them.

  /// All users.
  case all
  /// Operators only.
  ///
  /// The column must come after every column that viewers see.
  case operators
}
