import ListEngine

/// What pages of the simulation ask for.
extension Simulation {
  mutating func randomQuery() -> Query {
    var query = Query()
    for _ in 0..<random.pick([0, 1, 1, 1, 2]) {
      query.sort.append(SortTerm(random.number(0...schema.columns.count - 1), descending: random.oneIn(2)))
    }
    if random.oneIn(3) { query.search = random.pick(["red", "1", "ä", "text-2", "nowhere", "E"]) }
    if random.oneIn(3) { query.group = [random.pick(isDeferred ? [2, 4, 0, 7] : [2, 4, 0])] }
    if random.oneIn(2) { query.filter = randomFilter(depth: random.number(0...3)) }
    return query
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

  /// A value to compare the cells of this column with.
  private mutating func value(_ column: Int) -> Cell {
    while true {
      let value = cell(column)
      if case .integer(let whole) = value, column == 1 { return .number(Double(whole)) }
      if value != .null { return value }
    }
  }

  func request(_ query: Query) -> QueryRequest {
    func name(_ column: Int) -> String { schema.columns[column].name }
    return QueryRequest(
      sort: query.sort.map { (name($0.column), $0.isDescending) }, search: query.search,
      filter: query.filter.map { renamed($0, name) }, group: query.group.map(name))
  }

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
    case .isEmpty(let column): .isEmpty(name(column))
    }
  }
}
