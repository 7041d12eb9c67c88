/// A figure about the rows of a table for the summary strip, with columns by name.
///
/// It is the number of rows, or an aggregate of one column, over all rows that match a filter.
public struct TileRequest: Hashable, Codable, Sendable {
  /// The heading in a default view; an empty text leaves the wording to the client.
  public var title: String
  /// The aggregate of a column, or `nil` for the number of rows.
  public var aggregate: AggregateRequest?
  /// The rows that count, or `nil` for all; values are as in ``QueryRequest/filter``.
  public var filter: Filter<String>?

  /// Creates a tile.
  public init(title: String = "", _ aggregate: AggregateRequest? = nil, filter: Filter<String>? = nil) {
    self.title = title
    self.aggregate = aggregate
    self.filter = filter
  }

  /// The columns that the tile refers to.
  var columns: Set<String> { (filter?.columns ?? []).union(aggregate.map { [$0.column] } ?? []) }
}
