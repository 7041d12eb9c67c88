extension Engine {
  /// Begins to read a whole table as a query shows it. What is promised stands with ``TableExport`` and ``WindowedExport``; section headers
  /// are left out, and what is collapsed is not.
  ///
  /// Nothing that pages are sent depends on it, nor what the source is asked for them: a recording may leave out what
  /// ``PageRequestID/isForExport``.
  ///
  /// - Throws: `unknownTable`, or what the same query of a page would be refused for; but what a windowed source cannot do of it, with too
  ///   many rows left, is found out later: ``ExportSlice/refused(_:)``.
  public mutating func beginExport(of name: String, _ request: QueryRequest) throws(ClientError) -> ExportID {
    guard let number = tableNumbers[name] else { throw .unknownTable(name) }
    let query: Query
    do throws(QueryFault) { query = try resolve(request, in: states[number].table.schema) } catch { throw error.error }
    return ExportID(table: TableID(rawValue: number), number: states[number].beginExport(query))
  }

  /// Reads up to so many rows further. An export that is not there is at its end.
  ///
  /// - Complexity: O(rows · columns).
  public func read(_ id: ExportID, rows: Int) -> ExportSlice {
    states[id.table.rawValue].readExport(id.number, rows: rows)
  }

  /// Whether ``read(_:rows:)`` has something to say.
  public func isReady(_ id: ExportID) -> Bool { states[id.table.rawValue].isExportReady(id.number) }

  /// Whether what was read makes room for more, so that ``advance(to:)`` would ask the source for it.
  public func isHungry(_ id: ExportID) -> Bool { states[id.table.rawValue].isExportHungry(id.number) }

  /// How many rows of a windowed source did not fit the schema so far, and were left out.
  public func rowsLeftOut(_ id: ExportID) -> Int { states[id.table.rawValue].rowsLeftOut(id.number) }

  /// Forgets an export, at its end or before.
  public mutating func endExport(_ id: ExportID) { states[id.table.rawValue].endExport(id.number) }
}

extension PageRequestID {
  /// Requests for what is taken away count from here: a number of theirs says nothing about how often pages have asked. No number that a
  /// JSON reader loses a bit of: it stays far below 2^53.
  static let firstForExports: UInt64 = 1 << 52

  /// Whether it is asked for what is taken away, and not for a page. Nothing that pages are sent depends on its answer.
  public var isForExport: Bool { rawValue >= Self.firstForExports }
}

extension Input {
  /// Whether it answers what is taken away: see ``PageRequestID/isForExport``.
  public var isForExport: Bool {
    switch self {
    case .page(_, let id, _), .sections(_, let id, _), .pageFailed(_, let id, _): id.isForExport
    default: false
    }
  }
}

extension Output {
  /// Whether it is about what is taken away: see ``PageRequestID/isForExport``. No output is about that and something else.
  public var isForExport: Bool {
    switch self {
    case .ask(_, let requests): requests.contains(where: \.id.isForExport)
    case .cancelPages(_, let ids): ids.contains(where: \.isForExport)
    default: false
    }
  }
}
