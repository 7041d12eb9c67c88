import ArgumentParser
import ListEngine

/// The views that workload W2 measures.
enum ViewMode: String, CaseIterable, ExpressibleByArgument {
  /// All rows by descending price.
  case sort
  /// The rows of one sector by descending price.
  case filter
  /// Collapsed sections by sector, each with the sum of its sizes and the mean of its prices.
  ///
  /// Every batch changes every shown item. Engines without sections call this a group.
  case group
  /// The same sections with their rows, in the source's order.
  case expanded

  var query: QueryRequest {
    switch self {
    case .sort: return QueryRequest(sort: [("price", true)])
    case .filter:
      return QueryRequest(sort: [("price", true)], filter: .compare("sector", .equal, .text("Sector-03")))
    case .group:
      var query = Self.expanded.query
      query.collapsed = (0..<20).map { [.text("Sector-\($0 < 10 ? "0" : "")\($0)")] }
      return query
    case .expanded:
      var query = QueryRequest(group: ["sector"])
      query.aggregates = [AggregateRequest(.sum, of: "size"), AggregateRequest(.mean, of: "price")]
      return query
    }
  }

  /// Returns the expected items.
  func items(_ mirror: Mirror) -> [Int?] {
    switch self {
    case .sort: return mirror.rows(by: { mirror.prices[$0] > mirror.prices[$1] })
    case .filter:
      return mirror.rows(where: { mirror.sector($0) == 3 }, by: { mirror.prices[$0] > mirror.prices[$1] })
    case .group: return Array(repeating: nil, count: 20)
    case .expanded:
      return mirror.items(mirror.rows(by: { mirror.sector($0) < mirror.sector($1) }), grouped: [mirror.sector])
    }
  }
}
