/// The edges between ranges of times: multiples of natural units in a time zone.
enum FacetTimes {
  private static let second: Int64 = 1_000_000_000
  private static let minute = 60 * second
  private static let hour = 60 * minute
  private static let day = 24 * hour
  /// The steps up to a week, in nanoseconds; shorter ones are 1, 2 or 5 times a power of ten.
  private static let steps: [Int64] =
    [1, 2, 5, 10, 15, 30].map { $0 * second } + [1, 2, 5, 10, 15, 30].map { $0 * minute }
    + [1, 2, 3, 6, 12].map { $0 * hour } + [day, 2 * day, 7 * day]
  /// The longer steps, in months.
  private static let months: [Int64] = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1_200]

  /// Returns edges from the last one up to `low` to the first one beyond `high`.
  ///
  /// - Parameter zone: The zone whose days and months begin at edges.
  static func edges(from low: Int64, through high: Int64, zone: ZoneOffsets) -> [Int64] {
    let (low, high) = (zone.reached(by: low), zone.reached(by: high))
    let least = (high - low) / Int128(FacetScale.steps)
    let local: [Int128]
    if least <= Int128(7 * day) {
      let step = fraction(least) ?? Int128(steps.first { Int128($0) >= least } ?? 7 * day)
      // 1970 began on a Thursday, and weeks begin on Monday.
      let start = step == Int128(7 * day) ? -3 * Int128(day) : 0
      let first = floorDivided(low - start, step)
      local = (0..<Int128(FacetScale.greatestCount)).map { start + (first + $0) * step }.prefix { $0 - step <= high }
        .map(\.self)
    } else {
      let step = Int128(months.first { Int128($0) * 28 * Int128(day) >= least } ?? 1_200)
      let first = floorDivided(month(of: low), step)
      let all = (0..<Int128(FacetScale.greatestCount)).map { beginning(ofMonth: (first + $0) * step) }
      local = Array(all.prefix(1 + (all.firstIndex { $0 > high } ?? all.count - 1)))
    }
    var edges: [Int64] = []
    for local in local {
      // A clock that is set forward can reach two edges at once.
      guard let edge = Int64(exactly: zone.moment(reaching: local)), edges.last.map({ edge > $0 }) ?? true else {
        continue
      }
      edges.append(edge)
    }
    return edges
  }

  /// Returns the step for less than a second, or `nil` if a second is not too long.
  private static func fraction(_ least: Int128) -> Int128? {
    guard least < Int128(second) / 2 else { return nil }
    var step: Int128 = 1
    while step < least { step = String(step).first == "2" ? step / 2 * 5 : step * 2 }
    return step
  }

  private static func month(of time: Int128) -> Int128 {
    Int128(CalendarMonth.number(ofDay: Int(floorDivided(time, Int128(day)))))
  }

  private static func beginning(ofMonth number: Int128) -> Int128 {
    Int128(CalendarMonth.firstDay(Int(number))) * Int128(day)
  }
}
