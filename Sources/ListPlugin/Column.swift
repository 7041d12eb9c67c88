/// One column of a table: its name, its type and how it wishes to be shown.
public struct Column: Hashable, Sendable {
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
  /// The written form of its numbers or times; nil for the default, which shows every digit that a value has.
  public var format: ColumnFormat?
  /// The direction in which its numbers improve; nil when neither is better: changes are shown in a neutral colour.
  public var better: BetterDirection?
  /// Whether its cells are loaded where someone looks, by ``DataSource/loader``; rows have null in their place.
  public var isDeferred: Bool
  /// The users who see the column.
  public var audience: Audience

  /// A column.
  public init(
    _ name: String, _ type: ColumnType, title: String = "", style: ColumnStyle = .plain, unit: String = "",
    width: Int = 0, alignment: ColumnAlignment = .standard, collation: Collation = .codeUnit,
    format: ColumnFormat? = nil, better: BetterDirection? = nil, isDeferred: Bool = false,
    audience: Audience = .all
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
  }
}

/// The users who see a column.
public enum Audience: UInt32, Sendable {
  // The numbers of `enum list_audience`; a test compares them.

  /// All users.
  case all
  /// Operators: for viewers the column does not exist. It stands behind all columns that they see.
  case operators
}
