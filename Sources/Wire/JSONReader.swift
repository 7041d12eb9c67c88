import ListEngine

/// A strict JSON parser (RFC 8259) for untrusted input.
///
///     var reader = JSONReader(bytes)
///     let value = try reader.readDocument()
///
/// It bounds the nesting depth, never traps, and reports the byte offset of errors. A lone
/// surrogate (`\ud800`) is decoded as U+FFFD, because a browser may cut a text between the halves
/// of a pair.
struct JSONReader {
  /// The maximum nesting depth.
  ///
  /// Messages of the protocol need four levels; unknown members may need more.
  static let greatestDepth = 32

  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  /// - Precondition: `bytes` is valid UTF-8 and outlives the reader.
  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// Parses the whole input as one value.
  mutating func readDocument() throws(ClientError) -> JSONValue {
    let value = try readValue(depth: 0)
    skipBlanks()
    guard position == bytes.count else { throw complaint("more after the end of the message") }
    return value
  }

  private func complaint(_ what: String) -> ClientError { .unreadableMessage("\(what) at byte \(position)") }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipBlanks() {
    while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard current == byte else { return false }
    position += 1
    return true
  }

  private mutating func readValue(depth: Int) throws(ClientError) -> JSONValue {
    skipBlanks()
    switch current {
    case UInt8(ascii: "{"): return try readObject(depth: depth)
    case UInt8(ascii: "["): return try readArray(depth: depth)
    case UInt8(ascii: "\""): return .text(try readText())
    case UInt8(ascii: "t"): return try readWord("true", .boolean(true))
    case UInt8(ascii: "f"): return try readWord("false", .boolean(false))
    case UInt8(ascii: "n"): return try readWord("null", .null)
    case nil: throw complaint("the message ends too early,")
    default: return try readNumber()
    }
  }

  private mutating func readWord(_ word: StaticString, _ value: JSONValue) throws(ClientError) -> JSONValue {
    for offset in 0..<word.utf8CodeUnitCount {
      guard skip(word.utf8Start[offset]) else { throw complaint("no JSON") }
    }
    return value
  }

  private mutating func readObject(depth: Int) throws(ClientError) -> JSONValue {
    guard depth < Self.greatestDepth else { throw complaint("nested too deeply") }
    position += 1
    var members: [(name: String, value: JSONValue)] = []
    skipBlanks()
    if skip(UInt8(ascii: "}")) { return .object(members) }
    while true {
      skipBlanks()
      guard current == UInt8(ascii: "\"") else { throw complaint("no member name") }
      let name = try readText()
      skipBlanks()
      guard skip(UInt8(ascii: ":")) else { throw complaint("no colon") }
      members.append((name, try readValue(depth: depth + 1)))
      skipBlanks()
      if skip(UInt8(ascii: ",")) { continue }
      guard skip(UInt8(ascii: "}")) else { throw complaint("an object does not end") }
      return .object(members)
    }
  }

  private mutating func readArray(depth: Int) throws(ClientError) -> JSONValue {
    guard depth < Self.greatestDepth else { throw complaint("nested too deeply") }
    position += 1
    var values: [JSONValue] = []
    skipBlanks()
    if skip(UInt8(ascii: "]")) { return .array(values) }
    while true {
      values.append(try readValue(depth: depth + 1))
      skipBlanks()
      if skip(UInt8(ascii: ",")) { continue }
      guard skip(UInt8(ascii: "]")) else { throw complaint("a list does not end") }
      return .array(values)
    }
  }

  // MARK: Texts

  private mutating func readText() throws(ClientError) -> String {
    position += 1
    let start = position
    while let byte = current {
      if byte == UInt8(ascii: "\"") {
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        position += 1
        return text
      }
      if byte == UInt8(ascii: "\\") { return try readEscapedText(from: start) }
      guard byte >= 0x20 else { throw complaint("a control character in a text") }
      position += 1
    }
    throw complaint("a text does not end,")
  }

  /// Reads the rest of a text that contains escapes, into a copy.
  private mutating func readEscapedText(from start: Int) throws(ClientError) -> String {
    var units = Array(bytes[start..<position])
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return String(decoding: units, as: UTF8.self)
      case UInt8(ascii: "\\"):
        position += 1
        units.append(contentsOf: String(try readEscape()).utf8)
      case ..<0x20:
        throw complaint("a control character in a text")
      default:
        units.append(byte)
        position += 1
      }
    }
    throw complaint("a text does not end,")
  }

  private mutating func readEscape() throws(ClientError) -> Unicode.Scalar {
    guard let byte = current else { throw complaint("a text does not end,") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try readUnicodeEscape()
    default: throw complaint("no such escape")
    }
  }

  private mutating func readUnicodeEscape() throws(ClientError) -> Unicode.Scalar {
    let unit = try readFourDigits()
    guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) ?? "\u{FFFD}" }
    let resume = position
    guard skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) else {
      position = resume
      return "\u{FFFD}"
    }
    let second = try readFourDigits()
    guard UTF16.isTrailSurrogate(second) else {
      position = resume
      return "\u{FFFD}"
    }
    return UTF16.decode(UTF16.EncodedScalar([unit, second]))
  }

  private mutating func readFourDigits() throws(ClientError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
        throw complaint("no hexadecimal digit")
      }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }

  // MARK: Numbers

  private mutating func readNumber() throws(ClientError) -> JSONValue {
    let start = position
    var isWhole = true
    _ = skip(UInt8(ascii: "-"))
    let hasLeadingZero = current == UInt8(ascii: "0")
    let digits = skipDigits()
    guard digits > 0 else { throw complaint("no JSON") }
    guard digits == 1 || !hasLeadingZero else { throw complaint("a number with a leading zero") }
    if skip(UInt8(ascii: ".")) {
      isWhole = false
      guard skipDigits() > 0 else { throw complaint("a number without its fraction") }
    }
    if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
      isWhole = false
      position += 1
      if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
      guard skipDigits() > 0 else { throw complaint("a number without its exponent") }
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isWhole, let value = Int64(text) { return .integer(value) }
    guard let value = Double(text), value.isFinite else { throw complaint("a number that is too great") }
    return .number(value)
  }

  private mutating func skipDigits() -> Int {
    let start = position
    while let byte = current, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
    return position - start
  }
}
