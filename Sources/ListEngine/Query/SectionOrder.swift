/// The order of the sections of one grouping level.
public struct SectionOrder: Hashable, Sendable {
  /// The quantity that sections are ordered by; ties are in ascending order of their values.
  public enum Key: Hashable, Sendable {
    /// The value of the grouping column.
    case value
    /// The number of rows.
    case count
    /// The aggregate with this index in the query.
    case aggregate(Int)
  }

  /// The quantity.
  public var key: Key
  /// Whether the order is descending; nulls come last in both directions.
  public var isDescending: Bool

  /// Creates an order.
  public init(by key: Key, descending: Bool = false) {
    self.key = key
    isDescending = descending
  }

  /// The order of levels that a query does not mention.
  static let byValue = SectionOrder(by: .value)

  /// Whether sections are placed by what their headers show, so that they can move.
  var isRanked: Bool { key != .value }
}

/// A ``SectionOrder`` as clients send it, with columns by name.
public struct SectionOrderRequest: Hashable, Codable, Sendable {
  /// The quantity that sections are ordered by.
  public enum Key: Hashable, Codable, Sendable {
    /// The value of the grouping column.
    case value
    /// The number of rows.
    case count
    /// An aggregate, which the query must have.
    case aggregate(AggregateRequest)
  }

  /// The name of the grouping column whose sections are ordered.
  public var column: String
  /// The quantity.
  public var key: Key
  /// Whether the order is descending.
  public var isDescending: Bool

  /// Creates an order of the sections of a column.
  public init(_ column: String, by key: Key, descending: Bool = false) {
    self.column = column
    self.key = key
    isDescending = descending
  }

  /// Whether the order is that of sections that are not mentioned.
  var isDefault: Bool { key == .value && !isDescending }
}

extension Query {
  /// Returns the order of the sections of a level.
  func order(ofLevel level: Int) -> SectionOrder { level < sections.count ? sections[level] : .byValue }

  /// Whether sections of some level are placed by what their headers show.
  var ranksSections: Bool { sections.contains { $0.isRanked } }

  /// Adopts the section orders of a client.
  ///
  /// - Precondition: The grouping columns and the aggregates are set.
  /// - Throws: ``QueryFault`` if an order does not fit the query.
  mutating func adopt(_ orders: [SectionOrderRequest], of request: QueryRequest, in schema: Schema) throws(QueryFault) {
    var resolved = group.map { _ in SectionOrder.byValue }
    var seen: Set<Int> = []  // levels
    for (index, order) in orders.enumerated() {
      let place = "query.sections[\(index)]"
      guard let column = schema.index(of: order.column) else {
        throw QueryFault(.unknownColumn(table: schema.name, column: order.column), at: [place])
      }
      // Several orders of a column are those of its levels, the outermost first.
      guard let level = group.indices.first(where: { group[$0] == column && !seen.contains($0) }) else {
        let count = group.count { $0 == column }
        throw QueryFault(
          .outOfRange(
            count == 0
              ? "\(place): the query does not group by “\(order.column)”: name a column of “group”"
              : count == 1
                ? "\(place): “\(order.column)” is named twice: name it once"
                : "\(place): “\(order.column)” has \(count) levels: name it once for each"), at: [place])
      }
      seen.insert(level)
      let key: SectionOrder.Key
      switch order.key {
      case .value: key = .value
      case .count: key = .count
      case .aggregate(let aggregate):
        guard let number = request.aggregates.firstIndex(of: aggregate) else {
          throw QueryFault(
            .outOfRange(
              "\(place).by: the query does not compute the \(aggregate.function.words) of “\(aggregate.column)”: "
                + "add it to “aggregates”"), at: [place])
        }
        key = .aggregate(number)
      }
      resolved[level] = SectionOrder(by: key, descending: order.isDescending)
    }
    // Queries that differ only in how they state the default share a view.
    sections = resolved.allSatisfy { $0 == .byValue } ? [] : resolved
  }
}
