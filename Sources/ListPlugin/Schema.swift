/// A table: its names, its kind of key and its columns.
///
///     Schema("load", title: "Load", key: .text, columns: [
///       Column("span", .text, title: "Over"),
///       Column("load", .number, style: .bar),
///     ])
public struct Schema: Hashable, Sendable {
  /// What pages ask for.
  public var name: String
  /// What people read; the name when empty.
  public var title: String
  /// What kind of key the rows have.
  public var key: KeyType
  /// At least one.
  public var columns: [Column]

  /// A table.
  public init(_ name: String, title: String = "", key: KeyType, columns: [Column]) {
    self.name = name
    self.title = title
    self.key = key
    self.columns = columns
  }
}
