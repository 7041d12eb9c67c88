/// Converts program output to plain UTF-8: removes escape sequences, and decodes invalid UTF-8 as
/// Windows-1252.
enum TerminalText {
  private static let escape: UInt8 = 0x1B

  /// Returns whether the bytes are UTF-8 without escape sequences.
  ///
  /// - Complexity: O(n) in the number of bytes, without an allocation for ASCII.
  static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var isASCII = true
    for byte in bytes {
      if byte == escape { return false }
      if byte >= 0x80 { isASCII = false }
    }
    return isASCII || String(validating: bytes, as: UTF8.self) != nil
  }

  /// Returns the text as UTF-8 without escape sequences.
  ///
  /// Sets `hasForeignText` when the text was not UTF-8.
  static func plain(_ bytes: UnsafeRawBufferPointer, hasForeignText: inout Bool) -> [UInt8] {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      hasForeignText = true
      return withoutCodes(bytes.flatMap { $0 < 0x80 ? [$0] : Array(String(windows1252($0)).utf8) })
    }
    return withoutCodes(Array(bytes))
  }

  /// Returns a text without escape sequences.
  static func plain(_ text: String) -> String { String(decoding: withoutCodes(Array(text.utf8)), as: UTF8.self) }

  /// Decodes a Windows-1252 byte.
  ///
  /// Only 0x80 to 0x9F differ from Latin-1; five unused ones become C1 controls.
  private static func windows1252(_ byte: UInt8) -> Unicode.Scalar {
    (0x80...0x9F).contains(byte) ? Unicode.Scalar(high[Int(byte) - 0x80])! : Unicode.Scalar(byte)
  }

  private static let high: [UInt16] = [
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D,
    0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
    0x0153, 0x009D, 0x017E, 0x0178,
  ]

  /// Removes ECMA-48 escape sequences.
  ///
  /// These are CSI (`ESC [` … a letter), the strings OSC, DCS, SOS, PM and APC (`ESC ]` … BEL or
  /// `ESC \`), and sequences of two or three bytes.
  private static func withoutCodes(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(escape) else { return bytes }
    var plain: [UInt8] = []
    plain.reserveCapacity(bytes.count)
    var place = 0
    while place < bytes.count {
      guard bytes[place] == escape else {
        plain.append(bytes[place])
        place += 1
        continue
      }
      place = end(ofCodeAt: place, bytes)
    }
    return plain
  }

  /// Returns the position after the escape sequence at `start`.
  ///
  /// A truncated sequence ends with the text.
  private static func end(ofCodeAt start: Int, _ bytes: [UInt8]) -> Int {
    var place = start + 1
    guard place < bytes.count else { return place }
    switch bytes[place] {
    case 0x5B:  // [
      place += 1
      while place < bytes.count, (0x20...0x3F).contains(bytes[place]) { place += 1 }
      return place < bytes.count && (0x40...0x7E).contains(bytes[place]) ? place + 1 : place
    case 0x5D, 0x50, 0x58, 0x5E, 0x5F:  // ] P X ^ _
      place += 1
      while place < bytes.count {
        if bytes[place] == 0x07 { return place + 1 }
        if bytes[place] == escape { return place + 1 < bytes.count && bytes[place + 1] == 0x5C ? place + 2 : place }
        place += 1
      }
      return place
    default:
      while place < bytes.count, (0x20...0x2F).contains(bytes[place]) { place += 1 }
      return place < bytes.count && (0x30...0x7E).contains(bytes[place]) ? place + 1 : place
    }
  }
}
