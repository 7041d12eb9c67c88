/// Parsers for the sizes, durations and amounts that commands print.
///
/// Each returns `nil` for a text that is not entirely such a value.
enum TextQuantity {
  /// Placeholders for a missing value.
  ///
  /// They are empty cells in columns of numbers and times.
  static let placeholders: Set<String> = [
    "-", "--", "---", "—", "–", "n/a", "N/A", "NA", "<none>", "<unknown>", "?", "*", "null", "NULL", "nil",
  ]

  // MARK: Sizes

  /// Parses a size in bytes: `1.5G`, `10KiB`, `1.2GB`, `512B`.
  ///
  /// `K` and `KiB` are 1024 bytes, `kB` and `KB` 1000. After a blank, `kB` is 1024, as PostgreSQL
  /// and the kernel print it. A number without a unit is multiplied by
  /// `bare`; without `bare` it is not a size.
  static func bytes(_ text: String, bare: Double? = nil) -> Double? {
    guard let (number, unit) = split(text) else { return nil }
    if unit.isEmpty { return bare.map { number * $0 } }
    if unit == "bytes" || unit == "byte" { return number }
    if unit == "kB", text.contains(" ") { return number * 1024 }
    guard let factor = byteFactor(unit, acceptsLowercase: bare != nil) else { return nil }
    return (number * factor).rounded()
  }

  private static func byteFactor(_ unit: Substring, acceptsLowercase: Bool) -> Double? {
    var unit = unit
    let hasB = unit.last == "B" || (unit.last == "b" && unit.count > 1)
    if hasB { unit.removeLast() }
    guard let letter = unit.first else { return 1 }
    unit.removeFirst()
    let isBinary = unit == "i" || !hasB
    guard unit.isEmpty || unit == "i" else { return nil }
    guard hasB || unit == "i" || letter.isUppercase || acceptsLowercase else { return nil }
    guard let power = ["k", "m", "g", "t", "p", "e"].firstIndex(of: letter.lowercased()) else { return nil }
    return (0...power).reduce(1) { factor, _ in factor * (isBinary ? 1024 : 1000) }
  }

  // MARK: Durations

  /// The notation of a duration.
  enum DurationForm {
    /// `10:23`, which is as likely a time of day.
    case minutesOrHours
    /// `1:02:03`, which may be a time of day.
    case clock
    /// `1h1m`, `3d4h`, `2-03:04:05`.
    case units
  }

  private static let seconds: [Substring: Double] = [
    "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1,
    "m": 60, "min": 60, "mins": 60, "minute": 60, "minutes": 60, "h": 3_600, "hr": 3_600, "hrs": 3_600, "hour": 3_600,
    "hours": 3_600, "d": 86_400, "day": 86_400, "days": 86_400, "w": 604_800, "week": 604_800, "weeks": 604_800,
    "y": 31_536_000, "year": 31_536_000, "years": 31_536_000,
  ]

  /// Parses a duration in seconds and reports its notation.
  static func duration(_ text: String) -> (seconds: Double, form: DurationForm)? {
    guard let first = text.utf8.first, isDigit(first), text.utf8.count <= 40 else { return nil }
    if text.contains(":") { return clock(text) }
    guard let last = text.last, last.isLetter else { return nil }
    var total = 0.0
    var least = Double.infinity
    var rest = Substring(text)
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
      rest = rest.dropFirst(digits.count).drop { $0 == " " }
      let unit = rest.prefix { $0.isLetter }
      rest = rest.dropFirst(unit.count).drop { $0 == " " || $0 == "," }
      guard let number = Double(digits), let factor = seconds[unit], factor < least else { return nil }
      least = factor
      total += number * factor
    }
    return (total, .units)
  }

  /// Parses `H:MM:SS`, `M:SS`, and either after `D-` or `D days`.
  private static func clock(_ text: String) -> (seconds: Double, form: DurationForm)? {
    var rest = Substring(text)
    var days: Double?
    let number = rest.prefix { $0.isASCII && $0.isNumber }
    let mark = rest.dropFirst(number.count).prefix { !$0.isNumber }
    if ["-", "d", " d ", " days, ", " day, ", " days ", " day "].contains(mark) {
      days = Double(number)
      rest = rest.dropFirst(number.count + mark.count)
    }
    let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3 else { return nil }
    for (index, part) in parts.enumerated() {
      let whole = index == parts.count - 1 ? part.prefix { $0 != "." } : part
      guard !whole.isEmpty, whole.allSatisfy({ $0.isASCII && $0.isNumber }), index == 0 || whole.count == 2 else {
        return nil
      }
      guard index == 0 || Int(whole).map({ $0 < 60 }) ?? false, part.last != "." else { return nil }
    }
    guard let values = Optional(parts.compactMap { Double($0) }), values.count == parts.count else { return nil }
    // Hours and minutes follow a number of days.
    let isHours = days != nil && parts.count == 2
    let total = values.reduce(0) { $0 * 60 + $1 } * (isHours ? 60 : 1)
    let form: DurationForm = days != nil ? .units : parts.count == 3 ? .clock : .minutesOrHours
    return (total + (days ?? 0) * 86_400, form)
  }

  // MARK: Amounts

  /// Parses a number with separators of thousands: `1,234,567.5`.
  static func grouped(_ text: String) -> Double? {
    guard text.utf8.count <= 40, text.utf8.contains(UInt8(ascii: ",")) else { return nil }
    let digits = text.hasPrefix("-") ? text.dropFirst() : Substring(text)
    let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let groups = parts[0].split(separator: ",", omittingEmptySubsequences: false)
    guard groups.count >= 2, groups.allSatisfy({ $0.utf8.allSatisfy(isDigit) }), (1...3).contains(groups[0].count),
      groups.dropFirst().allSatisfy({ $0.utf8.count == 3 }), groups[0] != "0",
      parts.count == 1 || (!parts[1].isEmpty && parts[1].utf8.allSatisfy(isDigit))
    else { return nil }
    return Double(text.replacing(",", with: ""))
  }

  private static let currencies: Set<Character> = ["$", "€", "£", "¥", "₹", "₽", "₩"]

  /// Units that may follow a number.
  private static let units: Set<Substring> = [
    "m", "MHz", "GHz", "kHz", "Hz", "rpm", "RPM", "V", "mV", "W", "mW", "kW", "kWh", "Wh", "A", "mA", "mAh", "°C", "°F",
    "dB",
    "dBm", "px", "km", "cm", "mm", "kg", "Kbps", "Mbps", "Gbps", "kbit/s", "Mbit/s", "Gbit/s", "Mb/s", "Gb/s", "B/s",
    "kB/s", "KB/s", "MB/s", "GB/s", "KiB/s", "MiB/s", "GiB/s", "req/s", "/s", "bpm", "fps", "MT/s", "x",
  ]

  /// Parses a number with a currency sign or a unit: `$1.50`, `12 €`, `45 W`.
  static func amount(_ text: String) -> (number: Double, unit: String)? {
    guard text.utf8.count <= 40, let first = text.first else { return nil }
    let unsigned = first == "-" || first == "+" ? text.dropFirst() : Substring(text)
    if let sign = unsigned.first, currencies.contains(sign) {
      let digits = String(unsigned.dropFirst().drop { $0 == " " })
      guard digits.utf8.first.map(isDigit) ?? false, let number = number(digits) else { return nil }
      return (first == "-" ? -number : number, String(sign))
    }
    guard unsigned.utf8.first.map(isDigit) ?? false else { return nil }
    let digits = text.prefix { $0.isASCII && ($0.isNumber || ".,-+".contains($0)) }
    let unit = text.dropFirst(digits.count).drop { $0 == " " }
    guard units.contains(unit) || (unit.count == 1 && currencies.contains(unit.first!)) else { return nil }
    return number(String(digits)).map { ($0, String(unit)) }
  }

  /// Returns whether the text is an amount of money with two decimals or none.
  static func isMoney(_ text: String) -> Bool {
    guard let (_, unit) = amount(text), let sign = unit.first, unit.count == 1, currencies.contains(sign) else {
      return false
    }
    guard let point = text.lastIndex(of: ".") else { return true }
    return text[point...].dropFirst().prefix { $0.isNumber }.count == 2
  }

  /// Parses a plain or grouped number.
  static func number(_ text: String) -> Double? {
    switch UntypedValue(reading: text) {
    case .integer(let value): Double(exactly: value)
    case .number(let value): value
    default: grouped(text)
    }
  }

  private static func split(_ text: String) -> (number: Double, unit: Substring)? {
    guard let first = text.utf8.first, isDigit(first) || first == UInt8(ascii: "-"), text.utf8.count <= 40 else {
      return nil
    }
    let digits = text.prefix { $0.isASCII && ($0.isNumber || ".,-".contains($0)) }
    let unit = text.dropFirst(digits.count).drop { $0 == " " }
    guard unit.count <= 5, let number = number(String(digits)) else { return nil }
    return (number, unit)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
}
