import Testing

@testable import ListEngine

/// The rows of a facet, and the columns that have none.
@Suite struct FacetQueryTests {
  private static let schema = Schema(
    name: "jobs", key: .integer,
    columns: [
      Column("state", .text), Column("cpu", .number), Column("started", .timestamp), Column("load", .series),
      Column("owner", .text, isDeferred: true),
    ])

  private func query(_ column: String, of query: Query = Query(), zone: ZoneOffsets = 0) throws(ClientError)
    -> FacetQuery
  {
    try FacetQuery(FacetRequest(column, zone: zone), of: query, in: Self.schema, place: "facets[0]")
  }

  @Test func `conditions on the column alone do not narrow its rows`() throws {
    let own = Filter<Int>.oneOf(0, [.text("failed")])
    let other = Filter<Int>.compare(1, .greater, .number(5))
    let both = Filter<Int>.any([own, other])
    #expect(try query("state", of: Query(filter: own)).rows.filter == nil)
    #expect(try query("state", of: Query(filter: .all([own, other]))).rows.filter == other)
    #expect(try query("cpu", of: Query(filter: .all([own, other]))).rows.filter == own)
    #expect(
      try query("state", of: Query(filter: .all([.not(own), .all([both, other])]))).rows.filter == .all([both, other]))
    #expect(try query("state", of: Query(filter: .any([]))).rows.filter == .any([]))
  }

  @Test func `sort, grouping and aggregates do not change a facet query`() throws {
    var sorted = Query(sort: [SortTerm(1)], search: "a", group: [0])
    sorted.aggregates = [Aggregate(.sum, of: 1)]
    #expect(try query("state", of: sorted) == query("state", of: Query(search: "a")))
    #expect(try query("state", of: sorted) != query("state", of: Query(search: "b")))
  }

  @Test func `the zone applies to timestamp columns only`() throws {
    #expect(try query("cpu", zone: 60) == query("cpu"))
    #expect(try query("started", zone: 60) != query("started"))
  }

  @Test func `columns without facets are refused with their place`() {
    #expect(throws: ClientError.unknownColumn(table: "jobs", column: "gone")) { try query("gone") }
    #expect(
      throws: ClientError.outOfRange("facets[0]: the column “load” of type series has no facet: choose another one")
    ) { try query("load") }
    #expect(
      throws: ClientError.outOfRange(
        "facets[0]: the column “owner” is loaded for visible rows only, so its values cannot be counted")
    ) { try query("owner") }
  }
}
