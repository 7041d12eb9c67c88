/// The layout of lines with names and values: the properties of one thing, or several records.
///
///     let layout = PropertyLayout(lines)!
///     layout.kind                            // .records(first: "Package")
struct PropertyLayout: Equatable {
  enum Kind: Equatable {
    /// Each line is a row of a name and a value.
    case list
    /// Records that begin with this name; the names are the columns.
    case records(first: String)
  }

  let kind: Kind
  /// The position of the separator in all lines, if the names are padded or right-aligned.
  let column: Int?
  /// Whether some lines are headings of those below them.
  let hasSections: Bool

  /// Creates the layout of a plain list.
  init() { (kind, column, hasSections) = (.list, nil, false) }

  /// Detects the layout; `nil` unless nine of ten lines have a name or continue a value.
  init?(_ lines: [String]) {
    let filled = lines.filter { $0.utf8.contains { $0 > 0x20 } }
    let pairs = filled.compactMap { PropertyLine($0) }
    guard pairs.count >= 2, pairs.count * 3 >= filled.count else { return nil }
    column = Self.column(pairs)
    guard let scan = Self.scan(lines, column) else { return nil }
    hasSections = scan.hasSections
    let first = scan.names[0]
    let starts = scan.names.indices.filter { scan.names[$0] == first }
    if starts.count > 1, scan.names.count >= starts.count * 2, scan.blocksBegin(with: first) {
      kind = .records(first: first)
      return
    }
    // Lines of a log begin with the same few words.
    let places = Set(zip(scan.sections, scan.names).map { "\($0)\n\($1)" })
    guard places.count * 10 >= scan.names.count * 8 else { return nil }
    kind = .list
  }

  private static func column(_ pairs: [PropertyLine]) -> Int? {
    let counts = Dictionary(grouping: pairs, by: \.separator).mapValues(\.count)
    guard let (place, count) = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else { return nil }
    // Names of equal length are aligned by chance.
    guard count * 10 >= pairs.count * 7, Set(pairs.map(\.name.count)).count > 1 else { return nil }
    return place
  }

  private struct Scan {
    var names: [String] = []
    var sections: [String] = []
    var hasSections = false
    /// The first name of each block between blank lines or separators.
    var firsts: [String] = []
    var hasMarks = false

    func blocksBegin(with name: String) -> Bool {
      hasMarks || firsts.count { $0 == name } * 2 >= firsts.count
    }
  }

  private static func scan(_ lines: [String], _ column: Int?) -> Scan? {
    var scan = Scan()
    var walk = PropertyWalk(column: column)
    var (others, tables) = (0, 0)
    var text: [String] = []
    var isNewBlock = true
    for (index, line) in lines.enumerated() {
      let step = walk.take(line, before: lines[(index + 1)...].first)
      if !step.isOther, !text.isEmpty {
        if AlignedColumns(text) != nil { tables += 1 } else { others += text.count }
        text = []
      }
      switch step {
      case .separator:
        scan.hasMarks = true
        isNewBlock = true
      case .blank: isNewBlock = true
      case .heading: scan.hasSections = true
      case .pair(let pair, let section):
        if isNewBlock { scan.firsts.append(pair.name) }
        isNewBlock = false
        scan.names.append(pair.name)
        scan.sections.append(section)
        if !section.isEmpty { scan.hasSections = true }
      case .continuation: break
      case .other: text.append(line)
      }
    }
    if !text.isEmpty, AlignedColumns(text) == nil { others += text.count } else { tables += text.isEmpty ? 0 : 1 }
    guard scan.names.count >= (tables > 0 ? 4 : 2), others * 10 <= scan.names.count * 4 else { return nil }
    return scan
  }
}

/// The state of a walk over lines with names and values.
struct PropertyWalk {
  enum Step {
    case blank, separator, other
    /// A line that names the section of those below it.
    case heading
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
      return .continuation(String(AlignedHeader.trimmed(Array(line)[...])))
    }
    defer { isFirst = false }
    if let pair {
      isText = false
      if base == nil { base = pair.indent }
      close(at: pair.indent)
      defer {
        last = pair
        if pair.value.isEmpty, column == nil, sections.count < Self.deepest, next.map(PropertyLine.indent) ?? 0 > indent {
          sections.append((pair.indent, pair.name))
        }
      }
      return .pair(pair, section: sections.map(\.name).joined(separator: " / "))
    }
    // A heading stands above lines with names: after a blank line, or less indented.
    let text = String(AlignedHeader.trimmed(Array(line)[...]))
    let isComment = text.hasPrefix("#")
    guard let next, isComment || PropertyLine(next) != nil, isFirst || PropertyLine.indent(of: next) > indent,
      text.count <= 100, !isText, !AlignedHeader.hasGaps(text)
    else {
      isText = true
      return .other
    }
    // Lines without indentation may follow.
    sections = [(-1, Self.bare(text))]
    last = nil
    return .heading
  }

  private static func bare(_ text: String) -> String {
    String(text.drop { "#[ ".contains($0) }.reversed().drop { "]: ".contains($0) }.reversed())
  }

  private func continues(_ last: PropertyLine, _ line: String, _ pair: PropertyLine?, _ indent: Int) -> Bool {
    if let column {
      guard pair?.separator != column else { return false }
      return indent >= min(column, last.start) || (pair == nil && !last.value.isEmpty && indent > last.indent)
        || (isFlat && (indent > last.indent || last.value.isEmpty))
    }
    if isFlat, let base { return indent > base || (pair == nil && last.value.isEmpty) }
    if pair == nil { return indent > last.indent && !(last.value.isEmpty && indent > last.indent + 1) }
    return !last.value.isEmpty && indent >= last.start && last.start > last.indent + 8
  }

  /// Closes the sections that a pair is not part of.
  private mutating func close(at indent: Int) {
    if isFirst, indent == 0 { sections = [] }
    guard column == nil else { return }
    while let open = sections.last, open.indent >= indent { sections.removeLast() }
  }
}
