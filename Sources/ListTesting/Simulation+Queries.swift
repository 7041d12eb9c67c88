import ListEngine

/// Random queries of clients.
extension Simulation {
  mutating func randomQuery() -> Query {
    var query = Query()
    for _ in 0..<random.pick([0, 1, 1, 1, 2]) {
      query.sort.append(SortTerm(random.number(0...schema.columns.count - 1), descending: random.oneIn(2)))
    }
    if random.oneIn(3) { query.search = random.pick(["red", "1", "ä", "text-2", "nowhere", "E"]) }
    if random.oneIn(2) {
      for _ in 0..<random.pick([1, 1, 2, 3]) {
        let column = random.pick(isDeferred ? [2, 4, 0, 5, 7] : [2, 4, 0, 5])
        if !query.group.contains(column) { query.group.append(column) }
      }
    }
    if random.oneIn(2) {
      for _ in 0..<random.number(1...4) {
        query.aggregates.append(
          random.pick([
            Aggregate(.sum, of: 0), Aggregate(.mean, of: 0), Aggregate(.min, of: 0), Aggregate(.max, of: 0),
            Aggregate(.sum, of: 1), Aggregate(.mean, of: 1), Aggregate(.min, of: 1), Aggregate(.max, of: 5),
            Aggregate(.distinct, of: random.number(0...schema.columns.count - 1)),
            Aggregate(.median, of: 0), Aggregate(.p5, of: 0), Aggregate(.p10, of: 1), Aggregate(.p90, of: 1),
            Aggregate(.p95, of: 5), Aggregate(.p99, of: 0),
            Aggregate(.first, of: 2), Aggregate(.last, of: 0), Aggregate(.first, of: 5), Aggregate(.last, of: 3),
          ]))
      }
    }
    if random.oneIn(2) { query.filter = randomFilter(depth: random.number(0...3)) }
    addAge(to: &query)
    addRanges(to: &query)
    orderSections(&query)
    return query
  }

  /// Orders the sections of some levels by their counts, aggregates or values.
  private mutating func orderSections(_ query: inout Query) {
    guard !query.group.isEmpty, ordering.oneIn(3) else { return }
    query.sections = query.group.map { _ in
      let key: SectionOrder.Key
      switch ordering.number(1...4) {
      case 1: key = .value
      case 2: key = .count
      default: key = query.aggregates.isEmpty ? .count : .aggregate(ordering.number(0...query.aggregates.count - 1))
      }
      return SectionOrder(by: key, descending: ordering.oneIn(2))
    }
  }

  private mutating func randomFilter(depth: Int) -> Filter<Int> {
    if depth > 0 && !random.oneIn(4) {
      let parts = (0..<random.number(0...3)).map { _ in randomFilter(depth: depth - 1) }
      switch random.number(1...3) {
      case 1: return .all(parts)
      case 2: return .any(parts)
      default: return .not(randomFilter(depth: depth - 1))
      }
    }
    let column = random.number(0...5)
    switch random.number(1...8) {
    case 1...3: return .compare(column, random.pick(Comparison.allCases), value(column))
    case 4:
      let (from, through) = (value(column), value(column))
      return random.pick([
        .range(column, from: from, through: through), .range(column, from: from, through: nil),
        .range(column, from: nil, through: through),
      ])
    case 5: return .oneOf(column, (0..<random.number(0...5)).map { _ in value(column) })
    case 6: return .isEmpty(column)
    case 7:
      let text = ExactText(random.pick(["", "r", "RE", "text-1", "grün", "-12", "4ä", "äÖ", "red"]))
      return random.oneIn(2) ? .contains(random.number(2...3), text) : .startsWith(random.number(2...3), text)
    default:
      let pattern = ExactText(
        random.pick([
          "^r.*d$", "^$", "[0-3]{2}", "(re|ue)", "-(1|2)?7", "[^a-z]", "n$", "ä", "^gr(.|e)+n$", "[0-9][^0-9]",
        ]))
      return .matches(random.number(2...3), pattern, ignoringCase: random.oneIn(2))
    }
  }

  /// Returns a random value to compare the cells of a column with.
  private mutating func value(_ column: Int) -> Cell {
    while true {
      let value = cell(column)
      if case .integer(let whole) = value, column == 1 { return .number(Double(whole)) }
      if value != .null { return value }
    }
  }

  /// Returns the query in the form in which a client sends it.
  func request(_ client: SimulatedClient) -> QueryRequest {
    let query = client.query
    func name(_ column: Int) -> String { schema.columns[column].name }
    var request = QueryRequest(
      sort: query.sort.map { (name($0.column), $0.isDescending) }, search: query.search,
      filter: query.filter.map { renamed($0, name) }, group: query.group.map(name))
    request.groupings = query.groupings.map { GroupingRequest(name($0.column), ranges: $0.ranges.map(Self.written)) }
    request.aggregates = query.aggregates.map { AggregateRequest($0.function, of: name($0.column)) }
    request.sections = zip(query.group, query.sections).map { column, order in
      let key: SectionOrderRequest.Key =
        switch order.key {
        case .value: .value
        case .count: .count
        case .aggregate(let index): .aggregate(request.aggregates[index])
        }
      return SectionOrderRequest(name(column), by: key, descending: order.isDescending)
    }
    request.collapsed = client.collapsed.map(Self.written).sorted { "\($0)" < "\($1)" }
    return request
  }

  /// Returns a filter with the names of its columns.
  func named(_ filter: Filter<Int>) -> Filter<String> { renamed(filter) { schema.columns[$0].name } }

  private func renamed(_ filter: Filter<Int>, _ name: (Int) -> String) -> Filter<String> {
    switch filter {
    case .all(let parts): .all(parts.map { renamed($0, name) })
    case .any(let parts): .any(parts.map { renamed($0, name) })
    case .not(let part): .not(renamed(part, name))
    case .compare(let column, let comparison, let value): .compare(name(column), comparison, value)
    case .range(let column, let from, let through): .range(name(column), from: from, through: through)
    case .contains(let column, let text): .contains(name(column), text)
    case .startsWith(let column, let text): .startsWith(name(column), text)
    case .matches(let column, let text, let ignoringCase): .matches(name(column), text, ignoringCase: ignoringCase)
    case .oneOf(let column, let values): .oneOf(name(column), values)
    case .age(let column, let comparison, let duration): .age(name(column), comparison, duration)
    case .isEmpty(let column): .isEmpty(name(column))
    }
  }

  /// Returns values in the form in which a client sends them.
  private static func written(_ path: [Cell]) -> [Cell] {
    path.map {
      switch $0 {
      // As a number of milliseconds, such a time would lose digits.
      case .timestamp(let time) where time.magnitude >= 1 << 53 && time % 1_000_000 != 0:
        .text("\(time < 0 ? "-" : "")\(time.magnitude / 1_000_000).\(sixDigits(time.magnitude % 1_000_000))")
      case .timestamp(let time): .number(Double(time) / 1_000_000)
      case .integer(let value) where value.magnitude >= 1 << 53: .text("\(value)")
      default: $0
      }
    }
  }

  private static func sixDigits(_ number: UInt64) -> Substring { "\(1_000_000 + number)".dropFirst() }

  mutating func randomPaths(_ query: Query) -> Set<[Cell]> {
    guard !query.group.isEmpty, random.oneIn(2) else { return [] }
    return Set((0..<random.pick([1, 2, 10])).map { _ in randomPath(query) })
  }

  /// Returns the values of an existing or possible section.
  private mutating func randomPath(_ query: Query) -> [Cell] {
    let isThere = !plain.rows.isEmpty && !random.oneIn(5)
    let path = query.group.prefix(random.number(1...query.group.count))
    let groupings = query.groupings
    guard isThere else { return zip(path, groupings).map { $1.plainSection(of: numeric(cell($0), $0)) } }
    let row = plain.rows[random.number(0...plain.rows.count - 1)]
    return zip(path, groupings).map { $1.plainSection(of: row.cells[$0]) }
  }

  /// Collapses or expands a section in a client.
  mutating func collapse(_ engine: inout Engine) {
    guard let index = anyClient(), !clients[index].query.group.isEmpty else { return }
    clients[index].tiles?.mayReportEarly = true
    allowEarlyFacets(index)
    let client = clients[index]
    if random.oneIn(2) {
      let path = randomPath(client.query)
      let isCollapsed = random.oneIn(2)
      if isCollapsed { clients[index].collapsed.insert(path) } else { clients[index].collapsed.remove(path) }
      clients[index].pause = nil
      (clients[index].mayHold, clients[index].heldAt) = (false, nil)
      engine.handle(.collapse(client.id, .path(Self.written(path)), isCollapsed: isCollapsed), at: clock.now)
      return
    }
    // Collapses by section number, which requires that client and engine know the same headers:
    // nothing is in flight. After a resume the engine may know no headers until it has answered
    // (seed 1545).
    guard client.coming.isEmpty, !client.awaitsWindow, client.isCurrent,
      let header = client.replica.headers.randomElement(using: &random), let path = client.replica.path(of: header),
      !client.isResuming
    else { return }
    if header.isCollapsed { clients[index].collapsed.remove(path) } else { clients[index].collapsed.insert(path) }
    clients[index].pause = nil
    (clients[index].mayHold, clients[index].heldAt) = (false, nil)
    engine.handle(.collapse(client.id, .number(header.section), isCollapsed: !header.isCollapsed), at: clock.now)
  }
}
