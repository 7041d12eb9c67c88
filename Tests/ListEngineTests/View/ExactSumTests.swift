import Testing

@testable import ListEngine

/// Where 64 bits end.
@Suite struct ExactSumTests {
  private func sum(_ values: [Int64], takenAway: [Int64] = []) -> ExactSum {
    var sum = ExactSum()
    for value in values { sum.add(value, isTakenAway: false) }
    for value in takenAway { sum.add(value, isTakenAway: true) }
    return sum
  }

  @Test func theGreatestAndTheLeastNumberAreSumsAndWhatLiesBeyondIsNone() {
    #expect(sum([]).integer == 0)
    #expect(sum([.max]).integer == .max && sum([.min]).integer == .min)
    #expect(sum([.max, 1]).integer == nil && sum([.min, -1]).integer == nil)
    #expect(sum([.max], takenAway: [1]).integer == Int64.max - 1)
    #expect(sum([.max, .max, .min]).integer == Int64.max - 1)
    #expect(sum([.min], takenAway: [.min]).integer == 0)
    #expect(sum([-1], takenAway: [.min]).integer == .max)
    #expect(sum([], takenAway: [.min]).integer == nil)
    #expect(sum([-1 << 32]).integer == -1 << 32 && sum([1 << 32, -1]).integer == 1 << 32 - 1)
  }

  @Test func whatIsBeyondIsRounded() {
    #expect(sum([.max, 1]).roundedInteger == 0x1p63)
    #expect(sum([.min, .min]).roundedInteger == -0x1p64)
    #expect(sum(Array(repeating: .max, count: 1_000)).roundedInteger == Double(Int64.max) * 1_000)
    #expect(sum([5, -7]).roundedInteger == -2)
  }

  @Test func theSmallestNumbersAreNotLost() {
    var sum = ExactSum()
    for value in [1e300, .leastNonzeroMagnitude, -1e300] { sum.add(value, isTakenAway: false) }
    #expect(sum.number == .leastNonzeroMagnitude)
    sum.add(Double.leastNonzeroMagnitude, isTakenAway: true)
    #expect(sum.number == 0)
    sum.add(Double.greatestFiniteMagnitude, isTakenAway: false)
    #expect(sum.number == .greatestFiniteMagnitude)
    sum.add(Double.greatestFiniteMagnitude, isTakenAway: false)
    #expect(sum.number == .infinity)
    for _ in 0..<3 { sum.add(Double.greatestFiniteMagnitude, isTakenAway: true) }
    #expect(sum.number == -.greatestFiniteMagnitude)
  }
}
