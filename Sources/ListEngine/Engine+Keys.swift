/// A row that was asked for by its key.
public struct LocatedRow: Hashable, Sendable {
  /// Its key.
  public var key: RowKey
  /// Its id as long as this engine runs.
  public var id: RowID
  /// Where the page sees it, or the header below which it is folded away; `nil` when the query does not show it, or its place is not known yet.
  public var position: Int?

  /// A row at a position.
  public init(_ key: RowKey, id: RowID, position: Int?) {
    self.key = key
    self.id = id
    self.position = position
  }
}

/// What rows are called by those who do not know this engine's ids: sources, and pages that knew another run of it.
extension Engine {
  /// What the source calls a row that the page of this session holds of the table that it has opened; `nil` when the row is gone. Between
  /// two queries of a windowed table nothing can be said for certain, and it is `nil`, too.
  public func key(of row: RowID, shownTo session: SessionID) -> RowKey? {
    guard let view = viewWithIDs(session)?.view else { return nil }
    return view.table.slot(of: row).map { view.table.keys.key(of: $0) }
  }

  /// The row with this key of the table that a session has opened; `nil` when it is not there. Of a windowed table only rows are found that its
  /// source has given for the session's query and that are still kept. The position is that of now, which the page may not have been told yet.
  ///
  /// - Complexity: O(log rows).
  public func locate(_ key: RowKey, for session: SessionID) -> LocatedRow? {
    guard let folded = viewWithIDs(session) else { return nil }
    let (view, table) = (folded.view, folded.view.table)
    guard let slot = table.slot(of: key.fitting(table.schema.key)) else { return nil }
    guard table.schema.windowed == nil || view.contains(slot) else { return nil }
    let position: Int? =
      switch folded.place(of: slot) {
      case .shown(let position), .folded(_, let position): position
      case nil: nil
      }
    return LocatedRow(key, id: table.id(of: slot), position: position)
  }
}

extension RowKey {
  /// Whole numbers beyond 2^53 are written as texts by pages: what is meant depends on the table.
  fileprivate func fitting(_ type: KeyType) -> RowKey {
    if case .text(let text) = self, type == .integer, let number = Int64(text) { .integer(number) } else { self }
  }
}
