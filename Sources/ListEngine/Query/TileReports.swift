/// A tile as a client sends it.
public enum RequestedTile: Hashable, Codable, Sendable {
  /// A tile whose columns and values may not fit the table, and a text that narrows its rows.
  case tile(TileRequest, written: WrittenFilter? = nil)
  /// A malformed tile, which the engine refuses with this error.
  case malformed(ClientError)
}

/// The current value of a tile with its course over the last minute.
public struct TileReport: Hashable, Sendable {
  /// The value; null without values, or if the number of rows is unknown.
  public var value: Cell
  /// The value at the beginning of the course, or `nil` if the value has been constant.
  public var before: Cell?
  /// The age of ``before`` in seconds, at most 60.
  public var seconds: Int
  /// The values of every third second from ``before`` on, and the current one.
  ///
  /// Values that are not numbers are `nil`. Empty if the value has been constant.
  public var course: [Double?]

  /// Creates a report; the default is a constant value.
  public init(_ value: Cell, before: Cell? = nil, seconds: Int = 0, course: [Double?] = []) {
    self.value = value
    self.before = before
    self.seconds = seconds
    self.course = course
  }
}

/// The state of one tile of a client.
public enum TileOutcome: Hashable, Sendable {
  /// The current value.
  case value(TileReport)
  /// The rows are still being counted for the first time.
  case pending
  /// The tile is not possible, for this reason.
  case refused(ClientError)
}

/// The tiles that a client has requested last, in its order.
public struct TileReports: Hashable, Sendable {
  /// The client's number for the request.
  public var id: UInt64
  /// The state of each tile.
  public var tiles: [TileOutcome]

  /// Creates a report.
  public init(id: UInt64, tiles: [TileOutcome]) {
    self.id = id
    self.tiles = tiles
  }
}
