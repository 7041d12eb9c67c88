import ListTesting
import Testing

@testable import ListEngine

@Suite struct ProbeTableTests {
  /// Numbers are their own values.
  ///
  /// Some share a hash, so that they collide.
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `finds numbers through growth and removal despite collisions`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let hasher = BytesHash(seed: seed)
    let spread = random.pick([1 << 40, 50, 7])
    func hash(_ number: UInt32) -> UInt64 { hasher.hash(Int64(Int(number) % spread)) }
    let table = ProbeTable()
    var model: Set<UInt32> = []
    for step in 0..<6000 {
      let number = UInt32(random.number(0...(spread < 100 ? 300 : 3000)))
      if model.contains(number) {
        // The table shrinks for a while and grows again.
        if step / 1500 % 2 == 1 || random.oneIn(4) {
          table.remove(number, hash: hash(number), rehash: hash)
          model.remove(number)
        }
      } else if step / 1500 % 2 == 0 {
        table.insert(number, hash: hash(number), rehash: hash)
        model.insert(number)
      }
      #expect(table.count == model.count)
      let probe = UInt32(random.number(0...3000))
      #expect(table.find(hash(probe), { $0 == probe }) == (model.contains(probe) ? probe : nil))
    }
    #expect(Set(table.all) == model)
    for number in model { #expect(table.find(hash(number), { $0 == number }) == number) }
    table.deallocate()
  }

  @Test func `compares few candidates when a number is missing`() {
    let hasher = BytesHash(seed: 9)
    let table = ProbeTable()
    for number in 0..<10_000 as Range<UInt32> {
      table.insert(number, hash: hasher.hash(Int64(number)), rehash: { hasher.hash(Int64($0)) })
    }
    var looks = 0
    for number in 10_000..<20_000 as Range<UInt32> {
      _ = table.find(hasher.hash(Int64(number))) { _ in
        looks += 1
        return false
      }
    }
    #expect(looks < 1000)
    table.deallocate()
  }
}
