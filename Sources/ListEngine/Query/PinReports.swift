/// The pinned rows of a client that have changed since its last report.
public struct PinReports {
  /// A pinned row by its place in the client's request.
  public struct Entry {
    /// The place, counted from 0.
    public var place: Int
    /// The row, or `nil` if the table has no row with this key.
    public var row: RowSnapshot?

    /// Creates an entry of a report.
    public init(_ place: Int, _ row: RowSnapshot?) {
      self.place = place
      self.row = row
    }
  }

  /// The client's number for the request.
  public var id: UInt64
  /// The changed rows, in the order of the request.
  public var rows: [Entry]
  /// The reason why no row can be pinned, or `nil`.
  public var error: ClientError?

  /// Creates a report.
  public init(id: UInt64, rows: [Entry], error: ClientError? = nil) {
    self.id = id
    self.rows = rows
    self.error = error
  }

  /// Adds the rows of an earlier report of the same request that this one lacks, because the client
  /// has not received them.
  ///
  /// - Complexity: O(rows²), of which a client has a few.
  public mutating func include(_ earlier: PinReports) {
    guard earlier.id == id else { return }
    rows += earlier.rows.filter { old in !rows.contains { $0.place == old.place } }
    rows.sort { $0.place < $1.place }
  }
}
