/// A time as users write it: `2026-11`, `2026-11-23`, `2026-11-23 14:05:09.25 +01:00`.
struct FilterTextTime {
  /// The nanoseconds since 1970 of the month, day, minute or second that the text names.
  let range: ClosedRange<Int64>

  /// Parses a time; `nil` if the text is not one, or names a time that does not exist or that 64
  /// bits cannot hold.
  ///
  /// The range of a time that the clocks have shown twice begins with the first moment. A time that
  /// they have skipped is the moment of the change.
  ///
  /// - Parameter zone: The zone of a text without one.
  init?(_ text: String, zone: ZoneOffsets) {
    var scanner = Digits(bytes: Array(text.utf8))
    guard let year = scanner.take(4), scanner.skip("-"), let month = scanner.take(2), (1...12).contains(month) else {
      return nil
    }
    var from = Fields(year: year, month: month)
    var (length, hasDay) = (Int128(0), false)
    if scanner.skip("-") {
      guard let day = scanner.take(2), day >= 1, day <= Self.days(in: month, of: year) else { return nil }
      (from.day, length, hasDay) = (day, 86_400_000_000_000, true)
    }
    if hasDay, scanner.isDigit(1), scanner.skip("T") || scanner.skip("t") || scanner.skip(" ") {
      guard let hour = scanner.take(2), hour < 24, scanner.skip(":"), let minute = scanner.take(2), minute < 60 else {
        return nil
      }
      (from.hour, from.minute, length) = (hour, minute, 60_000_000_000)
      if scanner.skip(":") {
        guard let second = scanner.take(2), second < 60 else { return nil }
        (from.second, length) = (second, 1_000_000_000)
        if scanner.skip(".") || scanner.skip(",") {
          guard let (fraction, unit) = scanner.fraction() else { return nil }
          (from.nanosecond, length) = (fraction, Int128(unit))
        }
      }
    }
    guard let offset = scanner.zone(default: zone) else { return nil }
    if !hasDay {
      let next = month == 12 ? Fields(year: year + 1, month: 1) : Fields(year: year, month: month + 1)
      length = next.local - from.local
    }
    // A day on which the clocks are set is longer or shorter than others; a minute is not.
    let first = offset.moment(reaching: from.local)
    let isLong = length >= Int128(ZoneOffsets.day)
    let last = max(first, (isLong ? offset.moment(reaching: from.local + length) : first + length) - 1)
    guard let first = Int64(exactly: first), let last = Int64(exactly: last) else { return nil }
    range = first...last
  }

  private static func days(in month: Int64, of year: Int64) -> Int64 {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  /// A time of the Gregorian calendar.
  private struct Fields {
    var year: Int64
    var month: Int64
    var day: Int64 = 1
    var hour: Int64 = 0
    var minute: Int64 = 0
    var second: Int64 = 0
    var nanosecond: Int64 = 0

    /// The nanoseconds since 1970-01-01 00:00 on the clocks that show this time.
    var local: Int128 {
      let days = Int64(CalendarMonth.firstDay(Int(year * 12 + month - 1))) + day - 1
      let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second
      return Int128(seconds) * 1_000_000_000 + Int128(nanosecond)
    }
  }

  /// A scanner of digits and separators.
  private struct Digits {
    let bytes: [UInt8]
    var place = 0

    func isDigit(_ offset: Int) -> Bool {
      place + offset < bytes.count && (0x30...0x39).contains(bytes[place + offset])
    }

    /// Scans a number of exactly `count` digits.
    mutating func take(_ count: Int) -> Int64? {
      guard (0..<count).allSatisfy({ isDigit($0) }) else { return nil }
      defer { place += count }
      return bytes[place..<place + count].reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    mutating func skip(_ character: Character) -> Bool {
      guard place < bytes.count, bytes[place] == character.asciiValue else { return false }
      place += 1
      return true
    }

    /// Scans up to nine decimals of a second; returns them and the last one's value in nanoseconds.
    mutating func fraction() -> (Int64, unit: Int64)? {
      var (value, unit) = (Int64(0), Int64(1_000_000_000))
      while isDigit(0) {
        guard unit > 1 else { return nil }
        unit /= 10
        value += Int64(bytes[place] - 0x30) * unit
        place += 1
      }
      return unit == 1_000_000_000 ? nil : (value, unit)
    }

    /// Scans `Z` or an offset such as `+01:00`, up to the end.
    mutating func zone(default zone: ZoneOffsets) -> ZoneOffsets? {
      _ = skip(" ")
      if place == bytes.count { return zone }
      if skip("Z") || skip("z") { return place == bytes.count ? 0 : nil }
      let isNegative = skip("-")
      guard isNegative || skip("+"), let hours = take(2), hours < 24 else { return nil }
      _ = skip(":")
      let minutes = place == bytes.count ? 0 : take(2)
      guard let minutes, minutes < 60, place == bytes.count else { return nil }
      return ZoneOffsets(Int(hours * 60 + minutes) * (isNegative ? -1 : 1))
    }
  }
}
