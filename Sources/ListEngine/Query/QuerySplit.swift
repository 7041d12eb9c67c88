/// The division of a query between a windowed source and the engine.
///
/// The source evaluates either the whole query or a part that only filters rows. Sorting, grouping
/// and aggregates need all rows in one place.
struct QuerySplit {
  /// The query sent to the source.
  private(set) var source: Query
  /// The residual query that the engine evaluates on the source's rows, or `nil` if there is none.
  private(set) var rest: Query?
  /// The descriptions, for users, of what the source cannot do; empty if nothing remains.
  private(set) var remains: [String] = []
  /// Whether a regular expression remains for which the source supports "contains" instead.
  private var containsWouldDo = false

  /// Divides a query.
  ///
  /// - Precondition: The query fits the schema.
  init(_ query: Query, _ schema: Schema, _ capabilities: WindowedCapabilities) {
    source = query
    func name(_ column: Int) -> String {
      let column = schema.columns[column]
      return "“\(column.title.isEmpty ? column.name : column.title)”"
    }
    let sort = query.sort.map(\.column).filter { !capabilities.sort.contains($0) }
    if !sort.isEmpty { remains.append("sort by \(sort.map(name).joined(separator: " and "))") }
    var hasPattern = false
    var supported: [Filter<Int>] = []
    var left: [Filter<Int>] = []
    for part in query.filter.map(Self.parts) ?? [] {
      let blocked = Self.blocked(part, capabilities)
      if blocked.isEmpty { supported.append(part) } else { left.append(part) }
      for (column, what) in blocked {
        hasPattern = hasPattern || what == Self.patternWords
        let words =
          what == Self.patternWords ? what : column.map { "filter \(name($0)) with \(what)" } ?? "filter with \(what)"
        if !remains.contains(words) { remains.append(words) }
      }
    }
    containsWouldDo = hasPattern && capabilities.filters.contains(.contains)
    let searches = query.search.isEmpty || capabilities.searches
    if !searches { remains.append("search") }
    let group = query.groupings.filter { !capabilities.group.contains($0.column) }.map(\.column)
    if !group.isEmpty { remains.append("group by \(Self.distinct(group.map(name)).joined(separator: " and "))") }
    let ranges = query.groupings.filter { $0.ranges != nil && capabilities.group.contains($0.column) }.map(\.column)
    if !ranges.isEmpty {
      remains.append("group by ranges of \(Self.distinct(ranges.map(name)).joined(separator: " and "))")
    }
    for aggregate in query.aggregates {
      remains.append("compute the \(aggregate.function.words) of \(name(aggregate.column))")
    }
    for (column, order) in zip(query.group, query.sections) where order != .byValue {
      remains.append("order the sections of \(name(column))")
    }
    guard !remains.isEmpty else { return }
    source = Query(search: searches ? query.search : "", filter: Self.joined(supported))
    var rest = query
    rest.filter = Self.joined(left)
    if searches { rest.search = "" }
    self.rest = rest
  }

  /// Returns the conjuncts of a filter.
  private static func parts(_ filter: Filter<Int>) -> [Filter<Int>] {
    if case .all(let parts) = filter { parts.flatMap(Self.parts) } else { [filter] }
  }

  /// Returns the names without repetitions.
  private static func distinct(_ names: [String]) -> [String] {
    names.enumerated().filter { !names[..<$0].contains($1) }.map(\.element)
  }

  private static func joined(_ parts: [Filter<Int>]) -> Filter<Int>? {
    parts.isEmpty ? nil : parts.count == 1 ? parts[0] : .all(parts)
  }

  /// Returns the operators of a filter that the source does not support, with their columns.
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
    case .all(let parts): return many(parts, nil, "“all”")
    case .any(let parts): return many(parts, .any, "“any”")
    case .not(let part): return many([part], .not, "“not”")
    case .compare(let column, .equal, _): return one(column, .equal, "=")
    case .compare(let column, .notEqual, _): return one(column, .notEqual, "!=")
    case .compare(let column, let comparison, _): return one(column, .order, comparison.rawValue)
    case .range(let column, _, _): return one(column, .range, "a range")
    case .contains(let column, _): return one(column, .contains, "“contains”")
    case .startsWith(let column, _): return one(column, .startsWith, "“starts with”")
    case .matches(let column, _, _): return one(column, .matches, Self.patternWords)
    case .oneOf(let column, _): return one(column, .oneOf, "a list of values")
    // What matches changes with time, so only the engine can keep it true.
    case .age(let column, _, _): return [(column, "an age")]
    case .isEmpty(let column): return one(column, .isEmpty, "“is empty”")
    }
  }

  private static let patternWords = "run regular expressions"

  /// Returns the message that refuses the query and suggests a remedy.
  func refusal(_ count: Int, isExact: Bool, limit: Int) -> String {
    let cannot =
      remains.count < 2
      ? remains.joined() : remains.dropLast().joined(separator: ", ") + " or " + remains[remains.count - 1]
    let rows = "\(isExact ? "" : "more than ")\(Self.grouped(count)) rows"
    return "This source cannot \(cannot), and \(rows) are too many to do it here (limit \(Self.grouped(limit))). "
      + "Narrow it down first\(containsWouldDo ? ", or use “contains”" : "")."
  }

  /// Returns a count with thousands separators: `1,200,000`.
  private static func grouped(_ count: Int) -> String {
    let digits = Array(String(count))
    var text = ""
    for (place, digit) in digits.enumerated() {
      if place > 0, (digits.count - place) % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return text
  }

  // MARK: Places

  /// Returns the places in a client's query that the source cannot evaluate.
  ///
  /// For filters these are the largest parts that can be removed independently.
  static func places(
    in request: QueryRequest, _ schema: Schema, _ capabilities: WindowedCapabilities, _ limits: Limits
  ) -> [String] {
    func cannot(_ names: [String?], _ can: Set<Int>, _ part: String) -> [String] {
      names.enumerated().compactMap { index, name in
        name.flatMap(schema.index).map(can.contains) == true ? nil : "query.\(part)[\(index)]"
      }
    }
    var places = cannot(request.sort.map(\.column), capabilities.sort, "sort")
    if let filter = request.filter { places += blocked(filter, "query.filter", schema, capabilities, limits) }
    if !request.search.isEmpty && !capabilities.searches { places.append("query.search") }
    if let written = request.written, isBlocked(written, schema, capabilities, limits) { places.append("query.where") }
    places += cannot(
      request.groupings.map { $0.ranges == nil ? $0.column : nil }, capabilities.group, "group")
    places += request.aggregates.indices.map { "query.aggregates[\($0)]" }
    return places
      + request.sections.indices.filter { !request.sections[$0].isDefault }.map { "query.sections[\($0)]" }
  }

  private static func isBlocked(
    _ written: WrittenFilter, _ schema: Schema, _ capabilities: WindowedCapabilities, _ limits: Limits
  ) -> Bool {
    var query = Query()
    guard (try? written.narrow(&query, schema, limits)) != nil else { return true }
    if !query.search.isEmpty && !capabilities.searches { return true }
    return query.filter.map { !blocked($0, capabilities).isEmpty } ?? false
  }

  private static func blocked(
    _ filter: Filter<String>, _ place: String, _ schema: Schema, _ capabilities: WindowedCapabilities, _ limits: Limits
  ) -> [String] {
    if case .all(let parts) = filter {
      return parts.enumerated().flatMap { blocked($1, "\(place).all[\($0)]", schema, capabilities, limits) }
    }
    var resolver = FilterResolver(schema, limits: limits)
    guard let part = try? resolver.resolve(filter) else { return [place] }
    return parts(part).allSatisfy { blocked($0, capabilities).isEmpty } ? [] : [place]
  }
}
