import ListTesting
import Testing

@testable import ListEngine

/// Design.md 4.6: a pause stops all traffic but a count of waiting changes, and ends with one
/// patch.
@Suite struct PauseTests {
  private static let client = SessionID(rawValue: 1)

  private func pause(_ harness: Harness, _ isPaused: Bool = true) {
    harness.engine.handle(.pause(Self.client, isPaused: isPaused), at: harness.clock.now)
  }

  /// Returns the numbers of waiting changes that clients received since the last call.
  private func waits(_ harness: Harness) -> [Waiting] {
    defer { harness.forgetOthers() }
    return harness.others.compactMap { if case .waiting(_, let waiting) = $0 { waiting } else { nil } }
  }

  private func paused(rows: Int = 30, query: QueryRequest = QueryRequest()) throws -> Harness {
    let harness = try Harness(rows: rows)
    harness.open(query: query)
    try harness.settle()
    try harness.settle(by: .seconds(5))
    pause(harness)
    _ = waits(harness)
    return harness
  }

  @Test func `a paused client gets no patch, and one when it resumes`() throws {
    let harness = try paused()
    for step in 1...20 {
      harness.change {
        $0.update(step, value: 1000 + step)
        $0.delete(29 - step)
      }
      #expect(try harness.advance(by: .seconds(2)).isEmpty)
    }
    let before = harness.replica().sequence
    pause(harness, false)
    let sent = try harness.advance()
    #expect(sent.map(\.sequence) == [before + 1])
    #expect(sent.first?.base == before)
    #expect(sent.first?.patch.base != nil)
    try harness.settle()
    #expect(harness.deliveries.count == Int(before) + 1)
    #expect(harness.replica().total == 10)
  }

  @Test func `reports waiting changes at once, then once a second`() throws {
    let harness = try paused()
    harness.change { $0.update(1, value: 77) }
    try harness.advance()
    #expect(waits(harness) == [Waiting(changed: 1, rows: 30)])
    harness.change { $0.update(2, value: 77) }
    #expect(harness.engine.deadline == harness.clock.now.advanced(by: .seconds(1)))
    try harness.advance(by: .milliseconds(999))
    #expect(waits(harness).isEmpty)
    harness.change { $0.update(3, value: 77) }
    try harness.advance(by: .milliseconds(1))
    #expect(waits(harness) == [Waiting(changed: 3, rows: 30)])
  }

  @Test func `does not repeat an unchanged count of waiting changes`() throws {
    let harness = try paused()
    harness.change { $0.update(1, value: 77) }
    try harness.advance()
    #expect(waits(harness).count == 1)
    for value in 1...5 {
      harness.change { $0.update(1, value: value) }
      try harness.advance(by: .seconds(2))
    }
    #expect(waits(harness).isEmpty)
    #expect(harness.engine.deadline == nil)
  }

  @Test func `counts each updated, deleted or inserted row once`() throws {
    let harness = try paused()
    harness.change {
      $0.update(1, value: 77)
      $0.update(1, name: "other")
      $0.delete(2)
      $0.upsert(100, value: 5)
      $0.upsert(101, value: 5)
    }
    try harness.advance()
    #expect(waits(harness) == [Waiting(changed: 4, rows: 31)])
  }

  @Test func `counts rows that enter or leave the view, and no others`() throws {
    let harness = try paused(query: QueryRequest(search: "shown"))
    harness.change { $0.update(1, value: 77) }
    try harness.advance()
    #expect(waits(harness).isEmpty)
    harness.change { $0.update(1, name: "shown") }
    try harness.advance(by: .seconds(2))
    #expect(waits(harness) == [Waiting(changed: 1, rows: 1)])
    harness.change { $0.update(1, name: "gone") }
    try harness.advance(by: .seconds(2))
    #expect(waits(harness) == [Waiting(changed: 1, rows: 0)])
  }

  @Test func `counts changed rows far outside the viewport`() throws {
    let harness = try paused(rows: 500)
    harness.change { $0.update(499, value: 1) }
    try harness.advance()
    #expect(waits(harness) == [Waiting(changed: 1, rows: 500)])
  }

  @Test func `does not count a change from before the pause, but sends it`() throws {
    let harness = try Harness(rows: 30)
    harness.open(interval: .seconds(60))
    try harness.settle()
    harness.change { $0.update(1, value: 1) }
    try harness.settle()
    harness.change { $0.update(2, value: 77) }
    try harness.settle()
    pause(harness)
    try harness.advance(by: .seconds(100))
    #expect(waits(harness).isEmpty)
    pause(harness, false)
    #expect(try harness.advance().count == 1)
    #expect(harness.values()[2] == 77)
  }

  @Test func `resuming sends a throttled change at once and only once`() throws {
    let harness = try Harness(rows: 30)
    harness.open()
    try harness.settle()
    harness.change { $0.update(1, value: 1) }
    try harness.settle()
    harness.change { $0.update(2, value: 2) }
    pause(harness)
    pause(harness, false)
    #expect(try harness.advance().count == 1)
    try harness.settle()
    // The patch on resume was a direct flush, and nothing was pending: the next change is due 300
    // ms after the first flush.
    #expect(harness.engine.deadline == nil)
  }

  @Test func `the count is right after a view is rebuilt`() throws {
    let harness = try paused(rows: 6000)
    harness.change { changes in for row in 0..<5000 { changes.update(row, value: row) } }
    harness.change { changes in for row in 0..<100 { changes.delete(row) } }
    harness.change { changes in for row in 7000..<7100 { changes.upsert(row, value: row) } }
    try harness.advance()
    #expect(waits(harness) == [Waiting(changed: 5100, rows: 6000)])
  }

  @Test func `counts only rows of the view after it is rebuilt`() throws {
    let harness = try paused(rows: 6000, query: QueryRequest(search: "shown"))
    harness.change { changes in
      for row in 0..<5000 { changes.update(row, value: row) }
      for row in 10..<13 { changes.update(row, name: "shown") }
    }
    try harness.advance()
    #expect(waits(harness) == [Waiting(changed: 3, rows: 3)])
    // One row held by the client leaves, one changes, one stays as it is.
    harness.change { changes in
      for row in 1000..<6000 { changes.update(row, value: 1) }
      changes.update(10, name: "gone")
      changes.update(11, value: 7)
    }
    try harness.advance(by: .seconds(2))
    #expect(waits(harness) == [Waiting(changed: 3, rows: 2)])
  }

  @Test func `each client's count begins with its own pause`() throws {
    let harness = try paused()
    harness.open(2)
    try harness.settle()
    harness.change { $0.update(1, value: 77) }
    try harness.settle()
    harness.engine.handle(.pause(SessionID(rawValue: 2), isPaused: true), at: harness.clock.now)
    _ = waits(harness)
    harness.change { $0.update(2, value: 78) }
    try harness.advance(by: .seconds(1))
    #expect(Set(waits(harness)) == [Waiting(changed: 2, rows: 30), Waiting(changed: 1, rows: 30)])
    pause(harness, false)
    try harness.settle()
    harness.change { $0.update(3, value: 79) }
    try harness.advance(by: .seconds(1))
    #expect(waits(harness) == [Waiting(changed: 2, rows: 30)])
  }

  @Test func `answers scrolls beyond the window, marking newer rows`() throws {
    let harness = try paused(rows: 1000)
    harness.change { $0.update(500, value: 7) }
    #expect(try harness.advance(by: .seconds(2)).isEmpty)
    harness.scroll(first: 499)
    let sent = try harness.advance()
    #expect(sent.count == 1)
    let first = try #require(sent.first?.patch.result.start)
    #expect(sent.first?.newer == [500 - first])
    harness.acknowledge()
    // The pause continues.
    harness.change { $0.update(501, value: 8) }
    #expect(try harness.advance(by: .seconds(2)).isEmpty)
    harness.scroll(first: 498)
    #expect(try harness.advance(by: .seconds(2)).isEmpty)
    pause(harness, false)
    let resumed = try harness.advance()
    #expect(resumed.map(\.newer) == [[]])
    #expect(harness.values()[501 - harness.replica().start] == 8)
  }

  @Test func `marks rows inserted since the pause, but not shifted ones`() throws {
    let harness = try paused(rows: 1000, query: QueryRequest(sort: [("value", true)]))
    harness.change {
      $0.upsert(5000, value: 1_000_000)
      $0.upsert(5001, value: 5095)
    }
    harness.scroll(first: 490)
    let sent = try #require(try harness.advance().first)
    let values = sent.newer.map { index -> Cell? in
      guard case .row(let row) = sent.patch.result.items[index] else { return nil }
      return row.cells.first { $0 == .integer(5095) || $0 == .integer(1_000_000) }
    }
    #expect(values == [.integer(5095)])
  }

  @Test func `answers a scroll sent just before the pause`() throws {
    let harness = try Harness(rows: 1000)
    harness.open()
    try harness.settle()
    harness.scroll(first: 500)
    pause(harness)
    #expect(try harness.advance().count == 1)
  }

  @Test func `answers a resync after a scroll during the pause`() throws {
    let harness = try paused(rows: 1000)
    harness.scroll(first: 500)
    #expect(try harness.advance().count == 1)
    let sequence = try #require(harness.deliveries.last).delivery.sequence
    harness.engine.handle(.writable(Self.client), at: harness.clock.now)
    harness.engine.handle(.resync(Self.client, sequence: sequence), at: harness.clock.now)
    #expect(try harness.advance().map { $0.patch.base == nil } == [true])
  }

  @Test func `answers a scroll of a hidden paused client on its return`() throws {
    let harness = try paused(rows: 1000)
    harness.engine.handle(.visibility(Self.client, isHidden: true), at: harness.clock.now)
    harness.scroll(first: 500)
    #expect(try harness.advance(by: .seconds(2)).isEmpty)
    harness.engine.handle(.visibility(Self.client, isHidden: false), at: harness.clock.now)
    #expect(try harness.advance().count == 1)
  }

  @Test func `accepts an acknowledgement and a resync during the pause`() throws {
    let harness = try Harness(rows: 30)
    harness.open()
    try harness.advance()
    pause(harness)
    harness.acknowledge()
    #expect(try harness.advance(by: .seconds(1)).isEmpty)
    harness.engine.handle(.resync(Self.client, sequence: 1), at: harness.clock.now)
    #expect(try harness.advance().map { $0.patch.base == nil } == [true])
    harness.acknowledge()
    harness.change { $0.update(1, value: 77) }
    #expect(try harness.advance(by: .seconds(2)).isEmpty)
  }

  @Test func `answers a query sent before the pause, and later scrolls`() throws {
    let harness = try Harness(rows: 1000)
    harness.open()
    try harness.settle()
    let query = QueryRequest(sort: [("value", true)])
    harness.engine.handle(.query(Self.client, request: 2, query: query, viewport: nil), at: harness.clock.now)
    pause(harness)
    #expect(try harness.advance().map(\.request) == [2])
    harness.acknowledge()
    harness.scroll(first: 500)
    #expect(try harness.advance().count == 1)
    harness.acknowledge()
    harness.change { $0.update(1, value: 77) }
    #expect(try harness.advance(by: .seconds(2)).isEmpty)
  }

  @Test func `a query ends the pause and is answered at once`() throws {
    let harness = try paused()
    harness.engine.handle(
      .query(Self.client, request: 2, query: QueryRequest(sort: [("value", true)]), viewport: nil),
      at: harness.clock.now)
    #expect(try harness.advance().map(\.request) == [2])
    harness.acknowledge()
    harness.change { $0.update(1, value: 1000) }
    #expect(try harness.advance(by: .seconds(1)).count == 1)
    #expect(waits(harness).isEmpty)
  }

  @Test func `answers a collapsed section despite the pause`() throws {
    let harness = try paused(query: QueryRequest(group: ["group"]))
    harness.engine.handle(.collapse(Self.client, .path([.text("one")]), isCollapsed: true), at: harness.clock.now)
    #expect(try harness.advance().count == 1)
    #expect(harness.replica().total == 1)
  }

  @Test func `a hidden client gets its count when it is visible again`() throws {
    let harness = try paused()
    harness.engine.handle(.visibility(Self.client, isHidden: true), at: harness.clock.now)
    harness.change { $0.update(1, value: 77) }
    try harness.advance(by: .seconds(5))
    #expect(waits(harness).isEmpty)
    harness.engine.handle(.visibility(Self.client, isHidden: false), at: harness.clock.now)
    #expect(try harness.advance().isEmpty)
    #expect(waits(harness) == [Waiting(changed: 1, rows: 30)])
  }

  @Test func `a repeated pause or resume has no effect`() throws {
    let harness = try paused()
    harness.change { $0.update(1, value: 77) }
    pause(harness)
    try harness.advance()
    #expect(waits(harness) == [Waiting(changed: 1, rows: 30)])
    pause(harness, false)
    try harness.settle()
    pause(harness, false)
    #expect(try harness.advance().isEmpty)
  }

  @Test func `a client paused before its table exists gets one window`() throws {
    var engine = Engine(epoch: "pause")
    engine.handle(
      .open(Self.client, table: "late", request: 1, query: QueryRequest(), viewport: nil, interval: nil), at: .zero)
    engine.handle(.pause(Self.client, isPaused: true), at: .zero)
    let table = try engine.addTable(Schema(name: "late", key: .integer, columns: [Column("a", .integer)]), at: .zero)
    var changes = Changeset()
    changes.upsert(.integer(1), [.integer(1)])
    engine.handle(.changes(table, changes), at: .zero)
    let first = engine.advance(to: .zero)
    #expect(first.contains { if case .deliver = $0 { true } else { false } }, "what it was opened for")
    engine.handle(.writable(Self.client), at: .zero)
    engine.handle(.acknowledge(Self.client, sequence: 1), at: .zero)
    changes.upsert(.integer(2), [.integer(2)])
    engine.handle(.changes(table, changes), at: .zero)
    #expect(!engine.advance(to: .zero).contains { if case .deliver = $0 { true } else { false } })
    engine.handle(.pause(Self.client, isPaused: false), at: .zero)
    #expect(engine.advance(to: .zero).contains { if case .deliver = $0 { true } else { false } })
  }

  @Test func `sends a changed source status when the client resumes`() throws {
    let harness = try paused()
    harness.forgetOthers()
    harness.engine.handle(.source(harness.table, .stale, message: "down"), at: harness.clock.now)
    try harness.advance(by: .seconds(5))
    #expect(harness.others.isEmpty)
    #expect(harness.engine.deadline == nil)
    pause(harness, false)
    try harness.advance()
    let states = harness.others.compactMap { if case .status(_, _, let status) = $0 { status.state } else { nil } }
    #expect(states == [.stale])
  }

  @Test func `the change log stays bounded during a long pause`() throws {
    let table = Table(Harness.schema, limits: Limits(), seed: 1)
    let state = TableState(table, id: TableID(rawValue: 0), at: .zero)
    let session = Session(
      Self.client, table: "numbers", request: 1, query: QueryRequest(), viewport: nil, interval: .zero, limits: Limits()
    )
    try state.attach(session, to: Query(), at: .zero)
    session.setPaused(true)
    for round in 0..<40 {
      var changes = Changes()
      for key in 0..<1000 { changes.upsert(key, value: round) }
      state.apply(changes.set, at: .zero)
      #expect(table.log.entries.count <= ViewSet.longestLog)
    }
    #expect(table.log.end > ViewSet.longestLog)
    #expect(session.takeWaiting(at: .zero) == Waiting(changed: 1000, rows: 1000))
  }
}
