import ListEngine

/// Facets: random ones of clients, compared with the rows of the reference.
extension Simulation {
  /// The facets that a client has requested last.
  struct Facets {
    var id: UInt64
    /// The columns by place; a missing column is refused.
    var columns: [Int?]
    /// The last outcome that the client received, by place.
    var outcomes: [Int: FacetOutcome] = [:]
    var lastSent: Instant?
    /// The number of reports that may follow soon: after an input of the client, each facet is
    /// reported when it is counted.
    var earlyReports = Simulation.earlyReports
  }

  private static let earlyReports = 10
  /// The least distance of other reports.
  private static let distance: Duration = .milliseconds(100)

  /// Records that the next reports of a client need not wait.
  mutating func allowEarlyFacets(_ index: Int) { clients[index].facets?.earlyReports = Self.earlyReports }

  /// Replaces the facets of a random client.
  mutating func chooseFacets(_ engine: inout Engine) {
    guard faceting.oneIn(6), !clients.isEmpty else { return }
    let index = faceting.number(0...clients.count - 1)
    nextFacets += 1
    var facets = Facets(id: nextFacets, columns: [])
    for _ in 0..<faceting.pick([0, 1, 3, 8]) {
      facets.columns.append(faceting.oneIn(9) ? nil : faceting.number(0...Self.keyColumn))
    }
    clients[index].facets = facets.columns.isEmpty ? nil : facets
    let requestedFacets = facets.columns.map { column in
      RequestedFacet.facet(FacetRequest(column.map { schema.columns[$0].name } ?? "nothing", zone: 60))
    }
    engine.handle(.facets(clients[index].id, id: facets.id, requestedFacets), at: clock.now)
  }

  /// Compares a report with the rows of the table.
  mutating func judge(_ reports: FacetReports, _ id: SessionID) throws {
    guard let index = clients.firstIndex(where: { $0.id == id }), let facets = clients[index].facets,
      facets.id == reports.id
    else { throw failure("client \(id.rawValue) receives facets that it has not requested last") }
    guard !clients[index].isHidden else { throw failure("a hidden page receives facets") }
    guard clients[index].pause == nil || facets.lastSent == nil else { throw failure("a paused page receives facets") }
    guard !reports.facets.isEmpty else { throw failure("a report has no facets") }
    if let sent = facets.lastSent, !hasClockGoneBack, sent.duration(to: clock.now) < Self.distance {
      guard facets.earlyReports > 0 else { throw failure("client \(id.rawValue) receives facets too often") }
      clients[index].facets?.earlyReports -= 1
    }
    clients[index].facets?.lastSent = clock.now
    for facet in reports.facets {
      guard facets.columns.indices.contains(facet.place), facets.outcomes[facet.place] != facet.outcome else {
        throw failure("facet \(facet.place) is reported without a change")
      }
      try judge(facet.outcome, facets.columns[facet.place], clients[index].query)
      clients[index].facets?.outcomes[facet.place] = facet.outcome
      coverage.facets += 1
    }
  }

  /// Checks that a client has the present counts of all its facets.
  func judgeFacets(_ client: SimulatedClient) throws {
    guard let facets = client.facets else { return }
    for (place, column) in facets.columns.enumerated() {
      guard let outcome = facets.outcomes[place], outcome != .pending else {
        throw failure("client \(client.id.rawValue) waits for facet \(place)")
      }
      try judge(outcome, column, client.query)
    }
  }

  private func judge(_ outcome: FacetOutcome, _ column: Int?, _ query: Query) throws {
    guard let column else {
      guard case .refused(.unknownColumn) = outcome else { throw failure("a facet of no column is \(outcome)") }
      return
    }
    if outcome == .pending { return }
    guard case .counts(let counts) = outcome else { throw failure("the facet of column \(column) is \(outcome)") }
    let cells = plain.cells(of: column, in: query)
    let wanted: FacetCounts
    switch counts.parts {
    case .values: wanted = Self.values(cells)
    case .ranges(let edges, _):
      guard zip(edges, edges.dropFirst()).allSatisfy({ PlainTable.order($0, $1, descending: false) < 0 }) else {
        throw failure("the edges of column \(column) are \(edges)")
      }
      wanted = Self.ranges(cells, edges)
    }
    guard counts == wanted else {
      throw failure("the facet of column \(column) of \(query) is \(counts), and the rows make \(wanted)")
    }
  }

  private static func values(_ cells: [Cell]) -> FacetCounts {
    var rows: [Cell: Int] = [:]
    for cell in cells where cell != .null { rows[cell, default: 0] += 1 }
    let sorted = rows.sorted { one, other in
      one.value == other.value ? PlainTable.order(one.key, other.key, descending: false) < 0 : one.value > other.value
    }
    let named = sorted.prefix(50).map { FacetValue($0.key, rows: $0.value) }
    let others = sorted.dropFirst(50)
    return FacetCounts(
      .values(named, others: others.count, otherRows: others.reduce(0) { $0 + $1.value }),
      emptyRows: cells.count { $0 == .null })
  }

  private static func ranges(_ cells: [Cell], _ edges: [Cell]) -> FacetCounts {
    var rows = Array(repeating: 0, count: edges.count + 1)
    for cell in cells where cell != .null {
      rows[edges.count { PlainTable.order($0, cell, descending: false) <= 0 }] += 1
    }
    return FacetCounts(.ranges(edges: edges, rows: rows), emptyRows: cells.count { $0 == .null })
  }
}

extension PlainTable {
  /// Returns the cells of a column in the rows of a query without its conditions on that column.
  func cells(of column: Int, in query: Query) -> [Cell] {
    var rows = Query(search: query.search)
    rows.filter = query.filter.flatMap { Self.without(column, $0) }
    return shownRows(rows).values.map { $0[column] }
  }

  private static func without(_ column: Int, _ filter: Filter<Int>) -> Filter<Int>? {
    if case .all(let parts) = filter { return .all(parts.compactMap { without(column, $0) }) }
    // The engine replaces an alternative of one part by that part.
    if case .any(let parts) = filter, parts.count == 1 { return without(column, parts[0]) }
    return columns(of: filter) == [column] ? nil : filter
  }

  private static func columns(of filter: Filter<Int>) -> Set<Int> {
    switch filter {
    case .all(let parts), .any(let parts): Set(parts.flatMap { columns(of: $0) })
    case .not(let part): columns(of: part)
    case .compare(let column, _, _), .range(let column, _, _), .contains(let column, _), .startsWith(let column, _),
      .matches(let column, _, _), .oneOf(let column, _), .isEmpty(let column), .age(let column, _, _):
      [column]
    }
  }
}
