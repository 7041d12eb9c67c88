import Glibc

/// A parser for the dates and times that commands and logs print.
///
///     TextMoment("Nov 23 10:00:00")?.nanoseconds       // the last 23 November, in local time
///     TextMoment("23/Nov/2026:10:00:00 +0000")
///
/// A time without a zone is in the zone of this process.
struct TextMoment {
  /// The time in nanoseconds since 1970.
  let nanoseconds: Int64
  /// Whether the text is only a date.
  let isDate: Bool

  /// Parses a text; `nil` when it is not entirely a date or time.
  init?(_ text: String) {
    guard (8...40).contains(text.utf8.count), let first = text.utf8.first else { return nil }
    let isNumber = first >= 0x30 && first <= 0x39
    guard isNumber || Self.months[text.prefix(3)] != nil || Self.days.contains(text.prefix(3)) else { return nil }
    var fields = Fields()
    guard isNumber ? Self.readDigits(text, &fields) : Self.readNames(text, &fields), let value = fields.nanoseconds()
    else { return nil }
    nanoseconds = value
    isDate = fields.hour == nil
  }

  /// Converts a number of seconds, milliseconds, microseconds or nanoseconds since 1970.
  ///
  /// The magnitude determines the unit.
  static func nanoseconds(epoch number: Double) -> Int64? {
    let size = number.magnitude
    let factor = size < 1e11 ? 1e9 : size < 1e14 ? 1e6 : size < 1e17 ? 1e3 : 1
    return Int64(exactly: (number * factor).rounded())
  }

  /// The components of a date and time.
  private struct Fields {
    var year: Int?
    var month = 0
    var day = 0
    var hour: Int?
    var minute = 0
    var second = 0
    var fraction: Int64 = 0
    /// The offset from UTC in seconds; `nil` for local time.
    var offset: Int?

    /// Returns nanoseconds since 1970; `nil` when a component is out of range.
    func nanoseconds() -> Int64? {
      guard (1...12).contains(month), (1...31).contains(day), (0...23).contains(hour ?? 0), (0...59).contains(minute),
        (0...60).contains(second), (1678...2261).contains(year ?? 2000)
      else { return nil }
      guard let year else {
        // Without a year it is the last such day; clocks may differ by a day.
        let now = time(nil)
        var local = tm()
        var instant = now
        localtime_r(&instant, &local)
        let current = Int(local.tm_year) + 1900
        guard let this = seconds(current) else {
          return seconds(current - 1).map { Int64($0) * 1_000_000_000 + fraction }
        }
        return (this > now + 86_400 ? seconds(current - 1) : this).map { Int64($0) * 1_000_000_000 + fraction }
      }
      return seconds(year).map { Int64($0) * 1_000_000_000 + fraction }
    }

    private func seconds(_ year: Int) -> Int? {
      var parts = tm()
      parts.tm_year = Int32(year - 1900)
      parts.tm_mon = Int32(month - 1)
      parts.tm_mday = Int32(day)
      parts.tm_hour = Int32(hour ?? 0)
      parts.tm_min = Int32(minute)
      parts.tm_sec = Int32(second)
      parts.tm_isdst = -1
      let result = offset == nil ? mktime(&parts) : timegm(&parts)
      // The 30th of February becomes a day in March.
      guard Int(parts.tm_mday) == day || second == 60 || hour == 2 else { return nil }
      return Int(result) - (offset ?? 0)
    }
  }

  private static let months: [Substring: Int] = [
    "Jan": 1, "Feb": 2, "Mar": 3, "Apr": 4, "May": 5, "Jun": 6, "Jul": 7, "Aug": 8, "Sep": 9, "Oct": 10, "Nov": 11,
    "Dec": 12,
  ]
  private static let days: Set<Substring> = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

  /// Reads `2026-11-23`, `2026/11/23`, `23/Nov/2026`, `23.11.2026` or `23 Nov 2026`, and the time
  /// behind it.
  private static func readDigits(_ text: String, _ fields: inout Fields) -> Bool {
    let head = text.prefix { $0 != "T" && $0 != " " && $0 != ":" }
    for separator in ["-", "/", "."] as [Character] {
      let parts = head.split(separator: separator, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      if parts[0].count == 4, parts[1].count == 2, parts[2].count == 2, let year = Int(parts[0]),
        let month = Int(parts[1]), let day = Int(parts[2])
      {
        (fields.year, fields.month, fields.day) = (year, month, day)
      } else if (1...2).contains(parts[0].count), parts[2].count == 4, let day = Int(parts[0]),
        let month = months[parts[1]], let year = Int(parts[2])
      {
        (fields.year, fields.month, fields.day) = (year, month, day)
      } else if separator == ".", parts[0].count == 2, parts[1].count == 2, parts[2].count == 4,
        let day = Int(parts[0]), let month = Int(parts[1]), let year = Int(parts[2])
      {
        (fields.year, fields.month, fields.day) = (year, month, day)
      } else {
        return false
      }
      let rest = text.dropFirst(head.count)
      if rest.isEmpty { return true }
      return readTime(rest.dropFirst(), &fields)
    }
    let words = text.split(separator: " ", maxSplits: 3)
    guard words.count >= 3, let day = Int(words[0]), let month = months[words[1]], words[2].count == 4,
      let year = Int(words[2])
    else { return false }
    (fields.year, fields.month, fields.day) = (year, month, day)
    return words.count == 3 || readTime(words[3], &fields)
  }

  /// Reads `Nov 23 10:00:00`, `Nov 23 2026`, `Mon Nov 23 10:00:00 UTC 2026`,
  /// `Mon Nov 23 10:00:00 2026 +0000` or `Mon, 23 Nov 2026 10:00:00 +0000`.
  private static func readNames(_ text: String, _ fields: inout Fields) -> Bool {
    var words = text.split(separator: " ")[...]
    if let first = words.first, days.contains(first.prefix(3)) {
      guard first.count == 3 || (first.count == 4 && first.last == ",") else { return false }
      words = words.dropFirst()
      if words.first.map({ Int($0) != nil || $0.contains("-") }) ?? false {
        return readDigits(words.joined(separator: " "), &fields)
      }
    }
    guard words.count >= 2, let month = words.popFirst().flatMap({ months[$0] }), let day = words.popFirst(),
      let number = Int(day.last == "," ? day.dropLast() : day)
    else { return false }
    (fields.month, fields.day) = (month, number)
    // The year stands before the time, behind it, or nowhere.
    if let last = words.last, last.count == 4, let year = Int(last) {
      fields.year = year
      words = words.dropLast()
    } else if let place = words.firstIndex(where: { $0.count == 4 && $0.allSatisfy(\.isNumber) }) {
      fields.year = Int(words[place])
      words.remove(at: place)
    }
    guard !words.isEmpty else { return fields.year != nil }
    return readTime(words.joined(separator: " ")[...], &fields)
  }

  /// Reads `10:00`, `10:00:00`, a fraction and a zone.
  private static func readTime(_ text: Substring, _ fields: inout Fields) -> Bool {
    var rest = text
    func number(_ digits: Int) -> Int? {
      let part = rest.prefix(digits)
      guard part.count == digits, part.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
      rest = rest.dropFirst(digits)
      return Int(part)
    }
    guard let hour = number(2), rest.popFirst() == ":", let minute = number(2) else { return false }
    (fields.hour, fields.minute) = (hour, minute)
    if rest.first == ":" {
      rest = rest.dropFirst()
      guard let second = number(2) else { return false }
      fields.second = second
      if rest.first == "." || rest.first == "," {
        let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty else { return false }
        rest = rest.dropFirst(digits.count + 1)
        fields.fraction = Int64((digits + "000000000").prefix(9)) ?? 0
      }
    }
    return readZone(rest.drop { $0 == " " }, &fields)
  }

  private static func readZone(_ text: Substring, _ fields: inout Fields) -> Bool {
    if text.isEmpty { return true }
    if ["Z", "z", "UTC", "GMT"].contains(text) {
      fields.offset = 0
      return true
    }
    // `+0100`, `+01:00` or `+01`, and the name that Go prints behind it.
    let words = text.split(separator: " ")
    guard words.count == 1 || (words.count == 2 && words[1].allSatisfy { $0.isUppercase }), let sign = words[0].first,
      sign == "+" || sign == "-"
    else { return false }
    let digits = words[0].dropFirst().filter { $0 != ":" }
    guard digits.count == 4 || digits.count == 2, let hours = Int(digits.prefix(2)), hours < 24,
      let minutes = digits.count == 2 ? 0 : Int(digits.suffix(2)), minutes < 60
    else { return false }
    fields.offset = (hours * 60 + minutes) * (sign == "-" ? -60 : 60)
    return true
  }
}
