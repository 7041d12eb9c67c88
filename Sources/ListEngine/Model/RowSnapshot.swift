/// An immutable snapshot of a row at one revision, shared by all sessions that show it.
public final class RowSnapshot {
  /// The row's identifier.
  public let id: RowID
  /// The revision that clients receive.
  ///
  /// It is ``change``, or with shared row identifiers a digest of what the row shows.
  public let revision: UInt32
  /// The commit of the last visible change of the row.
  let change: UInt32
  /// The values, one per column.
  public let cells: [Cell]
  /// The deferred cells without a value, which are null in `cells`, by ascending column.
  public let missing: [MissingCell]
  /// The reason why a row of a windowed source is not loaded, or `nil` for a loaded row.
  ///
  /// A row that is not loaded has no cells, and its identifier names the position rather than the
  /// row.
  public let absence: Missing?
  /// The row's label in the source's order, which a move changes.
  let label: UInt64

  /// An object that the wire format derives from the row, freed together with the snapshot.
  public var attachment: AnyObject?

  init(
    id: RowID, revision: UInt32, change: UInt32? = nil, cells: [Cell], label: UInt64, missing: [MissingCell] = []
  ) {
    self.id = id
    self.revision = revision
    self.change = change ?? revision
    self.cells = cells
    self.label = label
    self.missing = missing
    absence = nil
  }

  /// Creates a placeholder for a row that is not loaded.
  init(id: RowID, revision: UInt32 = 1, absence: Missing) {
    (self.id, self.revision, change, cells, label, missing) = (id, revision, revision, [], 0, [])
    self.absence = absence
  }

  /// Returns the reason why a deferred cell has no value, or `nil` if it has one.
  ///
  /// - Complexity: O(cells without a value).
  public func missing(_ column: Int) -> Missing? { missing.isEmpty ? nil : missing.first { $0.column == column }?.why }

  /// Whether a cell looks the same in another revision of the row.
  func shows(_ column: Int, asIn other: RowSnapshot) -> Bool {
    cells[column] == other.cells[column] && missing(column) == other.missing(column)
  }
}
