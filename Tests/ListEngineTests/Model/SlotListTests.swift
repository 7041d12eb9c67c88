import Testing

@testable import ListEngine

@Suite struct SlotListTests {
  private func list(_ slots: UInt32...) -> SlotList {
    let list = SlotList()
    list.grow(to: 10)
    for slot in slots { list.append(slot) }
    return list
  }

  private func forward(_ list: SlotList) -> [UInt32] {
    list.checkInvariants()
    return Array(sequence(first: list.first) { $0.flatMap(list.next) }.prefix { $0 != nil }.compactMap(\.self))
  }

  @Test func `keeps slots in the order in which they were appended`() {
    #expect(list().first == nil)
    let list = list(7, 3, 0)
    #expect(forward(list) == [7, 3, 0])
    #expect(list.previous(7) == nil && list.previous(3) == 7 && list.previous(0) == 3)
    #expect(list.next(0) == nil && list.count == 3)
  }

  @Test func `inserts a slot directly before another`() {
    let list = list(7, 3)
    list.insert(5, before: 7)
    list.insert(6, before: 3)
    list.append(9)
    #expect(forward(list) == [5, 7, 6, 3, 9])
    #expect(list.count == 5)
  }

  @Test func `removes first, last and inner slots`() {
    let list = list(7, 3, 0, 9)
    list.remove(3)
    #expect(forward(list) == [7, 0, 9])
    list.remove(7)
    #expect(forward(list) == [0, 9] && list.previous(0) == nil)
    list.remove(9)
    #expect(forward(list) == [0] && list.next(0) == nil)
    list.append(3)
    #expect(forward(list) == [0, 3])
    list.remove(0)
    list.remove(3)
    #expect(list.first == nil && list.count == 0)
    list.append(1)
    #expect(forward(list) == [1])
  }
}
