/// The engine's identifier of a table.
public struct TableID: Hashable, Codable, Sendable {
  /// The table's number, counted from 0 in the order of addition.
  public let rawValue: Int
  /// Creates the identifier of the table with this number.
  public init(rawValue: Int) { self.rawValue = rawValue }
}

/// The caller's identifier of a session, unique while the session is open.
public struct SessionID: Hashable, Codable, Sendable {
  /// The session's number.
  public let rawValue: UInt64
  /// Creates the identifier of the session with this number.
  public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A cell of a deferred column, identified by the row's key.
public struct DeferredCell: Hashable, Sendable {
  /// The row's key.
  public var key: RowKey
  /// The column's number.
  public var column: Int

  /// Creates the identifier of a cell.
  public init(_ key: RowKey, column: Int) {
    self.key = key
    self.column = column
  }
}
