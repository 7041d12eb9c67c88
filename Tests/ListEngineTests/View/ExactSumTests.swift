import ListTesting
import Testing

@testable import ListEngine

/// Sums beyond 64 bits.
@Suite struct ExactSumTests {
  private func sum(_ values: [Int64], removed: [Int64] = []) -> ExactSum {
    var sum = ExactSum()
    for value in values { sum.add(value, isRemoved: false) }
    for value in removed { sum.add(value, isRemoved: true) }
    return sum
  }

  @Test func `has an integer only if the sum fits into 64 bits`() {
    #expect(sum([]).integer == 0)
    #expect(sum([.max]).integer == .max && sum([.min]).integer == .min)
    #expect(sum([.max, 1]).integer == nil && sum([.min, -1]).integer == nil)
    #expect(sum([.max], removed: [1]).integer == Int64.max - 1)
    #expect(sum([.max, .max, .min]).integer == Int64.max - 1)
    #expect(sum([.min], removed: [.min]).integer == 0)
    #expect(sum([-1], removed: [.min]).integer == .max)
    #expect(sum([], removed: [.min]).integer == nil)
    #expect(sum([-1 << 32]).integer == -1 << 32 && sum([1 << 32, -1]).integer == 1 << 32 - 1)
  }

  @Test func `returns sums beyond 64 bits as doubles`() {
    #expect(sum([.max, 1]).roundedInteger == 0x1p63)
    #expect(sum([.min, .min]).roundedInteger == -0x1p64)
    #expect(sum(Array(repeating: .max, count: 1_000)).roundedInteger == Double(Int64.max) * 1_000)
    #expect(sum([5, -7]).roundedInteger == -2)
  }

  @Test func `rounds once, to the nearest double, ties to even`() {
    let sums: [([Int64], Double)] = [
      ([.min, .min, -1_784_777_624_747_206_175, -4_468], -20_231_521_698_456_760_320),
      // Half of the last bit rounds to even; anything more rounds up.
      ([1 << 53, 1], 0x1p53), ([1 << 53, 3], 0x1p53 + 4), ([.max, .max, 2, 2_048], 0x1p64),
      ([.max, .max, 2, 2_049], 0x1.0000000000001p64),
    ]
    for (values, rounded) in sums { #expect(sum(values).roundedInteger == rounded, "\(values)") }
    var fine = ExactSum()
    for value in [0x1p200, 0x1p147, .leastNonzeroMagnitude] { fine.add(value, isRemoved: false) }
    #expect(fine.number == 0x1p200.nextUp)
    fine.add(Double.leastNonzeroMagnitude, isRemoved: true)
    #expect(fine.number == 0x1p200)
  }

  @Test(arguments: [UInt64(7), 8, 9]) func `rounds random integer sums like 128-bit integers`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<10_000 {
      var accumulator = ExactSum()
      var exact: Int128 = 0
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let value = Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0...40, using: &random)
        accumulator.add(value, isRemoved: false)
        exact += Int128(value)
      }
      #expect(accumulator.roundedInteger == Double(exact), "seed \(seed): \(exact)")
    }
  }

  @Test func `keeps the smallest addend and recovers from overflow`() {
    var sum = ExactSum()
    for value in [1e300, .leastNonzeroMagnitude, -1e300] { sum.add(value, isRemoved: false) }
    #expect(sum.number == .leastNonzeroMagnitude)
    sum.add(Double.leastNonzeroMagnitude, isRemoved: true)
    #expect(sum.number == 0)
    sum.add(Double.greatestFiniteMagnitude, isRemoved: false)
    #expect(sum.number == .greatestFiniteMagnitude)
    sum.add(Double.greatestFiniteMagnitude, isRemoved: false)
    #expect(sum.number == .infinity)
    for _ in 0..<3 { sum.add(Double.greatestFiniteMagnitude, isRemoved: true) }
    #expect(sum.number == -.greatestFiniteMagnitude)
  }
}
