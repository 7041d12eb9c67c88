/// The state of a walk over lines with names and values.
struct PropertyWalk {
  enum Step {
    case blank, separator, other
    /// A line that names the section of those below it.
    case heading(String)
    case pair(PropertyLine, section: String)
    /// A line that belongs to the value before it.
    case continuation(String)

    var isOther: Bool { if case .other = self { true } else { false } }
  }

  /// The position of the separator in all lines, if it is the same.
  let column: Int?
  /// Whether indented lines continue a value, as in `dpkg -s`, instead of being nested.
  var isFlat = false
  /// The open sections and their indentation.
  private var sections: [(indent: Int, name: String)] = []
  private var last: PropertyLine?
  private var isFirst = true
  /// Whether the last line was neither a name nor part of a value.
  private var isText = false
  private var base: Int?

  init(column: Int?, isFlat: Bool = false) {
    self.column = column
    self.isFlat = isFlat
  }

  /// The deepest nesting that is shown.
  private static let deepest = 8

  /// Classifies a line. `next`: the line below it, or `nil` when it is not known.
  mutating func take(_ line: String, before next: String?) -> Step {
    guard line.utf8.contains(where: { $0 > 0x20 }) else {
      (isFirst, isText) = (true, false)
      return .blank
    }
    if PropertyLine.isSeparator(line) {
      (isFirst, isText) = (true, false)
      return .separator
    }
    let indent = PropertyLine.indent(of: line)
    let pair = PropertyLine(line)
    if let last, !isFirst, !isText, continues(last, line, pair, indent) {
      let text = Array(line)[...].drop { $0.isWhitespace || $0 == "|" }
      return .continuation(String(AlignedHeader.trimmed(text)))
    }
    defer { isFirst = false }
    if let pair {
      isText = false
      if base == nil { base = pair.indent }
      close(at: pair.indent)
      last = pair
      if pair.value.isEmpty, column == nil, !isFlat, let next, PropertyLine.indent(of: next) > indent,
        PropertyLine(next) != nil, sections.count < Self.deepest
      {
        sections.append((pair.indent, pair.name))
        return .heading(pair.name)
      }
      return .pair(pair, section: sections.map(\.name).joined(separator: " / "))
    }
    // A heading stands above lines with names: after a blank line, or less indented.
    let text = String(AlignedHeader.trimmed(Array(line)[...]))
    let isComment = text.hasPrefix("#")
    guard let next, isComment || PropertyLine(next) != nil, isFirst || PropertyLine.indent(of: next) > indent,
      text.count <= 100, !isText, !AlignedHeader.hasGaps(text),
      isComment || !(text.contains("=") || text.contains(": ") || text.hasPrefix("|"))
    else {
      isText = true
      return .other
    }
    // The lines below it may have the same indentation.
    let isDeeper = PropertyLine.indent(of: next) > indent
    close(at: indent)
    sections = isDeeper ? sections.filter { $0.indent >= 0 } : []
    if sections.count < Self.deepest { sections.append((isDeeper ? indent : -1, Self.bare(text))) }
    last = nil
    return .heading(Self.bare(text))
  }

  private static func bare(_ text: String) -> String {
    String(text.drop { "#[ -=*".contains($0) }.reversed().drop { "]: -=*".contains($0) }.reversed())
  }

  private func continues(_ last: PropertyLine, _ line: String, _ pair: PropertyLine?, _ indent: Int) -> Bool {
    if let column {
      guard pair?.separator != column else { return false }
      return indent >= min(column, last.start) || (pair == nil && !last.value.isEmpty && indent > last.indent)
        || (isFlat && (indent > last.indent || last.value.isEmpty))
    }
    if isFlat, let base { return indent > base || (pair == nil && last.value.isEmpty) }
    // A table may follow a name.
    if pair == nil { return indent > last.indent && !(last.value.isEmpty && AlignedHeader.hasGaps(line)) }
    return !last.value.isEmpty && indent >= last.start && last.start > last.indent + 8
  }

  /// Closes the sections that a pair is not part of.
  private mutating func close(at indent: Int) {
    if isFirst, indent == 0 { sections = [] }
    guard column == nil else { return }
    while let open = sections.last, open.indent >= indent { sections.removeLast() }
  }
}
