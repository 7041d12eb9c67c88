/// The window that a reconnecting client reports to hold: the identifiers and revisions of its
/// rows.
///
/// An engine that has not sent the window can still cut a patch from it, if revisions and row
/// identifiers mean the same in both engines; see ``Engine/sharesRowIDs``.
public struct ClientWindow: Hashable, Codable, Sendable {
  /// A row of the window.
  public struct Row: Hashable, Codable, Sendable {
    /// The row's identifier.
    public var id: RowID
    /// The row's revision.
    public var revision: UInt32

    /// Creates a row.
    public init(_ id: RowID, revision: UInt32) {
      self.id = id
      self.revision = revision
    }
  }

  /// The generation of the table; see ``TableDescription/generation``.
  public var generation: Int
  /// The position of the first row in the view.
  public var start: Int
  /// The number of rows in the view.
  public var total: Int
  /// The rows from `start` on.
  public var rows: [Row]

  /// Creates the description of a window.
  public init(generation: Int, start: Int, total: Int, rows: [Row]) {
    self.generation = generation
    self.start = start
    self.total = total
    self.rows = rows
  }

  /// The bit that no row identifier has.
  private static let foreign: UInt64 = 1 << 62

  /// Returns the window as the base of a patch, or `nil` for a view in which sections or row
  /// identifiers mean something else.
  ///
  /// A row that is equal in the view's table keeps its place in the patch. Any other one is removed
  /// by it, and inserted again if it exists, because its cells at the client are unknown.
  ///
  /// - Complexity: O(rows · columns) on first use of the rows.
  func base(in view: any QueryView) -> WindowState? {
    guard view.holdsAllRows, !view.isGrouped else { return nil }
    let table = view.table
    let items = rows.map { row in
      if let slot = table.slot(of: row.id) {
        let current = table.snapshot(slot, isRestricted: view.query.isRestricted)
        if current.revision == row.revision { return WindowItem.row(current) }
      }
      return .row(RowSnapshot(id: RowID(rawValue: row.id.rawValue | Self.foreign), absence: .pending))
    }
    return WindowState(
      start: start, total: total, rows: total, items: items, lead: [], pool: HeaderPool(), commit: table.commit,
      relabelings: table.relabelings)
  }
}
