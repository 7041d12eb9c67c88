import ListTesting
import Testing

@testable import ListEngine

/// The bounds of the work in one turn of the event loop, and the work left for the next turn.
@Suite final class TurnTests {
  private func limits(turnRows: Int = 8_192, backlog: Int = 4_096, stepRows: Int = 1 << 16) -> Limits {
    var limits = Limits()
    (limits.turnRows, limits.backlog, limits.stepRows) = (turnRows, backlog, stepRows)
    return limits
  }

  /// Returns a harness with four sessions of ten items, each with its own view.
  private func fourClients(_ limits: Limits) throws -> Harness {
    let harness = try Harness(limits: limits, rows: 100)
    for (number, query) in [
      QueryRequest(), QueryRequest(sort: [("value", false)]), QueryRequest(sort: [("value", true)]),
      QueryRequest(sort: [("name", false)]),
    ].enumerated() { harness.open(UInt64(number + 1), query: query, buffer: 0, interval: .zero) }
    return harness
  }

  /// Returns the sessions served in this turn.
  ///
  /// All acknowledge.
  private func served(_ harness: Harness) throws -> [UInt64] {
    let before = harness.deliveries.count
    try harness.advance()
    let served = harness.deliveries[before...].map(\.session)
    for id in served { harness.acknowledge(id) }
    return served.map(\.rawValue)
  }

  @Test func `work beyond a turn's limit is done in the next turn`() throws {
    // A window of ten items counts as ten.
    let harness = try fourClients(limits(turnRows: 20))
    #expect(try served(harness) == [1, 2])
    #expect(harness.engine.deadline == .zero)
    #expect(try served(harness) == [3, 4])
    #expect(try served(harness) == [])
  }

  @Test func `each turn cuts one window even if it exceeds the limit`() throws {
    let harness = try fourClients(limits(turnRows: 1))
    for client in 1...4 { #expect(try served(harness) == [UInt64(client)]) }
  }

  @Test func `sessions skipped in a turn are served first in the next`() throws {
    let harness = try fourClients(limits(turnRows: 21))
    while try !served(harness).isEmpty {}
    var turns: [[UInt64]] = []
    for round in 1...8 {
      harness.change { changes in
        for row in [0, 99] { changes.upsert(row, value: row * 10 + round, name: "r\(round)") }
      }
      turns.append(try served(harness))
    }
    #expect(turns.allSatisfy { (1...3).contains($0.count) }, "\(turns)")
    #expect(turns.flatMap(\.self).prefix(8) == [1, 2, 3, 4, 1, 2, 3, 4], "\(turns)")
  }

  @Test func `a view that is far behind catches up over several turns`() throws {
    let harness = try Harness(limits: limits(turnRows: 100), rows: 1000)
    harness.open(1, query: QueryRequest(sort: [("value", true)]), buffer: 0, stick: .top, interval: .zero)
    while try !served(harness).isEmpty {}
    harness.change { changes in for row in 0..<300 { changes.update(row, value: 20_000 + row) } }
    // Each row is deleted and inserted: six times the budget of a turn, plus a little for reading.
    for _ in 1...6 {
      #expect(try served(harness).isEmpty)
      #expect(harness.engine.deadline == .zero)
    }
    #expect(try served(harness) == [1])
    #expect(harness.values(1) == (290..<300).reversed().map { 20_000 + $0 })
  }

  @Test(arguments: [(5_010, [[1], [2], [3], [4]]), (5_011, [[1, 2], [3, 4]])])
  func `views that are rebuilt together share the work of a turn`(_ turnRows: Int, _ turns: [[UInt64]]) throws {
    let harness = try fourClients(limits(turnRows: turnRows))
    while try !served(harness).isEmpty {}
    // Each view is built from five thousand rows and yields a window of ten.
    harness.change { changes in for row in 0..<5_000 { changes.upsert(row, value: row * 7 % 5_000, name: "\(row)") } }
    for turn in turns { #expect(try served(harness) == turn) }
    #expect(try served(harness).isEmpty)
  }

  @Test func `changes beyond the work of each turn starve no client`() throws {
    let harness = try fourClients(limits(turnRows: 21))
    while try !served(harness).isEmpty {}
    var clients: Set<UInt64> = []
    for round in 1...60 {
      // All rows: ten times the budget of a turn.
      harness.change { changes in for row in 0..<100 { changes.upsert(row, value: row * 10 + round, name: "r\(round)") }
      }
      clients.formUnion(try served(harness))
    }
    #expect(clients == [1, 2, 3, 4])
  }

  @Test func `clients that share a window cost the work of one`() throws {
    let harness = try Harness(limits: limits(turnRows: 20), rows: 100)
    for client in 1...4 { harness.open(UInt64(client), buffer: 0, interval: .zero) }
    #expect(try served(harness) == [1, 2, 3, 4])
  }

  // MARK: Room

  /// The number of updates, so that each has a new value.
  private var updates = 0

  private func update(_ harness: Harness, _ count: Int) {
    updates += 1
    harness.change { [updates] changes in for row in 0..<count { changes.update(row, value: updates * 1000 + row) } }
  }

  private func hasRoom(_ harness: Harness) -> Bool { harness.engine.hasRoom(for: harness.table) }

  @Test func `a table has room while its views are below the backlog limit`() throws {
    let harness = try Harness(limits: limits(backlog: 10), rows: 100)
    harness.open(query: QueryRequest(sort: [("value", false)]))
    try harness.settle()
    // Nothing is due for a client that has just been served.
    update(harness, 1)
    try harness.settle()
    update(harness, 9)
    #expect(hasRoom(harness))
    update(harness, 1)
    #expect(!hasRoom(harness))
    #expect(harness.engine.deadline == .zero)
    #expect(try harness.advance().isEmpty)
    #expect(hasRoom(harness))
  }

  @Test func `a view catches up at half its backlog with no session due`() throws {
    let harness = try Harness(limits: limits(backlog: 10), rows: 100)
    harness.open(query: QueryRequest(sort: [("value", false)]))
    try harness.settle()
    update(harness, 1)
    try harness.settle()
    update(harness, 4)
    #expect(harness.engine.deadline != .zero)
    try harness.advance()
    update(harness, 1)
    #expect(harness.engine.deadline == .zero)
    try harness.advance()
    #expect(harness.engine.deadline != .zero)
    // The view has applied the changes: five more do not fill it.
    update(harness, 9)
    #expect(hasRoom(harness))
  }

  @Test func `a table without clients has room`() throws {
    let harness = try Harness(limits: limits(backlog: 1), rows: 100)
    update(harness, 50)
    #expect(hasRoom(harness))
    harness.open(query: QueryRequest(sort: [("value", false)]))
    try harness.settle()
    harness.engine.handle(.close(SessionID(rawValue: 1)), at: harness.clock.now)
    update(harness, 50)
    #expect(hasRoom(harness))
  }

  @Test func `a hidden client does not block its table`() throws {
    let harness = try Harness(limits: limits(backlog: 10), rows: 100)
    let client = harness.open(query: QueryRequest(sort: [("value", false)]))
    try harness.settle()
    harness.engine.handle(.visibility(client, isHidden: true), at: harness.clock.now)
    update(harness, 50)
    #expect(!hasRoom(harness))
    try harness.advance()
    #expect(hasRoom(harness))
  }

  @Test func `a client stuck to the end gets the last rows of a built view`() throws {
    let harness = try Harness(limits: limits(stepRows: 400), rows: 3_000)
    harness.open(query: QueryRequest(sort: [("value", false)]), buffer: 0, stick: .end, interval: .zero)
    while try !served(harness).isEmpty || harness.engine.deadline == .zero {}
    #expect(harness.values(1) == (2_990..<3_000).map { $0 * 10 })
  }

  @Test func `a table has room while its view is under construction`() throws {
    let harness = try Harness(limits: limits(backlog: 10, stepRows: 4), rows: 100)
    harness.open(query: QueryRequest(sort: [("value", false)]))
    try harness.advance()
    for _ in 0..<10 { update(harness, 40) }
    #expect(hasRoom(harness))
    for _ in 0..<1000 where harness.engine.deadline == .zero {
      try harness.advance()
      harness.acknowledge()
    }
    try harness.settle(by: .seconds(1))
    // Rows 40 to 99 stayed; the others have greater values now.
    #expect(harness.values().first == 400)
  }
}
