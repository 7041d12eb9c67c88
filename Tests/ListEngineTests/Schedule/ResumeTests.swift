import ListTesting
import Testing

@testable import ListEngine

/// Design.md 5: a client that reconnects reports the window it holds, and receives one patch or one
/// window.
@Suite struct ResumeTests {
  private static let byValue = QueryRequest(sort: [("value", false)])

  private func drop(_ harness: Harness, _ number: UInt64 = 1) {
    harness.engine.handle(.close(SessionID(rawValue: number)), at: harness.clock.now)
  }

  /// Reconnects the client of session 1 as session 2, with the window it holds.
  private func comeBack(
    _ harness: Harness, query: QueryRequest = byValue, first: Int = 0, anchor: RowID? = nil, offset: Int? = nil,
    stick: Viewport.Stick? = nil, sequence: UInt64? = nil
  ) {
    let (old, new) = (SessionID(rawValue: 1), SessionID(rawValue: 2))
    harness.hand(old, to: new)
    let viewport = Viewport(first: first, count: 10, ahead: 5, behind: 5, anchor: anchor, stick: stick)
    harness.engine.handle(
      .open(
        new, table: "numbers", request: 7, query: query, viewport: viewport, interval: nil,
        resume: ResumePoint(session: old, sequence: sequence ?? harness.replica(2).sequence, anchorOffset: offset)),
      at: harness.clock.now)
  }

  private func dropped(rows: Int = 60, query: QueryRequest = byValue, first: Int = 20, limits: Limits = Limits()) throws
    -> Harness
  {
    let harness = try Harness(limits: limits, rows: rows)
    harness.open(query: query, first: first)
    try harness.settle()
    drop(harness)
    return harness
  }

  @Test func `sends one patch based on the window that the client holds`() throws {
    let harness = try dropped()
    harness.change { $0.update(20, value: 201) }
    comeBack(harness, first: 20)
    let sent = try harness.advance()
    #expect(sent.map(\.sequence) == [2])
    #expect(sent.map(\.base) == [1])
    #expect(sent.map(\.request) == [7])
    #expect(sent.first?.patch.updatedRows.count == 1)
    #expect(sent.first?.patch.inserted.isEmpty == true)
    #expect(harness.values(2)[5] == 201)
    // The session continues like any other.
    harness.acknowledge(SessionID(rawValue: 2))
    harness.change { $0.update(21, value: 211) }
    #expect(try harness.advance(by: .seconds(1)).map(\.sequence) == [3])
  }

  @Test func `answers a resume once even if nothing has changed`() throws {
    let harness = try dropped()
    comeBack(harness, first: 20)
    let sent = try harness.advance()
    #expect(sent.count == 1)
    #expect(sent.first?.patch.base != nil && sent.first?.patch.updatedRows.isEmpty == true)
    harness.acknowledge(SessionID(rawValue: 2))
    harness.scroll(SessionID(rawValue: 2), first: 20)
    #expect(try harness.advance().isEmpty)
  }

  @Test func `rows inserted above shift the window with its scroll anchor`() throws {
    let harness = try dropped()
    let anchor = try #require(harness.row(220))
    harness.change { changes in for row in 0..<9 { changes.upsert(100 + row, value: 1) } }
    comeBack(harness, first: 20, anchor: anchor)
    #expect(try harness.advance().map(\.shift) == [9])
    #expect(harness.replica(2).start == 24)
    #expect(harness.values(2).first == 150)
  }

  @Test func `continues from the window before a lost patch`() throws {
    let harness = try Harness(rows: 60)
    harness.open(query: Self.byValue, first: 20)
    try harness.settle()
    let held = harness.replica(1)
    harness.change { $0.update(20, value: 201) }
    #expect(try harness.advance(by: .seconds(1)).map(\.sequence) == [2])
    // The patch was lost.
    harness.put(held, as: SessionID(rawValue: 1))
    drop(harness)
    comeBack(harness, first: 20)
    let sent = try harness.advance()
    #expect(sent.map(\.base) == [1])
    #expect(sent.map(\.sequence) == [2])
    // A patch rather than a window.
    #expect(sent.first?.patch.base != nil && sent.first?.patch.updatedRows.count == 1)
    #expect(harness.values(2)[5] == 201)
  }

  @Test func `continues from a patch applied but not acknowledged`() throws {
    let harness = try Harness(rows: 60)
    harness.open(query: Self.byValue, first: 20)
    try harness.settle()
    harness.change { $0.update(20, value: 201) }
    try harness.advance(by: .seconds(1))
    drop(harness)
    comeBack(harness, first: 20)
    #expect(try harness.advance().map(\.base) == [2])
  }

  @Test func `a window older than the acknowledged one is not resumed`() throws {
    let harness = try Harness(rows: 60)
    harness.open(query: Self.byValue, first: 20)
    try harness.settle()
    harness.change { $0.update(20, value: 201) }
    try harness.settle(by: .seconds(1))
    drop(harness)
    // The client holds the acknowledged window: the one before is forgotten.
    comeBack(harness, first: 20, sequence: 1)
    #expect(try harness.advance().map { $0.patch.base == nil } == [true])
  }

  @Test func `an unknown sequence gets a window numbered after it`() throws {
    for sequence: UInt64 in [0, 2, 100] {
      let harness = try dropped()
      comeBack(harness, first: 20, sequence: sequence)
      let sent = try harness.advance()
      #expect(sent.map { $0.patch.base == nil } == [true])
      // Numbers continue, so that no message of the client seems to refer to a delivery in flight.
      #expect(sent.map(\.sequence) == [sequence + 1])
    }
  }

  @Test func `a resume with another query gets a whole window`() throws {
    let harness = try dropped()
    comeBack(harness, query: QueryRequest(sort: [("value", true)]), first: 20)
    #expect(try harness.advance().map { $0.patch.base == nil } == [true])
  }

  @Test func `a query in flight at the disconnect gets a whole window`() throws {
    let harness = try Harness(rows: 60)
    let other = QueryRequest(sort: [("value", true)])
    harness.open(query: Self.byValue, first: 20)
    try harness.settle()
    let held = harness.replica(1)
    harness.engine.handle(
      .query(SessionID(rawValue: 1), request: 2, query: other, viewport: nil), at: harness.clock.now)
    try harness.advance()
    harness.put(held, as: SessionID(rawValue: 1))
    drop(harness)
    // The client holds rows of the previous query.
    comeBack(harness, query: other)
    #expect(try harness.advance().map { $0.patch.base == nil } == [true])
  }

  @Test func `a resync before the disconnect leads to a whole window`() throws {
    let harness = try Harness(rows: 60)
    harness.open(query: Self.byValue, first: 20)
    try harness.settle()
    harness.engine.handle(.resync(SessionID(rawValue: 1), sequence: 1), at: harness.clock.now)
    drop(harness)
    comeBack(harness, first: 20)
    #expect(try harness.advance().map { $0.patch.base == nil } == [true])
  }

  @Test func `sections stay collapsed after a resume`() throws {
    let harness = try Harness()
    harness.change { for row in 0..<20 { $0.upsert(row, value: row, group: row < 10 ? "a" : "b") } }
    var query = QueryRequest(group: ["group"])
    harness.open(query: query)
    try harness.settle()
    harness.engine.handle(
      .collapse(SessionID(rawValue: 1), .path([.text("a")]), isCollapsed: true), at: harness.clock.now)
    try harness.settle()
    drop(harness)
    query.collapsed = [[.text("a")]]
    comeBack(harness, query: query)
    let sent = try harness.advance()
    #expect(sent.first?.patch.base != nil)
    #expect(harness.replica(2).total == 12)
    #expect(harness.replica(2).headers.map(\.isCollapsed) == [true, false])
  }

  @Test func `only ungrouped windows resume after their view was dropped`() throws {
    for (query, isPatch) in [(QueryRequest(group: ["group"]), false), (Self.byValue, true)] {
      let harness = try dropped(query: query, first: 0)
      try harness.advance(by: UnusedViewLimits.time)
      comeBack(harness, query: query)
      #expect(try harness.advance().map { $0.patch.base != nil } == [isPatch])
      #expect(harness.replica(2).sequence == 2)
    }
  }

  /// Found by seed 1545 of the simulation: the sections of a rebuilt view have other numbers.
  @Test func `only paths name sections until the resume is answered`() throws {
    let query = QueryRequest(group: ["group"])
    for (name, isApplied) in [(nil, false), (SectionName.path([.text("one")]), true)] {
      let harness = try dropped(query: query, first: 0)
      let header = try #require(harness.replica(1).headers.first)
      try harness.advance(by: UnusedViewLimits.time)
      comeBack(harness, query: query)
      harness.engine.handle(
        .collapse(SessionID(rawValue: 2), name ?? .number(header.section), isCollapsed: true), at: harness.clock.now)
      try harness.settle()
      #expect(harness.replica(2).headers.map(\.isCollapsed) == [isApplied])
      // The client can name a section of its current window by number.
      let section = try #require(harness.replica(2).headers.first).section
      harness.engine.handle(
        .collapse(SessionID(rawValue: 2), .number(section), isCollapsed: !isApplied), at: harness.clock.now)
      try harness.settle()
      #expect(harness.replica(2).headers.map(\.isCollapsed) == [!isApplied])
    }
  }

  @Test func `a session can be resumed for less than 60 seconds`() throws {
    for (wait, isPatch) in [(Duration.seconds(60) - .nanoseconds(1), true), (.seconds(60), false)] {
      let harness = try dropped()
      try harness.advance(by: wait)
      comeBack(harness, first: 20)
      #expect(try harness.advance().map { $0.patch.base != nil } == [isPatch])
    }
  }

  @Test func `the engine's deadline is the expiry of the parked session`() throws {
    let harness = try dropped()
    try harness.advance(by: UnusedViewLimits.time)
    #expect(harness.engine.deadline == harness.clock.now.advanced(by: .seconds(50)))
    try harness.advance(by: .seconds(50))
    #expect(harness.engine.deadline == nil)
  }

  @Test func `the oldest session beyond the limit is not resumed`() throws {
    var limits = Limits()
    limits.parkedSessions = 2
    let harness = try Harness(limits: limits, rows: 60)
    for number: UInt64 in [1, 3, 4] { harness.open(number, query: Self.byValue, first: 20) }
    try harness.settle()
    for number: UInt64 in [1, 3, 4] { drop(harness, number) }
    comeBack(harness, first: 20)
    #expect(try harness.advance().map { $0.patch.base == nil } == [true])
  }

  @Test func `a session can be resumed only once`() throws {
    let harness = try dropped()
    comeBack(harness, first: 20)
    try harness.advance()
    let third = SessionID(rawValue: 3)
    harness.engine.handle(
      .open(
        third, table: "numbers", request: 1, query: Self.byValue, viewport: nil, interval: nil,
        resume: ResumePoint(session: SessionID(rawValue: 1), sequence: 1)), at: harness.clock.now)
    #expect(try harness.advance().map { $0.patch.base == nil } == [true])
  }

  @Test func `resumes a session whose former connection is still open`() throws {
    let harness = try Harness(rows: 60)
    harness.open(query: Self.byValue, first: 20)
    try harness.settle()
    comeBack(harness, first: 20)
    #expect(try harness.advance().map(\.base) == [1])
    harness.acknowledge(SessionID(rawValue: 2))
    harness.change { $0.update(20, value: 201) }
    #expect(try harness.advance(by: .seconds(1)).count == 1)
  }

  @Test func `the anchor and its offset place a window that is not resumed`() throws {
    let harness = try Harness(rows: 60)
    harness.open(query: Self.byValue, first: 20)
    try harness.settle()
    let anchor = try #require(harness.row(230))
    drop(harness)
    harness.change { changes in for row in 0..<25 { changes.upsert(100 + row, value: 1) } }
    comeBack(harness, first: 20, anchor: anchor, offset: 3, sequence: 100)
    let sent = try harness.advance()
    #expect(sent.map { $0.patch.base == nil } == [true])
    #expect(sent.map(\.shift) == [25])
    #expect(harness.replica(2).start == 40)
    #expect(harness.values(2).first == 150)
  }

  /// The anchor was 3 below the first visible item at 20, and is 25 further down.
  @Test(arguments: [(to: 24, shift: 25), (to: 14, shift: 25), (to: 0, shift: 25), (to: 60, shift: 25)])
  func `a scroll before the answer is shifted along with the anchor`(_ to: Int, _ shift: Int) throws {
    let harness = try Harness(rows: 90)
    harness.open(query: Self.byValue, first: 20)
    try harness.settle()
    let anchor = try #require(harness.row(230))
    drop(harness)
    harness.change { changes in for row in 0..<25 { changes.upsert(100 + row, value: 1) } }
    comeBack(harness, first: 20, anchor: anchor, offset: 3, sequence: 100)
    harness.scroll(SessionID(rawValue: 2), first: to)
    #expect(try harness.advance().map(\.shift) == [shift])
    #expect(harness.replica(2).start == to + shift - 5)
  }

  @Test func `a collapsed section's header replaces an anchor inside it`() throws {
    let harness = try Harness()
    harness.change { changes in
      for row in 0..<60 { changes.upsert(row, value: row * 10, group: row < 30 ? "a" : "b") }
    }
    var query = QueryRequest(sort: [("value", false)], group: ["group"])
    harness.open(query: query, first: 40)
    try harness.settle()
    // Below two headers: rows 0 to 29 are at 1 to 30, row 45 is at 47.
    let anchor = try #require(harness.row(450))
    drop(harness)
    harness.change { changes in for row in 0..<4 { changes.upsert(100 + row, value: 1, group: "a") } }
    query.collapsed = [[.text("b")]]
    comeBack(harness, query: query, first: 44, anchor: anchor, offset: 3, sequence: 100)
    // The header of the second section is at 35 now, and must be three below the first visible
    // item.
    #expect(try harness.advance().map(\.shift) == [32 - 44])
  }

  @Test func `a scroll to the top before the answer overrides the anchor`() throws {
    let harness = try Harness(rows: 60)
    harness.open(query: Self.byValue, first: 20)
    try harness.settle()
    let anchor = try #require(harness.row(230))
    drop(harness)
    comeBack(harness, first: 20, anchor: anchor, offset: 3, sequence: 100)
    harness.scroll(SessionID(rawValue: 2), first: 0, stick: .top)
    #expect(try harness.advance().map(\.shift) == [0])
    #expect(harness.replica(2).start == 0)
  }

  @Test func `a deleted anchor leaves the window at its position`() throws {
    let harness = try Harness(rows: 60)
    harness.open(query: Self.byValue, first: 20)
    try harness.settle()
    let anchor = try #require(harness.row(230))
    drop(harness)
    harness.change { $0.delete(23) }
    comeBack(harness, first: 20, anchor: anchor, offset: 3, sequence: 100)
    #expect(try harness.advance().map(\.shift) == [0])
    #expect(harness.replica(2).start == 15)
  }

  @Test func `a viewport stuck to the top stays there after a resume`() throws {
    let harness = try dropped(first: 0)
    harness.change { $0.upsert(100, value: -1) }
    comeBack(harness, stick: .top)
    #expect(try harness.advance().count == 1)
    #expect(harness.values(2).first == -1)
  }

  @Test func `headers keep their pool slots after a resume`() throws {
    let harness = try Harness()
    harness.change { for row in 0..<20 { $0.upsert(row, value: row, group: "\(row / 4)") } }
    let query = QueryRequest(group: ["group"])
    harness.open(query: query)
    try harness.settle()
    let slots = harness.replica(1).headers.map(\.slot)
    drop(harness)
    comeBack(harness, query: query)
    try harness.advance()
    #expect(harness.replica(2).headers.map(\.slot) == slots)
  }
}
