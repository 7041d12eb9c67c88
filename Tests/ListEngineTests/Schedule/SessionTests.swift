import ListTesting
import Testing

@testable import ListEngine

/// The times at which a client receives deliveries: design.md 4.4 and the second half of 4.5.
@Suite struct SessionTests {
  @Test func `sends the first window at once, with sequence 1`() throws {
    let harness = try Harness(rows: 100)
    harness.open()
    let sent = try harness.advance()
    #expect(sent.map(\.sequence) == [1])
    #expect(sent.first?.patch.base == nil)
    #expect(harness.values() == (0..<15).map { $0 * 10 })
  }

  @Test func `merges changes until the patch in flight is acknowledged`() throws {
    let harness = try Harness(rows: 10)
    let id = harness.open()
    try harness.settle()
    harness.change { $0.update(1, value: 1) }
    #expect(try harness.advance(by: .seconds(1)).count == 1)
    harness.engine.handle(.writable(id), at: harness.clock.now)
    for value in 2..<5 {
      harness.change { $0.update(1, value: value) }
      #expect(try harness.advance(by: .seconds(1)).isEmpty)
    }
    harness.acknowledge()
    // From the state last sent to the current one: intermediate values were never sent.
    let sent = try harness.advance()
    #expect(sent.count == 1)
    #expect(sent.first?.patch.updatedRows.map { $0.row.cells[0] } == [.integer(4)])
  }

  @Test func `ignores an acknowledgement of another sequence`() throws {
    let harness = try Harness(rows: 10)
    let id = harness.open()
    try harness.advance()
    harness.engine.handle(.writable(id), at: harness.clock.now)
    for wrong in [0, 2, 99] as [UInt64] {
      harness.engine.handle(.acknowledge(id, sequence: wrong), at: harness.clock.now)
    }
    harness.change { $0.update(1, value: 7) }
    #expect(try harness.advance(by: .seconds(1)).isEmpty)
  }

  @Test func `sends no patch until the socket is writable`() throws {
    let harness = try Harness(rows: 10)
    let id = harness.open()
    try harness.advance()
    harness.engine.handle(.acknowledge(id, sequence: 1), at: harness.clock.now)
    harness.change { $0.update(1, value: 7) }
    #expect(try harness.advance(by: .seconds(1)).isEmpty)
    harness.engine.handle(.writable(id), at: harness.clock.now)
    #expect(try harness.advance().count == 1)
  }

  @Test func `sends no patch before the throttle is due`() throws {
    let harness = try Harness(rows: 10)
    harness.open()
    try harness.settle()
    harness.change { $0.update(1, value: 7) }
    #expect(try harness.advance(by: .seconds(1)).count == 1)
    harness.acknowledge()
    harness.change { $0.update(1, value: 8) }
    #expect(try harness.advance(by: .milliseconds(299)).isEmpty)
    #expect(harness.engine.deadline == harness.clock.now.advanced(by: .milliseconds(1)))
    #expect(try harness.advance(by: .milliseconds(1)).count == 1)
  }

  @Test func `a scroll is sent at once and leaves a throttled change due`() throws {
    let harness = try Harness(rows: 100)
    harness.open()
    try harness.settle()
    harness.change { $0.update(1, value: 7) }
    try harness.settle(by: .seconds(1))  // a throttled flush
    harness.change { $0.update(90, value: 3) }  // waits until 300 ms
    harness.scroll(first: 30)
    #expect(try harness.advance(by: .milliseconds(100)).count == 1)
    harness.acknowledge()
    // Still pending, and still due at 300 ms: the scroll neither flushed the throttle nor started
    // an interval.
    #expect(harness.engine.deadline == harness.clock.now.advanced(by: .milliseconds(200)))
    harness.change { $0.update(35, value: 1) }
    #expect(try harness.advance(by: .milliseconds(199)).isEmpty)
    #expect(try harness.advance(by: .milliseconds(1)).count == 1)
  }

  @Test func `a scroll does not delay the first change after a quiet time`() throws {
    let harness = try Harness(rows: 100)
    harness.open()
    try harness.settle()
    harness.scroll(first: 30)
    try harness.settle(by: .seconds(5))
    harness.change { $0.update(35, value: 1) }
    #expect(try harness.advance(by: .milliseconds(1)).count == 1)
  }

  @Test func `an opened table and a scroll are due at once`() throws {
    let harness = try Harness(rows: 100)
    harness.open()
    #expect(harness.engine.deadline == .zero)
    try harness.settle()
    harness.scroll(first: 30)
    #expect(harness.engine.deadline == .zero)
    try harness.advance()
    #expect(harness.engine.deadline == nil)
  }

  @Test func `answers a query at once with its request number`() throws {
    let harness = try Harness(rows: 10)
    let id = harness.open()
    try harness.settle()
    harness.engine.handle(
      .query(id, request: 9, query: QueryRequest(sort: [("value", true)]), viewport: nil), at: harness.clock.now)
    let sent = try harness.advance()
    #expect(sent.map(\.request) == [9])
    #expect(sent.first?.patch.base == nil)
    #expect(harness.values().first == 90)
  }

  @Test func `a hidden client gets nothing, and one patch on its return`() throws {
    let harness = try Harness(rows: 10)
    let id = harness.open()
    try harness.settle()
    harness.engine.handle(.visibility(id, isHidden: true), at: harness.clock.now)
    for value in 1..<5 {
      harness.change { $0.update(1, value: value) }
      #expect(try harness.advance(by: .seconds(1)).isEmpty)
    }
    #expect(harness.engine.deadline == nil)
    harness.engine.handle(.visibility(id, isHidden: false), at: harness.clock.now)
    #expect(try harness.advance().count == 1)
    harness.acknowledge()
    #expect(try harness.advance(by: .seconds(1)).isEmpty)
    #expect(harness.values()[1] == 4)
  }

  @Test func `a patch on the return does not delay the next change`() throws {
    let harness = try Harness(rows: 10)
    let id = harness.open()
    try harness.settle()
    harness.engine.handle(.visibility(id, isHidden: true), at: harness.clock.now)
    harness.change { $0.update(1, value: 1) }
    try harness.settle(by: .seconds(1))
    harness.engine.handle(.visibility(id, isHidden: false), at: harness.clock.now)
    try harness.settle()
    harness.change { $0.update(1, value: 2) }
    // The patch on return was a direct flush and does not count.
    #expect(try harness.advance(by: .milliseconds(1)).count == 1)
  }

  @Test func `hiding cancels a throttled change`() throws {
    let harness = try Harness(rows: 10)
    let id = harness.open()
    try harness.settle()
    harness.change { $0.update(1, value: 1) }
    try harness.settle(by: .seconds(1))
    harness.change { $0.update(1, value: 2) }
    harness.engine.handle(.visibility(id, isHidden: true), at: harness.clock.now)
    harness.engine.handle(.visibility(id, isHidden: false), at: harness.clock.now)
    #expect(try harness.advance().count == 1)
    harness.acknowledge()
    #expect(harness.engine.deadline == nil)
  }

  @Test func `a client can set its interval and return to the default`() throws {
    let harness = try Harness(rows: 10)
    let id = harness.open(interval: .milliseconds(100))
    try harness.settle()
    func nextFlush(_ harness: Harness) throws -> Duration? {
      harness.change { $0.update(1, value: 1) }
      try harness.settle(by: .seconds(100))
      harness.change { $0.update(1, value: 2) }
      let wait = harness.engine.deadline.map { harness.clock.now.duration(to: $0) }
      try harness.settle(by: .seconds(100))
      return wait
    }
    #expect(try nextFlush(harness) == .milliseconds(100))
    harness.engine.handle(.pace(id, .seconds(2)), at: harness.clock.now)
    #expect(try nextFlush(harness) == .seconds(2))
    harness.engine.handle(.pace(id, nil), at: harness.clock.now)
    #expect(try nextFlush(harness) == .milliseconds(300))
  }

  @Test func `a new interval applies to a change that already waits`() throws {
    let harness = try Harness(rows: 10)
    let id = harness.open()
    try harness.settle()
    harness.change { $0.update(1, value: 1) }
    try harness.settle(by: .seconds(1))
    harness.change { $0.update(1, value: 2) }
    #expect(harness.engine.deadline == harness.clock.now.advanced(by: .milliseconds(300)))
    harness.engine.handle(.pace(id, .milliseconds(100)), at: harness.clock.now)
    #expect(harness.engine.deadline == harness.clock.now.advanced(by: .milliseconds(100)))
  }

  @Test func `a change waits for an interval grown by a slow client`() throws {
    let harness = try Harness(rows: 10)
    harness.open()
    try harness.settle()
    harness.change { $0.update(1, value: 1) }
    try harness.advance(by: .seconds(1))
    harness.clock.advance(by: .milliseconds(400))
    harness.acknowledge()
    harness.change { $0.update(1, value: 2) }
    // 500 ms after the last flush, not 300.
    #expect(harness.engine.deadline == harness.clock.now.advanced(by: .milliseconds(100)))
  }

  @Test func `slow acknowledgements grow the interval, fast ones shrink it`() throws {
    let harness = try Harness(rows: 10)
    let id = harness.open()
    try harness.settle()
    var value = 100
    func round(_ harness: Harness, ack delay: Duration) throws -> Duration {
      value += 1
      harness.change { $0.update(1, value: value) }
      let sent = try harness.advance(by: .seconds(20))
      harness.clock.advance(by: delay)
      harness.acknowledge(id)
      return try #require(sent.first).interval
    }
    #expect(try round(harness, ack: .seconds(2)) == .milliseconds(300))
    #expect(try round(harness, ack: .seconds(2)) == .milliseconds(500))
    #expect(try round(harness, ack: .milliseconds(1)) == .milliseconds(750))
    for _ in 0..<8 { _ = try round(harness, ack: .milliseconds(1)) }
    #expect(try round(harness, ack: .milliseconds(1)) == .milliseconds(300))
  }

  @Test func `sequence numbers continue when a client reopens a table`() throws {
    let harness = try Harness(rows: 10)
    let id = harness.open()
    #expect(try harness.advance().map(\.sequence) == [1])
    harness.open()
    // The last delivery is still in the socket's buffer.
    #expect(try harness.advance().isEmpty)
    harness.engine.handle(.writable(id), at: harness.clock.now)
    #expect(try harness.advance().map(\.sequence) == [2])
    // A late acknowledgement about the previous table.
    harness.engine.handle(.acknowledge(id, sequence: 1), at: harness.clock.now)
    harness.engine.handle(.writable(id), at: harness.clock.now)
    harness.change { $0.update(1, value: 1) }
    #expect(try harness.advance(by: .seconds(1)).isEmpty)
  }

  @Test func `a hidden client that reopens a table gets it when visible`() throws {
    let harness = try Harness(rows: 10)
    let id = harness.open()
    try harness.settle()
    harness.engine.handle(.visibility(id, isHidden: true), at: harness.clock.now)
    harness.open()
    #expect(try harness.advance(by: .seconds(1)).isEmpty)
    harness.engine.handle(.visibility(id, isHidden: false), at: harness.clock.now)
    #expect(try harness.advance().map(\.sequence) == [2])
  }

  @Test func `a session opened before its table exists is served later`() throws {
    var engine = Engine(epoch: "e")
    let id = SessionID(rawValue: 1)
    engine.handle(
      .open(id, table: "numbers", request: 1, query: QueryRequest(), viewport: nil, interval: nil), at: .zero)
    #expect(engine.advance(to: .zero).isEmpty)
    _ = try engine.addTable(Harness.schema, at: .zero)
    let outputs = engine.advance(to: .zero)
    #expect(outputs.contains { if case .deliver(id, _) = $0 { true } else { false } })
  }

  @Test func `a session closed before its table exists gets nothing`() throws {
    var engine = Engine(epoch: "e")
    let id = SessionID(rawValue: 1)
    engine.handle(
      .open(id, table: "numbers", request: 1, query: QueryRequest(), viewport: nil, interval: nil), at: .zero)
    engine.handle(.close(id), at: .zero)
    _ = try engine.addTable(Harness.schema, at: .zero)
    #expect(!engine.advance(to: .zero).contains { if case .deliver = $0 { true } else { false } })
  }

  @Test func `a client that opens a table twice gets each delivery once`() throws {
    let harness = try Harness(rows: 10)
    harness.open()
    try harness.settle()
    harness.open()
    #expect(try harness.advance().count == 1)
    harness.acknowledge()
    harness.change { $0.update(1, value: 1) }
    #expect(try harness.advance(by: .seconds(1)).count == 1)
  }

  @Test func `accepts as many sort terms as the limit`() throws {
    let harness = try Harness(rows: 10)
    harness.open(query: QueryRequest(sort: Array(repeating: ("value", true), count: Limits().sortTerms)))
    #expect(try harness.advance().count == 1)
    #expect(harness.values().first == 90)
  }

  @Test func `an invalid query is refused, and all clients stay served`() throws {
    let bad: [(QueryRequest, String)] = [
      (QueryRequest(sort: [("nothing", false)]), "unknownColumn"), (QueryRequest(group: ["nothing"]), "unknownColumn"),
      (QueryRequest(search: String(repeating: "x", count: 1001)), "tooLong"),
      (QueryRequest(group: ["name", "group", "value", "name", "group"]), "tooLong"),
      (QueryRequest(sort: Array(repeating: ("value", false), count: 9)), "tooLong"),
    ]
    for (query, kind) in bad {
      let harness = try Harness(rows: 10)
      harness.open(1)
      let id = harness.open(2)
      try harness.settle()
      harness.engine.handle(.query(id, request: 2, query: query, viewport: nil), at: harness.clock.now)
      try harness.advance()
      let errors = harness.others.compactMap {
        if case .refuse(id, let refusal) = $0 { "\(refusal.fault.error)" } else { nil }
      }
      #expect(errors.count == 1 && errors[0].contains(kind), "\(errors)")
      harness.change { $0.update(1, value: 77) }
      #expect(try harness.advance(by: .seconds(1)).map(\.request) == [1, 1])
    }
  }

  @Test func `keeps a view that is in use again`() throws {
    let table = Table(Harness.schema, limits: Limits(), seed: 1)
    let state = TableState(table, id: TableID(rawValue: 0), at: .zero)
    let sessions = (1...2).map { session($0) }
    var outputs: [Output] = []
    try state.attach(sessions[0], to: Query(), at: .zero)
    state.detach(sessions[0], at: .zero)
    try state.attach(sessions[0], to: Query(), at: .zero)
    state.advance(to: Instant.zero.advanced(by: UnusedViewLimits.time * 2), limits: Limits(), outputs: &outputs)
    try state.attach(sessions[1], to: Query(), at: .zero)
    #expect(sessions[0].view === sessions[1].view)
  }

  @Test func `the change log stays bounded without visible clients`() throws {
    let table = Table(Harness.schema, limits: Limits(), seed: 1)
    let state = TableState(table, id: TableID(rawValue: 0), at: .zero)
    let hidden = session(1)
    try state.attach(hidden, to: Query(), at: .zero)
    hidden.setHidden(true, at: .zero)
    for round in 0..<40 {
      var changes = Changes()
      for key in 0..<1000 { changes.upsert(key, value: round) }
      state.apply(changes.set, at: .zero)
      #expect(table.log.entries.count <= ViewSet.longestLog)
    }
    #expect(table.log.end > ViewSet.longestLog)
    // The log is bounded for unused views as well: they are dropped instead of catching up.
    state.detach(hidden, at: .zero)
    for round in 40..<80 {
      var changes = Changes()
      for key in 0..<1000 { changes.upsert(key, value: round) }
      state.apply(changes.set, at: .zero)
      #expect(table.log.entries.count <= ViewSet.longestLog)
    }
  }

  private func session(_ number: Int) -> Session {
    Session(
      SessionID(rawValue: UInt64(number)), table: "numbers", request: 1, query: QueryRequest(), viewport: nil,
      interval: .zero, limits: Limits())
  }

  @Test func `sends a source's status at most once a second`() throws {
    let harness = try Harness(rows: 3)
    harness.open()
    try harness.settle()
    try harness.advance(by: .seconds(2))
    func statuses(_ harness: Harness) -> [SourceStatus] {
      harness.others.compactMap { if case .status(_, _, let status) = $0 { status } else { nil } }
    }
    let before = statuses(harness).count
    for number in 0..<10 {
      harness.engine.handle(.source(harness.table, .stale, message: "down \(number)"), at: harness.clock.now)
      try harness.advance(by: .milliseconds(10))
    }
    #expect(statuses(harness).count == before + 1)
    try harness.advance(by: .seconds(1))
    #expect(statuses(harness).count == before + 2)
    #expect(statuses(harness).last?.message == "down 9")
    #expect(statuses(harness).last?.state == .stale)
  }

  @Test func `a source's status counts down to its next retry`() throws {
    let harness = try Harness(rows: 3)
    harness.open()
    try harness.settle()
    try harness.advance(by: .seconds(2))
    func report(_ state: SourceState, _ retry: Duration?) {
      harness.engine.handle(.source(harness.table, state, message: "down", retry: retry), at: harness.clock.now)
    }
    func retry() -> Duration? { harness.engine.tables(at: harness.clock.now)[0].source.retry }
    report(.backingOff, .seconds(5))
    #expect(retry() == .seconds(5))
    harness.clock.advance(by: .seconds(2))
    #expect(retry() == .seconds(3))
    harness.clock.advance(by: .seconds(4))
    #expect(retry() == .zero)
    report(.backingOff, .seconds(7))
    #expect(retry() == .seconds(7), "another try of the same kind is news")
    try harness.settle()
    try harness.advance(by: .seconds(1))
    guard case .status(_, _, let status)? = harness.others.last else {
      Issue.record("no status: \(harness.others)")
      return
    }
    #expect(status.state == .backingOff && status.retry != nil)
    report(.live, nil)
    #expect(retry() == nil)
  }

  @Test func `equal inputs produce windows with equal digests`() throws {
    func run() throws -> [UInt32] {
      let harness = try Harness(rows: 50)
      for number in 1...4 {
        harness.open(UInt64(number), query: QueryRequest(sort: [("value", number % 2 == 0)], group: ["group"]))
      }
      for step in 0..<30 {
        harness.change { $0.upsert(step * 7 % 60, value: step, group: "group \(step % 5)") }
        try harness.settle(by: .milliseconds(200))
      }
      return harness.deliveries.map(\.delivery.patch.result.digest)
    }
    #expect(try run() == run())
  }
}
