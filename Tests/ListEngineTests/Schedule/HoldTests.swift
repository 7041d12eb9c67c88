import ListTesting
import Testing

@testable import ListEngine

/// Design.md 4.6: while a pointer, selection or focus rests in the table, values change in place
/// and moves wait.
@Suite struct HoldTests {
  private static let client = SessionID(rawValue: 1)
  private static let byValue = QueryRequest(sort: [("value", false)])

  private func hold(_ harness: Harness, _ isHeld: Bool = true, _ client: SessionID = client) {
    harness.engine.handle(.hold(client, isHeld: isHeld), at: harness.clock.now)
  }

  /// Opens a session on rows 0, 10, 20, ... ordered by value, with ten visible rows, and holds the
  /// order.
  private func held(
    rows: Int = 30, query: QueryRequest = byValue, first: Int = 0, stick: Viewport.Stick? = nil,
    limits: Limits = Limits()
  ) throws -> Harness {
    let harness = try Harness(limits: limits, rows: rows)
    harness.open(query: query, first: first, stick: stick)
    try harness.settle()
    try harness.settle(by: .seconds(5))
    hold(harness)
    return harness
  }

  @Test func `values update in place while moves wait`() throws {
    let harness = try held()
    let before = harness.values()
    harness.change { $0.update(1, value: 1000) }
    let patch = try #require(try harness.advance().first?.patch)
    #expect(patch.updatedRows.map(\.index) == [1])
    #expect(patch.moved.isEmpty && patch.removed.isEmpty && patch.inserted.isEmpty)
    #expect(harness.values() == [0, 1000] + before[2...])
    #expect(harness.replica().held == Held(moves: 1))
    #expect(harness.replica().start == 0)
  }

  @Test func `reports a waiting move once, though no visible row changed`() throws {
    let harness = try held(rows: 60)
    let before = harness.values()
    // From far below into the middle of the viewport.
    harness.change { $0.update(50, value: 25) }
    #expect(try harness.advance().count == 1)
    #expect(harness.replica().held == Held(moves: 1))
    #expect(harness.values() == before)
    harness.acknowledge()
    // The client is notified only once.
    harness.change { $0.update(50, value: 26) }
    #expect(try harness.advance(by: .seconds(1)).isEmpty)
  }

  @Test func `a hold starts after earlier requests are answered`() throws {
    let asks: [(String, (SessionID) -> [Input])] = [
      ("scroll", { [.viewport($0, Viewport(first: 50, count: 10, ahead: 5, behind: 5, sequence: 1))] }),
      ("collapse", { [.collapse($0, .path([.text("a")]), isCollapsed: true)] }),
      ("pause", { [.pause($0, isPaused: true), .pause($0, isPaused: false)] }),
      ("hide", { [.visibility($0, isHidden: true), .visibility($0, isHidden: false)] }),
    ]
    for (name, inputs) in asks {
      for wasHeld in [true, false] {
        let harness = try Harness()
        harness.change { changes in for row in 0..<100 { changes.upsert(row, value: row, group: row < 5 ? "a" : "b") } }
        harness.open(query: QueryRequest(sort: [("value", false)], group: ["group"]))
        try harness.settle()
        let before = harness.values()
        if wasHeld { hold(harness) }
        for input in inputs(Self.client) { harness.engine.handle(input, at: harness.clock.now) }
        harness.change { $0.upsert(0, value: 1_000, group: "b") }
        hold(harness)
        try harness.advance()
        #expect(harness.replica().held == nil, "\(name), held before: \(wasHeld)")
        #expect(harness.values() != before, "\(name), held before: \(wasHeld)")
        harness.acknowledge()
        // The order is held from here on.
        let held = harness.values()
        harness.change { changes in for value in [7, 57] { changes.upsert(200 + value, value: value, group: "b") } }
        try harness.settle()
        #expect(harness.values() == held, "\(name), held before: \(wasHeld)")
        #expect(try #require(harness.replica().held).moves > 0, "\(name), held before: \(wasHeld)")
      }
    }
  }

  @Test func `waiting moves are sent at once when the hold ends`() throws {
    let harness = try held()
    harness.change { $0.update(1, value: 25) }
    try harness.settle()
    #expect(harness.values().prefix(4) == [0, 25, 20, 30])
    hold(harness, false)
    let patch = try #require(try harness.advance().first?.patch)
    #expect(patch.moved.map { [$0.from, $0.to] } == [[2, 1]])
    #expect(patch.updatedRows.isEmpty)
    #expect(harness.values().prefix(4) == [0, 20, 25, 30])
    #expect(harness.replica().held == nil)
  }

  @Test func `a deleted row stays, marked and unchanged, until release`() throws {
    let harness = try held()
    harness.change {
      $0.update(3, value: 31)
      $0.delete(3)
      $0.delete(25)
    }
    let patch = try #require(try harness.advance().first?.patch)
    #expect(patch.before == 15 && patch.after == 15)
    #expect(harness.values()[3] == 30)
    #expect(harness.replica().held == Held(moves: 1, gone: [3]))
    // The number of rows is not a position, but the number of items is.
    #expect(harness.replica().rows == 28)
    #expect(harness.replica().total == 30)
    harness.acknowledge()
    hold(harness, false)
    let release = try #require(try harness.advance().first?.patch)
    #expect(release.removed.map(\.index) == [3])
    #expect(release.removed.map(\.why) == [.gone])
    #expect(harness.replica().total == 28)
  }

  @Test func `a row that no longer matches keeps updating and is marked`() throws {
    let harness = try held(query: QueryRequest(search: "row"))
    harness.change { $0.update(2, name: "other") }
    try harness.settle()
    harness.change { $0.update(2, value: 7) }
    try harness.settle(by: .seconds(1))
    #expect(harness.values()[2] == 7)
    #expect(harness.replica().held == Held(moves: 1, gone: [2]))
  }

  @Test func `inserted rows wait until the hold ends`() throws {
    let harness = try held()
    harness.change {
      $0.upsert(100, value: 5)
      $0.upsert(101, value: 6)
    }
    try harness.settle()
    #expect(harness.values().first == 0 && !harness.values().contains(5))
    #expect(harness.replica().held == Held(moves: 2))
    hold(harness, false)
    let patch = try #require(try harness.advance().first?.patch)
    #expect(patch.inserted.filter { $0.why == .new }.count == 2)
    #expect(patch.inserted.count - patch.removed.count == patch.after - patch.before)
  }

  @Test func `reports new move and row counts without visible changes`() throws {
    let harness = try held()
    harness.change { $0.upsert(100, value: 5) }
    #expect(try harness.advance().first?.patch.updatedRows.isEmpty == true)
    #expect(harness.replica().held == Held(moves: 1))
    harness.acknowledge()
    harness.change { $0.upsert(200, value: 5000) }
    #expect(try harness.advance(by: .seconds(1)).map { $0.patch.result.rows } == [32])
    harness.acknowledge()
    harness.change { $0.update(200, value: 6000) }
    #expect(try harness.advance(by: .seconds(1)).isEmpty)
    harness.change { $0.delete(100) }
    #expect(try harness.advance(by: .seconds(1)).count == 1)
    #expect(harness.replica().held == Held())
  }

  @Test func `sends nothing when a hold ends with no waiting changes`() throws {
    let harness = try held()
    #expect(try harness.advance().isEmpty)
    hold(harness, false)
    #expect(try harness.advance().isEmpty)
    #expect(harness.engine.deadline == nil)
  }

  @Test func `a hold expires after 30 seconds`() throws {
    let harness = try held()
    harness.change { $0.update(1, value: 25) }
    try harness.settle()
    let end = harness.clock.now.advanced(by: .seconds(30))
    #expect(harness.engine.deadline == end)
    #expect(try harness.advance(by: .seconds(30) - .nanoseconds(1)).isEmpty)
    #expect(try harness.advance(by: .nanoseconds(1)).first?.patch.moved.count == 1)
    #expect(harness.replica().held == nil)
  }

  @Test func `a repeated hold request restarts the expiry time`() throws {
    let harness = try held()
    harness.change { $0.update(1, value: 25) }
    try harness.settle()
    try harness.advance(by: .seconds(20))
    hold(harness)
    #expect(try harness.advance(by: .seconds(29)).isEmpty)
    #expect(try harness.advance(by: .seconds(1)).count == 1)
  }

  @Test func `a clock that goes back does not extend a hold`() throws {
    let harness = try held()
    harness.change { $0.update(1, value: 25) }
    try harness.settle()
    harness.clock.advance(by: .seconds(-1000))
    try harness.advance()
    #expect(try harness.advance(by: .seconds(30)).count == 1)
  }

  @Test func `releasing a hold does not follow an anchor row that moved`() throws {
    let harness = try held(rows: 60, first: 20)
    let anchor = try #require(harness.row(200))
    harness.scroll(first: 20, anchor: anchor)
    try harness.settle()
    harness.change { $0.update(20, value: 455) }
    try harness.settle()
    #expect(harness.row(455) == anchor)
    hold(harness, false)
    #expect(try harness.advance().map(\.shift) == [-1])
    // Row 210 was the second visible one, and keeps its place on the screen.
    #expect(harness.replica().start == 14)
    #expect(harness.values()[6] == 210)
  }

  @Test func `rows inserted above in a hold shift the window on release`() throws {
    let harness = try held(rows: 60, first: 20)
    harness.change { changes in for row in 0..<7 { changes.upsert(100 + row, value: 1) } }
    try harness.settle()
    #expect(harness.replica().start == 15)
    hold(harness, false)
    #expect(try harness.advance().map(\.shift) == [7])
    #expect(harness.replica().start == 22)
    #expect(harness.values().first == 150)
  }

  @Test func `a viewport stuck to the top keeps its rows until release`() throws {
    let harness = try held(stick: .top)
    harness.change { $0.upsert(100, value: -5) }
    try harness.settle()
    #expect(harness.values().first == 0)
    hold(harness, false)
    try harness.advance()
    #expect(harness.values().first == -5)
  }

  @Test func `a scroll within the held window keeps the hold`() throws {
    let harness = try held(rows: 60, first: 20)
    harness.change { $0.update(20, value: 1) }
    try harness.settle()
    for first in [15, 25] {
      harness.scroll(first: first)
      try harness.settle()
      #expect(harness.replica().start == 15, "\(first)")
      #expect(harness.replica().held == Held(moves: 1), "\(first)")
    }
  }

  @Test(arguments: [14, 26, 0, 50]) func `a scroll beyond the held window ends the hold`(_ first: Int) throws {
    let harness = try held(rows: 60, first: 20)
    harness.change { $0.update(20, value: 1) }
    try harness.settle()
    harness.scroll(first: first)
    try harness.settle()
    #expect(harness.replica().held == nil)
    #expect(harness.values() == harness.values().sorted())
  }

  @Test func `a query, resync, pause or hiding the client ends the hold`() throws {
    let ends: [(String, (SessionID) -> [Input])] = [
      ("query", { [.query($0, request: 2, query: Self.byValue, viewport: nil)] }),
      ("resync", { [.resync($0, sequence: 2)] }),
      ("pause", { [.pause($0, isPaused: true), .pause($0, isPaused: false)] }),
      ("hide", { [.visibility($0, isHidden: true), .visibility($0, isHidden: false)] }),
    ]
    for (name, inputs) in ends {
      let harness = try held()
      harness.change { $0.update(1, value: 25) }
      try harness.advance()
      #expect(harness.replica().held == Held(moves: 1), "\(name)")
      if name != "resync" { harness.acknowledge() }
      harness.engine.handle(.writable(Self.client), at: harness.clock.now)
      for input in inputs(Self.client) { harness.engine.handle(input, at: harness.clock.now) }
      try harness.settle()
      #expect(harness.replica().held == nil, "\(name)")
      #expect(harness.values().prefix(3) == [0, 20, 25], "\(name)")
    }
  }

  /// Found by seed 682 of the simulation.
  @Test func `collapsing an unknown section ends the hold`() throws {
    let harness = try held()
    harness.change { $0.update(1, value: 1000) }
    try harness.settle()
    harness.engine.handle(.collapse(Self.client, .number(77), isCollapsed: true), at: harness.clock.now)
    try harness.settle()
    #expect(harness.replica().held == nil)
    #expect(harness.values() == harness.values().sorted())
  }

  @Test func `ignores a hold before the client acknowledges its window`() throws {
    let harness = try Harness(rows: 30)
    harness.open(query: Self.byValue)
    hold(harness)
    try harness.settle()
    harness.change { $0.update(1, value: 25) }
    try harness.settle()
    #expect(harness.values().prefix(3) == [0, 20, 25])
    // No hold either between a query and its window, which the client has not acknowledged yet.
    harness.engine.handle(.query(Self.client, request: 2, query: Self.byValue, viewport: nil), at: harness.clock.now)
    hold(harness)
    try harness.advance()
    hold(harness)
    harness.acknowledge()
    harness.change { $0.update(1, value: 35) }
    try harness.settle(by: .seconds(1))
    #expect(harness.values().prefix(3) == [0, 20, 30])
  }

  @Test func `header counts update during a hold, and a collapse ends it`() throws {
    let harness = try Harness()
    harness.change {
      for row in 0..<4 { $0.upsert(row, value: row, group: row < 2 ? "a" : "b") }
    }
    harness.open(query: QueryRequest(group: ["group"]))
    try harness.settle()
    hold(harness)
    harness.change {
      $0.upsert(9, value: 9, group: "a")
      $0.delete(2)
      $0.delete(3)
    }
    try harness.settle()
    #expect(harness.replica().headers.map(\.count) == [3, 2])
    // Header, row, row; then the header and two rows of the deleted section.
    #expect(harness.replica().held?.gone == [3, 4, 5])
    // A user who collapses a section wants to see the result.
    harness.engine.handle(.collapse(Self.client, .path([.text("a")]), isCollapsed: true), at: harness.clock.now)
    try harness.settle()
    #expect(harness.replica().headers.map(\.count) == [3])
    #expect(harness.replica().held == nil && harness.replica().total == 1)
  }

  @Test func `a large change is split into several patches during a hold`() throws {
    var limits = Limits()
    limits.patchBytes = 200
    let harness = try held(limits: limits)
    let before = harness.deliveries.count
    harness.change { changes in for row in 0..<30 { changes.update(row, value: 1000 - row) } }
    try harness.settle()
    #expect(harness.deliveries.count > before + 1)
    #expect(harness.values() == (0..<15).map { 1000 - $0 })
  }

  @Test func `clients that hold the same window share one patch`() throws {
    let harness = try Harness(rows: 30)
    harness.open(1, query: Self.byValue)
    harness.open(2, query: Self.byValue)
    try harness.settle()
    hold(harness)
    hold(harness, true, SessionID(rawValue: 2))
    harness.change { $0.update(1, value: 25) }
    let sent = try harness.advance()
    #expect(sent.count == 2 && sent[0].patch === sent[1].patch)
  }

  @Test func `a hold does not affect another client of the same view`() throws {
    let harness = try Harness(rows: 30)
    harness.open(1, query: Self.byValue)
    harness.open(2, query: Self.byValue)
    try harness.settle()
    hold(harness)
    harness.change { $0.update(1, value: 25) }
    try harness.advance()
    #expect(harness.values(1).prefix(3) == [0, 25, 20])
    #expect(harness.values(2).prefix(3) == [0, 20, 25])
  }
}
