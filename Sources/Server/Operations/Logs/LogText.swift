/// Escaping of untrusted text in logs.
///
/// A name of a file or row must not start a new line, control the terminal or change the text
/// direction.
enum LogText {
  /// The maximum size of a field, in bytes.
  static let greatestByteCount = 4_096

  /// Returns whether the character is a control, formatting or invisible character.
  private static func isUnruly(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0xAD, 0x061C, 0x180E, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
      0xFFF9...0xFFFB, 0xE0000...0xE007F:
      true
    default: false
    }
  }

  /// Returns the text as one line, with unsafe characters replaced by U+FFFD.
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

  /// Returns the text as a JSON string in quotes, with unsafe characters escaped.
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
