import ListEngine

/// Sections of ranges as the brute-force model computes them, by other ways than the engine.
extension Query {
  /// Returns the values of the sections that contain a row, outermost first.
  func path(of cells: [Cell]) -> [Cell] { groupings.map { $0.plainSection(of: cells[$0.column]) } }
}

extension Grouping {
  /// Returns the value of the section of a cell: the cell, or the lower bound of its range.
  func plainSection(of cell: Cell) -> Cell {
    switch (cell, ranges) {
    case (.integer(let value), .integers(let width)): .integer(Self.bound(of: value, Int128(width)))
    case (.number(let value), .numbers(let ranges)): .number(Self.bound(of: value, "\(ranges.width)"))
    case (.timestamp(let time), .times(let ranges)): .timestamp(Self.bound(of: time, ranges))
    default: cell
    }
  }

  private static func bound(of value: Int64, _ width: Int128, from origin: Int128 = 0) -> Int64 {
    var bound = (Int128(value) - origin) / width * width + origin
    if bound > Int128(value) { bound -= width }
    return Int64(clamping: bound)
  }

  /// Returns the greatest multiple of a decimal width up to a value, parsed from decimal text.
  private static func bound(of value: Double, _ width: String) -> Double {
    guard let point = width.firstIndex(of: "."), let whole = Int(width.replacing(".", with: "")),
      let number = Double(width)
    else { preconditionFailure("“\(width)” is not a decimal number") }
    let decimals = width.distance(from: point, to: width.endIndex) - 1
    let near = Int((value / number).rounded())
    let bounds = (near - 2...near + 2).compactMap { Double("\($0 * whole)e-\(decimals)") }
    guard let bound = bounds.last(where: { $0 <= value }) else { preconditionFailure("\(value) is below \(bounds)") }
    return bound == 0 ? 0 : bound
  }

  private static func bound(of time: Int64, _ ranges: TimeRanges) -> Int64 {
    let minute: Int128 = 60_000_000_000
    // The periods between changes, each with its offset.
    let zone = ranges.zone
    let starts = [Int128.min] + zone.changes.map { Int128($0.time) }
    let ends = Array(starts.dropFirst()) + [Int128.max]
    let offsets = ([zone.first] + zone.changes.map(\.minutes)).map { Int128($0) * minute }
    let now = starts.lastIndex { $0 <= Int128(time) } ?? 0
    switch ranges.unit {
    case .minute: return Int64(clamping: max(starts[now], Int128(bound(of: time, minute, from: -offsets[now]))))
    case .hour: return Int64(clamping: max(starts[now], Int128(bound(of: time, 60 * minute, from: -offsets[now]))))
    default: break
    }
    // The latest local time so far decides, and the beginning is the first moment that shows it.
    let local = (0...now).map { min(Int128(time), ends[$0] - 1) + offsets[$0] }.max() ?? 0
    let beginning = beginning(of: ranges.unit, local)
    let moments = starts.indices.compactMap { index in
      let moment = max(starts[index], beginning - offsets[index])
      return moment < ends[index] ? moment : nil
    }
    return Int64(clamping: moments.min() ?? 0)
  }

  /// Returns the beginning of a day or a longer unit, both as local times.
  private static func beginning(of unit: TimeUnit, _ local: Int128) -> Int128 {
    let day: Int128 = 86_400_000_000_000
    func whole(_ length: Int128, from origin: Int128) -> Int128 {
      let bound = (local - origin) / length * length + origin
      return bound > local ? bound - length : bound
    }
    switch unit {
    // The first Monday was the fifth of January 1970.
    case .week: return whole(7 * day, from: 4 * day)
    case .month, .year:
      var year = 1970 + Int(local / (366 * day)) - 3
      while Int128(days(before: year + 1)) * day <= local { year += 1 }
      var first = days(before: year)
      if unit == .month {
        let isLeap = days(before: year + 1) - first == 366
        for length in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
          guard Int128(first + length) * day <= local else { break }
          first += length
        }
      }
      return Int128(first) * day
    case .minute, .hour, .day: return whole(day, from: 0)
    }
  }

  /// Returns the number of days from 1970 to the beginning of a year after 1600.
  private static func days(before year: Int) -> Int {
    365 * (year - 1970) + (year - 1601) / 4 - (year - 1601) / 100 + (year - 1601) / 400 - (369 / 4 - 369 / 100)
  }
}
