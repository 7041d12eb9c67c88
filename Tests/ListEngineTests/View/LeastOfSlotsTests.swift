import ListTesting
import Testing

@testable import ListEngine

@Suite struct LeastOfSlotsTests {
  @Test func `finds the least value after random changes`() {
    var random = SeededGenerator(seed: 18)
    let tree = LeastOfSlots()
    var plain: [UInt32: UInt64] = [:]
    var slots = 0
    for round in 0..<40 {
      slots += random.pick([0, 1, 63, 64, 4_096, 20_000])
      tree.grow(to: slots)
      for _ in 0..<(slots == 0 ? 0 : 300) {
        let slot = UInt32(random.number(0...slots - 1))
        let value = random.pick([LeastOfSlots.none, UInt64(random.number(0...5)), random.next()])
        tree.set(slot, to: value)
        plain[slot] = value
      }
      tree.checkInvariants()
      #expect(tree.least == plain.values.min() ?? LeastOfSlots.none, "round \(round)")
    }
  }

  @Test func `a new least value in the last slot reaches the root`() {
    let tree = LeastOfSlots()
    tree.grow(to: 300_000)
    for slot in UInt32(0)..<300_000 { tree.set(slot, to: UInt64(slot) + 10) }
    tree.set(299_999, to: 3)
    #expect(tree.least == 3)
    tree.set(299_999, to: 700_000)
    #expect(tree.least == 10)
    tree.set(0, to: LeastOfSlots.none)
    #expect(tree.least == 11)
  }

  @Test func `a tree without slots has no value`() {
    #expect(LeastOfSlots().least == LeastOfSlots.none)
  }
}
