/// Reads records of several lines.
struct RecordReader {
  private let pattern: RecordPattern
  private let first: PatternMatcher
  private let parts: [PatternMatcher]
  private let skipped: PatternMatcher?
  private var record = OpenRecord()
  private let heading: PatternMatcher?
  /// The names of the values in the next line.
  private var headings: [String] = []
  private var lastPair: PropertyLine?

  init(_ pattern: RecordPattern) {
    self.pattern = pattern
    first = PatternMatcher.readyMade(pattern.first)
    parts = pattern.parts.map(PatternMatcher.readyMade)
    skipped = pattern.skipped.map(PatternMatcher.readyMade)
    heading = pattern.heading.map(PatternMatcher.readyMade)
  }

  var hints: [String: ColumnHint] { pattern.hints }
  /// Whether a record waits for more lines.
  var isWaiting: Bool { !record.isEmpty }

  /// Returns whether nine of ten lines belong to records, and the first one begins one.
  func describes(_ lines: [String]) -> Bool {
    var (records, known, others) = (0, 0, 0)
    for line in lines where line.utf8.contains(where: { $0 > 0x20 }) {
      if skipped?.matches(line) ?? false { continue }
      if first.matches(line) {
        records += 1
      } else if records == 0 {
        return false
      } else if isPart(line) {
        known += 1
      } else {
        others += 1
      }
    }
    return records > 0 && known > 0 && others * 10 <= known
  }

  private func isPart(_ line: String) -> Bool {
    let isDeep = line.first?.isWhitespace ?? false
    return parts.contains { $0.matches(line) } || (pattern.hasProperties && PropertyLine(line) != nil)
      || (pattern.rest != nil && isDeep)
  }

  mutating func read(_ line: String, _ number: Int, into found: inout [TextReader.Found]) {
    guard line.utf8.contains(where: { $0 > 0x20 }), !(skipped?.matches(line) ?? false) else { return }
    if let fields = first.fields(of: line) {
      record.flush(into: &found)
      record.begin(number)
      lastPair = nil
      for name in first.names { record.set(name, fields.first { $0.name == name }?.value ?? "") }
      return
    }
    guard !record.isEmpty else { return emit(line, number, into: &found) }
    if takesHeading(line) { return }
    for part in parts {
      guard let fields = part.fields(of: line) else { continue }
      for field in fields { record.add(field.name, field.value) }
      return
    }
    let indent = PropertyLine.indent(of: line)
    if pattern.hasProperties, let pair = PropertyLine(line), lastPair.map({ indent < $0.start }) ?? true {
      lastPair = pair
      return record.add(pair.name, pair.value)
    }
    guard let rest = pattern.rest, indent > 0 else { return emit(line, number, into: &found) }
    let text = String(AlignedHeader.trimmed(Array(line)[...]))
    if let lastPair, indent > lastPair.indent { return record.add(lastPair.name, text) }
    record.add(rest, text)
  }

  /// Reads a line of names, or the values below it.
  private mutating func takesHeading(_ line: String) -> Bool {
    let names = headings
    headings = []
    if let fields = heading?.fields(of: line), fields.count == 2 {
      let prefix = fields[0].value.lowercased().replacing(" ", with: "_")
      headings = fields[1].value.split(separator: " ").map { "\(prefix)_\($0)" }
      return true
    }
    let values = line.split(separator: " ")
    guard !names.isEmpty, values.count == names.count else { return false }
    for (name, value) in zip(names, values) { record.set(name, String(value)) }
    return true
  }

  private mutating func emit(_ line: String, _ number: Int, into found: inout [TextReader.Found]) {
    record.flush(into: &found)
    found.append(.row([("line", .text(line))], place: "line \(number)"))
  }

  /// Emits the record that waits for more lines.
  mutating func flush(into found: inout [TextReader.Found]) { record.flush(into: &found) }
}
