import ListTesting
import Testing

@testable import ListEngine

/// The summary strip: tiles of all rows, reported once a second.
@Suite struct TileBoardTests {
  private static let client = SessionID(rawValue: 1)
  private static let sum = TileRequest(AggregateRequest(.sum, of: "value"))

  private func hasRoom(_ harness: Harness) -> Bool { harness.engine.hasRoom(for: harness.table) }

  private func watch(
    _ harness: Harness, _ tiles: [TileRequest], _ id: UInt64 = 7, session: SessionID = TileBoardTests.client
  ) {
    harness.engine.handle(.tiles(session, id: id, tiles.map { .tile($0) }), at: harness.clock.now)
  }

  /// Returns the reports since the last call.
  private func reports(_ harness: Harness, of session: SessionID = TileBoardTests.client) -> [TileReports] {
    defer { harness.forgetOthers() }
    return harness.others.compactMap { if case .tiles(session, let reports) = $0 { reports } else { nil } }
  }

  /// Returns the values of one report.
  private func values(_ reports: [TileReports]) -> [Cell?] {
    guard reports.count == 1 else { return [] }
    return reports[0].tiles.map { if case .value(let report) = $0 { report.value } else { nil } }
  }

  /// Checks that the next report has this value and comes after this time, not earlier.
  private func expect(_ value: Int64, after time: Duration, _ harness: Harness) throws {
    try harness.advance(by: time - .milliseconds(1))
    #expect(reports(harness).isEmpty)
    try harness.advance(by: .milliseconds(1))
    #expect(values(reports(harness)) == [.integer(value)])
  }

  /// Returns a table with values 0, 10, …, 90, shown by a client whose query matches no row.
  private func shown(_ limits: Limits = Limits(), rows: Int = 10) throws -> Harness {
    let harness = try Harness(limits: limits, rows: rows)
    harness.open(query: QueryRequest(search: "nowhere"))
    try harness.settle()
    harness.forgetOthers()
    return harness
  }

  @Test func `tiles cover all rows regardless of the client's query`() throws {
    let harness = try shown()
    let large = Filter<String>.compare("value", .greater, .integer(50))
    watch(
      harness,
      [
        TileRequest(), Self.sum, TileRequest(filter: large),
        TileRequest(AggregateRequest(.mean, of: "value"), filter: large),
        TileRequest(AggregateRequest(.min, of: "value")), TileRequest(AggregateRequest(.distinct, of: "name")),
      ])
    try harness.advance()
    let found = reports(harness)
    #expect(found.map(\.id) == [7])
    #expect(values(found) == [.integer(10), .integer(450), .integer(4), .number(75), .integer(0), .integer(1)])
  }

  @Test func `a filter text narrows the filter of a tile`() throws {
    let harness = try shown()
    let large = Filter<String>.compare("value", .greater, .integer(50))
    harness.engine.handle(
      .tiles(
        Self.client, id: 7,
        [
          .tile(TileRequest(filter: large), written: WrittenFilter("value < 90")),
          .tile(TileRequest(), written: WrittenFilter("value = 10 or value = 20")),
        ]), at: harness.clock.now)
    try harness.advance()
    #expect(values(reports(harness)) == [.integer(3), .integer(2)])
  }

  @Test func `a faulty filter text refuses its tile with the place`() throws {
    let harness = try shown()
    let faulty = RequestedTile.tile(TileRequest(), written: WrittenFilter("value >"))
    harness.engine.handle(.tiles(Self.client, id: 7, [.tile(TileRequest()), faulty]), at: harness.clock.now)
    try harness.advance()
    guard case .refused(let error)? = reports(harness).first?.tiles.last else {
      Issue.record("the tile is not refused")
      return
    }
    #expect(error.reason.hasPrefix("tiles[1].where, character 8: "))
  }

  @Test func `a deleted minimum and maximum are replaced by the next ones`() throws {
    let harness = try shown()
    watch(
      harness, [TileRequest(AggregateRequest(.min, of: "value")), TileRequest(AggregateRequest(.max, of: "value"))])
    try harness.advance()
    _ = reports(harness)
    harness.change {
      $0.delete(0)
      $0.delete(9)
    }
    try harness.advance(by: .seconds(2))
    #expect(values(reports(harness)) == [.integer(10), .integer(80)])
  }

  @Test func `changes are reported at most once a second`() throws {
    let harness = try shown()
    watch(harness, [Self.sum])
    try harness.settle()
    _ = reports(harness)
    try harness.advance(by: .seconds(5))
    #expect(reports(harness).isEmpty)
    harness.change { $0.update(1, value: 11) }
    try harness.advance()
    #expect(values(reports(harness)) == [.integer(451)])
    harness.change { $0.update(1, value: 12) }
    try expect(452, after: .seconds(1), harness)
  }

  @Test func `an immediate report delays the client's next one by a second`() throws {
    let harness = try shown()
    let other = harness.open(2)
    watch(harness, [Self.sum], session: other)
    try harness.settle(by: .seconds(2))
    harness.change { $0.update(1, value: 11) }
    try harness.advance()
    try harness.advance(by: .milliseconds(600))
    watch(harness, [Self.sum])
    try harness.advance()
    #expect(values(reports(harness)) == [.integer(451)])
    harness.change { $0.update(1, value: 12) }
    try harness.advance(by: .milliseconds(400))
    #expect(values(reports(harness, of: other)) == [.integer(452)])
    try expect(452, after: .milliseconds(600), harness)
  }

  @Test func `a minute after a change the course ends and nothing is due`() throws {
    let harness = try shown()
    watch(harness, [TileRequest()])
    try harness.settle()
    harness.change { $0.upsert(100, value: 1) }
    try harness.settle()
    var last: [TileReports] = []
    for _ in 0..<62 {
      try harness.settle(by: .seconds(1))
      let new = reports(harness)
      if !new.isEmpty { last = new }
    }
    #expect(last.last?.tiles == [.value(TileReport(.integer(11)))])
    #expect(harness.engine.deadline == nil)
  }

  @Test func `a paused client receives the values when it resumes`() throws {
    let harness = try shown()
    watch(harness, [TileRequest()])
    try harness.settle()
    _ = reports(harness)
    harness.engine.handle(.pause(Self.client, isPaused: true), at: harness.clock.now)
    harness.change { $0.upsert(100, value: 1) }
    try harness.settle(by: .seconds(3))
    #expect(reports(harness).isEmpty)
    harness.engine.handle(.pause(Self.client, isPaused: false), at: harness.clock.now)
    try harness.settle()
    #expect(values(reports(harness)) == [.integer(11)])
  }

  @Test func `a hidden client receives the values when it is visible again`() throws {
    let harness = try shown()
    harness.engine.handle(.visibility(Self.client, isHidden: true), at: harness.clock.now)
    watch(harness, [TileRequest()])
    try harness.settle(by: .seconds(3))
    #expect(reports(harness).isEmpty)
    harness.engine.handle(.visibility(Self.client, isHidden: false), at: harness.clock.now)
    try harness.settle()
    #expect(values(reports(harness)) == [.integer(10)])
  }

  @Test func `one bad tile is refused without the others`() throws {
    let harness = try shown()
    watch(
      harness,
      [
        TileRequest(AggregateRequest(.sum, of: "gone")), TileRequest(AggregateRequest(.sum, of: "name")), TileRequest(),
        TileRequest(AggregateRequest(.median, of: "value")), TileRequest(AggregateRequest(.first, of: "name")),
      ])
    try harness.advance()
    #expect(
      reports(harness).first?.tiles == [
        .refused(.unknownColumn(table: "numbers", column: "gone")),
        .refused(.outOfRange("tiles[1]: the column “name” of type text has no sum")),
        .value(TileReport(.integer(10))), .value(TileReport(.integer(40))),
        .refused(
          .outOfRange("tiles[4]: a tile counts rows without an order and has no first value: use another function")),
      ])
  }

  @Test func `a tile of a restricted client cannot use an operator column`() throws {
    var schema = Harness.schema
    schema.columns[2].audience = .operators
    let harness = try Harness(rows: 3, schema: schema)
    harness.open(isRestricted: true)
    watch(
      harness,
      [
        TileRequest(AggregateRequest(.distinct, of: "group")), TileRequest(filter: .oneOf("group", [.text("one")])),
      ])
    try harness.settle()
    let refused = TileOutcome.refused(.unknownColumn(table: "numbers", column: "group"))
    #expect(reports(harness).first?.tiles == [refused, refused])
  }

  @Test func `clients share equal tiles, which are freed after a delay`() throws {
    let harness = try shown()
    let other = harness.open(2)
    watch(harness, [Self.sum])
    watch(harness, [Self.sum], session: other)
    try harness.settle()
    #expect(harness.engine.census.watchedTiles == 1)
    harness.engine.handle(.close(Self.client), at: harness.clock.now)
    #expect(harness.engine.census.watchedTiles == 1)
    watch(harness, [], session: other)
    #expect(harness.engine.census.watchedTiles == 0)
    #expect(harness.engine.census.restingTiles == 1)
    try harness.settle(by: .seconds(11))
    #expect(harness.engine.census.restingTiles == 0)
  }

  @Test func `a reloaded client receives the history of its tiles`() throws {
    let harness = try shown()
    watch(harness, [TileRequest()])
    try harness.settle()
    harness.change { $0.upsert(100, value: 1) }
    try harness.settle(by: .seconds(5))
    harness.engine.handle(.close(Self.client), at: harness.clock.now)
    let other = harness.open(2)
    try harness.settle(by: .seconds(1))
    harness.forgetOthers()
    watch(harness, [TileRequest()], session: other)
    try harness.settle()
    guard case .value(let report) = reports(harness, of: other).first?.tiles.first else {
      Issue.record("there is no report")
      return
    }
    #expect(report.before == .integer(10))
  }

  @Test func `a table limits its tiles, half of them per owner`() throws {
    let harness = try shown()
    let limits = Limits()
    var refused: [ClientError] = []
    for client in 2..<UInt64(12) {
      let id = harness.open(client, owner: client < 7 ? 1 : 2)
      let tiles = (0..<8).map { tile in
        TileRequest(filter: .compare("value", .less, .integer(Int64(client) * 10 + Int64(tile))))
      }
      watch(harness, tiles, session: id)
      try harness.settle()
      for outcome in reports(harness, of: id).first?.tiles ?? [] {
        if case .refused(let error) = outcome { refused.append(error) }
      }
      if client == 6 { #expect(harness.engine.census.watchedTiles == limits.tilesPerOwner) }
    }
    #expect(harness.engine.census.watchedTiles == limits.tiles)
    #expect(refused.count == 80 - limits.tiles)
    #expect(refused.allSatisfy { if case .tooManyViews = $0 { true } else { false } })
  }

  @Test func `tiles are pending while rows are counted over several turns`() throws {
    var limits = Limits()
    limits.stepRows = 40
    let harness = try shown(limits, rows: 100)
    watch(harness, [Self.sum, TileRequest()])
    try harness.advance()
    #expect(reports(harness).first?.tiles == [.pending, .value(TileReport(.integer(100)))])
    try harness.settle()
    for _ in 0..<20 { try harness.advance() }
    #expect(values(reports(harness)) == [.integer(49_500), .integer(100)])
  }

  @Test func `a source waits for tiles that are far behind`() throws {
    var limits = Limits()
    (limits.stepRows, limits.backlog) = (4, 8)
    let harness = try Harness(limits: limits, rows: 20)
    harness.open(query: QueryRequest(search: "nowhere"))
    try harness.settle()
    watch(harness, [TileRequest(filter: .compare("value", .less, .integer(5)))])
    for _ in 0..<40 { try harness.advance() }
    #expect(hasRoom(harness))
    harness.change { changes in for row in 0..<20 { changes.update(row, value: 1) } }
    for _ in 0..<3 { try harness.advance() }
    #expect(!hasRoom(harness))
    for _ in 0..<40 { try harness.advance() }
    #expect(hasRoom(harness))
    try harness.advance(by: .seconds(2))
    #expect(values([try #require(reports(harness).last)]) == [.integer(20)])
  }

  @Test func `replacing the table ends the tile reports`() throws {
    let harness = try shown()
    watch(harness, [TileRequest()])
    try harness.settle()
    try harness.engine.replaceTable(harness.table, with: Harness.schema, at: harness.clock.now)
    harness.forgetOthers()
    harness.change { $0.upsert(1, value: 1) }
    try harness.advance(by: .seconds(2))
    #expect(reports(harness).isEmpty)
  }
}
