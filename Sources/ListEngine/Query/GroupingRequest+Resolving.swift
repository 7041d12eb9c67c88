extension GroupingRequest.Ranges {
  /// Returns the ranges for the values of a column.
  ///
  /// - Parameter place: The place of the grouping in the query, for the error message.
  /// - Throws: ``ClientError`` if the ranges do not fit the column.
  func resolved(for column: Column, at place: String) throws(ClientError) -> ValueRanges {
    switch (self, column.type) {
    case (.width(let width), .integer):
      guard let width = Self.whole(width), width > 0 else {
        throw .outOfRange("\(place).width: “\(column.name)” has whole numbers: use a whole width from 1")
      }
      return .integers(width: width)
    case (.width(let width), .number):
      let number: Double? =
        switch width {
        case .integer(let whole): Double(whole)
        case .number(let number): number
        default: nil
        }
      guard let number, number > 0, number.isFinite else {
        throw .outOfRange("\(place).width must be a number above 0")
      }
      return .numbers(NumberRanges(width: number))
    case (.unit(let unit, let zone), .timestamp):
      guard FilterText.zones.contains(zone.first) else {
        throw .outOfRange(
          "\(place).offset must be a number of minutes from \(FilterText.zones.lowerBound) to \(FilterText.zones.upperBound)"
        )
      }
      return .times(TimeRanges(unit, zone: zone))
    case (.width, .timestamp):
      throw .outOfRange("\(place).width: “\(column.name)” has times: use “unit” instead of “width”")
    case (.unit, .integer), (.unit, .number):
      throw .outOfRange("\(place).unit: “\(column.name)” has numbers: use “width” instead of “unit”")
    default:
      throw .outOfRange(
        "\(place): “\(column.name)” is of type \(column.type): group it by its values, or use ranges of a column of numbers or times"
      )
    }
  }

  private static func whole(_ width: Cell) -> Int64? {
    switch width {
    case .integer(let whole): whole
    case .number(let number): Int64(exactly: number)
    default: nil
    }
  }
}

extension QueryRequest {
  /// Returns the groupings with column numbers in place of names.
  ///
  /// - Throws: ``QueryFault`` if a grouping does not fit the schema.
  func groupings(in schema: Schema) throws(QueryFault) -> [Grouping] {
    var found: [Grouping] = []
    for (index, grouping) in groupings.enumerated() {
      let place = "query.group[\(index)]"
      guard let column = schema.index(of: grouping.column) else {
        throw QueryFault(.unknownColumn(table: schema.name, column: grouping.column), at: [place])
      }
      var resolved = Grouping(column)
      do throws(ClientError) {
        resolved.ranges = try grouping.ranges?.resolved(for: schema.columns[column], at: place)
      } catch { throw QueryFault(error, at: [place]) }
      // Ignore repeated groupings: each section would contain exactly one subsection.
      if !found.contains(resolved) { found.append(resolved) }
    }
    return found
  }
}
