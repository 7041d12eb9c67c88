import ListTesting
import Testing

@testable import ListEngine

@Suite struct LongestIncreasingRunTests {
  /// Returns the length of a longest increasing subsequence in O(n²), by trying all ends.
  private func greatestLength(_ values: [Int]) -> Int {
    var lengths: [Int] = []
    for (place, value) in values.enumerated() {
      lengths.append(
        1 + (zip(values[..<place], lengths).filter { $0.0 < value }.map(\.1).max() ?? 0))
    }
    return lengths.max() ?? 0
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `marks an increasing subsequence of the greatest length`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    // Shuffled values, almost sorted values, and repeated values.
    var values = (0..<random.number(0...200)).map { seed % 3 == 0 ? $0 / 3 : $0 }
    for _ in 0..<(seed % 2 == 0 ? values.count : 5) where values.count > 1 {
      values.swapAt(random.number(0...values.count - 1), random.number(0...values.count - 1))
    }
    let marks = longestIncreasingRun(values)
    let staying = zip(values, marks).filter(\.1).map(\.0)
    #expect(zip(staying, staying.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed)")
    #expect(staying.count == greatestLength(values), "seed \(seed)")
  }

  @Test func `finds the longest run despite values far from their place`() {
    // New rows have the greatest labels, regardless of their position in the list.
    let values = (0..<1000).map { $0 % 10 == 3 ? 10_000 + $0 : $0 }
    #expect(longestIncreasingRun(values).count { $0 } == 900)
    #expect(
      longestIncreasingRun([5, 6, 7, 8, 9, 10, 11, 12, 0, 1, 2, 3, 4, 5, 6, 7, 8]).count { $0 } == 9
    )
  }
}
