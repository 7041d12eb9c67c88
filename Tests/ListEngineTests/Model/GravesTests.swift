import Testing

@testable import ListEngine

@Suite struct GravesTests {
  private func closed(_ graves: inout Graves, before position: Int) -> [UInt32] {
    var slots: [UInt32] = []
    graves.close(before: position) { slots.append($0) }
    return slots
  }

  @Test func aSlotIsGivenUpWhenEveryViewHasPassedItsPosition() {
    var graves = Graves()
    for (slot, position) in [(4, 1), (5, 2), (6, 4)] as [(UInt32, Int)] { graves.dig(slot, position: position) }
    #expect(closed(&graves, before: 0) == [])
    #expect(closed(&graves, before: 2) == [4, 5])
    #expect(closed(&graves, before: 3) == [])
    #expect(closed(&graves, before: 4) == [6])
    #expect(closed(&graves, before: 9) == [])
  }

  @Test func aRowThatCameBackKeepsItsSlotUntilItGoesForGood() {
    var graves = Graves()
    graves.dig(4, position: 1)
    graves.open(4)
    graves.dig(4, position: 3)
    graves.open(4)
    graves.dig(4, position: 5)
    graves.dig(7, position: 6)
    #expect(closed(&graves, before: 1) == [])
    #expect(closed(&graves, before: 4) == [])
    #expect(closed(&graves, before: 6) == [4, 7])
  }

  @Test func manyGoPieceByPieceAndEachOnce() {
    var graves = Graves()
    for slot in 0..<1_000 as Range<UInt32> { graves.dig(slot, position: Int(slot)) }
    var slots: [UInt32] = []
    for position in stride(from: -1, through: 1_000, by: 7) {
      slots += closed(&graves, before: position)
      #expect(slots.count == min(1_000, max(0, position + 1)))
    }
    slots += closed(&graves, before: 1_000)
    #expect(slots == Array(0..<1_000))
  }
}
