/// A decimal number as users write it, with an optional suffix: `5`, `-1,234.5`, `1.5 GiB`, `2e6`.
struct FilterTextNumber {
  /// The number without the suffix.
  private(set) var value: Double
  /// The number if it is an integer that fits, without the rounding of `value`.
  private(set) var whole: Int64?
  /// The value of the last digit.
  private(set) var step: Double
  /// The letters after the number, without blanks.
  private(set) var suffix: String

  /// Parses a number; `nil` if the text is not one.
  ///
  /// Commas may separate groups of three digits, and nothing else.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard let (number, end) = Self.scan(bytes, from: 0) else { return nil }
    var rest = bytes[end...]
    while rest.first == 0x20 { rest.removeFirst() }
    guard !rest.contains(where: { (0x30...0x39).contains($0) || $0 == 0x20 }) else { return nil }
    self = number
    suffix = String(decoding: rest, as: UTF8.self)
  }

  private init(value: Double, whole: Int64?, step: Double) {
    (self.value, self.whole, self.step, suffix) = (value, whole, step, "")
  }

  /// Scans a number, and returns it with the place after it.
  private static func scan(_ bytes: [UInt8], from start: Int) -> (FilterTextNumber, end: Int)? {
    func isDigit(_ place: Int) -> Bool { place < bytes.count && (0x30...0x39).contains(bytes[place]) }
    func at(_ place: Int) -> UInt8 { place < bytes.count ? bytes[place] : 0 }
    var place = start
    var text: [UInt8] = []
    if at(place) == UInt8(ascii: "-") || at(place) == UInt8(ascii: "+") {
      if at(place) == UInt8(ascii: "-") { text.append(UInt8(ascii: "-")) }
      place += 1
    }
    var digits = 0
    while isDigit(place) || (at(place) == UInt8(ascii: ",") && digits > 0) {
      if at(place) == UInt8(ascii: ",") {
        guard digits <= 3, (1...3).allSatisfy({ isDigit(place + $0) }), !isDigit(place + 4) else { return nil }
        text += bytes[place + 1...place + 3]
        place += 4
        digits = 3
        continue
      }
      text.append(bytes[place])
      place += 1
      digits += 1
    }
    var decimals = 0
    if at(place) == UInt8(ascii: "."), isDigit(place + 1) {
      if digits == 0 { text.append(UInt8(ascii: "0")) }
      text.append(UInt8(ascii: "."))
      place += 1
      while isDigit(place) {
        text.append(bytes[place])
        place += 1
        decimals += 1
      }
    }
    guard digits > 0 || decimals > 0 else { return nil }
    var isWhole = decimals == 0
    if at(place) | 0x20 == UInt8(ascii: "e") {
      let sign = at(place + 1) == UInt8(ascii: "-") || at(place + 1) == UInt8(ascii: "+") ? 1 : 0
      var end = place + 1 + sign
      while isDigit(end), end - place < 6 { end += 1 }
      // Without digits it is the suffix of an exabyte.
      if end > place + 1 + sign {
        let exponent = Int(String(decoding: bytes[place + 1 + sign..<end], as: UTF8.self)) ?? 0
        decimals -= at(place + 1) == UInt8(ascii: "-") ? -exponent : exponent
        text += bytes[place..<end]
        place = end
        isWhole = false
      }
    }
    let written = String(decoding: text, as: UTF8.self)
    guard let value = Double(written), value.isFinite else { return nil }
    let whole = isWhole ? Int64(written) : Int64(exactly: value)
    return (FilterTextNumber(value: value, whole: whole, step: power(10, -decimals)), place)
  }

  /// Returns a power with an integer exponent; the engine does not import the C library.
  static func power(_ base: Double, _ exponent: Int) -> Double {
    var result = 1.0
    for _ in 0..<min(400, abs(exponent)) { result *= base }
    return exponent < 0 ? 1 / result : result
  }

  // MARK: Durations

  /// A duration in seconds, with the value of its last digit.
  struct Length {
    var value: Double
    var whole: Int64? { Int64(exactly: value) }
    var step: Double
  }

  private static let units: [String: Double] = [
    "d": 86_400, "day": 86_400, "days": 86_400, "w": 604_800, "week": 604_800, "weeks": 604_800, "h": 3_600,
    "hr": 3_600, "hour": 3_600, "hours": 3_600, "m": 60, "min": 60, "minute": 60, "minutes": 60, "s": 1, "sec": 1,
    "second": 1, "seconds": 1, "ms": 1e-3, "µs": 1e-6, "us": 1e-6, "ns": 1e-9,
  ]

  /// Parses a duration in seconds: `1:02:03`, `3 d 02:03`, `2d 3h`, `4 ms`, `90`.
  static func duration(_ text: String) -> Length? {
    if let clock = clock(text) { return clock }
    if let plain = FilterTextNumber(text), plain.suffix.isEmpty {
      return Length(value: plain.value, step: plain.step)
    }
    return length(text)
  }

  /// Parses a duration in which every number has a unit: `2d 3h`, `4 ms`.
  static func length(_ text: String) -> Length? {
    let isNegative = text.hasPrefix("-")
    let bytes = Array(text.utf8)
    var place = isNegative ? 1 : 0
    var (value, unit, step) = (0.0, Double.infinity, Double.infinity)
    while place < bytes.count {
      guard (0x30...0x39).contains(bytes[place]) || bytes[place] == UInt8(ascii: "."),
        let (number, end) = scan(bytes, from: place)
      else { return nil }
      place = end
      if place < bytes.count, bytes[place] == 0x20 { place += 1 }
      let letters = bytes[place...].prefix { $0 != 0x20 && !(0x30...0x39).contains($0) }
      guard let next = units[String(decoding: letters, as: UTF8.self).lowercased()], next < unit else { return nil }
      (unit, step) = (next, number.step * next)
      value += number.value * unit
      place = letters.endIndex
      if place < bytes.count, bytes[place] == 0x20 { place += 1 }
    }
    guard step.isFinite, value.isFinite else { return nil }
    return Length(value: isNegative ? -value : value, step: step)
  }

  /// Parses `M:SS`, `H:MM:SS` or `N d HH:MM`.
  private static func clock(_ text: String) -> Length? {
    guard text.utf8.contains(UInt8(ascii: ":")) else { return nil }
    let isNegative = text.hasPrefix("-")
    var rest = text.dropFirst(isNegative ? 1 : 0)
    var days: Int64?
    if let mark = rest.firstIndex(where: { $0 == "d" || $0 == "D" }) {
      guard let number = natural(rest[..<mark].filter { $0 != " " }) else { return nil }
      days = number
      rest = rest[rest.index(after: mark)...].drop { $0 == " " }
    }
    let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3, let first = natural(parts[0]) else { return nil }
    var fields = [first]
    for part in parts.dropFirst() {
      guard part.utf8.count == 2, let field = natural(part), field < 60 else { return nil }
      fields.append(field)
    }
    let hasHours = parts.count == 3 || days != nil
    guard days == nil || first < 24 else { return nil }
    let seconds =
      hasHours
      ? Double(fields[0]) * 3_600 + Double(fields[1]) * 60 + Double(fields.count > 2 ? fields[2] : 0)
      : Double(fields[0]) * 60 + Double(fields[1])
    let value = Double(days ?? 0) * 86_400 + seconds
    return Length(value: isNegative ? -value : value, step: hasHours && parts.count == 2 ? 60 : 1)
  }

  /// Returns a number of at most nine digits.
  private static func natural(_ text: some StringProtocol) -> Int64? {
    guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(String(text))
  }
}
