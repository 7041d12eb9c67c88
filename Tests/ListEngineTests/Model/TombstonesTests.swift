import Testing

@testable import ListEngine

@Suite struct TombstonesTests {
  private func closed(_ tombstones: inout Tombstones, before position: Int) -> [UInt32] {
    var slots: [UInt32] = []
    tombstones.close(before: position) { slots.append($0) }
    return slots
  }

  @Test func `releases a slot once all views have passed its position`() {
    var tombstones = Tombstones()
    for (slot, position) in [(4, 1), (5, 2), (6, 4)] as [(UInt32, Int)] { tombstones.add(slot, position: position) }
    #expect(closed(&tombstones, before: 0) == [])
    #expect(closed(&tombstones, before: 2) == [4, 5])
    #expect(closed(&tombstones, before: 3) == [])
    #expect(closed(&tombstones, before: 4) == [6])
    #expect(closed(&tombstones, before: 9) == [])
  }

  @Test func `a revived row keeps its slot until its last tombstone closes`() {
    var tombstones = Tombstones()
    tombstones.add(4, position: 1)
    tombstones.open(4)
    tombstones.add(4, position: 3)
    tombstones.open(4)
    tombstones.add(4, position: 5)
    tombstones.add(7, position: 6)
    #expect(closed(&tombstones, before: 1) == [])
    #expect(closed(&tombstones, before: 4) == [])
    #expect(closed(&tombstones, before: 6) == [4, 7])
  }

  @Test func `releases many slots step by step, each once`() {
    var tombstones = Tombstones()
    for slot in 0..<1_000 as Range<UInt32> { tombstones.add(slot, position: Int(slot)) }
    var slots: [UInt32] = []
    for position in stride(from: -1, through: 1_000, by: 7) {
      slots += closed(&tombstones, before: position)
      #expect(slots.count == min(1_000, max(0, position + 1)))
    }
    slots += closed(&tombstones, before: 1_000)
    #expect(slots == Array(0..<1_000))
  }
}
