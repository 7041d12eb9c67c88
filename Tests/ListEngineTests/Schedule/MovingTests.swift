import ListTesting
import Testing

@testable import ListEngine

/// Clients that move between engines with the same rows: row ids and revisions are equal, so that a
/// client reports the window it holds and receives a patch.
@Suite struct MovingTests {
  private static let byValue = QueryRequest(sort: [("value", false)])
  private static let client = SessionID(rawValue: 2)

  /// Two engines with these rows.
  private func relays(rows: Int = 60, schema: Schema = Harness.schema) throws -> (one: Harness, other: Harness) {
    (
      try Harness(rows: rows, schema: schema, sharesRowIDs: true),
      try Harness(rows: rows, schema: schema, sharesRowIDs: true)
    )
  }

  private func report(_ harness: Harness) throws -> ClientWindow {
    let replica = harness.replica(1)
    let rows = replica.items.compactMap { item -> ClientWindow.Row? in
      guard case .row(let id, let revision, _) = item else { return nil }
      return ClientWindow.Row(id, revision: revision)
    }
    let generation = try #require(harness.engine.tables(at: harness.clock.now).first).generation
    return ClientWindow(generation: generation, start: replica.start, total: replica.total, rows: rows)
  }

  /// Moves the client of session 1 from one engine to session 2 of another one.
  private func move(
    from one: Harness, to other: Harness, query: QueryRequest = byValue, first: Int = 20, anchor: RowID? = nil,
    offset: Int? = nil, window: ClientWindow? = nil
  ) throws -> [Delivery] {
    other.put(one.replica(1), as: Self.client)
    let point = ResumePoint(
      session: nil, sequence: one.replica(1).sequence, anchorOffset: offset, window: try window ?? report(one))
    other.engine.handle(
      .open(
        Self.client, table: "numbers", request: 7, query: query,
        viewport: Viewport(first: first, count: 10, ahead: 5, behind: 5, anchor: anchor, stick: nil), interval: nil,
        resume: point), at: other.clock.now)
    return try other.advance()
  }

  @Test func `an unchanged window is answered by an empty patch`() throws {
    let (one, other) = try relays()
    one.open(query: Self.byValue, first: 20)
    try one.settle()
    let sent = try move(from: one, to: other)
    #expect(sent.map(\.sequence) == [2])
    #expect(sent.map(\.base) == [1])
    #expect(sent.map(\.request) == [7])
    let patch = try #require(sent.first?.patch)
    #expect(patch.base != nil)
    #expect(patch.removed.isEmpty && patch.inserted.isEmpty && patch.updatedRows.isEmpty && patch.moved.isEmpty)
    // The session continues like any other.
    other.acknowledge(Self.client)
    other.change { $0.update(21, value: 211) }
    #expect(try other.advance(by: .seconds(1)).map { $0.patch.updatedRows.count } == [1])
    #expect(other.values(2)[6] == 211)
  }

  @Test func `rows that differ are sent again, all others stay`() throws {
    let (one, other) = try relays()
    one.open(query: Self.byValue, first: 20)
    try one.settle()
    other.change { changes in
      changes.update(20, name: "other")
      changes.delete(22)
      changes.upsert(500, value: 235)
    }
    let sent = try move(from: one, to: other)
    let patch = try #require(sent.first?.patch)
    #expect(sent.count == 1 && patch.base != nil)
    #expect(patch.updatedRows.isEmpty)
    // Row 22 has gone, and row 20 is replaced.
    #expect(patch.removed.count == 2)
    #expect(patch.inserted.count == 2)
    #expect(patch.inserted.allSatisfy { $0.why == .scrolled })
    #expect(Array(other.values(2)[5...8]) == [200, 210, 230, 235])
    #expect(other.replica(2).cells[5][1] == .text("other"))
  }

  @Test func `rows inserted above shift the window with its anchor`() throws {
    let (one, other) = try relays()
    one.open(query: Self.byValue, first: 20)
    try one.settle()
    other.change { changes in
      for row in 0..<9 { changes.upsert(100 + row, value: 1) }
      // Every row of the window has changed, and the anchor is found nevertheless.
      for row in 15..<35 { changes.update(row, name: "other") }
    }
    let sent = try move(from: one, to: other, anchor: one.row(220), offset: 2)
    #expect(sent.map(\.shift) == [9])
    #expect(sent.first?.patch.base != nil)
    #expect(other.replica(2).start == 24)
    #expect(other.values(2)[7] == 220)
  }

  @Test(arguments: [UInt64(1), 2, 3, 4]) func `ids and rows agree after random changes, seed`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let one = try Harness(sharesRowIDs: true)
    let (other, truth) = (try Harness(sharesRowIDs: true), try Harness())
    func change(_ engines: [Harness]) {
      var changes = Changes()
      for _ in 0..<40 {
        let key = random.number(0...79)
        if random.oneIn(3) {
          changes.delete(key)
        } else {
          changes.upsert(key, value: random.number(0...9), name: "name \(random.number(0...3))")
        }
      }
      for engine in engines { engine.engine.handle(.changes(engine.table, changes.set), at: engine.clock.now) }
    }
    for _ in 0..<20 {
      change([one, truth])
      try one.advance()
    }
    // The other engine begins with a snapshot of the first one.
    var parts = one.engine.contents(of: one.table, columns: 3)
    parts[0].beginsReload = true
    parts[parts.count - 1].endsReload = true
    for part in parts { other.engine.handle(.changes(other.table, part), at: other.clock.now) }
    for _ in 0..<20 { change([one, other, truth]) }
    one.open(query: Self.byValue, count: 100)
    try one.settle()
    for _ in 0..<random.number(0...2) { change([other, truth]) }
    let sent = try move(from: one, to: other, first: 0)
    #expect(sent.count == 1 && sent.first?.patch.base != nil)
    let viewport = Viewport(first: 0, count: 100, ahead: 5, behind: 5, stick: nil)
    other.engine.handle(.viewport(Self.client, viewport), at: other.clock.now)
    try other.settle()
    truth.open(query: Self.byValue, count: 100)
    try truth.settle()
    #expect(other.replica(2).cells == truth.replica(1).cells)
    let fresh = try Harness(sharesRowIDs: true)
    for part in one.engine.contents(of: one.table, columns: 3) {
      fresh.engine.handle(.changes(fresh.table, part), at: fresh.clock.now)
    }
    fresh.open(query: Self.byValue, count: 100)
    try fresh.settle()
    #expect(Set(fresh.replica(1).items) == Set(one.replica(1).items))
  }

  @Test func `a window of another generation is not resumed`() throws {
    let (one, other) = try relays()
    one.open(query: Self.byValue, first: 20)
    try one.settle()
    var window = try report(one)
    window.generation += 1
    let sent = try move(from: one, to: other, anchor: one.row(220), offset: 2, window: window)
    #expect(sent.map { $0.patch.base == nil } == [true])
    #expect(sent.map(\.sequence) == [2])
  }

  @Test func `a grouped window is sent whole, at its place`() throws {
    let (one, other) = try relays()
    let query = QueryRequest(sort: [("value", false)], group: ["group"])
    one.open(query: query, first: 20)
    try one.settle()
    other.change { changes in for row in 0..<9 { changes.upsert(100 + row, value: 1) } }
    let sent = try move(from: one, to: other, query: query, anchor: one.row(220), offset: 3)
    #expect(sent.map { $0.patch.base == nil } == [true])
    #expect(sent.map(\.shift) == [9])
  }

  @Test func `a query before the answer gets a whole window`() throws {
    let (one, other) = try relays()
    one.open(query: Self.byValue, first: 20)
    try one.settle()
    other.put(one.replica(1), as: Self.client)
    let point = ResumePoint(session: nil, sequence: 1, window: try report(one))
    other.engine.handle(
      .open(
        Self.client, table: "numbers", request: 7, query: Self.byValue, viewport: nil, interval: nil, resume: point),
      at: other.clock.now)
    other.engine.handle(
      .query(Self.client, request: 8, query: QueryRequest(sort: [("value", true)]), viewport: nil),
      at: other.clock.now)
    #expect(try other.advance().map { $0.patch.base == nil } == [true])
  }

  @Test func `a window that was never sent is harmless`() throws {
    let (one, other) = try relays()
    one.open(query: Self.byValue, first: 20)
    try one.settle()
    let rows = try report(one).rows
    let reports = [
      rows + rows, Array(rows.reversed()), [], [ClientWindow.Row(RowID(rawValue: (1 << 53) - 1), revision: 0)],
    ]
    for (number, rows) in reports.enumerated() {
      let window = ClientWindow(
        generation: try report(one).generation, start: number * 1_000_000, total: 1 - number % 2, rows: rows)
      let id = SessionID(rawValue: UInt64(number) + 10)
      other.engine.handle(
        .open(
          id, table: "numbers", request: 1, query: Self.byValue, viewport: nil, interval: nil,
          resume: ResumePoint(session: nil, sequence: 1, window: window)), at: other.clock.now)
      let sent = try other.advance()
      #expect(sent.map { $0.patch.before } == [rows.count])
    }
  }

  @Test func `generations follow from columns, and replacements have others`() throws {
    let (one, other) = try relays(rows: 0)
    func generation(_ harness: Harness) -> Int { harness.engine.tables(at: harness.clock.now)[0].generation }
    let first = generation(one)
    #expect(first == generation(other))
    #expect((1..<1 << 53).contains(first))
    var schema = Harness.schema
    schema.title = "another title"
    try one.engine.replaceTable(one.table, with: schema, at: one.clock.now)
    #expect(generation(one) == first + 1)
    schema.columns.append(Column("more", .integer))
    try one.engine.replaceTable(one.table, with: schema, at: one.clock.now)
    #expect(generation(one) >> 12 != first >> 12)
    try one.engine.replaceTable(one.table, with: Harness.schema, at: one.clock.now)
    #expect(generation(one) == first + 3)
  }
}
