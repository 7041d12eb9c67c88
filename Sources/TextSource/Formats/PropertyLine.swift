/// A line with a name and a value: `name: value`, `name = value`, `name=value` or `name | value`.
struct PropertyLine {
  let name: String
  let value: String
  /// The number of blanks in front of the name; a tab counts as eight.
  let indent: Int
  /// The position of the separator.
  let separator: Int
  /// The position of the value, or of the end of the line.
  let start: Int

  private static let longestName = 60

  /// Reads a line; `nil` when it has no separator, or text before it that is not a name.
  init?(_ line: String) {
    let characters = Array(line)
    guard let first = characters.firstIndex(where: { !$0.isWhitespace }) else { return nil }
    guard let place = Self.separator(characters, from: first) else { return nil }
    let name = AlignedHeader.text(characters, first..<place)
    guard let start = name.first, start.isLetter || start == "_", name.count <= Self.longestName,
      !AlignedHeader.hasGaps(name)
    else { return nil }
    self.name = name
    indent = Self.indent(of: line)
    // A tab in front of the name counts as eight positions.
    let shift = indent - first
    separator = place + shift
    value = AlignedHeader.text(characters, place + 1..<characters.count)
    self.start = (characters[(place + 1)...].firstIndex { !$0.isWhitespace } ?? characters.count) + shift
  }

  /// Returns the first separator: a colon or an equals sign with a blank behind it, or one behind a
  /// name without blanks.
  private static func separator(_ line: [Character], from first: Int) -> Int? {
    // A colon in brackets is part of the name: `Elapsed (h:mm:ss): 0:01`.
    var depth = 0
    for place in first..<min(line.count, first + longestName + 20) where ":=|()".contains(line[place]) {
      let next = place + 1 < line.count ? line[place + 1] : " "
      if "()".contains(line[place]) { depth = max(0, depth + (line[place] == "(" ? 1 : -1)) }
      if depth > 0 || line[place] == ")" { continue }
      let isSpaced = line[place - (place > first ? 1 : 0)].isWhitespace
      switch line[place] {
      case ":":
        if next.isWhitespace { return place }
        // `redis_version:7.0`, but neither `http://`, `std::vector` nor `10:00`.
        let hasBlank = line[first..<place].contains(where: \.isWhitespace)
        // Lines with several colons are records, such as those of `/etc/passwd`.
        let others = line[(place + 1)...].prefix { !$0.isWhitespace }.count { $0 == ":" }
        if !hasBlank, next != "/", next != ":", line[first].isLetter, others < 3 { return place }
        return nil
      case "=":
        if isSpaced && next.isWhitespace { return place }
        return next == "=" || line[first..<place].contains(where: \.isWhitespace) ? nil : place
      default:
        // Further bars separate further values.
        guard isSpaced, next.isWhitespace, !isDivided(line[(place + 1)...]) else { return nil }
        return place
      }
    }
    return nil
  }

  /// Returns whether a bar between blanks occurs in a text.
  private static func isDivided(_ text: ArraySlice<Character>) -> Bool {
    text.indices.dropFirst().dropLast().contains {
      text[$0] == "|" && text[$0 - 1].isWhitespace && text[$0 + 1].isWhitespace
    }
  }

  /// Returns the number of blanks in front of a line; a tab counts as eight.
  static func indent(of line: String) -> Int {
    var count = 0
    for byte in line.utf8 {
      if byte == 0x20 { count += 1 } else if byte == 0x09 { count += 8 - count % 8 } else { break }
    }
    return count
  }

  /// Returns whether a line only separates records: `---`, `-[ RECORD 1 ]---`, `**** 1. row ****`.
  static func isSeparator(_ line: String) -> Bool {
    guard line.utf8.count >= 3, let first = line.first, "-*=".contains(first) else { return false }
    if line.allSatisfy({ $0 == first }) { return true }
    return line.hasPrefix("-[ RECORD ") || (line.hasPrefix("****") && line.hasSuffix("****") && line.contains(". row "))
  }
}
