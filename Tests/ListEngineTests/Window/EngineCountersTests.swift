import ListTesting
import Testing

@testable import ListEngine

/// The engine's counters of its own work.
@Suite struct EngineCountersTests {
  @Test func `counts the changes covered by a throttled flush`() throws {
    let harness = try Harness(rows: 10)
    harness.open()
    try harness.settle()
    #expect(harness.engine.counters.directFlushes == 1 && harness.engine.counters.throttledFlushes == 0)
    #expect(harness.engine.counters.changes == 0)
    for value in 1...3 { harness.change { $0.update(1, value: value) } }
    try harness.settle(by: .seconds(1))
    #expect(harness.engine.counters.throttledFlushes == 1)
    #expect(harness.engine.counters.changes == 3)
    harness.change { $0.update(1, value: 4) }
    try harness.settle(by: .seconds(1))
    #expect(harness.engine.counters.throttledFlushes == 2)
    #expect(harness.engine.counters.changes == 4)
    #expect(harness.engine.counters.directFlushes == 1)
  }

  @Test func `does not count an upsert of unchanged cells as a change`() throws {
    let harness = try Harness(rows: 3)
    harness.open()
    try harness.settle()
    harness.change { $0.upsert(1, value: 10) }
    harness.scroll(first: 0)
    try harness.settle()
    #expect(harness.engine.counters.directFlushes == 2)
    #expect(harness.engine.counters.changes == 0)
  }

  @Test func `counts an open, a scroll and a query as direct flushes`() throws {
    let harness = try Harness(rows: 100)
    let id = harness.open()
    try harness.settle()
    harness.scroll(first: 30)
    try harness.settle()
    #expect(harness.engine.counters.directFlushes == 2)
    harness.engine.handle(.query(id, request: 2, query: QueryRequest(), viewport: nil), at: harness.clock.now)
    try harness.settle()
    #expect(harness.engine.counters.directFlushes == 3)
    #expect(harness.engine.counters.throttledFlushes == 0)
    #expect(harness.engine.counters.cuts == 3)
  }

  @Test func `counts shared cuts`() throws {
    let harness = try Harness(rows: 100)
    for client: UInt64 in 1...3 { harness.open(client) }
    harness.open(4, first: 2)
    try harness.advance()
    #expect(harness.engine.counters.cuts == 2)
    #expect(harness.engine.counters.sharedCuts == 2)
  }

  @Test func `counts header slots created and reused`() throws {
    let harness = try Harness()
    harness.change { changes in for row in 0..<40 { changes.upsert(row, value: row, group: "\(10 + row / 4)") } }
    harness.open(query: QueryRequest(group: ["group"]), count: 5, buffer: 0)
    try harness.settle()
    // One header and four rows.
    #expect(harness.engine.counters.headersMade == 1 && harness.engine.counters.headersReused == 0)
    harness.scroll(first: 5, count: 5, buffer: 0)
    try harness.settle()
    #expect(harness.engine.counters.headersMade == 1 && harness.engine.counters.headersReused == 1)
    // Between two headers, the enclosing one is above the window, which needs another kind of slot.
    harness.scroll(first: 8, count: 5, buffer: 0)
    try harness.settle()
    #expect(harness.engine.counters.headersMade == 2 && harness.engine.counters.headersReused == 2)
  }

  @Test func `keeps the counts of closed sessions`() throws {
    let harness = try Harness(rows: 10)
    let id = harness.open()
    try harness.settle()
    harness.change { $0.update(1, value: 1) }
    try harness.settle(by: .seconds(1))
    let before = harness.engine.counters
    harness.engine.handle(.close(id), at: harness.clock.now)
    #expect(harness.engine.counters == before)
    harness.open(2)
    try harness.settle()
    #expect(harness.engine.counters.directFlushes == before.directFlushes + 1)
    #expect(harness.engine.counters.changes == before.changes)
  }

  @Test func `addition sums each counter`() {
    var (one, other) = (EngineCounters(), EngineCounters())
    (one.changes, one.throttledFlushes, one.directFlushes) = (1, 2, 3)
    (one.cuts, one.sharedCuts, one.headersMade, one.headersReused) = (4, 5, 6, 7)
    (other.changes, other.throttledFlushes, other.directFlushes) = (10, 20, 30)
    (other.cuts, other.sharedCuts, other.headersMade, other.headersReused) = (40, 50, 60, 70)
    one += other
    #expect(one.changes == 11 && one.throttledFlushes == 22 && one.directFlushes == 33)
    #expect(one.cuts == 44 && one.sharedCuts == 55 && one.headersMade == 66 && one.headersReused == 77)
  }
}
