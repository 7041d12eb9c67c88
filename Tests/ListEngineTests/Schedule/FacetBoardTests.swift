import ListTesting
import Testing

@testable import ListEngine

/// Facets: the live counts of columns' values and ranges.
@Suite struct FacetBoardTests {
  private static let client = SessionID(rawValue: 1)

  private func hasRoom(_ harness: Harness) -> Bool { harness.engine.hasRoom(for: harness.table) }

  private func watch(
    _ harness: Harness, _ columns: [String], _ id: UInt64 = 7, session: SessionID = FacetBoardTests.client
  ) {
    harness.engine.handle(
      .facets(session, id: id, columns.map { .facet(FacetRequest($0)) }), at: harness.clock.now)
  }

  private func ask(_ harness: Harness, _ query: QueryRequest) {
    harness.engine.handle(.query(Self.client, request: 2, query: query, viewport: nil), at: harness.clock.now)
  }

  /// Returns the reports since the last call.
  private func reports(_ harness: Harness, of session: SessionID = FacetBoardTests.client) -> [FacetReports] {
    defer { harness.forgetOthers() }
    return harness.others.compactMap { if case .facets(session, let reports) = $0 { reports } else { nil } }
  }

  /// Returns the outcomes of the only report, by place.
  private func outcomes(_ reports: [FacetReports]) -> [Int: FacetOutcome] {
    guard reports.count == 1 else { return [:] }
    return Dictionary(uniqueKeysWithValues: reports[0].facets.map { ($0.place, $0.outcome) })
  }

  private func values(_ values: [(String, Int)], others: Int = 0, otherRows: Int = 0, empty: Int = 0) -> FacetOutcome {
    .counts(
      FacetCounts(
        .values(values.map { FacetValue(.text($0.0), rows: $0.1) }, others: others, otherRows: otherRows),
        emptyRows: empty))
  }

  private func ranges(_ edges: [Int64], _ rows: [Int], empty: Int = 0) -> FacetOutcome {
    .counts(FacetCounts(.ranges(edges: edges.map { .integer($0) }, rows: rows), emptyRows: empty))
  }

  /// Returns a table with the values 0 to 5 of the groups a, b and c, shown by a client.
  private func shown(
    _ limits: Limits = Limits(), query: QueryRequest = QueryRequest(), interval: Duration? = nil
  ) throws -> Harness {
    let harness = try Harness(limits: limits)
    harness.change { changes in
      for (row, group) in ["a", "a", "a", "b", "b", "c"].enumerated() { changes.upsert(row, value: row, group: group) }
    }
    harness.open(query: query, interval: interval)
    try harness.settle()
    harness.forgetOthers()
    return harness
  }

  private static let isB = Filter<String>.oneOf("group", [.text("b")])

  @Test func `facets count all rows by value or range`() throws {
    let harness = try shown()
    watch(harness, ["group", "value", "name"])
    try harness.advance()
    let found = reports(harness)
    #expect(found.map(\.id) == [7])
    #expect(
      outcomes(found) == [
        0: values([("a", 3), ("b", 2), ("c", 1)]), 1: ranges([0, 1, 2, 3, 4, 5, 6], [0, 1, 1, 1, 1, 1, 1, 0]),
        2: values([("row", 6)]),
      ])
  }

  @Test func `a column's own condition narrows the other facets only`() throws {
    let harness = try shown(
      query: {
        var query = QueryRequest(search: "row", filter: .all([Self.isB, .compare("value", .greater, .integer(1))]))
        query.written = WrittenFilter("value < 5")
        return query
      }())
    watch(harness, ["group", "value"])
    try harness.advance()
    #expect(
      outcomes(reports(harness)) == [
        0: values([("b", 2), ("a", 1)]), 1: ranges([0, 1, 2, 3, 4, 5, 6], [0, 0, 0, 0, 1, 1, 0, 0]),
      ])
  }

  @Test func `a new query reports only the facets that change`() throws {
    let harness = try shown()
    watch(harness, ["group", "name"])
    try harness.settle()
    _ = reports(harness)
    ask(harness, QueryRequest(filter: Self.isB))
    try harness.settle()
    #expect(outcomes(reports(harness)) == [1: values([("row", 2)])])
    ask(harness, QueryRequest(sort: [("value", true)], filter: Self.isB))
    try harness.settle(by: .seconds(1))
    #expect(reports(harness).isEmpty)
  }

  @Test func `a refused query leaves the facets unchanged`() throws {
    let harness = try shown(query: QueryRequest(filter: Self.isB))
    watch(harness, ["name"])
    try harness.settle()
    ask(harness, QueryRequest(filter: .isEmpty("gone")))
    try harness.settle(by: .seconds(1))
    #expect(outcomes(reports(harness)) == [0: values([("row", 2)])])
    harness.change { $0.upsert(3, value: 3, group: "a") }
    try harness.settle(by: .seconds(1))
    #expect(outcomes(reports(harness)) == [0: values([("row", 1)])])
  }

  @Test func `only changed facets are reported, once per interval`() throws {
    let harness = try shown(interval: .seconds(2))
    watch(harness, ["group", "name"])
    try harness.settle()
    _ = reports(harness)
    try harness.settle(by: .seconds(3))
    #expect(reports(harness).isEmpty)
    harness.change { $0.upsert(3, value: 3, group: "a") }
    try harness.settle()
    #expect(outcomes(reports(harness)) == [0: values([("a", 4), ("b", 1), ("c", 1)])])
    harness.change { $0.update(3, name: "other") }
    try harness.settle(by: .milliseconds(1_999))
    #expect(reports(harness).isEmpty)
    try harness.settle(by: .milliseconds(1))
    #expect(outcomes(reports(harness)) == [1: values([("row", 5), ("other", 1)])])
    #expect(harness.engine.deadline == nil)
  }

  @Test func `empty cells are counted separately`() throws {
    let harness = try shown()
    harness.change { changes in
      for row in 0..<2 { changes.set.update(.integer(Int64(row)), [.null, nil, .null]) }
    }
    watch(harness, ["group", "value"])
    try harness.settle()
    let found = outcomes(reports(harness))
    #expect(found[0] == values([("b", 2), ("a", 1), ("c", 1)], empty: 2))
    #expect(found[1] == ranges([2, 3, 4, 5, 6], [0, 1, 1, 1, 1, 0], empty: 2))
  }

  @Test func `inserted, changed and deleted rows are counted`() throws {
    let harness = try shown()
    watch(harness, ["group"])
    try harness.settle()
    _ = reports(harness)
    harness.change { changes in
      changes.delete(0)
      changes.upsert(3, value: 3, group: "c")
      changes.upsert(9, value: 9, group: "")
    }
    try harness.settle(by: .seconds(1))
    #expect(outcomes(reports(harness)) == [0: values([("a", 2), ("c", 2), ("", 1), ("b", 1)])])
  }

  @Test func `the 50 most frequent values are named, the others counted`() throws {
    let harness = try shown()
    harness.change { changes in
      for row in 0..<60 { changes.upsert(100 + row, value: row, group: "g\(row / 10)\(row % 10)") }
    }
    watch(harness, ["group"])
    try harness.settle()
    guard case .counts(let counts) = outcomes(reports(harness))[0],
      case .values(let named, let others, let rows) = counts.parts
    else {
      Issue.record("the values are not counted")
      return
    }
    #expect(named.prefix(4).map(\.value) == ["a", "b", "c", "g00"].map { .text($0) })
    #expect(named.count == 50)
    #expect((others, rows) == (13, 13))
  }

  @Test func `long texts are counted and not named`() throws {
    let harness = try shown()
    harness.change { $0.upsert(0, value: 0, group: String(repeating: "x", count: 1_001)) }
    watch(harness, ["group"])
    try harness.settle()
    #expect(
      outcomes(reports(harness)) == [0: values([("a", 2), ("b", 2), ("c", 1)], others: 1, otherRows: 1)])
  }

  @Test func `the total length of texts in a report is limited`() throws {
    let harness = try shown()
    harness.change { changes in
      for row in 0..<20 { changes.upsert(row, value: row, group: "\(row) " + String(repeating: "x", count: 990)) }
    }
    watch(harness, ["group"])
    try harness.settle()
    guard case .counts(let counts) = outcomes(reports(harness))[0],
      case .values(let named, let others, _) = counts.parts
    else {
      Issue.record("the values are not counted")
      return
    }
    #expect(named.count == 16 && others == 4)
  }

  @Test func `counting stops at too many values, resumes at half the rows`() throws {
    let harness = try shown()
    let count = Limits().facetValues
    watch(harness, ["group"])
    try harness.settle()
    _ = reports(harness)
    harness.change { changes in for row in 0...count { changes.upsert(row, value: row, group: "g\(row)") } }
    for _ in 0..<50 { try harness.settle(by: .milliseconds(50)) }
    #expect(reports(harness).last?.facets.map(\.outcome) == [.moreValues(than: count)])
    harness.change { changes in for row in 0...count / 2 + 1 { changes.delete(row) } }
    for _ in 0..<50 { try harness.settle(by: .milliseconds(50)) }
    guard case .counts = reports(harness).last?.facets.first?.outcome else {
      Issue.record("the values are not counted again")
      return
    }
  }

  @Test func `ranges stay until values leave them, then follow the values`() throws {
    let harness = try shown()
    harness.change { changes in for row in 0..<100 { changes.upsert(row, value: row) } }
    watch(harness, ["value"])
    try harness.settle()
    let first = outcomes(reports(harness))[0]
    #expect(first == ranges((0...10).map { $0 * 10 }, [0] + Array(repeating: 10, count: 10) + [0]))
    harness.change { changes in for row in 0..<100 { changes.update(row, value: (row * 7) % 100) } }
    try harness.settle(by: .seconds(1))
    #expect(reports(harness).isEmpty)
    harness.change { changes in for row in 0..<100 { changes.update(row, value: row + 1_000) } }
    for _ in 0..<5 { try harness.settle(by: .seconds(1)) }
    #expect(
      reports(harness).last?.facets.first?.outcome
        == ranges((100...110).map { $0 * 10 }, [0] + Array(repeating: 10, count: 10) + [0]))
  }

  @Test func `a paused client receives the counts when it resumes`() throws {
    let harness = try shown()
    watch(harness, ["group"])
    try harness.settle()
    _ = reports(harness)
    harness.engine.handle(.pause(Self.client, isPaused: true), at: harness.clock.now)
    harness.change { $0.delete(5) }
    try harness.settle(by: .seconds(3))
    #expect(reports(harness).isEmpty)
    harness.engine.handle(.pause(Self.client, isPaused: false), at: harness.clock.now)
    try harness.settle()
    #expect(outcomes(reports(harness)) == [0: values([("a", 3), ("b", 2)])])
  }

  @Test func `a hidden client receives the counts when it is visible again`() throws {
    let harness = try shown()
    harness.engine.handle(.visibility(Self.client, isHidden: true), at: harness.clock.now)
    watch(harness, ["group"])
    try harness.settle(by: .seconds(3))
    #expect(reports(harness).isEmpty)
    harness.engine.handle(.visibility(Self.client, isHidden: false), at: harness.clock.now)
    try harness.settle()
    #expect(outcomes(reports(harness)) == [0: values([("a", 3), ("b", 2), ("c", 1)])])
  }

  @Test func `one bad facet is refused without the others`() throws {
    let harness = try shown()
    watch(harness, ["gone", "group"])
    try harness.advance()
    #expect(
      outcomes(reports(harness)) == [
        0: .refused(.unknownColumn(table: "numbers", column: "gone")), 1: values([("a", 3), ("b", 2), ("c", 1)]),
      ])
  }

  @Test func `a facet of a restricted client cannot use an operator column`() throws {
    var schema = Harness.schema
    schema.columns[2].audience = .operators
    let harness = try Harness(rows: 3, schema: schema)
    harness.open(query: QueryRequest(search: "one"), isRestricted: true)
    watch(harness, ["group", "name"])
    try harness.settle()
    #expect(
      outcomes(reports(harness)) == [
        0: .refused(.unknownColumn(table: "numbers", column: "group")), 1: values([]),
      ])
  }

  @Test func `clients share equal facets, which are freed after a delay`() throws {
    let harness = try shown()
    let other = harness.open(2)
    watch(harness, ["group"])
    watch(harness, ["group"], session: other)
    try harness.settle()
    #expect(harness.engine.census.watchedFacets == 1)
    harness.engine.handle(.close(Self.client), at: harness.clock.now)
    #expect(harness.engine.census.watchedFacets == 1)
    watch(harness, [], session: other)
    #expect(harness.engine.census.watchedFacets == 0)
    #expect(harness.engine.census.restingFacets == 1)
    try harness.settle(by: .seconds(11))
    #expect(harness.engine.census.restingFacets == 0)
  }

  /// Opens 18 clients with two facets each, none of them shared, and returns the refusals.
  private func crowd(_ harness: Harness, owner: (UInt64) -> Int) throws -> [ClientError] {
    var refused: [ClientError] = []
    for client in 2..<UInt64(20) {
      let id = harness.open(
        client, query: QueryRequest(filter: .compare("value", .less, .integer(Int64(client)))), owner: owner(client))
      watch(harness, ["group", "name"], session: id)
      try harness.settle()
      for facet in reports(harness, of: id).flatMap(\.facets) {
        if case .refused(let error) = facet.outcome { refused.append(error) }
      }
    }
    #expect(refused.allSatisfy { if case .tooManyViews = $0 { true } else { false } })
    return refused
  }

  @Test func `a table serves a limited number of facets`() throws {
    let harness = try shown()
    let limits = Limits()
    let refused = try crowd(harness) { $0 < 11 ? 1 : 2 }
    #expect(harness.engine.census.watchedFacets == limits.facets)
    #expect(refused.count == 36 - limits.facets)
  }

  @Test func `the clients of one owner get a share of the facets`() throws {
    let harness = try shown()
    let limits = Limits()
    #expect(limits.facetsPerOwner < limits.facets)
    let refused = try crowd(harness) { _ in 1 }
    #expect(harness.engine.census.watchedFacets == limits.facetsPerOwner)
    #expect(refused.count == 36 - limits.facetsPerOwner)
  }

  @Test func `facets are pending while rows are counted over several turns`() throws {
    var limits = Limits()
    limits.stepRows = 40
    let harness = try shown(limits)
    harness.change { changes in for row in 0..<100 { changes.upsert(row, value: row, group: "g") } }
    try harness.settle()
    watch(harness, ["group"])
    try harness.advance()
    #expect(outcomes(reports(harness)) == [0: .pending])
    for _ in 0..<20 { try harness.advance() }
    #expect(outcomes(reports(harness)) == [0: values([("g", 100)])])
  }

  @Test func `a source waits for facets that are far behind`() throws {
    var limits = Limits()
    (limits.stepRows, limits.backlog) = (4, 8)
    let harness = try shown(limits, query: QueryRequest(search: "nowhere"))
    harness.change { changes in for row in 0..<20 { changes.upsert(row, value: row, group: "g") } }
    for _ in 0..<40 { try harness.advance() }
    watch(harness, ["group"])
    for _ in 0..<40 { try harness.advance() }
    #expect(hasRoom(harness))
    harness.change { changes in for row in 0..<20 { changes.upsert(row, value: row, name: "nowhere", group: "h") } }
    for _ in 0..<3 { try harness.advance() }
    #expect(!hasRoom(harness))
    for _ in 0..<60 { try harness.advance(by: .milliseconds(100)) }
    #expect(hasRoom(harness))
    #expect(reports(harness).last?.facets.map(\.outcome) == [values([("h", 20)])])
  }

  @Test func `replacing the table ends the facet reports`() throws {
    let harness = try shown()
    watch(harness, ["group"])
    try harness.settle()
    try harness.engine.replaceTable(harness.table, with: Harness.schema, at: harness.clock.now)
    harness.forgetOthers()
    harness.change { $0.upsert(1, value: 1) }
    try harness.advance(by: .seconds(2))
    #expect(reports(harness).isEmpty)
  }
}
