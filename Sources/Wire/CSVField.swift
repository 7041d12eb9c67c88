import ListEngine

/// The encoding of cells as CSV fields, which spreadsheets read as values, never as formulas.
///
/// Texts that look like formulas are quoted and prefixed with an apostrophe, as OWASP recommends
/// against [CSV injection](https://owasp.org/www-community/attacks/CSV_Injection).
enum CSVField {
  static func append(_ cell: Cell, to bytes: inout [UInt8]) {
    switch cell {
    case .null: break
    case .text(let text), .image(let text): append(text: text, to: &bytes)
    case .boolean(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
    case .integer(let value): bytes.append(contentsOf: "\(value)".utf8)
    // A number may begin with a minus: its type rules out a formula.
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
    swap(&writer.bytes, &bytes)  // moves the buffer instead of copying it
    write(&writer)
    swap(&writer.bytes, &bytes)
  }

  static func append(text: String, to bytes: inout [UInt8]) {
    let isFormula = isTrigger(text)
    // Stricter than RFC 4180, because some spreadsheets also split fields at semicolons and tabs.
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

  /// Returns whether a spreadsheet could evaluate `text` as a formula.
  ///
  /// A formula begins with a character of OWASP's list, in any width. Quotation marks, whitespace
  /// and invisible characters may precede it.
  static func isTrigger(_ text: String) -> Bool {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "=", "+", "-", "@", "\t", "\r", "\n", "\0",
        // Full-width and small forms, and the mathematical minus sign.
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
