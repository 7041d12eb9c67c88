/// Ranges of times: the minutes, hours, days, weeks, months or years at a fixed offset from UTC.
struct FixedTimeRanges {
  /// The unit.
  let unit: TimeUnit
  /// The offset from UTC, in minutes.
  let offset: Int

  /// Creates ranges.
  init(_ unit: TimeUnit, offset: Int = 0) { (self.unit, self.offset) = (unit, offset) }

  private static var minute: Int64 { 60_000_000_000 }
  private static var day: Int64 { 1_440 * minute }

  /// Returns the first nanosecond of the range that contains a time.
  ///
  /// It is the first nanosecond that 64 bits can hold if the range begins earlier.
  func lowerBound(of time: Int64) -> Int64 { clamped(time, -elapsed(at: time)) }

  /// Returns the first nanosecond after the range that contains a time, or `nil` if 64 bits cannot
  /// hold it.
  func end(of time: Int64) -> Int64? {
    let remaining: Int64
    switch unit {
    case .minute, .hour, .day, .week: remaining = length - elapsed(at: time)
    case .month, .year:
      let (day, ofDay) = localDay(of: time)
      remaining = Int64(firstDay(after: day) - day) * Self.day - ofDay
    }
    let (end, overflows) = time.addingReportingOverflow(remaining)
    return overflows ? nil : end
  }

  /// Returns the nanoseconds from the beginning of the range to a time.
  private func elapsed(at time: Int64) -> Int64 {
    switch unit {
    // 1970 began on a Thursday, and weeks begin on Monday.
    case .week: return Self.rest(time, Int64(offset) * Self.minute + 3 * Self.day, length)
    case .minute, .hour, .day: return Self.rest(time, Int64(offset) * Self.minute, length)
    case .month, .year:
      let (day, ofDay) = localDay(of: time)
      return Int64(day - firstDay(upTo: day)) * Self.day + ofDay
    }
  }

  /// The length of a range, unless it varies.
  private var length: Int64 {
    switch unit {
    case .minute: Self.minute
    case .hour: 60 * Self.minute
    case .day: Self.day
    case .week: 7 * Self.day
    case .month, .year: preconditionFailure("the length of a \(unit) varies")
    }
  }

  /// Returns the local day of a time, counted from 1970-01-01, and the nanoseconds since it began.
  private func localDay(of time: Int64) -> (day: Int, ofDay: Int64) {
    let ofDay = Self.rest(time, Int64(offset) * Self.minute, Self.day)
    // Compute whole days and the shift separately, because the local time can exceed 64 bits.
    let (days, left) = time.quotientAndRemainder(dividingBy: Self.day)
    return (Int(days + (left + Int64(offset) * Self.minute - ofDay) / Self.day), ofDay)
  }

  private var months: Int { unit == .year ? 12 : 1 }

  private func firstDay(upTo day: Int) -> Int {
    let month = CalendarMonth.number(ofDay: day)
    return CalendarMonth.firstDay(month - wholeRest(month, months))
  }

  private func firstDay(after day: Int) -> Int {
    let month = CalendarMonth.number(ofDay: day)
    return CalendarMonth.firstDay(month - wholeRest(month, months) + months)
  }

  private func wholeRest(_ number: Int, _ divisor: Int) -> Int {
    let rest = number % divisor
    return rest < 0 ? rest + divisor : rest
  }

  /// Returns the remainder of `time + shift`, at least 0, without overflow.
  private static func rest(_ time: Int64, _ shift: Int64, _ length: Int64) -> Int64 {
    let rest = (time % length + shift % length) % length
    return rest < 0 ? rest + length : rest
  }

  /// Returns a sum, or the least integer if the sum is below it.
  private func clamped(_ time: Int64, _ change: Int64) -> Int64 {
    let (sum, overflows) = time.addingReportingOverflow(change)
    return overflows ? .min : sum
  }
}
