import ListTesting
import Testing

@testable import ListEngine

@Suite struct ValueRanksTests {
  @Test func `finds the value of every rank after additions and removals`() {
    var random = SeededGenerator(seed: 11)
    var ranks = ValueRanks()
    var plain: [UInt64] = []
    for round in 0..<400 {
      // Alternating growth and shrinkage splits and joins chunks.
      if plain.isEmpty || random.number(0...9) < (round % 100 < 60 ? 7 : 2) {
        let words = (0..<random.pick([1, 1, 7, 300])).map { _ in
          random.pick([0, .max, UInt64(random.number(0...20)), random.next()])
        }
        ranks.add(words)
        plain += words
      } else {
        for _ in 0..<min(plain.count, random.pick([1, 50, 400])) {
          ranks.remove(plain.remove(at: random.number(0...plain.count - 1)))
        }
      }
      ranks.checkInvariants()
      let sorted = plain.sorted()
      #expect(ranks.count == sorted.count)
      #expect(sorted.indices.allSatisfy { ranks[$0] == sorted[$0] }, "round \(round)")
    }
  }

  @Test func `removes all occurrences of a value from several chunks`() {
    var ranks = ValueRanks()
    ranks.add([UInt64](repeating: 7, count: 2_000))
    ranks.add([6, 8])
    for _ in 0..<2_000 { ranks.remove(7) }
    #expect(ranks.count == 2)
    #expect(ranks.percentile(50) == 6)
    #expect(ranks.percentile(100) == 8)
  }

  @Test func `has no percentile without values`() {
    #expect(ValueRanks().percentile(50) == nil)
  }
}
