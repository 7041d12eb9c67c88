/// Dates and times of day in lines of words.
enum WordDates {
  /// Returns the positions of words that continue a date: a time of day, and a zone behind it.
  static func continuations(in lines: [[String]]) -> Set<Int> {
    guard let count = lines.first?.count else { return [] }
    let all = { (index: Int, test: (Substring) -> Bool) in
      index < count && lines.allSatisfy { index < $0.count && test($0[index][...]) }
    }
    var joined: Set<Int> = []
    for index in 0..<count where all(index, isDay) && all(index + 1, isClock) {
      joined.insert(index + 1)
      if all(index + 2, isZone) { joined.insert(index + 2) }
    }
    return joined
  }

  /// Splits a line at blanks and joins the words at some positions to the ones before them.
  static func values(of line: String, _ joined: Set<Int>) -> [String] {
    var values: [String] = []
    for (index, word) in line.split(whereSeparator: \.isWhitespace).enumerated() {
      if joined.contains(index), let last = values.indices.last {
        values[last] += " " + word
      } else {
        values.append(String(word))
      }
    }
    return values
  }

  /// Returns whether a word is a date such as `2026-11-23`.
  private static func isDay(_ word: Substring) -> Bool {
    let parts = word.split(separator: "-", omittingEmptySubsequences: false)
    return parts.map(\.count) == [4, 2, 2] && parts.allSatisfy(hasDigits)
  }

  /// Returns whether a word is a time such as `12:30` or `12:30:00.5`.
  private static func isClock(_ word: Substring) -> Bool {
    let whole = word.prefix { $0 != "." && $0 != "," }
    let parts = whole.split(separator: ":", omittingEmptySubsequences: false)
    return (2...3).contains(parts.count) && parts.allSatisfy { $0.count == 2 && hasDigits($0) }
      && word.dropFirst(whole.count + 1).utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  private static func isZone(_ word: Substring) -> Bool {
    word == "UTC" || ((word.first == "+" || word.first == "-") && word.count == 5 && hasDigits(word.dropFirst()))
  }

  private static func hasDigits(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}
