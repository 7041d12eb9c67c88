import ListTesting
import Testing

@testable import ListEngine

/// A viewport refers to the window named by its `seq`, whatever else is in flight.
@Suite struct ViewportTests {
  private static let id = SessionID(rawValue: 1)

  /// Returns a session on 1,000 rows that has requested another order and applied the resulting
  /// window.
  private func requested(first: Int = 0) throws -> Harness {
    let harness = try Harness(rows: 1_000)
    harness.open(first: first)
    try harness.settle()
    harness.engine.handle(
      .query(Self.id, request: 2, query: QueryRequest(sort: [("value", true)]), viewport: nil), at: harness.clock.now)
    let sent = try harness.advance()
    #expect(sent.map(\.request) == [2] && sent.allSatisfy { $0.patch.base == nil })
    return harness
  }

  private func expectRows(_ harness: Harness, at first: Int) {
    #expect(harness.replica().start == first - 5)
    #expect(harness.values() == (first - 5..<first + 15).map { Int64((999 - $0) * 10) })
  }

  @Test func `a viewport before the ack of a query's window is answered`() throws {
    let harness = try requested()
    harness.scroll(first: 500)
    harness.acknowledge()
    #expect(try harness.advance().count == 1)
    expectRows(harness, at: 500)
  }

  @Test func `a viewport sent before a query's window changes sizes only`() throws {
    let harness = try Harness(rows: 1_000)
    harness.open(first: 300)
    try harness.settle()
    let old = harness.replica().sequence
    harness.engine.handle(
      .query(Self.id, request: 2, query: QueryRequest(sort: [("value", true)]), viewport: nil), at: harness.clock.now)
    let stale = Viewport(first: 310, count: 20, ahead: 5, behind: 5, stick: nil, sequence: old)
    // Once before the window is cut, once while it is in flight.
    harness.engine.handle(.viewport(Self.id, stale), at: harness.clock.now)
    try harness.advance()
    #expect(harness.replica().start == 0)
    harness.engine.handle(.viewport(Self.id, stale), at: harness.clock.now)
    harness.acknowledge()
    try harness.settle()
    #expect(harness.replica().start == 0)
    #expect(harness.values() == (0..<25).map { Int64((999 - $0) * 10) })
  }

  @Test func `a viewport of a replaced window changes sizes only`() throws {
    let harness = try requested()
    harness.engine.handle(
      .query(Self.id, request: 3, query: QueryRequest(sort: [("name", false)]), viewport: nil), at: harness.clock.now)
    harness.scroll(first: 500)
    try harness.settle()
    #expect(harness.replica().start == 0)
    #expect(harness.values() == (0..<15).map { Int64($0 * 10) })
  }

  @Test func `a viewport before the ack of the first window is answered`() throws {
    let harness = try Harness(rows: 1_000)
    harness.open()
    try harness.advance()
    harness.scroll(first: 500)
    harness.acknowledge()
    try harness.settle()
    #expect(harness.replica().start == 495)
  }

  @Test func `a viewport before the ack of another table's window is answered`() throws {
    let harness = try Harness(rows: 1_000)
    harness.open(first: 700)
    try harness.settle()
    let held = harness.replica()
    harness.open()
    harness.put(held, as: Self.id)
    // For the previous table: only the sizes apply.
    harness.scroll(first: 710)
    try harness.advance()
    #expect(harness.replica().start == 0)
    harness.scroll(first: 500)
    harness.acknowledge()
    try harness.settle()
    #expect(harness.replica().start == 495)
  }

  @Test func `a viewport before the ack of a resynced window is answered`() throws {
    let harness = try requested()
    harness.engine.handle(.writable(Self.id), at: harness.clock.now)
    harness.engine.handle(.resync(Self.id, sequence: harness.replica().sequence), at: harness.clock.now)
    #expect(try harness.advance().allSatisfy { $0.patch.base == nil })
    harness.scroll(first: 500)
    harness.acknowledge()
    try harness.settle()
    expectRows(harness, at: 500)
  }

  @Test func `a viewport before the ack is answered when a pause ends`() throws {
    let harness = try requested()
    harness.engine.handle(.pause(Self.id, isPaused: true), at: harness.clock.now)
    harness.scroll(first: 500)
    harness.acknowledge()
    try harness.settle()
    harness.engine.handle(.pause(Self.id, isPaused: false), at: harness.clock.now)
    try harness.settle()
    expectRows(harness, at: 500)
  }

  @Test func `a viewport refers to the rows of the patch that it names`() throws {
    for appliesFirst in [false, true] {
      let harness = try Harness(rows: 1_000)
      harness.open(first: 500)
      try harness.settle()
      harness.change { changes in for row in 0..<10 { changes.delete(row) } }
      let before = harness.replica()
      // Ten rows above were deleted: the viewport follows from 500 to 490.
      #expect(try harness.advance(by: .seconds(1)).map(\.shift) == [-10])
      if !appliesFirst {
        let after = harness.replica()
        harness.put(before, as: Self.id)
        harness.scroll(first: 600)
        harness.put(after, as: Self.id)
      } else {
        harness.scroll(first: 600)
      }
      harness.acknowledge()
      try harness.settle()
      #expect(harness.replica().start == (appliesFirst ? 595 : 585))
    }
  }

  @Test func `a viewport acknowledges a patch, whose shift is not repeated`() throws {
    let harness = try Harness(rows: 1_000)
    harness.open(first: 500)
    try harness.settle()
    harness.change { changes in for row in 0..<10 { changes.delete(row) } }
    #expect(try harness.advance(by: .seconds(1)).map(\.shift) == [-10])
    harness.scroll(first: 600)
    harness.engine.handle(.writable(Self.id), at: harness.clock.now)
    harness.engine.handle(.resync(Self.id, sequence: harness.replica().sequence), at: harness.clock.now)
    let sent = try harness.advance()
    #expect(sent.map(\.shift) == [0])
    #expect(harness.replica().start == 595)
  }

  @Test func `a viewport before the ack is answered in a windowed table`() throws {
    let harness = try WindowedHarness(rows: 1_000)
    harness.open()
    try harness.settle()
    harness.engine.handle(
      .query(Self.id, request: 2, query: QueryRequest(sort: [("value", true)]), viewport: nil), at: harness.clock.now)
    try harness.settle(beforeAcknowledging: { harness.scroll(first: 500) })
    #expect(harness.replica().start == 495)
    #expect(harness.lines() == (495..<515).map { "\((999 - $0) * 10)" })
  }

  @Test func `a viewport before the ack is answered for a residual query`() throws {
    let harness = try WindowedHarness(WindowedCapabilities(), rows: 1_000)
    harness.open()
    try harness.settle()
    harness.engine.handle(
      .query(Self.id, request: 2, query: QueryRequest(sort: [("value", true)]), viewport: nil), at: harness.clock.now)
    try harness.settle(beforeAcknowledging: { harness.scroll(first: 500) })
    #expect(harness.lines() == (495..<515).map { "\((999 - $0) * 10)" })
  }
}
