extension Engine {
  /// Starts an export of all rows that match a query.
  ///
  /// Ages in the filter are those at `now`, by default the time of the last input or turn.
  ///
  /// Collapsed sections are included, section headers are not. ``TableExport`` and
  /// ``WindowedExport`` document the consistency guarantees.
  ///
  /// Exports do not influence what clients receive or the requests that the source gets on their
  /// behalf. A recording may therefore omit everything whose ``BlockRequestID/isForExport`` is
  /// true.
  ///
  /// If the source does not support part of the query and too many rows are left for the engine,
  /// the refusal comes later as ``ExportSlice/refused(_:)``.
  ///
  /// - Throws: ``ClientError/unknownTable(_:)``, or the error that a client would get for the same
  ///   query.
  public mutating func beginExport(
    of name: String, _ request: QueryRequest, isRestricted: Bool = false, at now: Instant? = nil
  ) throws(ClientError) -> ExportID {
    guard let number = tableNumbers[name] else { throw .unknownTable(name) }
    let query: Query
    do throws(QueryFault) {
      query = try resolve(request, in: states[number].table.schema, isRestricted: isRestricted)
    } catch {
      throw error.error
    }
    return ExportID(table: TableID(rawValue: number), number: states[number].beginExport(query, wall.frozen(at: now)))
  }

  /// Returns up to `rows` further rows of an export, or ``ExportSlice/end`` for an unknown export.
  ///
  /// - Complexity: O(rows · columns).
  public func read(_ id: ExportID, rows: Int) -> ExportSlice {
    states[id.table.rawValue].readExport(id.number, rows: rows)
  }

  /// Whether ``read(_:rows:)`` would return something other than ``ExportSlice/notYet``.
  public func isReady(_ id: ExportID) -> Bool { states[id.table.rawValue].isExportReady(id.number) }

  /// Whether the export has free buffer space, so that ``advance(to:)`` may request more rows from
  /// the source.
  public func needsRows(_ id: ExportID) -> Bool { states[id.table.rawValue].exportNeedsRows(id.number) }

  /// The number of rows of a windowed source that were skipped because they do not fit the schema.
  public func rowsLeftOut(_ id: ExportID) -> Int { states[id.table.rawValue].rowsLeftOut(id.number) }

  /// Ends an export, finished or not, and frees its state.
  public mutating func endExport(_ id: ExportID) { states[id.table.rawValue].endExport(id.number) }
}

extension BlockRequestID {
  /// The first identifier of an export request.
  ///
  /// Separate numbering keeps the identifiers of client requests independent of exports. The value
  /// is far below 2^53, so JSON readers represent it exactly.
  static let firstForExports: UInt64 = 1 << 52

  /// Whether the request belongs to an export rather than to a client.
  public var isForExport: Bool { rawValue >= Self.firstForExports }
}

extension Input {
  /// Whether this input answers a request of an export; see ``BlockRequestID/isForExport``.
  public var isForExport: Bool {
    switch self {
    case .page(_, let id, _), .sections(_, let id, _), .pageFailed(_, let id, _): id.isForExport
    default: false
    }
  }
}

extension Output {
  /// Whether this output concerns an export; see ``BlockRequestID/isForExport``.
  ///
  /// Outputs never mix exports and clients.
  public var isForExport: Bool {
    switch self {
    case .ask(_, let requests): requests.contains(where: \.id.isForExport)
    case .cancelBlocks(_, let ids): ids.contains(where: \.isForExport)
    default: false
    }
  }
}
