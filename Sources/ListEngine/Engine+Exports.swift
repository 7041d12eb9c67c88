extension Engine {
  /// Begins to read a whole table as a query shows it. What is promised stands with ``TableExport``; section headers are left out, and
  /// what is collapsed is not.
  ///
  /// - Throws: `unknownTable`, or what the same query of a page would be refused for.
  public mutating func beginExport(of name: String, _ request: QueryRequest) throws(ClientError) -> ExportID {
    guard let number = tableNumbers[name] else { throw .unknownTable(name) }
    let query = try resolve(request, in: states[number].table.schema)
    return ExportID(table: TableID(rawValue: number), number: try states[number].beginExport(query))
  }

  /// Reads up to so many rows further. An export that is not there is at its end.
  ///
  /// - Complexity: O(rows · columns).
  public func read(_ id: ExportID, rows: Int) -> ExportSlice {
    states[id.table.rawValue].readExport(id.number, rows: rows)
  }

  /// Whether ``read(_:rows:)`` has something to say.
  public func isReady(_ id: ExportID) -> Bool { states[id.table.rawValue].isExportReady(id.number) }

  /// Forgets an export, at its end or before.
  public mutating func endExport(_ id: ExportID) { states[id.table.rawValue].endExport(id.number) }
}
