import ListTesting
import Testing

@testable import ListEngine

@Suite struct HeaderPoolTests {
  @Test func `reuses an idle slot before making a new one`() {
    var pool = HeaderPool()
    let first = pool.dequeue("inPlace", for: 1)
    pool.enqueue(first)
    let second = pool.dequeue("inPlace", for: 2)
    #expect(second == first)
    #expect(pool.made == 1)
    #expect(pool.reused == 1)
  }

  @Test func `does not reuse an idle slot of another kind`() {
    var pool = HeaderPool()
    pool.enqueue(pool.dequeue("lead", for: 1))
    _ = pool.dequeue("inPlace", for: 1)
    #expect(pool.made == 2)
    #expect(pool.idleCount == 1)
  }

  @Test func `a section can have a sticky and an in-place header at once`() {
    var pool = HeaderPool()
    let sticky = pool.dequeue("lead", for: 3)
    let inPlace = pool.dequeue("inPlace", for: 3)
    #expect(sticky != inPlace)
  }

  @Test func `keeps no more idle slots per kind than its capacity`() {
    var pool = HeaderPool(capacity: 2)
    let slots = (0..<5).map { pool.dequeue("inPlace", for: $0) }
    for slot in slots { pool.enqueue(slot) }
    #expect(pool.idleCount == 2)
    let lead = (0..<3).map { pool.dequeue("lead", for: $0) }
    for slot in lead { pool.enqueue(slot) }
    #expect(pool.idleCount == 4)
  }

  @Test func `scrolling through 200 sections uses at most 8 header slots`() throws {
    let harness = try Harness()
    harness.change { changes in for key in 0..<600 { changes.upsert(key, value: key, group: "\(1000 + key / 3)") } }
    harness.open(query: QueryRequest(group: ["group"]))
    var slots: Set<UInt32> = []
    for first in stride(from: 0, to: 780, by: 7) {
      harness.scroll(first: first)
      try harness.settle()
      for case .header(let header) in harness.replica().items { slots.insert(header.slot) }
      for lead in harness.replica().lead { slots.insert(lead.slot) }
    }
    // Twenty items with a header in every fourth, and the header above them.
    #expect(slots.count <= 8)
  }

  @Test func `a header keeps its slot while it stays visible`() throws {
    let harness = try Harness(rows: 3)
    harness.open(query: QueryRequest(group: ["group"]))
    try harness.settle()
    func slot() -> UInt32? {
      if case .header(let header) = harness.replica().items[0] { header.slot } else { nil }
    }
    let before = slot()
    harness.change { $0.upsert(9, value: 9) }
    try harness.settle(by: .seconds(1))
    #expect(before != nil)
    #expect(slot() == before)
  }

  @Test func `traps if a slot is returned twice`() async {
    await #expect(processExitsWith: .failure) {
      var pool = HeaderPool()
      let slot = pool.dequeue("inPlace", for: 1)
      pool.enqueue(slot)
      pool.enqueue(slot)
    }
  }
}
