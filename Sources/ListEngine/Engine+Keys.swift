/// The result of looking up a row by key.
public struct LocatedRow: Hashable, Sendable {
  /// The row's key.
  public var key: RowKey
  /// The row's identifier, unique within this run of the engine.
  public var id: RowID
  /// The row's position in the view, or that of its collapsed section's header.
  ///
  /// `nil` if the query excludes the row or its position is unknown.
  public var position: Int?

  /// Creates a located row.
  public init(_ key: RowKey, id: RowID, position: Int?) {
    self.key = key
    self.id = id
    self.position = position
  }
}

/// Conversion between row identifiers and keys.
///
/// Sources, and clients that resume from another run of the engine, know rows only by key.
extension Engine {
  /// Returns the key of a row in the table that a session has open.
  ///
  /// Returns `nil` if the row was deleted. The result is also `nil` while a windowed table switches
  /// queries.
  public func key(of row: RowID, shownTo session: SessionID) -> RowKey? {
    guard let view = viewWithIDs(session)?.view else { return nil }
    return view.table.slot(of: row).map { view.table.keys.key(of: $0) }
  }

  /// Returns the row with this key in the table that a session has open, or `nil` if there is none.
  ///
  /// In a windowed table, only cached rows of the session's current query are found. The position
  /// is the current one; the client may not have received it yet.
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
  /// Returns the key converted to the table's key type.
  ///
  /// Clients send integers beyond 2^53 as text.
  func fitting(_ type: KeyType) -> RowKey {
    if case .text(let text) = self, type == .integer, let number = Int64(text) { .integer(number) } else { self }
  }
}
