import ListEngine

/// Counts durations by how long they were, for a graph of how they are spread.
struct Histogram {
  /// The upper bounds, in nanoseconds: from a tenth of a millisecond to ten seconds.
  static let bounds: [Int64] = [
    100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000,
    250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000,
  ]

  /// How many were at most as long as the bound and longer than the one before; the last is for those beyond all bounds.
  private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
  /// All of them together, in nanoseconds.
  private(set) var sum: Int64 = 0

  /// How many there were.
  var count: UInt64 { counts.reduce(0, +) }

  mutating func record(_ duration: Duration) {
    let nanoseconds = max(0, duration.nanoseconds)
    counts[Self.bounds.firstIndex { nanoseconds <= $0 } ?? Self.bounds.count] += 1
    sum = sum.addingReportingOverflow(nanoseconds).partialValue
  }
}
