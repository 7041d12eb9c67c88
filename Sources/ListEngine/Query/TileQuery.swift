/// A tile with columns by number; clients with equal ones share a ``Tile``.
struct TileQuery: Hashable {
  /// The aggregate of a column, or `nil` for the number of rows.
  var aggregate: Aggregate?
  /// The rows that count, or `nil` for all.
  var filter: Filter<Int>?

  /// Resolves a client's tile.
  ///
  /// - Parameters:
  ///   - written: A text that narrows the rows, or `nil`.
  ///   - schema: The schema that the client sees.
  ///   - place: The path of the tile in its message, for error messages.
  /// - Throws: ``ClientError`` if a column does not exist or does not suit its use, or if the text
  ///   has a fault.
  init(
    _ request: TileRequest, written: WrittenFilter?, in schema: Schema, limits: Limits, place: String
  ) throws(ClientError) {
    if let wanted = request.aggregate {
      guard let number = schema.index(of: wanted.column) else {
        throw .unknownColumn(table: schema.name, column: wanted.column)
      }
      let type = schema.columns[number].type
      guard !wanted.function.needsOrder else {
        throw .outOfRange(
          "\(place): a tile counts rows without an order and has no \(wanted.function.words): use another function")
      }
      guard wanted.function.takes(type) else {
        throw .outOfRange(
          "\(place): the column “\(wanted.column)” of type \(type.rawValue) has no \(wanted.function.words)")
      }
      aggregate = Aggregate(wanted.function, of: number)
    }
    if let filter = request.filter {
      var resolver = FilterResolver(schema, limits: limits)
      self.filter = try resolver.resolve(filter, place: "\(place).filter")
    }
    if let written {
      var query = Query(filter: filter)
      do throws(QueryFault) { try written.narrow(&query, schema, limits, place: "\(place).where") } catch {
        throw error.error
      }
      guard query.search.isEmpty else {
        throw .remainderTooLarge("\(place).where: the rows of this table stay at its source: leave out the words")
      }
      filter = query.filter
    }
  }

  /// Whether the tile is the number of all rows, which the table knows.
  var isRowCount: Bool { aggregate == nil && filter == nil }

  /// The approximate size of a tile's state for each row of the table, in bytes.
  var bytesPerRow: Int {
    switch aggregate?.function {
    case _ where isRowCount: 0
    case nil: 1
    case .sum, .mean, .min, .max: 10
    case .distinct: 64
    case .median, .p1, .p5, .p10, .p90, .p95, .p99: 28
    case .first, .last: 0
    }
  }
}
