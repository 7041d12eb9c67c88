import ListEngine

/// A histogram of durations with fixed buckets.
struct Histogram {
  /// The upper bounds of the buckets in nanoseconds, from 0.1 ms to 10 s.
  static let bounds: [Int64] = [
    100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000,
    250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000,
  ]

  /// The number of durations in each bucket, with a last bucket for those beyond all bounds.
  private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
  /// The sum of all durations in nanoseconds.
  private(set) var sum: Int64 = 0

  /// The number of durations recorded.
  var count: UInt64 { counts.reduce(0, +) }

  mutating func record(_ duration: Duration) {
    let nanoseconds = max(0, duration.nanoseconds)
    counts[Self.bounds.firstIndex { nanoseconds <= $0 } ?? Self.bounds.count] += 1
    sum = sum.addingReportingOverflow(nanoseconds).partialValue
  }
}
