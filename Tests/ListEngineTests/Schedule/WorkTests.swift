import ListTesting
import Testing

@testable import ListEngine

/// The work of one turn is bounded by its counted cost, because the engine reads no clock.
@Suite final class WorkTests {
  /// A filter with a pattern whose state sets fill every cache.
  private static let expensive = Filter<String>.matches("name", "[ab]*a[ab]{450}c")

  private func text(_ length: Int, _ random: inout SeededGenerator) -> String {
    String(decoding: (0..<length).map { _ in random.oneIn(2) ? UInt8(ascii: "a") : UInt8(ascii: "b") }, as: UTF8.self)
  }

  private func fill(_ harness: Harness, _ rows: Range<Int>, length: Int, seed: UInt64 = 1) {
    var random = SeededGenerator(seed: seed)
    harness.change { changes in
      for row in rows { changes.upsert(row, value: row, name: text(length, &random)) }
    }
  }

  private func view(_ harness: Harness, _ number: UInt64 = 1) throws -> ListView {
    try #require(harness.engine.viewWithIDs(SessionID(rawValue: number))?.view as? ListView)
  }

  /// Returns the filter's work in each turn until the view is in order.
  private func turns(_ harness: Harness, _ view: ListView) throws -> [Int] {
    var turns: [Int] = []
    while view.build != nil || view.backlog > 0, turns.count < 100_000 {
      let before = view.filter.work
      try harness.advance()
      turns.append(view.filter.work - before)
    }
    return turns
  }

  // The cost by which one character of an interrupted text may exceed the limit: its mask and one
  // set.
  private static let character = 20_000

  @Test func `an expensive pattern is evaluated over many turns`() throws {
    let harness = try Harness()
    fill(harness, 0..<2_000, length: 1_000)
    harness.open(query: QueryRequest(filter: Self.expensive), interval: .zero)
    let view = try view(harness)
    let step = Limits().stepRows * ViewBuild.filterWorkPerRow
    #expect(view.filter.work <= step + Self.character)
    let turns = try turns(harness, view)
    let most = turns.max() ?? 0
    #expect(turns.count > 5 && most <= step + Self.character, "\(turns)")
    #expect(view.rowCount == 0)
  }

  @Test func `a client receives only matching rows while a pattern runs`() throws {
    let harness = try Harness()
    fill(harness, 0..<600, length: 1_000)
    harness.change { changes in
      for row in 0..<600 where row % 100 == 7 {
        changes.update(row, name: "a" + String(repeating: "b", count: 450) + "c")
      }
    }
    harness.open(query: QueryRequest(filter: Self.expensive), interval: .zero)
    while harness.engine.deadline == .zero { try harness.advance() }
    #expect(harness.values(1) == [7, 107, 207, 307, 407, 507])
  }

  @Test func `one long text is searched over many turns`() throws {
    var limits = Limits()
    limits.stepRows = 64
    let harness = try Harness(limits: limits)
    fill(harness, 0..<1, length: 60_000)
    harness.open(query: QueryRequest(filter: Self.expensive), interval: .zero)
    let view = try view(harness)
    let turns = try turns(harness, view)
    let most = turns.max() ?? 0
    #expect(view.rowCount == 0)
    #expect(turns.count > 50 && most <= 64 * ViewBuild.filterWorkPerRow + Self.character, "\(turns)")
  }

  @Test func `two expensive patterns on one row are each evaluated once`() throws {
    var limits = Limits()
    limits.stepRows = 64
    let harness = try Harness(limits: limits)
    fill(harness, 0..<3, length: 20_000)
    let another = Filter<String>.matches("name", "[ab]*b[ab]{440}d")
    let filter = Filter<String>.any([Self.expensive, another, .compare("group", .equal, .text("one"))])
    harness.open(query: QueryRequest(filter: filter), interval: .zero)
    let view = try view(harness)
    let turns = try turns(harness, view)
    // Each evaluation is paid for once, and not again each time it continues.
    let work = turns.reduce(0, +)
    #expect(work < 12_000_000, "\(turns.count) turns")
    #expect(view.rowCount == 3)
  }

  @Test func `live changes are filtered in turns of bounded work`() throws {
    let harness = try Harness()
    fill(harness, 0..<500, length: 1_000)
    harness.open(query: QueryRequest(filter: Self.expensive), interval: .zero)
    let view = try view(harness)
    _ = try turns(harness, view)
    fill(harness, 0..<500, length: 1_000, seed: 2)
    let turns = try turns(harness, view)
    let most = Limits().turnRows * 1_024 + Self.character
    let worst = turns.max() ?? 0
    #expect(turns.count > 2 && worst <= most, "\(turns)")
  }

  @Test func `a client does not wait for the expensive filter of another`() throws {
    let harness = try Harness()
    fill(harness, 0..<300, length: 4_000)
    harness.open(1, query: QueryRequest(filter: Self.expensive), interval: .zero)
    harness.open(2, query: QueryRequest(sort: [("value", true)]), interval: .zero)
    while harness.engine.deadline == .zero { try harness.advance() }
    for client in [1, 2] { harness.acknowledge(SessionID(rawValue: UInt64(client))) }
    try harness.settle()
    let expensive = try view(harness)
    fill(harness, 0..<300, length: 4_000, seed: 2)
    harness.change { $0.upsert(1_000, value: 1_000_000) }
    try harness.advance()
    #expect(harness.values(2).first == 1_000_000)
    #expect(expensive.backlog > 0)
  }

  @Test func `a slow view blocks its source for a bounded number of turns`() throws {
    var limits = Limits()
    (limits.backlog, limits.turnRows, limits.stepRows) = (50, 1, 256)
    let harness = try Harness(limits: limits)
    fill(harness, 0..<60, length: 1_000)
    harness.open(query: QueryRequest(filter: Self.expensive), interval: .zero)
    _ = try turns(harness, try view(harness))
    var waited = 0
    var longest = 0
    for round in 0..<600 {
      if harness.engine.hasRoom(for: harness.table) {
        fill(harness, 0..<50, length: 1_000, seed: UInt64(round + 3))
        waited = 0
      }
      try harness.advance()
      waited += 1
      longest = max(longest, waited)
    }
    #expect(longest <= ViewSet.patientTurns + 1)
  }

  @Test func `queries on a small table share one budget of immediate work`() throws {
    let harness = try Harness(rows: 10_000)
    for client in 1...40 {
      let filter = Filter<String>.compare("value", .greater, .integer(Int64(client)))
      harness.open(UInt64(client), query: QueryRequest(sort: [("value", client % 2 == 0)], filter: filter))
    }
    let views = try (1...40).map { try view(harness, UInt64($0)) }
    let spent = views.reduce(0) { $0 + $1.buildWork }
    let step = Limits().stepRows
    #expect(spent <= 7 * step, "\(spent)")
    var turns: [Int] = []
    while views.contains(where: { $0.build != nil }), turns.count < 1_000 {
      let before = views.reduce(0) { $0 + $1.buildWork }
      try harness.advance()
      turns.append(views.reduce(0) { $0 + $1.buildWork } - before)
    }
    let isBounded = turns.allSatisfy { $0 > 0 && $0 <= 2 * step + 10 }
    #expect(isBounded, "\(turns)")
  }

  @Test func `a new query catches up with the work of others in few turns`() throws {
    var limits = Limits()
    limits.stepRows = 400
    let harness = try Harness(limits: limits, rows: 1_000)
    func open(_ client: Int) {
      harness.open(
        UInt64(client), query: QueryRequest(filter: .compare("value", .greater, .integer(Int64(client)))))
    }
    for client in 1...50 { open(client) }
    let others = try (1...50).map { try view(harness, UInt64($0)) }
    while others.contains(where: { $0.buildWork < 800 }) { try harness.advance() }
    #expect(others.count { $0.build?.isGathering == true } > 40)
    open(51)
    var turns = 0
    let last = try view(harness, 51)
    while last.buildWork < 800, turns < 1_000 {
      try harness.advance()
      turns += 1
    }
    // Two steps bring the view level with the others; every other turn belongs to the oldest view.
    #expect(turns <= 5, "\(turns)")
  }

  @Test func `a view is completed while new queries keep arriving`() throws {
    var limits = Limits()
    limits.stepRows = 400
    let harness = try Harness(limits: limits, rows: 1_000)
    harness.open(1, query: QueryRequest(sort: [("value", true)]))
    let first = try view(harness, 1)
    var turns = 0
    while first.build != nil, turns < 1_000 {
      for client in 2...6 {
        turns += 1
        harness.open(
          UInt64(client), query: QueryRequest(filter: .compare("value", .greater, .integer(Int64(turns)))))
      }
      try harness.advance()
    }
    #expect(first.build == nil)
  }

  // MARK: The number of views

  private func refusals(_ harness: Harness) -> [Refusal] {
    harness.others.compactMap { if case .refuse(_, let refusal) = $0 { refusal } else { nil } }
  }

  private func query(_ number: Int) -> QueryRequest {
    QueryRequest(filter: .compare("value", .greater, .integer(Int64(number))))
  }

  @Test func `a query beyond the limit of views is refused with its number`() throws {
    var limits = Limits()
    limits.views = 3
    let harness = try Harness(limits: limits, rows: 100)
    for client in 1...4 { harness.open(UInt64(client), query: query(client), interval: .zero) }
    try harness.settle()
    let first = try #require(refusals(harness).first)
    #expect(
      first.fault.error == .tooManyViews("clients look at 3 different queries of this table already; it serves 3"))
    #expect(refusals(harness).count == 1 && first.shown == nil)
    // A view that is already in use costs nothing.
    harness.engine.handle(
      .query(SessionID(rawValue: 4), request: 2, query: query(2), viewport: nil), at: harness.clock.now)
    // A session that has a view of its own may exchange it for another.
    harness.engine.handle(
      .query(SessionID(rawValue: 1), request: 2, query: query(9), viewport: nil), at: harness.clock.now)
    try harness.settle()
    #expect(refusals(harness).count == 1)
    #expect(harness.engine.census.watchedViews == 3)
    // A session that shares its view may not; it keeps that view.
    harness.engine.handle(
      .query(SessionID(rawValue: 4), request: 3, query: query(10), viewport: nil), at: harness.clock.now)
    try harness.settle()
    #expect(refusals(harness).last?.request == 3 && refusals(harness).last?.shown == 2)
    // A view that is released makes room.
    harness.engine.handle(.close(SessionID(rawValue: 3)), at: harness.clock.now)
    harness.engine.handle(
      .query(SessionID(rawValue: 4), request: 4, query: query(10), viewport: nil), at: harness.clock.now)
    try harness.settle()
    #expect(refusals(harness).count == 2)
  }

  @Test func `views stay within their limit of bytes`() throws {
    var limits = Limits()
    limits.viewBytes = 250 * ListView.bytesPerRow
    let harness = try Harness(limits: limits, rows: 100)
    for client in 1...3 { harness.open(UInt64(client), query: query(-client)) }
    try harness.settle()
    #expect(refusals(harness).count == 1)
    // A single view is served, however large it is.
    limits.viewBytes = 1
    let other = try Harness(limits: limits, rows: 100)
    other.open(1)
    try other.settle()
    #expect(refusals(other).isEmpty)
  }

  @Test func `one owner holds half of a table's views at most`() throws {
    var limits = Limits()
    limits.views = 4
    let harness = try Harness(limits: limits, rows: 100)
    for client in 1...3 { harness.open(UInt64(client), query: query(client), owner: 7) }
    try harness.settle()
    #expect(
      refusals(harness).map(\.fault.error) == [
        .tooManyViews(
          "the clients of one token look at 2 different queries of this table already; it serves 2 to one token")
      ])
    // Another owner, and sessions without one, have the rest.
    harness.open(4, query: query(4), owner: 8)
    harness.open(5, query: query(5))
    // A view that others look at is free for everyone.
    harness.open(6, query: query(4), owner: 7)
    try harness.settle()
    #expect(refusals(harness).count == 1 && harness.engine.census.watchedViews == 4)
    // A query in the place of an own one is granted while it is the only session on that view.
    harness.engine.handle(.close(SessionID(rawValue: 6)), at: harness.clock.now)
    harness.engine.handle(
      .query(SessionID(rawValue: 1), request: 2, query: query(9), viewport: nil), at: harness.clock.now)
    try harness.settle()
    #expect(refusals(harness).count == 1 && harness.engine.census.watchedViews == 4)
  }

  // MARK: The size of windows

  @Test func `windows shrink when many clients would exceed the byte limit`() throws {
    var limits = Limits()
    limits.viewBytes = 2 * 1_000_000
    let harness = try Harness(limits: limits, rows: 10_000)
    harness.open(1, first: 5_000, count: 200, buffer: 1_000, interval: .zero)
    try harness.settle()
    let alone = harness.replica().items.count
    #expect(alone >= 1_024 && alone < 2_200, "\(alone)")
    for client in 2...40 {
      harness.open(UInt64(client), first: 100 * client, count: 200, buffer: 1_000, interval: .zero)
    }
    harness.change { $0.upsert(5_000, value: 1, name: "x") }
    try harness.settle()
    let counts = (1...40).map { harness.replica(UInt64($0)).items.count }
    #expect(counts.allSatisfy { $0 == TableState.leastWindow }, "\(counts)")
    // The rows at the beginning of the viewport are those that remain.
    #expect(harness.replica(7).start == 700)
  }

}
