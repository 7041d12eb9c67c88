import ListTesting
import Testing

@testable import ListEngine

@Suite struct FenwickTests {
  @Test func `finds the count of every rank and skips zero counts`() {
    let ranks = Fenwick([2, 0, 3, 1])
    let found = (0..<6).map { ranks.find($0) }
    #expect(found.map(\.index) == [0, 0, 2, 2, 2, 3])
    #expect(found.map(\.rest) == [0, 1, 0, 1, 2, 0])
    #expect((0...4).map { ranks.sum(before: $0) } == [0, 2, 2, 5, 6])
    #expect(ranks.total == 6 && ranks.count == 4)
  }

  @Test func `agrees with an array after random changes`() {
    for seed: UInt64 in 1...100 {
      var random = SeededGenerator(seed: seed)
      var counts = (0..<random.number(1...20)).map { _ in random.number(0...3) }
      var ranks = Fenwick(counts)
      for _ in 0..<20 {
        let index = random.number(0...counts.count - 1)
        let change = random.number(-counts[index]...3)
        counts[index] += change
        ranks.add(change, at: index)
        let places = counts.enumerated().flatMap { index, count in (0..<count).map { [index, $0] } }
        #expect(ranks.total == places.count, "seed \(seed)")
        #expect(places.indices.map { [ranks.find($0).index, ranks.find($0).rest] } == places, "seed \(seed)")
      }
    }
  }
}
