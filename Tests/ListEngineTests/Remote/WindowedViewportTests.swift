import ListTesting
import Testing

@testable import ListEngine

/// Requests to a windowed source for visible rows, and the time at which clients see the answers,
/// while the data changes.
@Suite struct WindowedViewportTests {
  private let client = SessionID(rawValue: 1)

  private func harness(
    _ capabilities: WindowedCapabilities = WindowedCapabilities(), rows: Int = 1000,
    prefetch: PrefetchPolicy = PrefetchPolicy()
  ) throws -> WindowedHarness {
    try WindowedHarness(capabilities, rows: rows, limits: WindowedHarness.limits { _ in }, prefetch: prefetch)
  }

  private func values(_ range: Range<Int>) -> [String] { range.map { "\($0 * 10)" } }

  /// Advances time in small steps and calls `look` with the client's items after each.
  private func watch(_ harness: WindowedHarness, _ steps: Int = 100, _ look: ([String]) -> Void) throws {
    for _ in 0..<steps {
      try harness.turn(by: .milliseconds(50))
      look(harness.lines())
      harness.answer()
    }
  }

  @Test func `requests nothing for a hidden session until it is visible`() throws {
    let harness = try harness()
    harness.open()
    try harness.settle()
    let before = harness.source.requests.count
    harness.engine.handle(.visibility(client, isHidden: true), at: harness.clock.now)
    harness.scroll(first: 500)
    try harness.settle(within: .seconds(10))
    #expect(harness.source.requests.count == before)
    harness.engine.handle(.visibility(client, isHidden: false), at: harness.clock.now)
    try harness.settle(within: .seconds(10))
    #expect(harness.source.requests.count > before)
    #expect(harness.lines() == values(495..<515))
  }

  @Test func `sends rows scrolled to before the flush interval ends`() throws {
    let harness = try harness()
    harness.open(interval: .seconds(30))
    try harness.settle()
    // The next throttled flush is half a minute away.
    harness.plan = { _ in .init(after: .seconds(1)) }
    harness.scroll(first: 500)
    try harness.settle(within: .seconds(2))
    #expect(harness.lines() == values(495..<515))
  }

  @Test func `a reload loads the shifted window without placeholders`() throws {
    let harness = try harness()
    harness.open()
    try harness.settle()
    harness.scroll(first: 500)
    try harness.settle()
    // The window ends with a block; moved six rows down, it reaches into the next block.
    #expect(harness.lines() == values(495..<515))
    for row in 0..<6 { harness.upsert(2_000 + row, at: 0) }
    harness.upsert(500, value: 7)
    harness.change()
    try watch(harness) { #expect(!$0.contains("...")) }
    #expect(harness.lines() == values(495..<500) + ["7"] + values(501..<515))
    #expect(harness.replica().start == 501)
  }

  @Test func `held rows keep updating far from their former position`() throws {
    let harness = try harness()
    harness.open()
    try harness.settle()
    harness.scroll(first: 500)
    try harness.settle()
    harness.engine.handle(.hold(client, isHeld: true), at: harness.clock.now)
    for step in 1...8 {
      for row in 0..<6 { harness.upsert(1_000 + step * 10 + row, at: 0) }
      harness.upsert(514, value: step)
      harness.change()
      try watch(harness, 40) { #expect(!$0.contains("...")) }
      #expect(harness.lines() == values(495..<514) + ["\(step)"], "step \(step)")
    }
  }

  @Test func `a session opened after a change receives no old rows`() throws {
    let harness = try harness(rows: 20)
    harness.open()
    try harness.settle()
    harness.close()
    try harness.turn()
    for row in 0..<20 { harness.upsert(row, value: 7) }
    harness.change()
    try harness.turn()
    harness.plan = { _ in .init(after: .seconds(1)) }
    harness.open(2)
    for _ in 0..<40 {
      try harness.turn(by: .milliseconds(50))
      harness.answer()
      #expect(Set(harness.lines(2)).isSubset(of: ["7", "..."]))
    }
    #expect(harness.lines(2) == [String](repeating: "7", count: 15))
  }

  @Test func `a request that times out no longer delays a reload`() throws {
    let harness = try harness(prefetch: PrefetchPolicy(patience: .seconds(2)))
    // Long enough that no throttled flush of the session occurs in between.
    harness.open(interval: .seconds(30))
    try harness.settle()
    harness.plan = { _ in .init(.isForgotten) }
    harness.scroll(first: 500)
    try harness.turn()
    harness.change()
    try harness.turn(by: .seconds(1))
    try harness.turn()
    let requested = harness.source.requests.count
    // The reload after the change waits for rows that were never loaded.
    try harness.turn(by: .milliseconds(999))
    #expect(harness.source.requests.count == requested)
    #expect(harness.engine.deadline == harness.clock.now.advanced(by: .milliseconds(1)))
    try harness.turn(by: .milliseconds(1))
    #expect(harness.engine.deadline == .zero, "the change waits on")
    try harness.turn()
    #expect(harness.source.requests.count > requested)
  }

  @Test func `an answer requested before a change is followed by a reload`() throws {
    // The source is not notified when no session needs its answer any more.
    let harness = try harness(WindowedCapabilities(cancels: false), rows: 10)
    harness.open()
    try harness.settle()
    harness.plan = { _ in .init(.isForgotten) }
    harness.upsert(3, value: 7)
    harness.change()
    try harness.turn(by: .seconds(1))
    let old = try #require(harness.source.requests.last)
    harness.upsert(3, value: 8)
    harness.change()
    for _ in 0..<3 { try harness.turn(by: .seconds(1)) }
    let rows = (0..<10).map { row -> (RowKey, [Cell]) in
      (.integer(Int64(row)), [.integer(row == 3 ? 7 : Int64(row) * 10), .text("row \(row)"), .text("old")])
    }
    harness.engine.handle(
      .page(harness.table, old.id, RowBlock(rows, hasMore: false, count: 10)), at: harness.clock.now)
    try harness.settle(within: .seconds(20))
    harness.plan = { _ in .init() }
    try harness.settle()
    #expect(harness.lines()[3] == "8")
    #expect(harness.replica().cells[0][2] == .text("even"))
  }

  @Test func `ignores the answer to a request replaced by a reload`() throws {
    // The source is not notified when no session needs its answer any more.
    let harness = try harness(WindowedCapabilities(paging: .offset, cancels: false))
    harness.open()
    try harness.settle()
    harness.plan = { _ in .init(.isForgotten) }
    harness.scroll(first: 500, buffer: 0)
    try harness.turn()
    harness.change()
    try harness.turn(by: .seconds(1))
    try harness.turn()
    // Rows requested later do not delay anything: once no session waits for the first ones,
    // everything is requested again.
    harness.scroll(first: 700, buffer: 0)
    try harness.turn()
    let old = try #require(harness.source.requests.last)
    for _ in 0..<6 { try harness.turn(by: .milliseconds(500)) }
    let new = try #require(harness.source.requests.last)
    try #require(new.id != old.id && new.what == old.what)
    func answer(_ request: BlockRequest, _ value: Int64) throws {
      let rows = (700..<710).map { (RowKey.integer($0), [Cell.integer(value), .text("row"), .text("group")]) }
      harness.engine.handle(
        .page(harness.table, request.id, RowBlock(rows, hasMore: true, count: 1000)), at: harness.clock.now)
      try harness.turn(by: .milliseconds(500))
    }
    try answer(old, 1)
    #expect(!harness.lines().contains("1"))
    try answer(new, 7)
    #expect(harness.lines() == [String](repeating: "7", count: 10))
  }
}
