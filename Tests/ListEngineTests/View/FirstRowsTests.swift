import ListTesting
import Testing

@testable import ListEngine

@Suite struct FirstRowsTests {
  /// Returns the first rows of sections whose order is that of their indices.
  private func firstRows(ofSections count: Int) -> FirstRows {
    var firstRows = FirstRows()
    for _ in 0..<count { firstRows.addSection { $0 < $1 } }
    return firstRows
  }

  private func rows(_ firstRows: FirstRows, of section: Int, count: Int) -> [UInt32]? {
    firstRows.heap(of: section, count: count).map { Array($0.sorted { $0 < $1 }.prefix(count)) }
  }

  @Test func `keeps the first rows of each section`() {
    var random = SeededGenerator(seed: 7)
    var firstRows = firstRows(ofSections: 3)
    var all: [[(key: UInt64, slot: UInt32)]] = [[], [], []]
    for slot in 0..<UInt32(9_000) {
      let (key, section) = (UInt64(random.number(0...500)), random.number(0...2))
      all[section].append((key, slot))
      firstRows.offer(key: key, slot: slot, section: UInt32(section)) { $0 < $1 }
    }
    for section in 0...2 {
      let wanted = all[section].sorted { ($0.key, $0.slot) < ($1.key, $1.slot) }.prefix(1024).map(\.slot)
      #expect(rows(firstRows, of: section, count: 1024) == wanted)
    }
  }

  @Test func `the first rows are unknown once too many have changed`() {
    var firstRows = firstRows(ofSections: 1)
    for slot in 0..<UInt32(5_000) { firstRows.offer(key: UInt64(slot), slot: slot, section: 0) { $0 < $1 } }
    var changed = ChangedRows()
    for slot in 0..<UInt32(256) { _ = changed.insert(slot) }
    firstRows.remove(changed) { $0 < $1 }
    #expect(rows(firstRows, of: 0, count: 1024) == Array(256..<1280))
    _ = changed.insert(300)
    firstRows.remove(changed) { $0 < $1 }
    #expect(rows(firstRows, of: 0, count: 1024) == nil)
    #expect(rows(firstRows, of: 0, count: 1023) == (256..<1280).filter { $0 != 300 })
  }

  @Test func `refused rows do not replace changed rows`() {
    var firstRows = firstRows(ofSections: 1)
    for slot in 0..<UInt32(2_000) { firstRows.offer(key: 10, slot: slot, section: 0) { $0 < $1 } }
    var changed = ChangedRows()
    _ = changed.insert(5)
    firstRows.remove(changed) { $0 < $1 }
    // Slot 1,300 was refused, so a later one with the same key must not come before it.
    firstRows.offer(key: 10, slot: 3_000, section: 0) { $0 < $1 }
    #expect(rows(firstRows, of: 0, count: 1024)?.contains(3_000) == false)
    #expect(rows(firstRows, of: 0, count: 1280) == nil)
  }

  @Test func `all rows of a small section are known`() {
    var firstRows = firstRows(ofSections: 2)
    for slot in 0..<UInt32(3) { firstRows.offer(key: UInt64(9 - slot), slot: slot, section: 1) { $0 < $1 } }
    #expect(rows(firstRows, of: 1, count: 1024) == [2, 1, 0])
    #expect(rows(firstRows, of: 0, count: 1024) == [])
  }

  @Test func `keeps no rows of many sections whose order is unknown`() {
    var firstRows = FirstRows()
    for _ in 0..<FirstRows.greatestSections { firstRows.addSection(before: nil) }
    #expect(!firstRows.isAbandoned)
    firstRows.addSection(before: nil)
    #expect(firstRows.isAbandoned)
    #expect(rows(firstRows, of: 0, count: 1) == nil)
  }

  @Test func `keeps the rows of the first of many sections`() {
    var random = SeededGenerator(seed: 11)
    let places = (0..<500).map { $0 * 7_919 % 500 }
    var firstRows = FirstRows()
    var all: [[UInt32]] = Array(repeating: [], count: places.count)
    // Each section begins with its first row, and outer sections have no rows.
    for slot in 0..<UInt32(20_000) {
      if firstRows.sectionCount % 50 == 49 {
        firstRows.addSectionWithoutRows()
      } else if firstRows.sectionCount < places.count {
        firstRows.addSection { places[$0] < places[$1] }
      }
      let section = random.number(0...firstRows.sectionCount - 1)
      guard section % 50 != 49 else { continue }
      all[section].append(slot)
      firstRows.offer(key: 0, slot: slot, section: UInt32(section)) { $0 < $1 }
    }
    let inOrder = places.indices.filter { $0 % 50 != 49 }.sorted { places[$0] < places[$1] }
    for section in inOrder.prefix(FirstRows.greatestSections) {
      #expect(rows(firstRows, of: section, count: 1024) == all[section])
    }
    for section in inOrder.dropFirst(FirstRows.greatestSections) {
      #expect(firstRows.heap(of: section, count: 1) == nil)
    }
  }
}
