/// The edges between the ranges of a column of numbers or times: round numbers, chosen from a
/// sample of the values.
///
/// The edges leave out the least and the greatest hundredth of the sample, so that few extreme
/// values do not decide. Numbers have steps of 1, 2 or 5 times a power of ten, and sizes in bytes
/// have powers of two. If most values are small, the edges are 1, 2, 5, 10, 20, … (bytes: powers of
/// four). Times have steps of seconds, minutes, hours, days, weeks, months or years.
struct FacetScale: Hashable {
  /// The edges in ascending order; empty if there are no values.
  let edges: [Cell]
  /// The sort keys of the edges.
  let keys: [UInt64]

  /// The greatest number of edges.
  static var greatestCount: Int { 20 }
  /// The number of steps that the values span at most.
  static var steps: Int { 12 }

  /// Creates a scale for a sample of sort keys.
  ///
  /// - Parameter zone: The zone of times.
  /// - Complexity: O(sample log sample).
  init(_ sample: [UInt64], type: ColumnType, isBytes: Bool = false, zone: ZoneOffsets = 0) {
    let sorted = sample.sorted()
    var edges: [Cell] = []
    if !sorted.isEmpty {
      let cut = sorted.count / 100
      let (low, middle, high) = (sorted[cut], sorted[sorted.count / 2], sorted[sorted.count - 1 - cut])
      // A small positive value, below which a scale of 1, 2, 5, … need not reach.
      let positive = sorted[partition(sorted.count) { sorted[$0] <= ColumnStore.nullWord }...]
      let small = positive.isEmpty ? high : positive[positive.startIndex + positive.count / 20]
      switch type {
      case .integer:
        edges = Self.integers(
          from: Self.whole(low), through: Self.whole(high), middle: Self.whole(middle), small: Self.whole(small),
          isBytes: isBytes
        ).map { .integer($0) }
      case .timestamp:
        edges = FacetTimes.edges(from: Self.whole(low), through: Self.whole(high), zone: zone).map { .timestamp($0) }
      default:
        edges = Self.numbers(
          from: Self.number(low), through: Self.number(high), middle: Self.number(middle), small: Self.number(small),
          isBytes: isBytes
        ).map { .number($0) }
      }
    }
    self.edges = edges
    keys = edges.compactMap(ColumnStore.sortKey(of:))
  }

  /// Returns the range of a value: 0 below the first edge, otherwise the number of edges up to it.
  ///
  /// - Complexity: O(log edges).
  func range(of key: UInt64) -> Int { partition(keys.count) { keys[$0] <= key } }

  private static func whole(_ key: UInt64) -> Int64 { Int64(bitPattern: key ^ ColumnStore.nullWord) }
  private static func number(_ key: UInt64) -> Double {
    Double(bitPattern: key & ColumnStore.nullWord == 0 ? ~key : key ^ ColumnStore.nullWord)
  }

  // MARK: Integers

  private static func integers(
    from low: Int64, through high: Int64, middle: Int64, small: Int64, isBytes: Bool
  ) -> [Int64] {
    let span = Int128(high) - Int128(low)
    if low >= 0, high > 40, Int128(middle) * 20 < Int128(high) {
      let series = series(upTo: Int128(high), isBytes: isBytes).filter { $0 > Int128(small) / 4 }
      return [0] + series.suffix(greatestCount - 1).compactMap { Int64(exactly: $0) }
    }
    var step: Int128 = 1
    let factors: [Int128] = isBytes ? [2] : [2, 5, 10]
    search: while step * Int128(steps) < span {
      for factor in factors where step * factor * Int128(steps) >= span {
        step *= factor
        break search
      }
      step *= factors[factors.count - 1]
    }
    return multiples(of: step, from: Int128(low), through: Int128(high))
  }

  /// Returns the multiples of a step from the last one up to `low` to the first one beyond `high`.
  private static func multiples(of step: Int128, from low: Int128, through high: Int128) -> [Int64] {
    let first = floorDivided(low, step)
    return (0...Int128(greatestCount - 1)).map { (first + $0) * step }.prefix { $0 - step <= high }
      .compactMap { Int64(exactly: $0) }
  }

  /// Returns 1, 2, 5, 10, … or 1, 4, 16, … up to the first one beyond `high`.
  private static func series(upTo high: Int128, isBytes: Bool) -> [Int128] {
    var (series, next): ([Int128], Int128) = ([], 1)
    while next <= high {
      series.append(next)
      next = isBytes ? next * 4 : String(next).first == "2" ? next / 2 * 5 : next * 2
    }
    return series + [next]
  }

  // MARK: Numbers

  private static func numbers(
    from low: Double, through high: Double, middle: Double, small: Double, isBytes: Bool
  ) -> [Double] {
    let span = high - low
    guard span.isFinite else { return [0] }
    if isBytes, low >= 0, high < 0x1p62 {
      return integers(
        from: Int64(low), through: Int64(high), middle: Int64(middle), small: Int64(small), isBytes: true
      ).map(Double.init)
    }
    if low >= 0, high > 0, middle < high / 20 {
      var (factor, exponent) = rounded(high)
      var edges: [Double] = []
      while edges.count < greatestCount - 1, edges.last.map({ $0 > small }) ?? true {
        guard let edge = decimal(factor, exponent), edge > 0 else { break }
        edges.append(edge)
        (factor, exponent) = factor == 1 ? (5, exponent - 1) : (factor / 2, exponent)
      }
      return [0] + edges.reversed()
    }
    let width = span > 0 ? span / Double(steps) : low == 0 ? 1 : low.magnitude / 10
    let (factor, exponent) = rounded(max(width, high.magnitude * 0x1p-40, 1e-300))
    guard let step = decimal(factor, exponent), let first = Int64(exactly: (low / step).rounded(.down)) else {
      return [low]
    }
    var edges: [Double] = []
    for index in 0..<Int64(greatestCount) {
      let (number, overflows) = (first + index).multipliedReportingOverflow(by: factor)
      guard !overflows, let edge = decimal(number, exponent) else { break }
      if edges.last.map({ edge > $0 }) ?? true { edges.append(edge) }
      if edge > high { break }
    }
    return edges
  }

  /// Returns the least number of the form 1, 2 or 5 times a power of ten that is not less than a
  /// positive number.
  private static func rounded(_ number: Double) -> (factor: Int64, exponent: Int) {
    var exponent = Int((Double(number.exponent) * 0.30103).rounded(.down)) - 1
    while true {
      for factor: Int64 in [1, 2, 5] {
        guard let candidate = decimal(factor, exponent) else { return (factor, exponent) }
        if candidate >= number { return (factor, exponent) }
      }
      exponent += 1
    }
  }

  /// Returns the double nearest to an integer times a power of ten, or `nil` beyond all doubles.
  private static func decimal(_ integer: Int64, _ exponent: Int) -> Double? {
    Double("\(integer)e\(exponent)").flatMap { $0.isFinite ? ($0 == 0 ? 0 : $0) : nil }
  }
}

/// Returns the quotient rounded towards negative infinity.
func floorDivided(_ number: Int128, _ divisor: Int128) -> Int128 {
  let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
  return remainder < 0 ? quotient - 1 : quotient
}
