import ListEngine

/// Reads lines of aligned columns, also of several tables with headers of their own.
///
/// Rows of different tables share the columns with equal names. The title above each header becomes
/// the column `section`.
struct AlignedReader {
  /// The alignment of recent lines with the header, which determines how the next line is read.
  private enum Alignment {
    /// The last line was aligned.
    case certain
    /// The last line was not aligned.
    case interrupted
    /// After a blank line or two unaligned lines, a row must have a value in each column but the
    /// last.
    case strict
    /// Another table or text has begun, and every line is plain text.
    case over
  }

  private typealias Line = (text: String, number: Int)

  /// The number of lines after which a possible table is analyzed.
  private static let sectionLines = 40
  /// The number of lines without a table after which no further one is expected.
  private static let mostFailures = 4
  /// The number of tables whose headers are remembered.
  private static let mostTables = 20

  private(set) var columns: AlignedColumns
  private var names: [String]
  private let format: Format
  /// The lines that may begin another table, with the lines below them.
  private var waiting: [Line] = []
  private var failures = 0
  private var alignment = Alignment.certain
  /// The headers and the lines above them, which some programs repeat.
  private var headers: Set<String>
  /// The tables so far, by their headers, which some programs repeat in turn.
  private var tables: [String: (columns: AlignedColumns, numeric: Set<Int>)] = [:]
  private var header: String
  /// The number of lines above the table that were left out.
  private(set) var bannerLines = 0
  private var section = Section()
  private var rows = ContinuedRows()

  /// The properties of the whole output.
  private struct Format {
    let isGuessed: Bool
    let hasTabs: Bool
    let hasComments: Bool
    /// The positions of vertical rules.
    var rules: Set<Int> = []
    /// Whether lines that begin with a tab belong to the rows above them.
    var hasDetails = false
    let givenNames: [String]
    /// The values of the first row.
    var firstRow: [String] = []
  }

  /// The current table of several.
  private struct Section {
    var title: String?
    /// Whether rows have a column for the title.
    var isShown = false
    /// The columns whose values begin like numbers.
    var numeric: Set<Int> = []
  }

  /// Detects the columns of sampled lines; `nil` when they are not clearly a table.
  ///
  /// `isDeclared`: whether the user has named the format.
  static func detected(_ lines: [String], isDeclared: Bool, hasBanner: Bool = false, names: [String]) -> (
    reader: AlignedReader, rows: Int
  )? {
    let hasDetails = !isDeclared && RowDetails.areBelowRows(lines)
    let all = lines
    let lines = hasDetails ? lines.filter { !RowDetails.isDetail($0) } : lines
    let hasTabs = lines.count { $0.utf8.contains(0x09) } * 2 >= lines.count
    var expanded = lines.map { withoutTabs($0, hasTabs) }
    var hasComments = false
    if !isDeclared, let plain = CommentHeader.uncovered(expanded) { (expanded, hasComments) = (plain, true) }
    let rules = isDeclared ? [] : VerticalRules.places(expanded)
    if !rules.isEmpty { expanded = expanded.map { VerticalRules.removed(from: $0, rules) } }
    let table = isDeclared ? Array(expanded) : Array(expanded.prefix(SectionBorders.end(of: expanded)))
    guard let columns = isDeclared ? AlignedColumns(table, isDeclared: true) : AlignedColumns.aboveRemark(table) else {
      return isDeclared || !hasBanner ? nil : belowBanner(all, names)
    }
    let firstRow = table.dropFirst(columns.headerLine + 1).lazy.compactMap { columns.fittingFields(of: $0) }.first
    let format = Format(
      isGuessed: !isDeclared, hasTabs: hasTabs, hasComments: hasComments, rules: rules, hasDetails: hasDetails,
      givenNames: names, firstRow: firstRow ?? [])
    var reader = AlignedReader(columns, expanded, table, format)
    if !isDeclared { reader.rehearse(expanded) }
    reader.rows.hasDetails = hasDetails
    return (reader, columns.headerLine + 1)
  }

  /// Detects a table below other text that a blank line ends and that is shorter than it.
  private static func belowBanner(_ lines: [String], _ names: [String]) -> (reader: AlignedReader, rows: Int)? {
    let isBlank = lines.map { !$0.utf8.contains { $0 > 0x20 } }
    let starts = lines.indices.dropFirst().filter { !isBlank[$0] && isBlank[$0 - 1] }
    for start in starts.prefix(mostBanners) {
      let rest = Array(lines[start...])
      guard start <= rest.count else { return nil }
      guard let (found, rows) = detected(rest, isDeclared: false, names: names) else { continue }
      var reader = found
      // A table above it is not a banner.
      let above = lines[..<start].filter { $0.utf8.contains { $0 > 0x20 } }
      if above.contains(where: { SectionBorders.sharesNames($0, reader.header) }) { return nil }
      reader.bannerLines = above.count
      return (reader, rows + start)
    }
    return nil
  }

  /// The number of paragraphs above a table that are searched for it.
  private static let mostBanners = 3

  /// Detects the columns of sampled lines without a header; `nil` unless they are clearly a table.
  static func withoutHeader(_ lines: [String], names: [String]) -> (reader: AlignedReader, rows: Int)? {
    let hasTabs = lines.count { $0.utf8.contains(0x09) } * 2 >= lines.count
    let expanded = lines.map { withoutTabs($0, hasTabs) }
    let isComment = { (line: String) in line.hasPrefix("#") }
    let hasComments = lines.first.map(isComment) ?? false
    let rows = hasComments ? expanded.filter { !isComment($0) } : expanded
    guard let columns = AlignedColumns.withoutHeader(rows) else { return nil }
    let format = Format(isGuessed: true, hasTabs: hasTabs, hasComments: hasComments, givenNames: names)
    return (AlignedReader(columns, expanded, rows, format), 0)
  }

  private init(_ columns: AlignedColumns, _ lines: [String], _ table: [String], _ format: Format) {
    self.columns = columns
    self.format = format
    names = TextReader.unique(format.givenNames + columns.names.dropFirst(format.givenNames.count))
    headers = []
    header = ""
    guard format.isGuessed else { return }
    begin(columns, table)
  }

  /// Takes over the columns of a table whose lines these are.
  private mutating func begin(_ columns: AlignedColumns, _ lines: [String]) {
    self.columns = columns
    names = TextReader.unique(format.givenNames + columns.names.dropFirst(format.givenNames.count))
    let above = lines.prefix(columns.headerLine + 1).filter { !$0.isEmpty }
    headers.formUnion(above.map(AlignedColumns.withoutTime))
    let named = above.last { !AlignedColumns.isRuler($0) }
    header = named.map(AlignedColumns.withoutTime) ?? ""
    section.title = above.firstIndex { $0 == named }.flatMap { $0 > 0 ? Self.title(above[$0 - 1]) : nil }
    // Another table may follow a blank line.
    let isBlank = { (line: String) in !line.utf8.contains { $0 > 0x20 } }
    let below = lines.dropFirst(columns.headerLine + 1).drop(while: isBlank).prefix { !isBlank($0) }
    let rows = below.compactMap { columns.fittingFields(of: $0) }
    section.numeric = SafeFields.numeric(rows, least: min(2, max(1, rows.count)))
    alignment = .certain
    if !header.isEmpty, tables.count < Self.mostTables { tables[header] = (columns, section.numeric) }
  }

  /// Determines from sampled lines whether rows have titles and continue on further lines.
  private mutating func rehearse(_ lines: [String]) {
    var trial = self
    trial.rows.continues = true
    var found: [TextReader.Found] = []
    var titles: Set<String> = []
    for (index, line) in lines.dropFirst(columns.headerLine + 1).enumerated() {
      trial.readAligned(line, index, into: &found)
      if let title = trial.section.title { titles.insert(title) }
    }
    trial.flush(into: &found)
    if let title = trial.section.title { titles.insert(title) }
    section.isShown = titles.count > 1
    rows.continues = trial.rows.hasContinued
  }

  private static func title(_ line: String) -> String? {
    // A row with several numbers is not a title.
    let numbers = line.split(separator: " ").count { Double($0) != nil }
    if numbers > 2, AlignedHeader.hasGaps(line) { return nil }
    let text = line.drop { "-=*# ".contains($0) }.reversed().drop { "-=*#: ".contains($0) }.reversed()
    return text.isEmpty ? nil : String(text)
  }

  /// The declarations for columns of well-known commands.
  var hints: [String: ColumnHint] { KnownHeaders.hints(columns.names, format.firstRow) }

  /// Whether lines wait for the lines below them.
  var isWaiting: Bool { !waiting.isEmpty || rows.isWaiting }

  // MARK: Lines

  mutating func read(_ line: String, _ number: Int, into found: inout [TextReader.Found]) {
    if format.hasDetails, waiting.isEmpty, RowDetails.isDetail(line), rows.addDetail(line) { return }
    let text = Self.withoutTabs(line, format.hasTabs)
    readAligned(format.rules.isEmpty ? text : VerticalRules.removed(from: text, format.rules), number, into: &found)
  }

  private mutating func readAligned(_ text: String, _ number: Int, into found: inout [TextReader.Found]) {
    guard text.utf8.contains(where: { $0 > 0x20 }) else {
      guard format.isGuessed, alignment != .over else { return }
      resolve(into: &found)
      alignment = .strict
      return
    }
    guard format.isGuessed else { return emit(columns.fields(of: text), number, into: &found) }
    if format.hasComments, text.hasPrefix("#") { return }
    if columns.names.count >= 3, SectionBorders.isTime(text) {
      flush(into: &found)
      section.title = String(AlignedHeader.trimmed(Array(text)[...]))
      return
    }
    if waiting.isEmpty, resumes(text, into: &found) || skips(text) { return }
    if !waiting.isEmpty || beginsSection(text) {
      waiting.append((text, number))
      if waiting.count >= Self.sectionLines { resolve(into: &found) }
      return
    }
    readRow(text, number, into: &found)
  }

  /// Returns to a table whose header a line repeats, unless it is the current one.
  private mutating func resumes(_ text: String, into found: inout [TextReader.Found]) -> Bool {
    let name = AlignedColumns.withoutTime(text)
    guard name != header, let table = tables[name] else { return false }
    rows.flush(into: &found)
    columns = table.columns
    names = TextReader.unique(format.givenNames + columns.names.dropFirst(format.givenNames.count))
    section.numeric = table.numeric
    header = name
    alignment = .certain
    return true
  }

  /// Returns whether a line is neither a row nor the beginning of a table.
  private mutating func skips(_ text: String) -> Bool {
    if AlignedColumns.isRuler(text) {
      // A sum or a remark follows a line below the rows.
      if alignment == .certain, rows.hasBegun, !text.contains("+"), !text.contains("|") { alignment = .strict }
      return true
    }
    let name = AlignedColumns.withoutTime(text)
    if headers.contains(name) {
      if name == header { alignment = .certain }
      return true
    }
    return TextFormat.isCount(text)
      || ((alignment == .strict || alignment == .over) && Self.isLegend(text))
  }

  /// Returns whether a line may be the title or the header of another table.
  private func beginsSection(_ text: String) -> Bool {
    guard failures < Self.mostFailures else { return false }
    switch alignment {
    case .strict: return true
    case .over: return false
    case .certain, .interrupted:
      guard columns.wrappedValue(text) == nil else { return false }
      return SectionBorders.isHeader(text, like: header) || fields(of: text, isStrict: false) == nil
    }
  }

  private func fields(of text: String, isStrict: Bool) -> [String]? {
    guard let fields = columns.fittingFields(of: text, strictly: isStrict), !isProse(text, fields),
      SafeFields.areSafe(fields, section.numeric, isDoubtful: isStrict || columns.isAcross(text))
    else { return nil }
    return fields
  }

  /// Returns whether a line above values without a header is text that happens to have a blank
  /// between two columns.
  private func isProse(_ text: String, _ fields: [String]) -> Bool {
    columns.headerLine < 0 && columns.hasPlaces && fields.count { !$0.isEmpty } > 1 && !AlignedHeader.hasGaps(text)
  }

  private mutating func readRow(_ text: String, _ number: Int, into found: inout [TextReader.Found]) {
    if let word = columns.wrappedValue(text) { return rows.wrap(word, number, into: &found) }
    if let fields = alignedFields(text) {
      guard !isHeading(text, fields) else {
        section.title = Self.title(fields[0])
        section.isShown = true
        return
      }
      return emit(fields, number, into: &found)
    }
    rows.flush(into: &found)
    found.append(.row([(TextReader.unique(names + ["line"]).last!, .text(text))], place: "line \(number)"))
  }

  /// Returns whether a line is a heading in a table without a header, such as `Installed Packages`.
  private func isHeading(_ text: String, _ fields: [String]) -> Bool {
    guard columns.headerLine < 0, let place = columns.firstPlace, fields.dropFirst().allSatisfy(\.isEmpty) else {
      return false
    }
    if fields[0].split(separator: " ").contains(where: { $0.first?.isNumber ?? false }) { return false }
    // One word at the place of the first value is a value.
    return PropertyLine.indent(of: text) < place || fields[0].contains(" ")
  }

  private mutating func emit(_ fields: [String], _ number: Int, into found: inout [TextReader.Found]) {
    guard format.isGuessed else {
      return found.append(.row(zip(names, fields).map { ($0, .text($1)) }, place: "line \(number)"))
    }
    let title = section.isShown ? section.title ?? "" : nil
    rows.add(fields, names, title, number, canContinue: alignment == .certain && columns.hasPlaces, into: &found)
  }

  /// Returns the values of a line below the header; `nil` for a line that is not a row.
  private mutating func alignedFields(_ line: String) -> [String]? {
    let isStrict = alignment == .strict
    let fields = fields(of: line, isStrict: isStrict)
    switch alignment {
    case .certain, .interrupted:
      if fields == nil { alignment = alignment == .certain ? .interrupted : .strict } else { alignment = .certain }
      return fields
    case .strict:
      if let fields, !fields.dropLast().contains(""), !zip(fields, columns.names).contains(where: { $0 == $1 }) {
        return fields
      }
      alignment = .over
      return nil
    case .over: return nil
    }
  }

  // MARK: Sections

  /// Reads the waiting lines as another table, as rows or as text.
  private mutating func resolve(into found: inout [TextReader.Found]) {
    guard !waiting.isEmpty else { return }
    let lines = waiting
    waiting = []
    let texts = lines.map(\.text)
    if let place = texts.prefix(3).firstIndex(where: { AlignedColumns.withoutTime($0) == header }) {
      // The same columns under another title.
      let title = texts.prefix(place).last { !AlignedColumns.isRuler($0) && !headers.contains($0) }
      section.title = title.flatMap(Self.title) ?? section.title
      alignment = .certain
      return reread(lines.dropFirst(place + 1), into: &found)
    }
    let isRow = alignment == .strict && texts.allSatisfy { isStrictRow($0) }
    if !isRow, let table = AlignedColumns(texts), table.names != columns.names, isHeader(texts, of: table) {
      rows.flush(into: &found)
      failures = 0
      begin(table, texts)
      // A title that appears late is shown from there on.
      section.isShown = section.isShown || section.title != nil
      return reread(lines.dropFirst(table.headerLine + 1), into: &found)
    }
    if !isRow { failures += 1 }
    reread(lines[...], into: &found)
  }

  /// Returns whether the header of another table differs from the rows of this one.
  private func isHeader(_ texts: [String], of table: AlignedColumns) -> Bool {
    let above = texts.prefix(table.headerLine + 1)
    guard let text = above.last(where: { !AlignedColumns.isRuler($0) }) else { return false }
    return above.count > 1 || SectionBorders.isHeader(text, like: header) || !text.contains(where: \.isLowercase)
      || fields(of: text, isStrict: true) == nil
  }

  private func isStrictRow(_ text: String) -> Bool {
    if headers.contains(AlignedColumns.withoutTime(text)) || AlignedColumns.isRuler(text) { return true }
    return fields(of: text, isStrict: true).map { !$0.dropLast().contains("") } ?? false
  }

  private mutating func reread(_ lines: ArraySlice<Line>, into found: inout [TextReader.Found]) {
    for (text, number) in lines where !skips(text) { readRow(text, number, into: &found) }
  }

  /// Emits what waits for more lines.
  mutating func flush(into found: inout [TextReader.Found]) {
    resolve(into: &found)
    rows.flush(into: &found)
  }

  // MARK: Text

  /// Returns a line with tabs expanded to positions that are multiples of eight.
  private static func withoutTabs(_ line: String, _ hasTabs: Bool) -> String {
    guard hasTabs, line.utf8.contains(0x09) else { return line }
    var text = ""
    var width = 0
    for character in line {
      let count = character == "\t" ? 8 - width % 8 : 1
      text += character == "\t" ? String(repeating: " ", count: count) : String(character)
      width += count
    }
    return text
  }

  /// Returns whether a line below a table is the legend or the count that systemd prints.
  private static func isLegend(_ line: String) -> Bool {
    if ["LOAD ", "ACTIVE ", "SUB ", "JOB "].contains(where: line.hasPrefix), line.contains(" = ") { return true }
    if line.hasPrefix("To show all installed unit files") || line.hasPrefix("Pass --all") { return true }
    let words = line.split(separator: " ")
    let isCount =
      (2...4).contains(words.count) && words.dropFirst().allSatisfy { $0.allSatisfy { $0.isLowercase || $0 == "." } }
    return words.first?.allSatisfy(\.isNumber) ?? false
      && (isCount || line.hasSuffix(" listed.") || line.contains(" units listed"))
  }
}
