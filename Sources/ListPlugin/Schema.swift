/// A table: its names, its key type and its columns.
///
///     Schema("load", title: "Load", key: .text, columns: [
///       Column("span", .text, title: "Over"),
///       Column("load", .number, style: .bar),
///     ])
public struct Schema: Hashable, Sendable {
  /// The table's name in the protocol.
  public var name: String
  /// The title that users see; the name when empty.
  public var title: String
  /// The type of the rows' keys.
  public var key: KeyType
  /// The columns; 1 to 512.
  public var columns: [Column]
  /// The name of the column whose value identifies a row to users; nil for none.
  public var label: String?
  /// The maximum number of rows; nil for the host's limit. Further rows are dropped and counted.
  public var rowLimit: Int?
  /// The maximum size of the rows in bytes; nil for the host's limit.
  ///
  /// `list_plugin.h` defines the size of a row.
  public var byteLimit: Int?
  /// The rows that the table keeps.
  public var retention: Retention
  /// The table's explanation and the view that users see first; nil for all rows in order.
  public var view: TableView?

  /// Creates a schema.
  public init(
    _ name: String, title: String = "", key: KeyType, columns: [Column], label: String? = nil,
    rowLimit: Int? = nil, byteLimit: Int? = nil, retention: Retention = .everything,
    view: TableView? = nil
  ) {
    self.name = name
    self.title = title
    self.key = key
    self.columns = columns
    self.label = label
    self.rowLimit = rowLimit
    self.byteLimit = byteLimit
    self.retention = retention
    self.view = view
  }
}
