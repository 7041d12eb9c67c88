import ListEngine

/// An encoder that appends JSON to a byte array.
///
/// It is on the hot path of every message to clients. It builds no `String` and allocates only to
/// grow the array, except for numbers without a short decimal form.
package struct JSONWriter {
  package var bytes: [UInt8]
  var counts = EncodingCounts()

  package init(_ bytes: [UInt8] = []) { self.bytes = bytes }

  /// Appends literal JSON without escaping.
  package mutating func raw(_ text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  package mutating func byte(_ character: Unicode.Scalar) { bytes.append(UInt8(truncatingIfNeeded: character.value)) }

  // MARK: Numbers

  mutating func integer(_ value: Int) { integer(Int64(value)) }

  package mutating func integer(_ value: Int64) {
    if value < 0 { byte("-") }
    unsigned(value.magnitude)
  }

  package mutating func unsigned(_ value: UInt64) {
    if value < 10 {
      bytes.append(UInt8(truncatingIfNeeded: value) + 0x30)
    } else {
      digits(value, count: Self.digitCount(value))
    }
  }

  /// Appends exactly `count` digits with leading zeros.
  private mutating func digits(_ value: UInt64, count: Int) {
    var rest = value
    let end = bytes.count + count
    for _ in 0..<count { bytes.append(0x30) }
    var place = end
    while rest > 0 {
      place -= 1
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      bytes[place] = UInt8(truncatingIfNeeded: digit) + 0x30
      rest = quotient
    }
  }

  private static func digitCount(_ value: UInt64) -> Int {
    var count = 1
    var bound: UInt64 = 10
    while value >= bound {
      count += 1
      let (next, overflow) = bound.multipliedReportingOverflow(by: 10)
      if overflow { break }
      bound = next
    }
    return count
  }

  /// Appends an integer, as a text if a 64-bit floating-point number cannot hold it exactly.
  mutating func safeInteger(_ value: Int64) {
    if value.magnitude < 1 << 53 {
      integer(value)
    } else {
      byte("\"")
      integer(value)
      byte("\"")
    }
  }

  /// Appends a decimal number with up to `places` decimals and without trailing zeros.
  ///
  /// The number is `magnitude` divided by `unit`, which is 10 to the power of `places`.
  private mutating func decimal(_ magnitude: UInt64, places: Int, unit: UInt64) {
    var (whole, fraction) = magnitude.quotientAndRemainder(dividingBy: unit)
    unsigned(whole)
    guard fraction > 0 else { return }
    var count = places
    while true {
      (whole, fraction) = (fraction, fraction / 10)
      guard fraction * 10 == whole else { break }
      count -= 1
    }
    byte(".")
    digits(whole, count: count)
  }

  /// Appends the shortest decimal that parses to `value`.
  ///
  /// - Precondition: `value` is finite.
  mutating func number(_ value: Double) {
    let magnitude = value.magnitude
    if magnitude < 1e9 {
      // At most one decimal of up to 15 digits with a given length parses to a given double. If
      // n/10000 equals the value, n's digits without trailing zeros are therefore the shortest
      // form. This covers typical prices, percentages and counts.
      let scaled = (magnitude * 10_000).rounded()
      if scaled / 10_000 == magnitude {
        if value.sign == .minus { byte("-") }
        decimal(UInt64(scaled), places: 4, unit: 10_000)
        return
      }
    }
    if magnitude < 0x1p53, magnitude.rounded() == magnitude {
      integer(Int64(value))
      return
    }
    // Descriptions of finite doubles are valid JSON: 0.1, 1e-07, 5e+16, 100.0.
    var description = value.description
    description.withUTF8 { bytes.append(contentsOf: $0) }
  }

  /// Appends a number of nanoseconds as exact milliseconds.
  package mutating func milliseconds(ofNanoseconds value: Int64) {
    if value < 0 { byte("-") }
    decimal(value.magnitude, places: 6, unit: 1_000_000)
  }

  // MARK: Texts

  package mutating func text(_ text: String) {
    var text = text
    text.withUTF8 { self.text($0) }
  }

  private mutating func text(_ utf8: UnsafeBufferPointer<UInt8>) {
    byte("\"")
    var written = 0
    for index in utf8.indices where Self.needsEscape(utf8[index]) {
      bytes.append(contentsOf: utf8[written..<index])
      escape(utf8[index])
      written = index + 1
    }
    bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[written...]))
    byte("\"")
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private mutating func escape(_ character: UInt8) {
    byte("\\")
    switch character {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(character)
    case 0x08: byte("b")
    case 0x09: byte("t")
    case 0x0A: byte("n")
    case 0x0C: byte("f")
    case 0x0D: byte("r")
    default:
      raw("u00")
      byte(character < 0x10 ? "0" : "1")
      let digit = character & 0xF
      bytes.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
    }
  }

  // MARK: Cells

  package mutating func cell(_ cell: Cell) {
    switch cell {
    case .null: raw("null")
    case .integer(let value): safeInteger(value)
    case .number(let value): number(value)
    case .text(let value), .image(let value): text(value)
    case .boolean(let value): value ? raw("true") : raw("false")
    case .timestamp(let value): milliseconds(ofNanoseconds: value)
    case .series(let values):
      byte("[")
      for (index, value) in values.enumerated() {
        if index > 0 { byte(",") }
        // JSON cannot represent infinities and NaN.
        value.isFinite ? number(value) : raw("null")
      }
      byte("]")
    }
  }
}
