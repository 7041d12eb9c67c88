import ListEngine
import SourceRuntime

/// Converts lines of a given or inferred format to rows of a ``InferredTable``.
///
///     var reader = TextReader(format: nil)
///     reader.read(line, number: 1)
///     for row in reader.takeRows() { table.add(row.row, at: row.place) }
///     reader.settle()                     // the input pauses or ends: run pending inference
package struct TextReader: ~Copyable {
  /// A row, or the reason for a missing one.
  package enum Found {
    case row(InferredTable.UntypedRow, place: String)
    case fault(String)
  }

  /// The maximum number of lines sampled to infer the columns.
  static let sampleLines = 100
  /// The approximate number of bytes sampled to infer the columns.
  static let sampleBytes = 1 << 20
  /// The byte order mark in UTF-8, which is skipped.
  package static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The given or inferred format.
  package private(set) var format: TextFormat?
  /// Whether values are texts that may represent other types.
  package var isTextual: Bool { format != .ndjson && format != .json }
  /// Whether sampled lines wait for inference.
  package var isSampling: Bool {
    (!sample.isEmpty && loneNames == nil) || readers.isWaiting || !summary.averages.isEmpty
  }
  /// The column names in the only line so far, if it looks like a header.
  ///
  /// Inference then waits for a row.
  private var loneNames: [String]? {
    guard let first = sample.first, sample.dropFirst().allSatisfy({ $0.line.isEmpty }) else { return nil }
    return (format == nil ? TextFormat.delimitedNames(first.line)?.names : nil)
      ?? AlignedColumns.names(ofHeader: first.line)
  }

  private var hasBegun = false
  private var found: [Found] = []
  /// The lines that wait for inference.
  private var sample: [(line: String, number: Int)] = []
  private var sampledBytes = 0
  /// The column of plain lines.
  private var lineName = "line"
  /// The names in a header without rows.
  private var loneHeader: [String]?
  /// Whether the format and its columns were inferred.
  private(set) var isGuessed = false
  /// Whether some text was not UTF-8 and was decoded as Windows-1252.
  private(set) var hasForeignText = false
  /// The options for names, delimiters and patterns.
  private let options: TextOptions
  /// The readers of the formats, as far as they have been chosen.
  private var readers: Readers
  /// The filter for summaries above tables.
  private var summary = SummaryFilter()

  /// The reader of each format.
  private struct Readers: ~Copyable {
    var objects = JSONReader()
    var delimited: DelimitedReader
    var aligned: AlignedReader?
    var matching: MatchingReader?
    var properties: PropertyReader?
    var records: RecordReader?
    var traces = TraceJoiner()
    var named: NamesAndValuesReader?
    /// Whether commas separate the pairs of a line.
    var hasCommaPairs = false

    /// Whether records or lines wait for more lines.
    var isWaiting: Bool {
      traces.pending != nil || aligned?.isWaiting ?? false || properties?.isWaiting ?? false
        || records?.isWaiting ?? false || named?.isWaiting ?? false
    }

    /// Returns whether enough of the rows made of these lines have columns: a third below a header,
    /// three in five with pairs, and four in five without names.
    func describes(_ lines: ArraySlice<String>) -> Bool {
      var found: [Found] = []
      var least = 0.6
      if var aligned {
        least = aligned.columns.headerLine < 0 ? 0.8 : 0.33
        for (index, line) in lines.enumerated() { aligned.read(line, index, into: &found) }
        aligned.flush(into: &found)
      } else if var properties {
        for (index, line) in lines.enumerated() { properties.read(line, index, into: &found) }
        properties.flush(into: &found)
      } else if var records {
        for (index, line) in lines.enumerated() { records.read(line, index, into: &found) }
        records.flush(into: &found)
      } else {
        return true
      }
      let whole = found.count {
        if case .row(let row, _) = $0 { row.count == 1 && row[0].name.hasPrefix("line") } else { false }
      }
      return Double(found.count - whole) >= Double(found.count) * least
    }

    /// Emits what waits for more lines.
    mutating func flush(into found: inout [Found]) {
      traces.flush(into: &found)
      aligned?.flush(into: &found)
      properties?.flush(into: &found)
      records?.flush(into: &found)
      named?.flush(into: &found)
    }
  }

  /// Creates a reader for a format, or for an inferred one with `nil`.
  package init(format: TextFormat?, options: TextOptions = TextOptions()) {
    self.options = options
    readers = Readers(delimited: DelimitedReader(separator: 0x2C, options))
    if let pattern = options.pattern, let matching = MatchingReader(pattern) {
      readers.matching = matching
      decide(.pattern)
    } else {
      decide(format ?? (options.delimiter == nil && options.hasHeader ? nil : .csv))
    }
  }

  private mutating func decide(_ format: TextFormat?) {
    self.format = format
    guard format == .csv || format == .tsv else { return }
    let separator = options.delimiter ?? (format == .tsv ? "\t" : ",")
    readers.delimited = DelimitedReader(separator: separator.asciiValue ?? 0x2C, options)
  }

  /// The column names from the first line, in formats that have a header.
  package var names: [String]? { readers.delimited.names ?? loneHeader }

  /// The pattern that was given or found.
  package var pattern: LinePattern? { readers.matching?.pattern }

  /// The declared columns of the format that was found.
  package var hints: [String: ColumnHint] {
    readers.matching?.pattern.hints ?? readers.records?.hints
      ?? (readers.properties == nil
        ? readers.aligned?.hints ?? [:] : PropertyReader.hints)
  }

  /// Returns the rows and faults found since the last call.
  package mutating func takeRows() -> [Found] {
    defer { found = [] }
    return found
  }

  /// Whether rows or faults wait to be taken.
  var hasRows: Bool { !found.isEmpty }

  // MARK: Lines

  /// Reads one line.
  ///
  /// ``JSONParser/padding`` bytes behind it must be readable.
  package mutating func read(_ line: UnsafeRawBufferPointer, number: Int) {
    var line = line
    // Some programs begin their files with a byte order mark.
    if !hasBegun, line.starts(with: Self.mark) { line = UnsafeRawBufferPointer(rebasing: line[Self.mark.count...]) }
    hasBegun = true
    guard !TerminalText.isPlain(line) else { return readPlain(line, number) }
    let plain = TerminalText.plain(line, hasForeignText: &hasForeignText)
    let count = plain.count
    (plain + [UInt8](repeating: 0, count: JSONParser.padding)).withUnsafeBytes {
      readPlain(UnsafeRawBufferPointer(rebasing: $0[..<count]), number)
    }
  }

  private mutating func readPlain(_ line: UnsafeRawBufferPointer, _ number: Int) {
    if format == nil || format == .columns, summary.skips(line, number) {
      if summary.averages.count >= Self.sampleLines { sample += summary.takeAverages() }
      return
    }
    if format == nil, sample.isEmpty {
      decide(TextFormat.guess(line))
      isGuessed = format != nil
    }
    if take(line, number) { return }
    // Blank lines are kept in the sample: they may be part of a quoted value or end a section of
    // columns.
    guard line.contains(where: { $0 > 0x20 }) || !sample.isEmpty else { return }
    sample.append((Self.text(line), number))
    sampledBytes += line.count
    if sample.count >= Self.sampleLines || sampledBytes >= Self.sampleBytes { infer() }
  }

  /// Reads a line in the format that was given or found; returns false when it takes more lines to
  /// find one.
  private mutating func take(_ line: UnsafeRawBufferPointer, _ number: Int) -> Bool {
    switch format {
    case .json: readers.objects.append(line)
    case .ndjson: readers.objects.readObject(line, number, into: &found)
    case .csv, .tsv: readers.delimited.read(line, number, into: &found)
    case .logfmt: readPairs(line, number)
    case .lines: readLine(line, number)
    case .pattern: readers.matching?.read(Self.text(line), number, &readers.traces, into: &found)
    case .columns where readers.aligned != nil: readers.aligned?.read(Self.text(line), number, into: &found)
    case .properties where readers.named != nil: readers.named?.read(Self.text(line), number, into: &found)
    case .properties where readers.properties != nil: readers.properties?.read(Self.text(line), number, into: &found)
    case .records where readers.records != nil: readers.records?.read(Self.text(line), number, into: &found)
    case .columns, .properties, .records, nil: return false
    }
    return true
  }

  /// Reads one line of a splitter with this limit.
  mutating func read(_ line: LineSplitter.Line, limit: Int) {
    switch line {
    case .whole(let bytes, let number): read(bytes, number: number)
    case .tooLong(let number): noteTooLong(number, limit: limit)
    }
  }

  /// Records a line that was skipped because of its length.
  package mutating func noteTooLong(_ number: Int, limit: Int) {
    found.append(.fault("line \(number): it has more than \(limit) bytes"))
  }

  /// Notices about text that was not read verbatim, or empty.
  package var notice: String {
    var notices: [String] = []
    if isGuessed, format == .columns || format == .csv || format == .tsv {
      notices.append("Columns were guessed from the header; --format lines shows the text as it is")
    }
    if let count = readers.aligned?.bannerLines, count > 0 {
      notices.append(
        count == 1 ? "One line above the table was left out" : "\(count) lines above the table were left out")
    }
    if hasForeignText { notices.append("Text that is not UTF-8 was read as Latin-1 (Windows-1252)") }
    return notices.joined(separator: ". ")
  }

  private static func text(_ line: UnsafeRawBufferPointer) -> String { String(decoding: line, as: UTF8.self) }

  /// Runs pending inference.
  package mutating func settle() {
    sample += summary.takeAverages()
    readers.flush(into: &found)
    infer()
    readers.flush(into: &found)
  }

  /// Chooses the format and reads the sampled lines.
  private mutating func infer() {
    guard loneNames == nil else { return }
    let lines = sample
    sample = []
    guard !lines.isEmpty else { return }
    let header = chooseReader(lines.map(\.line))
    for (line, number) in lines.dropFirst(header) {
      var line = line
      line.withUTF8 { _ = take(UnsafeRawBufferPointer($0), number) }
    }
  }

  /// Chooses the reader for sampled lines; returns the number of lines in front of the rows.
  private mutating func chooseReader(_ lines: [String]) -> Int {
    isGuessed = isGuessed || format == nil
    switch format {
    case nil: return guessFormat(lines)
    case .columns:
      guard let (reader, rows) = AlignedReader.detected(lines, isDeclared: true, names: options.names) else { break }
      readers.aligned = reader
      return rows
    case .properties:
      readers.properties = PropertyReader(PropertyLayout(lines) ?? PropertyLayout())
      return 0
    case .records:
      readers.records = RecordPattern.reader(for: lines)
      return 0
    default: return 0
    }
    format = .lines
    return 0
  }

  /// Infers the format from the sampled lines; returns the number of lines in front of the rows.
  ///
  /// Lines of which too many are not rows of the table stay as they are.
  private mutating func guessFormat(_ lines: [String]) -> Int {
    let start = guessTable(lines)
    if readers.describes(lines.dropFirst(start)) { return start }
    readers = Readers(delimited: DelimitedReader(separator: 0x2C, options))
    return readLines()
  }

  /// Chooses the reader for the table that sampled lines may be; returns the number of lines in
  /// front of the rows.
  private mutating func guessTable(_ lines: [String]) -> Int {
    if let found = MatchingReader.detected(lines) {
      readers.matching = found
      format = .pattern
      return 0
    }
    if let reader = RecordPattern.readyMadeReader(for: lines) { return read(as: reader) }
    let layout = PropertyLayout(lines)
    if let layout, layout.kind != .list { return read(as: layout) }
    if TextFormat.haveCommaPairs(lines) {
      readers.hasCommaPairs = true
      format = .logfmt
      return 0
    }
    let comments = lines.prefix { $0.hasPrefix("#") }.count
    for start in comments > 0 ? [0, comments] : [0] {
      guard let found = TextFormat.guess(lines: Array(lines[start...])) else { continue }
      decide(found)
      return start
    }
    if let titles = TextFormat.linesAboveTabs(lines) {
      decide(.tsv)
      return titles
    }
    readers.traces.isOn = TraceJoiner.hasTraces(lines)
    if let separator = TextFormat.separator(in: lines) {
      format = .csv
      let commaColumns = TextFormat.commaColumns(lines, separator)
      readers.delimited = DelimitedReader(separator: separator, options, commaColumns: commaColumns)
      return 0
    }
    // Lines of names and lines of values in turn, as in `/proc/net/snmp`.
    if SectionBorders.areNamesAndValues(lines) {
      readers.named = NamesAndValuesReader()
      format = .properties
      return 0
    }
    if let rows = readBare(lines) { return rows }
    let isBelowHeader = lines.first { $0.utf8.contains { $0 > 0x20 } }.map(Self.isTableHeader) ?? false
    if let layout, !isBelowHeader { return read(as: layout) }
    if let (reader, rows) = AlignedReader.detected(lines, isDeclared: false, hasBanner: true, names: options.names) {
      return read(as: reader, rows)
    }
    if let layout { return read(as: layout) }
    if let rows = readSingleColumn(lines) { return rows }
    if let (format, count) = TextFormat.withoutNames(lines) {
      decide(format)
      let names = Self.unique(options.names + repeatElement("", count: max(0, count - options.names.count)))
      readers.delimited = DelimitedReader(separator: format == .tsv ? 0x09 : 0x2C, options, names: names)
      return 0
    }
    guard !readers.traces.isOn else { return readLines() }
    if let reader = RecordPattern.indentedReader(for: lines) { return read(as: reader) }
    if let (reader, rows) = AlignedReader.withoutHeader(lines, names: options.names) { return read(as: reader, rows) }
    return readLines()
  }

  /// Returns whether a line has at least three names, or two of processors, with two or more blanks
  /// between some of them.
  private static func isTableHeader(_ line: String) -> Bool {
    let words = AlignedHeader.words(Array(line))
    return PropertyLine(line) == nil
      && (words.count >= 3 || (words.count == 2 && line.drop { $0 == " " }.hasPrefix("CPU0 ")))
      && words.dropFirst().contains(where: \.beginsColumn)
  }

  /// Reads lines below a name and a line of dashes, as `vault list` prints them; returns the number
  /// of lines in front of them, or `nil`.
  private mutating func readSingleColumn(_ lines: [String]) -> Int? {
    guard let start = lines.firstIndex(where: { !$0.isEmpty }), lines.count > start + 2 else { return nil }
    let (name, ruler) = (lines[start], lines[start + 1])
    guard name.utf8.count <= 60, AlignedHeader.canName(name), !AlignedHeader.hasGaps(name), ruler.count >= 2,
      ruler.allSatisfy({ $0 == "-" || $0 == "=" }),
      !lines[(start + 2)...].contains(where: { AlignedHeader.hasGaps($0) || AlignedColumns.isRuler($0) || $0.isEmpty })
    else { return nil }
    lineName = name
    format = .lines
    return start + 2
  }

  /// Reads records without a header between bars or colons; returns `nil` for other lines.
  private mutating func readBare(_ lines: [String]) -> Int? {
    let comments = lines.prefix { $0.hasPrefix("#") }.count
    let rows = Array(lines.dropFirst(comments))
    guard let separator = TextFormat.bareSeparator(rows), let first = rows.first(where: { !$0.isEmpty }) else {
      return nil
    }
    format = .csv
    let count = first.utf8.count { $0 == separator } + 1
    let names = Self.unique(options.names + repeatElement("", count: max(0, count - options.names.count)))
    readers.delimited = DelimitedReader(separator: separator, options, names: names)
    return comments
  }

  private mutating func readLines() -> Int {
    format = .lines
    return 0
  }

  private mutating func read(as reader: AlignedReader, _ rows: Int) -> Int {
    readers.aligned = reader
    format = .columns
    return rows
  }

  private mutating func read(as reader: RecordReader) -> Int {
    readers.records = reader
    format = .records
    return 0
  }

  private mutating func read(as layout: PropertyLayout) -> Int {
    readers.properties = PropertyReader(layout)
    format = .properties
    return 0
  }

  /// Processes the pending input at the end of the stream.
  package mutating func end() {
    if let alone = loneNames {
      if format == nil {
        isGuessed = true
        decide(TextFormat.delimitedNames(sample[0].line)?.format ?? .columns)
      }
      loneHeader = Self.unique(alone)
      sample = []
    }
    settle()
    readers.flush(into: &found)
    readers.delimited.end(into: &found)
    if format == .json {
      if isGuessed, readers.objects.isForeign {
        format = .lines
        for (index, line) in readers.objects.takeLines().enumerated() {
          line.withUnsafeBytes { readLine($0, index + 1) }
        }
        return
      }
      readers.objects.readDocument(into: &found)
    }
  }

  private mutating func readPairs(_ line: UnsafeRawBufferPointer, _ number: Int) {
    var row: InferredTable.UntypedRow = []
    if readers.hasCommaPairs {
      row = KeyValueLine.commaPairs(Self.text(line)).map { ($0.name, .text($0.value)) }
      if !row.isEmpty { return found.append(.row(row, place: "line \(number)")) }
    }
    var words: [String] = []
    var pairs = KeyValueLine(line)
    // Words in front of the pairs name what they are about.
    var isAhead = false
    while let (name, value) = pairs.next() {
      if let value { row.append((name, .text(value))) } else { words.append(name) }
      if row.isEmpty { isAhead = true }
    }
    if !words.isEmpty {
      row.insert(("message", .text(words.joined(separator: " "))), at: isAhead ? 0 : row.count)
    }
    guard !row.isEmpty else { return }
    found.append(.row(row, place: "line \(number)"))
  }

  private mutating func readLine(_ line: UnsafeRawBufferPointer, _ number: Int) {
    guard line.contains(where: { $0 > 0x20 }) else { return }
    let text = Self.text(line)
    if readers.traces.isOn, readers.traces.continues(with: text) { return }
    let row: InferredTable.UntypedRow = [(options.names.first ?? lineName, .text(text))]
    guard readers.traces.isOn else { return found.append(.row(row, place: "line \(number)")) }
    readers.traces.begin(row, number, into: &found)
  }

  /// Makes names unique: `x`, `x 2`.
  ///
  /// Empty names become numbered ones.
  static func unique(_ names: [String]) -> [String] {
    var known: Set<String> = []
    var result: [String] = []
    for (index, name) in names.enumerated() {
      let name = name.isEmpty ? "column \(index + 1)" : name
      var candidate = name
      var count = 1
      while !known.insert(candidate).inserted {
        count += 1
        candidate = "\(name) \(count)"
      }
      result.append(candidate)
    }
    return result
  }
}
