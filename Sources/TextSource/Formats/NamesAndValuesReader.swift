/// Reads a line of names and a line of values in turn, as in `/proc/net/snmp`.
///
/// Each value is a row with its name. The word at the beginning of both lines is its section.
struct NamesAndValuesReader {
  private var names: (words: [Substring], number: Int)?

  /// Whether names wait for their values.
  var isWaiting: Bool { names != nil }

  mutating func read(_ line: String, _ number: Int, into found: inout [TextReader.Found]) {
    let words = line.split(whereSeparator: \.isWhitespace)
    guard !words.isEmpty else { return }
    guard let names, names.words.first == words.first, names.words.count == words.count else {
      flush(into: &found)
      return self.names = (words, number)
    }
    self.names = nil
    let section = words[0].hasSuffix(":") ? words[0].dropLast() : words[0]
    for (name, value) in zip(names.words, words).dropFirst() {
      found.append(
        .row(
          [("section", .text(String(section))), ("name", .text(String(name))), ("value", .text(String(value)))],
          place: "line \(number)"))
    }
  }

  /// Emits names without values as a line.
  mutating func flush(into found: inout [TextReader.Found]) {
    guard let (words, number) = names else { return }
    found.append(.row([("line", .text(words.joined(separator: " ")))], place: "line \(number)"))
    names = nil
  }
}
