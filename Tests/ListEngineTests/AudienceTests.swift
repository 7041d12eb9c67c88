import ListTesting
import Testing

@testable import ListEngine

/// Columns that only operators see.
@Suite struct AudienceTests {
  private static let schema = Schema(
    name: "numbers", key: .integer,
    columns: [
      Column("value", .integer), Column("name", .text), Column("group", .text, audience: .operators),
    ], label: "group")

  private func harness(rows: Int = 20) throws -> Harness {
    let harness = try Harness(schema: Self.schema)
    harness.change { changes in
      for row in 0..<rows { changes.upsert(row, value: row, name: "open", group: "secret \(row)") }
    }
    return harness
  }

  private func cells(_ harness: Harness, _ session: UInt64) -> [[Cell]] {
    harness.replica(session).items.compactMap { if case .row(_, _, let cells) = $0 { cells } else { nil } }
  }

  private func refusals(_ harness: Harness) -> [ClientError] {
    harness.others.compactMap { if case .refuse(_, let refusal) = $0 { refusal.fault.error } else { nil } }
  }

  @Test func `restricted sessions receive rows without operator columns`() throws {
    let harness = try harness()
    harness.open(1, isRestricted: true)
    harness.open(2)
    try harness.settle()
    #expect(cells(harness, 1).allSatisfy { $0.count == 2 } && cells(harness, 1).count == 15)
    #expect(cells(harness, 2).first == [.integer(0), .text("open"), .text("secret 0")])
    let schemas = harness.deliveries.map { ($0.session.rawValue, $0.delivery.schema.columns.count) }
    #expect(Set(schemas.map { "\($0.0):\($0.1)" }) == ["1:2", "2:3"])
    // A change of all columns reaches both, each with its own.
    harness.change { $0.upsert(3, value: 33, name: "new", group: "other") }
    try harness.settle(by: .seconds(1))
    #expect(cells(harness, 1)[3] == [.integer(33), .text("new")])
    #expect(cells(harness, 2)[3] == [.integer(33), .text("new"), .text("other")])
  }

  @Test(arguments: [
    QueryRequest(sort: [("group", true)]), QueryRequest(filter: .contains("group", "secret 1")),
    QueryRequest(group: ["group"]),
  ])
  func `a query of a restricted session cannot name operator columns`(_ query: QueryRequest) throws {
    let harness = try harness()
    harness.open(1, query: query, isRestricted: true)
    harness.open(2, query: query)
    try harness.settle()
    #expect(refusals(harness) == [.unknownColumn(table: "numbers", column: "group")])
    #expect(!cells(harness, 2).isEmpty)
  }

  @Test func `an aggregate of a restricted session cannot use operator columns`() throws {
    var query = QueryRequest()
    query.aggregates = [AggregateRequest(.distinct, of: "group")]
    let harness = try harness()
    harness.open(1, query: query, isRestricted: true)
    try harness.settle()
    #expect(refusals(harness) == [.unknownColumn(table: "numbers", column: "group")])
  }

  @Test func `a search of a restricted session ignores operator columns`() throws {
    let harness = try harness()
    let query = QueryRequest(search: "secret 1")
    harness.open(1, query: query, isRestricted: true)
    harness.open(2, query: query)
    try harness.settle()
    #expect(cells(harness, 1).isEmpty && cells(harness, 2).count == 11)
  }

  @Test func `an export for a viewer lacks operator columns`() throws {
    let harness = try harness(rows: 3)
    for (isRestricted, count) in [(true, 2), (false, 3)] {
      let id = try harness.engine.beginExport(of: "numbers", QueryRequest(), isRestricted: isRestricted)
      guard case .rows(let rows) = harness.engine.read(id, rows: 10) else {
        Issue.record("no rows")
        return
      }
      #expect(rows.map(\.count) == [count, count, count])
    }
    #expect(throws: ClientError.unknownColumn(table: "numbers", column: "group")) {
      try harness.engine.beginExport(of: "numbers", QueryRequest(sort: [("group", false)]), isRestricted: true)
    }
  }

  @Test func `a resumed session does not take over a window of another role`() throws {
    let harness = try harness()
    harness.open(1)
    try harness.settle()
    let point = ResumePoint(session: SessionID(rawValue: 1), sequence: harness.replica(1).sequence)
    harness.open(2, resume: point, isRestricted: true)
    try harness.settle()
    #expect(harness.deliveries.last?.delivery.patch.base == nil)
    #expect(cells(harness, 2).allSatisfy { $0.count == 2 } && cells(harness, 2).count == 15)
  }

  @Test func `tables without operator columns share one view for all roles`() throws {
    let harness = try Harness(rows: 10)
    harness.open(1, isRestricted: true)
    harness.open(2)
    try harness.settle()
    #expect(harness.engine.census.watchedViews == 1)
  }

  @Test func `the restricted schema lacks operator columns and their label`() {
    let restricted = Self.schema.restricted
    #expect(restricted.columns.map(\.name) == ["value", "name"] && restricted.label == nil)
    #expect(Harness.schema.restricted == Harness.schema)
  }

  @Test func `operator columns are last, and only in resident tables`() {
    func fault(_ columns: [Column], windowed: WindowedCapabilities? = nil) -> SchemaError? {
      var engine = Engine(epoch: "e")
      let schema = Schema(name: "t", key: .integer, columns: columns, windowed: windowed)
      do throws(SchemaError) { _ = try engine.addTable(schema, at: .zero) } catch { return error }
      return nil
    }
    let (all, operators) = (Column("a", .text), Column("b", .text, audience: .operators))
    #expect(fault([all, operators]) == nil)
    #expect(fault([operators, all]) == .operatorColumnNotLast("b"))
    #expect(fault([operators]) == .operatorColumnNotLast("b"))
    #expect(fault([all, operators], windowed: WindowedCapabilities()) == .operatorColumnNotResident("b"))
    #expect(
      fault([all, operators, Column("c", .text, isDeferred: true, audience: .operators)])
        == .operatorColumnNotResident("b"))
  }
}
