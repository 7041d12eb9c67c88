import ListTesting
import Testing

@testable import ListEngine

@Suite struct HeaderPoolTests {
  @Test func aFreePlaceIsUsedBeforeANewOneIsMade() {
    var pool = HeaderPool()
    let first = pool.dequeue("inPlace", for: 1)
    pool.enqueue(first)
    let second = pool.dequeue("inPlace", for: 2)
    #expect(second == first)
    #expect(pool.made == 1)
    #expect(pool.reused == 1)
  }

  @Test func aPlaceOfAnotherKindIsNotUsed() {
    var pool = HeaderPool()
    pool.enqueue(pool.dequeue("lead", for: 1))
    let other = pool.dequeue("inPlace", for: 1)
    #expect(pool.made == 2)
    #expect(pool.idleCount == 1)
    #expect(pool.section(in: other) == 1)
  }

  @Test func whatAPlaceShowedNeverShinesThrough() {
    var pool = HeaderPool()
    let slot = pool.dequeue("inPlace", for: 7)
    #expect(pool.section(in: slot) == 7)
    pool.enqueue(slot)
    #expect(pool.section(in: slot) == nil)
    let again = pool.dequeue("inPlace", for: 8)
    #expect(again == slot)
    #expect(pool.section(in: slot) == 8)
  }

  @Test func oneSectionMayHaveTwoHeadersAtOnce() {
    var pool = HeaderPool()
    let sticky = pool.dequeue("lead", for: 3)
    let inPlace = pool.dequeue("inPlace", for: 3)
    #expect(sticky != inPlace)
    #expect(pool.lentCount == 2)
  }

  @Test func noMoreFreePlacesAreKeptThanTheCapacityOfTheirKind() {
    var pool = HeaderPool()
    pool.setCapacity(2, for: "inPlace")
    let slots = (0..<5).map { pool.dequeue("inPlace", for: $0) }
    for slot in slots { pool.enqueue(slot) }
    #expect(pool.idleCount == 2)
    pool.setCapacity(1, for: "inPlace")
    #expect(pool.idleCount == 1)
    let lead = (0..<3).map { pool.dequeue("lead", for: $0) }
    for slot in lead { pool.enqueue(slot) }
    #expect(pool.idleCount == 4)
  }

  @Test func aRemovedPlaceIsNeverLentAgain() {
    var pool = HeaderPool()
    let idle = pool.dequeue("inPlace", for: 1)
    let lent = pool.dequeue("inPlace", for: 2)
    pool.enqueue(idle)
    pool.remove(idle)
    pool.remove(lent)
    let next = pool.dequeue("inPlace", for: 3)
    #expect(next != idle && next != lent)
  }

  @Test func clearingGivesUpWhatWaitsAndKeepsWhatIsLent() {
    var pool = HeaderPool()
    let lent = pool.dequeue("inPlace", for: 1)
    pool.enqueue(pool.dequeue("inPlace", for: 2))
    pool.clear()
    #expect(pool.idleCount == 0)
    #expect(pool.section(in: lent) == 1)
  }

  @Test func aPageThatScrollsThroughManySectionsMakesNoMoreHeadersThanItSees() throws {
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

  @Test func aHeaderKeepsItsPlaceAsLongAsItIsInSight() throws {
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

  @Test func aPlaceCannotBeGivenBackTwice() async {
    await #expect(processExitsWith: .failure) {
      var pool = HeaderPool()
      let slot = pool.dequeue("inPlace", for: 1)
      pool.enqueue(slot)
      pool.enqueue(slot)
    }
  }
}
