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
  /// The name of the column whose value names a row for people, such as a process's name; nil when none does.
  public var label: String?
  /// How many rows it may have; nil for as many as the host allows. Rows beyond are left out and counted.
  public var rowLimit: Int?
  /// How many bytes its rows may weigh; nil for as many as the host allows. What a row weighs is said in `list_plugin.h`.
  public var byteLimit: Int?
  /// Which rows it keeps by itself.
  public var retention: Retention

  /// A table.
  public init(
    _ name: String, title: String = "", key: KeyType, columns: [Column], label: String? = nil,
    rowLimit: Int? = nil, byteLimit: Int? = nil, retention: Retention = .everything
  ) {
    self.name = name
    self.title = title
    self.key = key
    self.columns = columns
    self.label = label
    self.rowLimit = rowLimit
    self.byteLimit = byteLimit
    self.retention = retention
  }
}
