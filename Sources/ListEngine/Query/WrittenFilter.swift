/// A ``FilterText`` as a client's query contains it, without the table that it is about.
public struct WrittenFilter: Hashable, Codable, Sendable {
  /// The text.
  public var text: String
  /// The zone of times without one.
  public var zone: ZoneOffsets

  /// Creates a filter of a query.
  public init(_ text: String, zone: ZoneOffsets = 0) {
    self.text = text
    self.zone = zone
  }

  /// Parses the text for a table.
  ///
  /// - Parameter path: The path of the text in its message, for error messages.
  /// - Throws: ``QueryFault`` with the place in the text.
  func parse(_ schema: Schema, place path: String = "query.where") throws(QueryFault) -> FilterText {
    do throws(FilterText.Fault) {
      return try FilterText(text, schema: schema, zone: zone)
    } catch {
      let place = "\(path), character \(error.range.lowerBound + 1)"
      throw QueryFault(.unreadableMessage("\(place): \(error.reason)"), at: [path])
    }
  }

  /// Narrows a query to the rows that match the text as well.
  ///
  /// - Parameter path: The path of the text in its message, for error messages.
  func narrow(
    _ query: inout Query, _ schema: Schema, _ limits: Limits, place path: String = "query.where"
  ) throws(QueryFault) {
    let text = try parse(schema, place: path)
    var parts = query.filter.map { [$0] } ?? []
    if query.search.isEmpty {
      query.search = text.search
    } else if !text.search.isEmpty {
      throw QueryFault(
        .unreadableMessage("query.where searches for “\(text.search)”, and query.search for another text: use one"),
        at: ["query.where"])
    }
    if let filter = text.filter {
      // The parser has bounded the tests. Words in many columns have more than a client may send.
      var resolver = FilterResolver(schema, limits: limits.forWrittenFilters)
      do throws(ClientError) { parts.append(try resolver.resolve(filter, place: path)) } catch {
        throw QueryFault(error, at: [path])
      }
    }
    query.filter = parts.count > 1 ? .all(parts) : parts.first
  }
}

extension Limits {
  fileprivate var forWrittenFilters: Limits {
    var limits = self
    limits.filterTerms = FilterText.greatestTestCount * 4
    return limits
  }
}
