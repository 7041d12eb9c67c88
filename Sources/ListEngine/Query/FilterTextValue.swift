/// A value of a ``FilterText``, as a column of numbers, times or booleans understands it.
///
///     FilterTextValue("1.5G", for: memory, zone: 0)  // the numbers that show as 1.5 GiB
enum FilterTextValue: Equatable {
  /// A number as written, and the range of numbers that the column shows like it.
  case number(Double, whole: Int64?, low: Double, high: Double)
  /// The nanoseconds since 1970 of the day, minute or second that a time names.
  case time(ClosedRange<Int64>)
  /// The age of a time in seconds; negative for times in the future.
  case age(Double)
  /// A truth value.
  case boolean(Bool)

  /// Reads a value; `nil` if the column has no such values.
  init?(_ text: String, for column: Column, zone: ZoneOffsets) {
    let text = Self.tidy(text)
    guard !text.isEmpty else { return nil }
    let value: FilterTextValue? =
      switch column.type {
      case .integer, .number: Self.number(text, column)
      case .timestamp:
        FilterTextTime(text, zone: zone).map { .time($0.range) } ?? FilterTextNumber.length(text).map { .age($0.value) }
      case .boolean: ["true": true, "yes": true, "false": false, "no": false][text.lowercased()].map(Self.boolean)
      case .text, .image, .series: nil
      }
    guard let value else { return nil }
    self = value
  }

  /// A sentence with examples of a column's values.
  static func remedy(_ column: Column) -> String {
    switch (column.type, column.style) {
    case (.timestamp, _): "write a time like 2026-11-23 14:05, or after < and > an age like 15m or 2d 3h"
    case (.boolean, _): "write true or false"
    case (_, .bytes): "write a size like 1.5G or 300 MiB"
    case (_, .duration), (_, .age): "write a duration like 1:02:03, 2d 3h or 1.5s"
    case (.integer, _): "write a whole number"
    default: "write a number like 1234.5"
    }
  }

  /// Joins words by single spaces, and replaces typographic minus signs.
  private static func tidy(_ text: String) -> String {
    text.split { FilterTextScanner.isBlank($0.utf16.first ?? 0) }.joined(separator: " ")
      .split(separator: "−", omittingEmptySubsequences: false).joined(separator: "-")
  }

  // MARK: Numbers

  private static func number(_ text: String, _ column: Column) -> FilterTextValue? {
    if column.style == .duration || column.style == .age {
      guard let found = FilterTextNumber.duration(text), found.value.isFinite else { return nil }
      // An age is rounded down when it is shown.
      if column.style == .age {
        return .number(found.value, whole: found.whole, low: found.value, high: (found.value + found.step).nextDown)
      }
      let shown = abs(found.value) < 59.995 ? 0.01 : abs(found.value) < 86_400 ? 1.0 : 60
      return rounded(found.value, found.whole, step: found.step, shown: shown)
    }
    guard let found = FilterTextNumber(text) else { return nil }
    guard let scale = scale(found.suffix, column) else { return nil }
    let value = found.value * scale
    guard value.isFinite else { return nil }
    let whole = scale == 1 ? found.whole : Int64(exactly: value)
    let step = found.step * scale
    if column.style == .bytes { return rounded(value, whole, step: step, shown: byteStep(value)) }
    switch column.format {
    case .plain(let decimals?), .grouped(let decimals?):
      return rounded(value, whole, step: step, shown: FilterTextNumber.power(10, -decimals))
    default: return .number(value, whole: whole, low: value, high: value)
    }
  }

  /// Returns a number with the range that is shown like it, in steps of `shown`.
  ///
  /// One with more digits than the column shows stands for itself.
  private static func rounded(_ value: Double, _ whole: Int64?, step: Double, shown: Double) -> FilterTextValue {
    guard shown > 0, step >= shown * (1 - 1e-9) else {
      return .number(value, whole: whole, low: value, high: value)
    }
    let half = shown / 2
    // Halves are rounded away from zero.
    return .number(
      value, whole: whole, low: value > 0 ? value - half : (value - half).nextUp,
      high: value < 0 ? value + half : (value + half).nextDown)
  }

  /// Returns the factor of a number's suffix.
  private static func scale(_ suffix: String, _ column: Column) -> Double? {
    if suffix.isEmpty || (suffix == column.unit && !column.unit.isEmpty) { return 1 }
    guard column.style == .bytes else { return ["k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12][suffix] }
    var letters = suffix.lowercased()[...]
    if letters.last == "b" { letters.removeLast() }
    if letters.count == 2, letters.last == "i" { letters.removeLast() }
    guard letters.count <= 1 else { return nil }
    guard let letter = letters.first else { return 1 }
    guard let power = ["k", "m", "g", "t", "p", "e"].firstIndex(of: letter) else { return nil }
    return FilterTextNumber.power(1_024, power + 1)
  }

  /// Returns the difference of two neighboring sizes as they are shown: one decimal of a unit.
  private static func byteStep(_ value: Double) -> Double {
    var unit = 1.0
    while abs(value) / unit >= 1_023.95, unit < 0x1p60 { unit *= 1_024 }
    return unit == 1 ? 1 : unit / 10
  }
}
