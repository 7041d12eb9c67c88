/// What may stand in a log: no name of a file or row can begin a line of its own, steer the terminal or turn the direction of writing.
enum LogText {
  /// How many bytes of a field are written.
  static let greatestByteCount = 4_096

  /// Whether a character does something other than stand there.
  private static func isUnruly(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0xAD, 0x061C, 0x180E, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
      0xFFF9...0xFFFB, 0xE0000...0xE007F:
      true
    default: false
    }
  }

  /// As one line for people: what is unruly is replaced.
  static func printable(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var count = 0
    for scalar in text.unicodeScalars {
      let written = isUnruly(scalar) ? "\u{FFFD}" : scalar
      count += UTF8.width(written)
      guard count <= greatestByteCount else {
        result.append("…")
        break
      }
      result.append(written)
    }
    return String(result)
  }

  /// As a JSON string with its quotes: what is unruly is written by its number.
  static func quoted(_ text: String) -> String {
    var result = "\""
    var count = 0
    for scalar in text.unicodeScalars {
      count += UTF8.width(scalar)
      guard count <= greatestByteCount else {
        result += "…"
        break
      }
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case _ where isUnruly(scalar):
        for unit in UTF16.encode(scalar)! {
          let digits = String(unit, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
