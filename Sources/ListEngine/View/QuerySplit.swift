/// What of a query a windowed source does, and what remains for the engine.
///
/// The source does all of it or a part that only leaves rows out: what sorts, groups or counts needs all rows at one place.
struct QuerySplit {
  /// What the source is asked.
  private(set) var source: Query
  /// What the engine does with the rows that the source gives; `nil` when nothing remains.
  private(set) var rest: Query?
  /// What the source cannot do, for people; empty when nothing remains.
  private(set) var remains: [String] = []

  /// - Precondition: The query fits the schema.
  init(_ query: Query, _ schema: Schema, _ capabilities: WindowedCapabilities) {
    source = query
    func name(_ column: Int) -> String { "“\(schema.columns[column].name)”" }
    let sort = query.sort.map(\.column).filter { !capabilities.sort.contains($0) }
    if !sort.isEmpty { remains.append("sort by \(sort.map(name).joined(separator: " and "))") }
    var kept: [Filter<Int>] = []
    var left: [Filter<Int>] = []
    for part in query.filter.map(Self.parts) ?? [] {
      let blocked = Self.blocked(part, capabilities)
      if blocked.isEmpty { kept.append(part) } else { left.append(part) }
      for (column, what) in blocked {
        remains.append(column.map { "filter \(name($0)) by \(what)" } ?? "filter by \(what)")
      }
    }
    let searches = query.search.isEmpty || capabilities.searches
    if !searches { remains.append("search") }
    let group = query.group.filter { !capabilities.group.contains($0) }
    if !group.isEmpty { remains.append("group by \(group.map(name).joined(separator: " and "))") }
    if !query.aggregates.isEmpty { remains.append("aggregate") }
    guard !remains.isEmpty else { return }
    source = Query(search: searches ? query.search : "", filter: Self.joined(kept))
    var rest = query
    rest.filter = Self.joined(left)
    if searches { rest.search = "" }
    self.rest = rest
  }

  /// Filters that rows must all pass.
  private static func parts(_ filter: Filter<Int>) -> [Filter<Int>] {
    if case .all(let parts) = filter { parts.flatMap(Self.parts) } else { [filter] }
  }

  private static func joined(_ parts: [Filter<Int>]) -> Filter<Int>? {
    parts.isEmpty ? nil : parts.count == 1 ? parts[0] : .all(parts)
  }

  /// What in a filter the source cannot do: the operator, and the column it looks at. Empty when it can do all of it.
  private static func blocked(
    _ filter: Filter<Int>, _ capabilities: WindowedCapabilities
  ) -> [(column: Int?, what: String)] {
    func one(_ column: Int, _ power: WindowedCapabilities.FilterOperator, _ what: String) -> [(Int?, String)] {
      let can = capabilities.filters.contains(power) && capabilities.filterColumns?.contains(column) ?? true
      return can ? [] : [(column, what)]
    }
    func many(
      _ parts: [Filter<Int>], _ power: WindowedCapabilities.FilterOperator?, _ what: String
    ) -> [(Int?, String)] {
      let own = power.map(capabilities.filters.contains) ?? true ? [] : [(nil as Int?, what)]
      return own + parts.flatMap { blocked($0, capabilities) }
    }
    switch filter {
    case .all(let parts): return many(parts, nil, "all")
    case .any(let parts): return many(parts, .any, "any")
    case .not(let part): return many([part], .not, "not")
    case .compare(let column, .equal, _): return one(column, .equal, "=")
    case .compare(let column, .notEqual, _): return one(column, .notEqual, "!=")
    case .compare(let column, let comparison, _): return one(column, .order, comparison.rawValue)
    case .range(let column, _, _): return one(column, .range, "range")
    case .contains(let column, _): return one(column, .contains, "contains")
    case .startsWith(let column, _): return one(column, .startsWith, "startsWith")
    case .matches(let column, _, _): return one(column, .matches, "matches")
    case .oneOf(let column, _): return one(column, .oneOf, "oneOf")
    case .isEmpty(let column): return one(column, .isEmpty, "isEmpty")
    }
  }

  /// The sentence of a refusal.
  func refusal(_ count: Int, isExact: Bool, limit: Int) -> String {
    "the source cannot \(remains.joined(separator: ", nor ")): the engine would do it with all \(isExact ? "" : "of more than ")"
      + "\(count) rows that are left, and does so with \(limit) at most"
  }
}
