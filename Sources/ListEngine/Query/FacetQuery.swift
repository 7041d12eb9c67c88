/// A facet with its column by number; clients with equal ones share a ``Facet``.
struct FacetQuery: Hashable {
  /// The column whose values or ranges are counted.
  let column: Int
  /// The zone of a column of times; 0 for other columns.
  let zone: ZoneOffsets
  /// The rows that count: those of the client's query, without its conditions on the column alone.
  let rows: Query

  /// Resolves a client's facet.
  ///
  /// - Parameters:
  ///   - query: The query of the client.
  ///   - schema: The schema that the client sees.
  ///   - place: The path of the facet in its message, for error messages.
  /// - Throws: ``ClientError`` if the column does not exist or has no facet.
  init(_ request: FacetRequest, of query: Query, in schema: Schema, place: String) throws(ClientError) {
    guard let number = schema.index(of: request.column) else {
      throw .unknownColumn(table: schema.name, column: request.column)
    }
    let column = schema.columns[number]
    guard column.type != .image, column.type != .series else {
      throw .outOfRange(
        "\(place): the column “\(column.name)” of type \(column.type.rawValue) has no facet: choose another one")
    }
    guard !column.isDeferred else {
      throw .outOfRange(
        "\(place): the column “\(column.name)” is loaded for visible rows only, so its values cannot be counted")
    }
    self.column = number
    zone = column.type == .timestamp ? request.zone : 0
    var rows = Query(search: query.search, filter: query.filter?.without(number))
    // Facets of all users are equal unless they search different columns.
    rows.isRestricted = query.isRestricted && !query.search.isEmpty
    self.rows = rows
  }
}

extension Filter {
  /// The filter without those of its conditions that concern this column alone, or `nil` if none
  /// is left.
  ///
  /// Conditions are the parts of ``all(_:)``, at any depth. A condition on several columns stays.
  func without(_ column: Name) -> Filter? {
    guard case .all(let parts) = self else { return columns == [column] ? nil : self }
    let left = parts.compactMap { $0.without(column) }
    return left.count > 1 ? .all(left) : left.first
  }
}
