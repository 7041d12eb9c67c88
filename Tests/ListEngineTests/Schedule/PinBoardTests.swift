import ListTesting
import Testing

@testable import ListEngine

/// Pinned rows: rows that a client receives by key, inside and outside its view.
@Suite struct PinBoardTests {
  private static let client = SessionID(rawValue: 1)

  private func pin(
    _ harness: Harness, _ keys: [Int], _ id: UInt64 = 7, session: SessionID = PinBoardTests.client
  ) {
    harness.engine.handle(.pins(session, id: id, keys.map { .integer(Int64($0)) }), at: harness.clock.now)
  }

  /// Returns the reports since the last call.
  private func reports(_ harness: Harness, of session: SessionID = PinBoardTests.client) -> [PinReports] {
    defer { harness.forgetOthers() }
    return harness.others.compactMap { if case .pins(session, let reports) = $0 { reports } else { nil } }
  }

  /// Returns the values of the rows of the only report by place; `nil` stands for no row.
  private func values(_ reports: some Collection<PinReports>) -> [Int: Cell?] {
    guard let report = reports.first, reports.count == 1 else { return [:] }
    return Dictionary(uniqueKeysWithValues: report.rows.map { ($0.place, $0.row?.cells[0]) })
  }

  /// Returns a table of 100 rows whose values are ten times their keys; a client shows the first.
  private func shown(_ schema: Schema = Harness.schema, isRestricted: Bool? = nil) throws -> Harness {
    let harness = try Harness(rows: 100, schema: schema)
    harness.open(isRestricted: isRestricted)
    try harness.settle()
    harness.forgetOthers()
    return harness
  }

  @Test func `a client receives pinned rows beyond its window`() throws {
    let harness = try shown()
    pin(harness, [90, 3])
    try harness.settle()
    let found = reports(harness)
    #expect(found.map(\.id) == [7])
    #expect(values(found) == [0: .integer(900), 1: .integer(30)])
  }

  @Test func `only changed pinned rows are reported again`() throws {
    let harness = try shown()
    pin(harness, [90, 3])
    try harness.settle()
    _ = reports(harness)
    harness.change { $0.update(90, value: 5) }
    harness.change { $0.update(50, value: 6) }
    try harness.settle(by: .seconds(1))
    #expect(values(reports(harness)) == [0: .integer(5)])
    harness.change { $0.update(50, value: 7) }
    try harness.settle(by: .seconds(1))
    #expect(reports(harness).isEmpty)
  }

  @Test func `a deleted pinned row is reported as gone until it returns`() throws {
    let harness = try shown()
    pin(harness, [90, 1_000])
    try harness.settle()
    #expect(values(reports(harness)) == [0: .integer(900), 1: nil])
    harness.change { $0.delete(90) }
    try harness.settle(by: .seconds(1))
    #expect(values(reports(harness)) == [0: nil])
    harness.change { $0.upsert(90, value: 4) }
    try harness.settle(by: .seconds(1))
    #expect(values(reports(harness)) == [0: .integer(4)])
  }

  @Test func `a row that a filter leaves out stays pinned`() throws {
    let harness = try Harness(rows: 20)
    harness.open(query: QueryRequest(filter: .compare("value", .less, .integer(50))))
    try harness.settle()
    harness.forgetOthers()
    pin(harness, [15])
    try harness.settle()
    #expect(values(reports(harness)) == [0: .integer(150)])
  }

  @Test func `reports keep the interval of the session`() throws {
    let harness = try shown()
    pin(harness, [90])
    try harness.settle()
    _ = reports(harness)
    for value in 0..<40 {
      harness.change { $0.update(90, value: value) }
      try harness.advance(by: .milliseconds(30))
    }
    // The forty changes take 1.2 s, which is four intervals.
    var found = reports(harness)
    #expect((3...5).contains(found.count))
    try harness.settle(by: .seconds(1))
    found += reports(harness)
    #expect(values(found.suffix(1)) == [0: .integer(39)])
  }

  @Test func `a hidden client receives its pinned rows when it is visible again`() throws {
    let harness = try shown()
    pin(harness, [90])
    try harness.settle()
    _ = reports(harness)
    harness.engine.handle(.visibility(Self.client, isHidden: true), at: harness.clock.now)
    harness.change { $0.update(90, value: 5) }
    try harness.settle(by: .seconds(3))
    #expect(reports(harness).isEmpty)
    harness.engine.handle(.visibility(Self.client, isHidden: false), at: harness.clock.now)
    try harness.settle()
    #expect(values(reports(harness)) == [0: .integer(5)])
  }

  @Test func `pinned rows of a paused client wait until it resumes`() throws {
    let harness = try shown()
    pin(harness, [90])
    try harness.settle()
    _ = reports(harness)
    harness.engine.handle(.pause(Self.client, isPaused: true), at: harness.clock.now)
    harness.change { $0.update(90, value: 5) }
    try harness.settle(by: .seconds(3))
    #expect(reports(harness).isEmpty)
    harness.engine.handle(.pause(Self.client, isPaused: false), at: harness.clock.now)
    try harness.settle()
    #expect(values(reports(harness)) == [0: .integer(5)])
  }

  @Test func `a restricted client receives only its columns of pinned rows`() throws {
    var schema = Harness.schema
    schema.columns[2].audience = .operators
    let harness = try shown(schema, isRestricted: true)
    pin(harness, [90])
    try harness.settle()
    #expect(reports(harness).first?.rows.first?.row?.cells == [.integer(900), .text("row")])
  }

  @Test func `a session pins ten rows at most, by text keys too`() throws {
    let harness = try shown()
    harness.engine.handle(.pins(Self.client, id: 7, (0..<12).map { .text("\($0)") }), at: harness.clock.now)
    try harness.settle()
    #expect(values(reports(harness)).count == 10)
  }

  @Test func `no keys and a closed table end the reports`() throws {
    let harness = try shown()
    pin(harness, [90])
    try harness.settle()
    #expect(harness.engine.census.pinningSessions == 1)
    pin(harness, [])
    #expect(harness.engine.census.pinningSessions == 0)
    pin(harness, [90])
    harness.engine.handle(.close(Self.client), at: harness.clock.now)
    #expect(harness.engine.census.pinningSessions == 0)
  }

  @Test func `no row of a windowed table can be pinned`() throws {
    var engine = Engine(epoch: "pins")
    var schema = Harness.schema
    schema.windowed = WindowedCapabilities()
    _ = try engine.addTable(schema, at: .zero)
    engine.handle(
      .open(
        Self.client, table: "numbers", request: 1, query: QueryRequest(), viewport: nil, interval: nil), at: .zero)
    engine.handle(.pins(Self.client, id: 7, [.integer(1)]), at: .zero)
    let errors = engine.advance(to: .zero).compactMap {
      if case .pins(_, let reports) = $0 { reports.error } else { nil }
    }
    #expect(errors.count == 1 && errors.allSatisfy { if case .remainderTooLarge = $0 { true } else { false } })
  }

  @Test func `an unsent report keeps its rows when others change`() {
    func row(_ id: UInt64) -> RowSnapshot { RowSnapshot(id: RowID(rawValue: id), revision: 1, cells: [], label: 1) }
    var reports = PinReports(id: 3, rows: [PinReports.Entry(1, row(5))])
    reports.include(PinReports(id: 3, rows: [PinReports.Entry(0, nil), PinReports.Entry(1, row(4))]))
    #expect(reports.rows.map(\.place) == [0, 1] && reports.rows[1].row?.id == RowID(rawValue: 5))
    reports.include(PinReports(id: 2, rows: [PinReports.Entry(2, nil)]))
    #expect(reports.rows.count == 2)
  }
}
