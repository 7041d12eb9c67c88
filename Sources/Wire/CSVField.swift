import ListEngine

/// One field of a CSV file, which a spreadsheet takes for what it is: a text never for a formula, whatever somebody has called a file or
/// a process.
enum CSVField {
  static func append(_ cell: Cell, to bytes: inout [UInt8]) {
    switch cell {
    case .null: break
    case .text(let text), .image(let text): append(text: text, to: &bytes)
    case .boolean(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
    case .integer(let value): bytes.append(contentsOf: "\(value)".utf8)
    // What is a number by its type is one, and may begin with a minus.
    case .number(let value): appendJSON(bytes: &bytes) { $0.number(value) }
    case .timestamp(let value): bytes.append(contentsOf: Timestamp.text(ofNanoseconds: value).utf8)
    case .series(let values):
      for (index, value) in values.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: " ")) }
        appendJSON(bytes: &bytes) { $0.number(value) }
      }
    }
  }

  private static func appendJSON(bytes: inout [UInt8], _ write: (inout JSONWriter) -> Void) {
    var writer = JSONWriter()
    swap(&writer.bytes, &bytes)  // not a copy
    write(&writer)
    swap(&writer.bytes, &bytes)
  }

  static func append(text: String, to bytes: inout [UInt8]) {
    let isFormula = isTrigger(text)
    // More than RFC 4180 asks for: some spreadsheets part fields at semicolons and tabs, too.
    let isQuoted =
      isFormula || text.utf8.first == UInt8(ascii: " ") || text.utf8.last == UInt8(ascii: " ")
      || text.utf8.contains {
        $0 < 0x20 || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "\"")
      }
    guard isQuoted else { return bytes.append(contentsOf: text.utf8) }
    bytes.append(UInt8(ascii: "\""))
    if isFormula { bytes.append(UInt8(ascii: "'")) }
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\"") { bytes.append(byte) }
      bytes.append(byte)
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Whether a spreadsheet may calculate it: it begins with one of the characters of OWASP's list, in any of their widths, perhaps after what
  /// a spreadsheet passes over or nobody sees.
  static func isTrigger(_ text: String) -> Bool {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "=", "+", "-", "@", "\t", "\r", "\n", "\0",
        // Full width, small, and the minus of mathematics.
        "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}", "\u{FE66}", "\u{FE62}", "\u{FE63}", "\u{FE6B}", "\u{2212}":
        return true
      case "\"", "'": continue
      case "!"..."~": return false
      default:
        let properties = scalar.properties
        guard
          properties.isWhitespace || properties.isDefaultIgnorableCodePoint || properties.generalCategory == .control
            || properties.generalCategory == .format
        else { return false }
      }
    }
    return false
  }
}
