/// Parses `key=value key="a value" word`, a common log format (logfmt).
///
///     var line = KeyValueLine(bytes)
///     while let (name, value) = line.next() { ... }    // value: nil for a word without `=`
///
/// Quoted values support the escapes `\"`, `\\`, `\n` and `\t`.
struct KeyValueLine {
  private let bytes: UnsafeRawBufferPointer
  private var place = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  mutating func next() -> (name: String, value: String?)? {
    while place < bytes.count, bytes[place] <= 0x20 { place += 1 }
    guard place < bytes.count else { return nil }
    let first = place
    while place < bytes.count, bytes[place] > 0x20, bytes[place] != 0x3D, bytes[place] != 0x22 { place += 1 }
    guard place < bytes.count, bytes[place] == 0x3D, place > first else {
      // A word without a key, quoted or not.
      while place < bytes.count, bytes[place] > 0x20 { place += 1 }
      return (text(first, place), nil)
    }
    let name = text(first, place)
    place += 1
    guard place < bytes.count, bytes[place] == 0x22 else {
      let start = place
      while place < bytes.count, bytes[place] > 0x20 { place += 1 }
      return (name, text(start, place))
    }
    place += 1
    return (name, quoted())
  }

  /// Returns the number of pairs and of other words in a line.
  static func count(_ line: UnsafeRawBufferPointer) -> (pairs: Int, others: Int) {
    var (pairs, others) = (0, 0)
    var row = KeyValueLine(line)
    while let (name, value) = row.next() {
      if value == nil || !isName(name) { others += 1 } else { pairs += 1 }
    }
    return (pairs, others)
  }

  /// Returns whether a line begins with a pair.
  static func beginsWithPair(_ line: UnsafeRawBufferPointer) -> Bool {
    var row = KeyValueLine(line)
    guard let (name, value) = row.next() else { return false }
    return value != nil && isName(name)
  }

  /// Returns whether a text can be the name of a pair, unlike `[options` and `3;fio-3.33;t`.
  static func isName(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, first == "_" || first.properties.isAlphabetic else { return false }
    return text.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || ("0"..."9").contains($0) || "_-.:/@%#".unicodeScalars.contains($0)
    }
  }

  /// Returns the pairs in a text without other words; empty when there are some, or fewer than two
  /// pairs.
  static func pairs(_ text: String) -> [(name: String, value: String)] {
    var text = text
    return text.withUTF8 { bytes in
      var pairs: [(name: String, value: String)] = []
      var row = KeyValueLine(UnsafeRawBufferPointer(bytes))
      while let (name, value) = row.next() {
        guard let value else { return [] }
        pairs.append((name, value))
      }
      return pairs.count >= 2 ? pairs : []
    }
  }

  /// Returns whether a text is a list of at least two pairs.
  static func hasOnlyPairs(_ text: String) -> Bool { !pairs(text).isEmpty }

  /// Returns the pairs of a line with commas between them: `a=1,b=2`; empty for other lines.
  static func commaPairs(_ line: String) -> [(name: String, value: String)] {
    guard !line.contains(where: \.isWhitespace) else { return [] }
    let parts = line.split(separator: ",", omittingEmptySubsequences: false)
    let pairs = parts.compactMap { part -> (name: String, value: String)? in
      guard let sign = part.firstIndex(of: "="), let first = part.first, first.isLetter || first == "_" else {
        return nil
      }
      return (String(part[..<sign]), String(part[part.index(after: sign)...]))
    }
    return pairs.count == parts.count && pairs.count >= 2 ? pairs : []
  }

  private mutating func quoted() -> String {
    var value: [UInt8] = []
    while place < bytes.count, bytes[place] != 0x22 {
      if bytes[place] == 0x5C, place + 1 < bytes.count {
        place += 1
        value.append(bytes[place] == 0x6E ? 0x0A : bytes[place] == 0x74 ? 0x09 : bytes[place])
      } else {
        value.append(bytes[place])
      }
      place += 1
    }
    place += 1  // skip the closing quote
    return String(decoding: value, as: UTF8.self)
  }

  private func text(_ first: Int, _ last: Int) -> String {
    String(decoding: bytes[first..<min(last, bytes.count)], as: UTF8.self)
  }
}
