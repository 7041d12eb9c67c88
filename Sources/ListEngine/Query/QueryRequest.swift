/// A query as sent by a client, with columns by name.
public struct QueryRequest: Hashable, Codable, Sendable {
  /// The columns to sort by.
  public var sort: [(column: String, descending: Bool)] { terms.map { ($0.column, $0.descending) } }
  /// The text to search for, or an empty string.
  public var search: String
  /// The filter that rows must match.
  ///
  /// Values are as in the client's JSON: timestamps in milliseconds, and integers possibly as text
  /// because JavaScript numbers are exact only up to 2^53.
  public var filter: Filter<String>?
  /// The filter that rows must match as well, as text; `nil` for none.
  public var written: WrittenFilter?
  /// The columns to group by, with their ranges.
  public var groupings: [GroupingRequest]
  /// The aggregates to compute for each section and for all rows.
  public var aggregates: [AggregateRequest] = []
  /// The order of the sections of some grouping columns; the others are in ascending order of their
  /// values.
  public var sections: [SectionOrderRequest] {
    get { orderedSections ?? [] }
    set { orderedSections = newValue.isEmpty ? nil : newValue }
  }
  /// The order, or `nil` for none: recordings may lack the member.
  private var orderedSections: [SectionOrderRequest]?
  /// The collapsed sections, each by its values as in ``SectionName/path(_:)``.
  ///
  /// Clients whose queries differ only in this share a view.
  public var collapsed: [[Cell]] = []
  /// The reason why the client's query is malformed; the engine refuses it with this fault.
  public var fault: QueryFault?

  struct Term: Hashable, Codable, Sendable {
    var column: String
    var descending: Bool
  }
  var terms: [Term]

  private enum CodingKeys: String, CodingKey {
    case search, filter, written, aggregates, orderedSections, collapsed, fault, terms
    case groupings = "group"
  }

  /// Creates a query, by default for all rows in the source's order.
  public init(
    sort: [(column: String, descending: Bool)] = [], search: String = "", filter: Filter<String>? = nil,
    group: [String] = []
  ) {
    self.terms = sort.map { Term(column: $0.column, descending: $0.descending) }
    self.search = search
    self.filter = filter
    groupings = group.map { GroupingRequest($0) }
  }

  /// The columns to group by.
  ///
  /// Columns that are set have a section for each value.
  public var group: [String] {
    get { groupings.map(\.column) }
    set { groupings = newValue.map { GroupingRequest($0) } }
  }
}

/// A client's reference to a section.
public enum SectionName: Hashable, Codable, Sendable {
  /// The number that the server sent in the section's header.
  case number(UInt32)
  /// The values of the group columns from the outermost section inwards.
  ///
  /// Values are as in the client's JSON: timestamps in milliseconds, and integers possibly as text.
  case path([Cell])
}
