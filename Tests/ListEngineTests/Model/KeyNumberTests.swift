import Testing

@testable import ListEngine

/// Numbers of keys, which are the row identifiers of tables that several engines have.
@Suite struct KeyNumberTests {
  private static func index(_ keys: Range<Int64>, bits: Int = KeyIndex.numberBits, seed: UInt64 = 7) -> KeyIndex {
    let index = KeyIndex(.integer, hasher: BytesHash(seed: seed), counter: ByteCounter(), numberBits: bits)
    index.grow(to: 4096)
    for (slot, key) in keys.enumerated() { index.insert(.integer(key), slot: UInt32(slot)) }
    return index
  }

  @Test func `numbers follow from keys, not from slots`() throws {
    let (one, other) = (Self.index(0..<100), Self.index(50..<150))
    for key in 50..<100 {
      #expect(one.number(of: UInt32(key)) == other.number(of: UInt32(key - 50)))
      #expect(try #require(one.number(of: UInt32(key))) < 1 << 52)
    }
    #expect(Self.index(0..<1, seed: 8).number(of: 0) != one.number(of: 0))
  }

  @Test func `each number leads to its key while the key is present`() throws {
    let index = Self.index(0..<1_000)
    for slot: UInt32 in 0..<1_000 { #expect(index.slot(numbered: try #require(index.number(of: slot))) == slot) }
    let number = try #require(index.number(of: 5))
    index.markDeleted(5)
    // The number stays known for the views that still show the row.
    #expect(index.number(of: 5) == number)
    #expect(index.slot(numbered: number) == nil)
    index.remove([5])
    #expect(index.number(of: 5) == nil)
    index.insert(.integer(5), slot: 2_000)
    #expect(index.slot(numbered: number) == 2_000)
  }

  @Test func `keys with equal hashes have different numbers`() throws {
    // Hashes of three bits: nearly every key has the hash of another one.
    let index = Self.index(0..<200, bits: 3)
    let numbers = try (0..<200).map { try #require(index.number(of: UInt32($0))) }
    #expect(Set(numbers).count == 200)
    #expect(numbers.allSatisfy { $0 < 1 << 53 })
    #expect(numbers.count { $0 < 8 } == 8)
    for (slot, number) in numbers.enumerated() { #expect(index.slot(numbered: number) == UInt32(slot)) }
    // A key keeps its number when the first key with its hash leaves.
    let first = try #require(numbers.firstIndex { $0 < 8 })
    index.markDeleted(UInt32(first))
    index.remove([UInt32(first)])
    for slot in 0..<200 where slot != first { #expect(index.number(of: UInt32(slot)) == numbers[slot]) }
    #expect(index.slot(numbered: numbers[first]) == nil)
    index.checkInvariants()
  }

  @Test func `an index without numbers has none`() {
    let index = KeyIndex(.integer, hasher: BytesHash(seed: 7), counter: ByteCounter())
    index.grow(to: 64)
    index.insert(.integer(1), slot: 0)
    #expect(index.number(of: 0) == nil)
    #expect(index.slot(numbered: 0) == nil)
  }
}
