extension Engine {
  /// Returns all rows of a table in the source's order, split into changesets.
  ///
  /// The cells are those of the columns that the source gives. Rows are padded with null cells to
  /// `columns`, so that they fit a table with more columns. The first changeset carries the number
  /// of rejected rows.
  ///
  /// - Complexity: O(*n* log *n* + cells) for *n* rows.
  public func contents(of id: TableID, columns: Int) -> [Changeset] {
    let table = states[id.rawValue].table
    let slots = (0..<table.slots).filter { table.isAlive($0) }.sorted { table.labels[$0] < table.labels[$1] }
    let missing = [Cell](repeating: .null, count: max(0, columns - table.givenColumns))
    var parts: [Changeset] = []
    for start in stride(from: 0, to: slots.count, by: Self.contentsPart) {
      var changes = Changeset()
      for slot in slots[start..<min(start + Self.contentsPart, slots.count)] {
        changes.upsert(table.keys.key(of: slot), table.columns[..<table.givenColumns].map { $0.cell(slot) } + missing)
      }
      parts.append(changes)
    }
    if table.rejected > 0 {
      if parts.isEmpty { parts = [Changeset()] }
      parts[0].noteUnnamedRejections(Int(clamping: table.rejected), table.lastRejection)
    }
    return parts
  }

  /// The maximum number of rows in one changeset of ``contents(of:columns:)``.
  private static var contentsPart: Int { 4_096 }
}
