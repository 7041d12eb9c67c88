import ListTesting
import Testing

@testable import ListEngine

/// A table is replaced because its source has announced different columns.
@Suite struct ReplacementTests {
  private static let other = Schema(name: "numbers", key: .text, columns: [Column("title", .text)])

  private func replace(_ harness: Harness, with schema: Schema = Self.other) throws {
    try harness.engine.replaceTable(harness.table, with: schema, at: harness.clock.now)
  }

  private func report(_ harness: Harness, _ keys: String...) {
    var changes = Changeset()
    for key in keys { changes.upsert(.text(key), [.text(key)]) }
    harness.engine.handle(.changes(harness.table, changes), at: harness.clock.now)
  }

  private func ids(_ harness: Harness, _ client: SessionID) -> [RowID] {
    harness.replicas[client]!.items.compactMap { if case .row(let id, _, _) = $0 { id } else { nil } }
  }

  @Test func `rows of a table are kept in a replacement with more columns`() throws {
    let harness = try Harness(rows: 0)
    var changes = Changeset()
    for key in ["b", "a", "c"] { changes.upsert(.text(key), [.text(key)]) }
    changes.move(.text("c"), before: .text("b"))
    changes.delete(.text("a"))
    changes.noteUnnamedRejections(2, "bad")
    try replace(harness)
    harness.engine.handle(.changes(harness.table, changes), at: harness.clock.now)
    let wider = Schema(name: "numbers", key: .text, columns: Self.other.columns + [Column("late", .number)])
    let contents = harness.engine.contents(of: harness.table, columns: 2)
    try replace(harness, with: wider)
    for changes in contents { harness.engine.handle(.changes(harness.table, changes), at: harness.clock.now) }
    var more = Changeset()
    more.upsert(.text("d"), [.text("d"), .number(1)])
    harness.engine.handle(.changes(harness.table, more), at: harness.clock.now)
    #expect(harness.engine.contents(of: harness.table, columns: 2).flatMap(rows) == ["c c -", "b b -", "d d 1.0"])
    #expect(harness.engine.contents(of: harness.table, columns: 2)[0].unnamedRejections == 2)
  }

  /// Returns the rows of a changeset as `key cell cell`.
  private func rows(_ changes: Changeset) -> [String] {
    var rows: [String] = []
    changes.forEachRow { row in
      let cells = row.cells.map { cell in
        switch cell {
        case .text(let text)?: text
        case .number(let number)?: "\(number)"
        default: "-"
        }
      }
      guard case .text(let key) = row.key else { return }
      rows.append(([key] + cells).joined(separator: " "))
    }
    return rows
  }

  @Test func `clients get no rows of a replacement until they open it`() throws {
    let harness = try Harness(rows: 20)
    let client = harness.open()
    try harness.settle()
    let before = harness.replicas[client]!
    harness.forgetOthers()
    try replace(harness)
    report(harness, "a", "b")
    #expect(try harness.advance(by: .seconds(5)).isEmpty)
    guard case .tables(let tables)? = harness.others.first else {
      Issue.record("\(harness.others)")
      return
    }
    #expect(tables.map(\.schema) == [Self.other] && tables.map(\.generation) == [1])
    // The client does not know about the replacement yet, and asks for rows that are gone.
    for input: Input in [
      .query(client, request: 2, query: QueryRequest(sort: [("value", true)]), viewport: nil),
      .viewport(client, Viewport(first: 3, count: 5)), .resync(client, sequence: before.sequence),
      .collapse(client, .path([.text("odd")]), isCollapsed: true), .pause(client, isPaused: true),
    ] { harness.engine.handle(input, at: harness.clock.now) }
    #expect(try harness.advance(by: .seconds(5)).isEmpty)
    #expect(!harness.others.contains { if case .refuse = $0 { true } else { false } })
    #expect(harness.engine.openTable(of: client) == harness.table)
    harness.open()
    try harness.settle()
    let after = harness.replicas[client]!
    #expect(after.cells == [[.text("a")], [.text("b")]])
    #expect(after.sequence > before.sequence, "numbers go on on the same socket")
    #expect(harness.engine.tables(at: harness.clock.now)[0].rows == 2)
  }

  @Test func `rows of a replacement get new ids`() throws {
    let harness = try Harness(rows: 20)
    let client = harness.open()
    try harness.settle()
    let before = Set(ids(harness, client))
    #expect(before.count > 10)
    for _ in 0..<2 {
      try replace(harness)
      report(harness, "a", "b", "c")
      harness.open()
      try harness.settle()
      let ids = ids(harness, client)
      #expect(ids.count == 3 && before.isDisjoint(with: ids))
      for row in before { #expect(harness.engine.key(of: row, shownTo: client) == nil) }
      #expect(harness.engine.key(of: ids[1], shownTo: client) == .text("b"))
    }
  }

  @Test func `a window of a replaced table is not resumed`() throws {
    let harness = try Harness(rows: 20)
    let client = harness.open()
    try harness.settle()
    let held = harness.replicas[client]!.sequence
    harness.engine.handle(.close(client), at: harness.clock.now)
    try replace(harness)
    report(harness, "a")
    let again = SessionID(rawValue: 2)
    harness.put(Replica(), as: again)
    harness.engine.handle(
      .open(
        again, table: "numbers", request: 2, query: QueryRequest(), viewport: nil, interval: nil,
        resume: ResumePoint(session: client, sequence: held)), at: harness.clock.now)
    let sent = try harness.advance()
    #expect(sent.first?.patch.base == nil)
    #expect(harness.replicas[again]!.cells == [[.text("a")]])
  }

  @Test func `a hidden client with a full socket waits after replacement`() throws {
    let harness = try Harness(rows: 5)
    let client = harness.open()
    try harness.advance()
    try replace(harness)
    harness.engine.handle(.visibility(client, isHidden: true), at: harness.clock.now)
    harness.open()
    report(harness, "a")
    #expect(try harness.advance(by: .seconds(1)).isEmpty)
    harness.engine.handle(.writable(client), at: harness.clock.now)
    harness.engine.handle(.visibility(client, isHidden: false), at: harness.clock.now)
    #expect(try harness.advance().count == 1)
  }

  @Test func `an invalid schema leaves tables and clients unchanged`() throws {
    let harness = try Harness(rows: 5)
    let client = harness.open()
    try harness.settle()
    _ = try harness.engine.addTable(Schema(name: "taken", key: .text, columns: [Column("a", .text)]), at: .zero)
    for (schema, error) in [
      (Schema(name: "numbers", key: .text, columns: []), SchemaError.columnCount(0, limit: Limits().columns)),
      (Schema(name: "taken", key: .text, columns: [Column("a", .text)]), .repeatedTable("taken")),
      (Schema(name: "", key: .text, columns: [Column("a", .text)]), .badName("")),
    ] { #expect(throws: error) { try replace(harness, with: schema) } }
    harness.change { $0.upsert(7, value: 1) }
    try harness.settle()
    #expect(harness.replicas[client]!.cells.count == 6)
    #expect(harness.engine.tables(at: .zero).map(\.generation) == [0, 0])
  }

  @Test func `a renamed table serves clients that wait for the new name`() throws {
    let harness = try Harness(rows: 5)
    let waiting = SessionID(rawValue: 2)
    harness.put(Replica(), as: waiting)
    harness.engine.handle(
      .open(waiting, table: "others", request: 1, query: QueryRequest(), viewport: nil, interval: nil), at: .zero)
    var schema = Self.other
    schema.name = "others"
    try replace(harness, with: schema)
    report(harness, "a")
    try harness.settle()
    #expect(harness.replicas[waiting]!.cells == [[.text("a")]])
    #expect(harness.engine.table(named: "others") == harness.table)
    #expect(harness.engine.table(named: "numbers") == nil)
    // The name is free.
    _ = try harness.engine.addTable(Harness.schema, at: harness.clock.now)
  }

  @Test func `exports of a replaced table fail, and a new one succeeds`() throws {
    let harness = try Harness(rows: 20)
    let begun = try harness.engine.beginExport(of: "numbers", QueryRequest())
    let ended = try harness.engine.beginExport(of: "numbers", QueryRequest())
    harness.engine.endExport(ended)
    try replace(harness)
    for id in [begun, ended] {
      guard case .failed("the table has other columns now") = harness.engine.read(id, rows: 5) else {
        Issue.record("it looks whole")
        continue
      }
    }
    report(harness, "a")
    let now = try harness.engine.beginExport(of: "numbers", QueryRequest())
    guard case .rows(let rows) = harness.engine.read(now, rows: 5), case .end = harness.engine.read(now, rows: 5) else {
      Issue.record("its own rows do not come")
      return
    }
    #expect(rows == [[.text("a")]])
    harness.engine.endExport(begun)
  }

  @Test func `handover is nil when the row ids are used up`() {
    let schema = Harness.schema
    func state(_ first: UInt32) -> TableState {
      TableState(
        Table(schema, limits: Limits(), seed: 1, ids: RowIDOrigin(number: first, generation: 0)),
        id: TableID(rawValue: 0),
        at: .zero)
    }
    #expect(state(TableHandover.greatestNumber).handover?.firstNumber == TableHandover.greatestNumber)
    #expect(state(TableHandover.greatestNumber + 1).handover == nil)
  }

  @Test func `ignores answers to requests of the replaced table`() throws {
    let harness = try WindowedHarness(rows: 40)
    harness.open()
    try harness.turn()
    let requested = try #require(harness.source.requests.last?.id)
    var schema = WindowedHarness.schema(WindowedCapabilities(sort: [0]))
    schema.title = "Others"
    try harness.engine.replaceTable(harness.table, with: schema, at: harness.clock.now)
    harness.open()
    try harness.turn()
    let again = try #require(harness.source.requests.last?.id)
    #expect(again.rawValue > requested.rawValue)
    harness.engine.handle(
      .page(
        harness.table, requested,
        RowBlock([(.integer(1), [.integer(666), .text("old"), .null])], hasMore: false, count: 1)),
      at: harness.clock.now)
    harness.engine.handle(.pageFailed(harness.table, requested, reason: "it has ended"), at: harness.clock.now)
    try harness.settle()
    #expect(harness.lines().first == "0" && !harness.lines().contains("666"))
  }

  @Test func `row ids of residual queries are not reused after replacement`() throws {
    let harness = try WindowedHarness(rows: 40)
    var previous: Set<RowID> = []
    for round in 0..<3 {
      harness.open(query: QueryRequest(sort: [("value", true)]))
      try harness.settle()
      let ids = Set((200..<400).compactMap { harness.row(Int64($0)) })
      #expect(ids.count > 10 && previous.isDisjoint(with: ids), "round \(round)")
      previous.formUnion(ids)
      try harness.engine.replaceTable(
        harness.table, with: WindowedHarness.schema(WindowedCapabilities()), at: harness.clock.now)
    }
  }
}
