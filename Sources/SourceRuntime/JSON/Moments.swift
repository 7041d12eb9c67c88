/// Parses timestamps in texts.
package enum Moments {
  /// The value of a well-formed timestamp.
  package enum Reading: Equatable {
    /// Nanoseconds since 1970.
    case exact(Int64)
    /// Before 1677-09-21 or after 2262-04-11, and therefore beyond 64 bits of nanoseconds.
    case outOfRange
  }

  /// Parses an RFC 3339 timestamp as nanoseconds since 1970; `nil` when it is malformed or out of
  /// range.
  package static func nanoseconds(rfc3339 text: UnsafeRawBufferPointer) -> Int64? {
    guard case .exact(let nanoseconds)? = reading(rfc3339: text) else { return nil }
    return nanoseconds
  }

  /// Parses an RFC 3339 timestamp such as `2026-11-21T11:49:10.5Z`; `nil` when it is malformed.
  ///
  /// A space may replace the T. Digits beyond nanoseconds are cut off.
  package static func reading(rfc3339 text: UnsafeRawBufferPointer) -> Reading? {
    // The shortest form is 1970-01-01T00:00:00Z.
    guard text.count >= 20, text.count <= 64 else { return nil }
    func digits(_ first: Int, _ count: Int) -> Int? {
      guard first + count <= text.count else { return nil }
      var value = 0
      for byte in text[first..<first + count] {
        guard byte >= 0x30, byte <= 0x39 else { return nil }
        value = value * 10 + Int(byte - 0x30)
      }
      return value
    }
    func isAt(_ place: Int, _ characters: StaticString) -> Bool {
      place < text.count && characters.withUTF8Buffer { $0.contains(text[place]) }
    }
    guard let year = digits(0, 4), isAt(4, "-"), let month = digits(5, 2), (1...12).contains(month), isAt(7, "-"),
      let day = digits(8, 2), day >= 1, day <= days(of: month, year), isAt(10, "Tt "),
      let hour = digits(11, 2), hour < 24, isAt(13, ":"), let minute = digits(14, 2), minute < 60, isAt(16, ":"),
      let second = digits(17, 2), second <= 60  // a leap second equals the start of the next minute
    else { return nil }
    var place = 19
    var fraction = 0
    if isAt(place, ".") {
      place += 1
      let first = place
      var scale = 100_000_000
      while let digit = digits(place, 1) {
        fraction += digit * scale
        scale /= 10
        place += 1
      }
      guard place > first else { return nil }
    }
    var offset = 0
    if isAt(place, "Zz") {
      place += 1
    } else {
      guard isAt(place, "+-"), let hours = digits(place + 1, 2), hours < 24, isAt(place + 3, ":"),
        let minutes = digits(place + 4, 2), minutes < 60
      else { return nil }
      offset = (hours * 60 + minutes) * (text[place] == 0x2D ? -60 : 60)
      place += 6
    }
    guard place == text.count else { return nil }
    let seconds = dayNumber(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
    let (scaled, overflow) = Int64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflow2) = scaled.addingReportingOverflow(Int64(fraction))
    return overflow || overflow2 ? .outOfRange : .exact(sum)
  }

  /// Converts milliseconds to nanoseconds; `nil` when out of range.
  package static func nanoseconds(milliseconds: Double) -> Int64? {
    Int64(exactly: (milliseconds * 1_000_000).rounded())
  }

  /// Parses decimal milliseconds, such as `1700000000000.123456`, as nanoseconds.
  ///
  /// Returns `nil` when the text is malformed, has more than six decimals, or is out of range.
  package static func nanoseconds(decimal text: UnsafeRawBufferPointer) -> Int64? {
    guard case .exact(let nanoseconds)? = reading(decimal: text) else { return nil }
    return nanoseconds
  }

  /// Returns whether the text is a decimal integer with an optional minus sign.
  package static func areDigits(_ text: UnsafeRawBufferPointer) -> Bool {
    let digits = text.first == 0x2D ? text.dropFirst() : text[...]
    return !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Parses decimal milliseconds with at most six decimals; `nil` when malformed.
  package static func reading(decimal text: UnsafeRawBufferPointer) -> Reading? {
    guard text.count <= 32 else { return nil }
    let written = String(decoding: text, as: UTF8.self)
    let parts = written.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first, areDigits(UnsafeRawBufferPointer(rebasing: text[..<whole.utf8.count])) else {
      return nil
    }
    var fraction: Int64 = 0
    if parts.count == 2 {
      guard (1...6).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let digits = Int64(parts[1] + String(repeating: "0", count: 6 - parts[1].utf8.count))
      else { return nil }
      fraction = whole.first == "-" ? -digits : digits
    }
    guard let milliseconds = Int64(whole) else { return .outOfRange }
    let (scaled, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    let (sum, overflow2) = scaled.addingReportingOverflow(fraction)
    return overflow || overflow2 ? .outOfRange : .exact(sum)
  }

  private static func days(of month: Int, _ year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Returns the days since 1970-01-01 in the Gregorian calendar.
  ///
  /// This is Howard Hinnant's
  /// [`days_from_civil`](https://howardhinnant.github.io/date_algorithms.html#days_from_civil).
  private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}
