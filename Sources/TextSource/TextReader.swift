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
  /// The maximum size of a JSON document in bytes.
  static let documentLimit = 64 << 20
  /// The byte order mark in UTF-8, which is skipped.
  package static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The given or inferred format.
  package private(set) var format: TextFormat?
  /// Whether values are texts that may represent other types.
  package var isTextual: Bool { format != .ndjson && format != .json }
  /// Whether sampled lines wait for inference.
  package var isSampling: Bool { (!sample.isEmpty && loneNames == nil) || pending != nil }
  /// The column names in the only line so far, if it looks like a header.
  ///
  /// Inference then waits for a row.
  private var loneNames: [String]? {
    guard let first = sample.first, sample.dropFirst().allSatisfy({ $0.line.isEmpty }) else { return nil }
    return (format == nil ? TextFormat.delimitedNames(first.line)?.names : nil)
      ?? AlignedColumns.names(ofHeader: first.line)
  }

  private let parser = JSONParser()
  private var hasBegun = false
  private var found: [Found] = []
  private var sample: [(line: String, number: Int)] = []
  private var sampledBytes = 0
  /// The column names from the first line, in formats that have a header.
  package private(set) var names: [String]?
  /// The generated names of columns that only some records have.
  private var extraNames: [String] = []
  private var aligned: AlignedColumns?
  /// The header and the lines above it, which some programs repeat.
  private var headerLines: Set<String> = []
  private var alignment = Alignment.certain
  /// Whether the format and its columns were inferred.
  private(set) var isGuessed = false
  /// Whether some text was not UTF-8 and was decoded as Windows-1252.
  private(set) var hasForeignText = false

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
  private var record = DelimitedRecord(separator: 0x2C)
  /// The options for names, delimiters and patterns.
  private let options: TextOptions
  /// The compiled pattern of the lines.
  var matcher: PatternMatcher?
  /// The given or inferred pattern.
  package var pattern: LinePattern?
  /// Whether values are separated by vertical bars, which may also surround the lines.
  private var hasBars = false
  /// Whether tabs align the columns.
  private var hasTabs = false
  /// The groups of the pattern that have a column in every row, so that the columns keep the order
  /// of the pattern.
  var groups: Set<String> = []
  /// The record that the next lines may continue.
  var pending: (row: InferredTable.UntypedRow, place: String)?
  /// The number of lines in the pending record.
  var pendingLines = 0
  /// Whether lines of a stack trace are joined to the line before them.
  var joinsTraces = false
  /// The filter for summaries above tables.
  private var summary = SummaryFilter()
  private var recordNumber = 0
  /// Whether tab-separated values are padded for alignment, as by `helm`.
  ///
  /// The padding is removed.
  private var isPadded = false
  private var document: [UInt8] = []
  private var isDocumentTooLong = false

  /// Creates a reader for a format, or for an inferred one with `nil`.
  package init(format: TextFormat?, options: TextOptions = TextOptions()) {
    self.options = options
    if let pattern = options.pattern, let matcher = try? PatternMatcher.cached(pattern) {
      (self.pattern, self.matcher) = (pattern, matcher)
      if LinePattern.named(pattern.name) == nil { groups = Set(matcher.names) }
      decide(.pattern)
    } else {
      decide(format ?? (options.delimiter == nil && options.hasHeader ? nil : .csv))
    }
  }

  private mutating func decide(_ format: TextFormat?) {
    self.format = format
    guard format == .csv || format == .tsv else { return }
    let separator = options.delimiter ?? (format == .tsv ? "\t" : ",")
    record = DelimitedRecord(separator: separator.asciiValue ?? 0x2C)
    hasBars = separator == "|"
    if !options.hasHeader, !options.names.isEmpty { names = Self.unique(options.names) }
  }

  /// The declared columns of the format that was found.
  package var hints: [String: ColumnHint] { pattern?.hints ?? KnownHeaders.hints(aligned?.names ?? []) }

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
    if format == nil || format == .columns, summary.skips(line) { return }
    if format == nil, sample.isEmpty { decide(TextFormat.guess(line)) }
    switch format {
    case .pattern: readMatching(text(line), number)
    case .json: appendToDocument(line)
    case .ndjson: readObject(line, number)
    case .csv, .tsv: readDelimited(line, number)
    case .logfmt: readPairs(line, number)
    case .lines: readLine(line, number)
    case .columns, nil:
      if aligned != nil { return readAligned(line, number) }
      // Blank lines are kept in the sample: they may be part of a quoted value or end a section of
      // columns.
      guard line.contains(where: { $0 > 0x20 }) || !sample.isEmpty else { return }
      sample.append((text(line), number))
      sampledBytes += line.count
      if sample.count >= Self.sampleLines || sampledBytes >= Self.sampleBytes { settle() }
    }
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
    if hasForeignText { notices.append("Text that is not UTF-8 was read as Latin-1 (Windows-1252)") }
    return notices.joined(separator: ". ")
  }

  private func text(_ line: UnsafeRawBufferPointer) -> String { String(decoding: line, as: UTF8.self) }

  /// Runs pending inference.
  package mutating func settle() {
    flushPending()
    guard loneNames == nil else { return }
    let lines = sample
    sample = []
    guard !lines.isEmpty else { return }
    if format == nil {
      isGuessed = true
      guessFormat(lines.map(\.line))
    }
    if format == nil || format == .columns {
      hasTabs = lines.count { $0.line.utf8.contains(0x09) } * 2 >= lines.count
      aligned = AlignedColumns(lines.map { withoutTabs($0.line) }, isDeclared: format == .columns)
      if format == nil, aligned == nil, TextFormat.isHeaderless(lines.map(\.line)) {
        decide(.tsv)
        names = Self.unique(lines[0].line.split(separator: "\t", omittingEmptySubsequences: false).map { _ in "" })
      }
      if format == nil { decide(aligned == nil ? .lines : .columns) }
    }
    let header = (aligned?.headerLine ?? -1) + 1
    if isGuessed { headerLines = Set(lines.prefix(header).map { withoutTabs($0.line) }.filter { !$0.isEmpty }) }
    for (line, number) in lines.dropFirst(header) {
      var line = line
      line.withUTF8 { bytes in
        let bytes = UnsafeRawBufferPointer(bytes)
        switch format {
        case .csv, .tsv: readDelimited(bytes, number)
        case .logfmt: readPairs(bytes, number)
        case .columns: readAligned(bytes, number)
        case .pattern: readMatching(text(bytes), number)
        default: readLine(bytes, number)
        }
      }
    }
  }

  /// Infers the format from the sampled lines; leaves it open for aligned columns and plain lines.
  private mutating func guessFormat(_ lines: [String]) {
    if let found = LinePattern.detected(in: lines), let matcher = try? PatternMatcher.cached(found) {
      (pattern, self.matcher) = (found, matcher)
      groups = Set(lines.flatMap { matcher.fields(of: $0) ?? [] }.map(\.name))
      return decide(.pattern)
    }
    if let found = TextFormat.guess(lines: lines) { return decide(found) }
    joinsTraces = Self.hasTraces(lines)
    guard let separator = TextFormat.separator(in: lines) else { return }
    format = .csv
    record = DelimitedRecord(separator: separator)
    hasBars = separator == UInt8(ascii: "|")
  }

  /// Processes the pending input at the end of the stream.
  package mutating func end() {
    if let alone = loneNames {
      if format == nil {
        isGuessed = true
        decide(TextFormat.delimitedNames(sample[0].line)?.format ?? .columns)
      }
      names = Self.unique(alone)
      sample = []
    }
    settle()
    flushPending()
    if record.isOpen { found.append(.fault("line \(recordNumber): a quote is not closed")) }
    if format == .json { readDocument() }
  }

  private mutating func readObject(_ line: UnsafeRawBufferPointer, _ number: Int) {
    guard line.contains(where: { $0 > 0x20 }) else { return }
    do throws(JSONParser.Fault) {
      let root = try parser.parse(line)
      guard root.kind == .object else {
        return found.append(.fault("line \(number): it is \(root.name), not an object"))
      }
      found.append(.row(JSONFlattening.row(root), place: "line \(number)"))
    } catch {
      found.append(.fault("line \(number): it is not JSON: \(error.reason)"))
    }
  }

  private mutating func readDelimited(_ line: UnsafeRawBufferPointer, _ number: Int) {
    guard record.isOpen || line.contains(where: { $0 > 0x20 }) else { return }
    if !record.isOpen { recordNumber = number }
    if options.delimiter == " " {
      // The last column takes the rest of the line.
      let most = (names?.count ?? (options.names.isEmpty ? Int.max : options.names.count)) - 1
      return take(
        text(line).split(maxSplits: max(0, most), whereSeparator: \.isWhitespace).map { Self.trimmed(String($0)) })
    }
    let wasTooLong = record.isOpen && record.isTooLong
    if hasBars, !record.isOpen, line.count < DelimitedRecord.limit {
      guard var inner = TextFormat.withoutBorders(text(line)) else { return }
      let isWhole = inner.withUTF8 { record.take(UnsafeRawBufferPointer($0)) }
      if isWhole { take(record.takeFields()) }
      return
    }
    let isWhole = record.take(line)
    if record.isTooLong {
      // Reported at once, because no other row follows until the closing quote.
      guard !wasTooLong else { return }
      return found.append(
        .fault(
          "line \(recordNumber): its record has more than \(DelimitedRecord.limit) bytes: it is left out up to the quote that closes it"
        ))
    }
    guard isWhole else { return }
    take(record.takeFields())
  }

  /// Emits a row of these values, or takes the names from them.
  private mutating func take(_ values: [String]) {
    var fields = values
    if names == nil {
      // `nvidia-smi` pads values after commas.
      isPadded =
        hasBars || (format == .tsv && fields.contains { $0.hasSuffix(" ") })
        || (fields.count > 1 && fields.dropFirst().allSatisfy { $0.hasPrefix(" ") })
      if isPadded { fields = fields.map(Self.trimmed) }
      if options.hasHeader {
        names = Self.unique(options.names + fields.dropFirst(options.names.count))
        return
      }
      names = Self.unique(fields.map { _ in "" })
    }
    guard let names else { return }
    if isPadded { fields = fields.map(Self.trimmed) }
    var row: InferredTable.UntypedRow = zip(names, fields).map { ($0, .text($1)) }
    if fields.count > names.count {
      // Values beyond the header's names get numbered columns.
      while extraNames.count < min(fields.count, Limits().columns + 1) - names.count { addExtraName(to: names) }
      row += zip(extraNames, fields[names.count...]).map { ($0, .text($1)) }
    }
    found.append(.row(row, place: "line \(recordNumber)"))
  }

  private mutating func addExtraName(to names: [String]) {
    let name = "column \(names.count + extraNames.count + 1)"
    extraNames.append(Self.unique(names + extraNames + [name]).last!)
  }

  private static func trimmed(_ text: String) -> String { String(AlignedHeader.trimmed(Array(text)[...])) }

  private mutating func readPairs(_ line: UnsafeRawBufferPointer, _ number: Int) {
    var row: InferredTable.UntypedRow = []
    var words: [String] = []
    var pairs = KeyValueLine(line)
    while let (name, value) = pairs.next() {
      if let value { row.append((name, .text(value))) } else { words.append(name) }
    }
    if !words.isEmpty { row.append(("message", .text(words.joined(separator: " ")))) }
    guard !row.isEmpty else { return }
    found.append(.row(row, place: "line \(number)"))
  }

  private mutating func readAligned(_ line: UnsafeRawBufferPointer, _ number: Int) {
    guard let aligned else { return }
    let names = Self.unique(options.names + aligned.names.dropFirst(options.names.count))
    guard line.contains(where: { $0 > 0x20 }) else {
      if isGuessed, alignment != .over { alignment = .strict }
      return
    }
    let text = withoutTabs(text(line))
    guard isGuessed else {
      return found.append(.row(zip(names, aligned.fields(of: text)).map { ($0, .text($1)) }, place: "line \(number)"))
    }
    guard !headerLines.contains(text), !AlignedColumns.isRuler(text), !TextFormat.isCount(text) else { return }
    guard alignment == .certain || alignment == .interrupted || !Self.isLegend(text) else { return }
    if let fields = alignedFields(aligned, text) {
      found.append(.row(zip(names, fields).map { ($0, .text($1)) }, place: "line \(number)"))
    } else {
      found.append(.row([(Self.unique(names + ["line"]).last!, .text(text))], place: "line \(number)"))
    }
  }

  /// Returns a line with tabs expanded to positions that are multiples of eight.
  private func withoutTabs(_ line: String) -> String {
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
    return line.first?.isNumber ?? false && (line.hasSuffix(" listed.") || line.contains(" units listed"))
  }

  /// Returns the values of a line below the header; `nil` for a line that is not a row.
  private mutating func alignedFields(_ aligned: AlignedColumns, _ line: String) -> [String]? {
    let isStrict = alignment == .strict
    let fields = aligned.fittingFields(of: line, strictly: isStrict)
    switch alignment {
    case .certain, .interrupted:
      if fields == nil { alignment = alignment == .certain ? .interrupted : .strict } else { alignment = .certain }
      return fields
    case .strict:
      if let fields, !fields.dropLast().contains(""), !zip(fields, aligned.names).contains(where: { $0 == $1 }) {
        return fields
      }
      alignment = .over
      return nil
    case .over: return nil
    }
  }

  private mutating func readLine(_ line: UnsafeRawBufferPointer, _ number: Int) {
    guard line.contains(where: { $0 > 0x20 }) else { return }
    let text = text(line)
    if joinsTraces, continuePending(text) { return }
    let row: InferredTable.UntypedRow = [(options.names.first ?? "line", .text(text))]
    if joinsTraces { begin(row, number) } else { found.append(.row(row, place: "line \(number)")) }
  }

  /// Adds a row or a fault.
  package mutating func add(_ item: Found) { found.append(item) }

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

  // MARK: Documents

  private mutating func appendToDocument(_ line: UnsafeRawBufferPointer) {
    guard document.count + line.count < Self.documentLimit else {
      isDocumentTooLong = true
      return
    }
    document.append(contentsOf: line)
    document.append(0x0A)
  }

  private mutating func readDocument() {
    guard !isDocumentTooLong else {
      return found.append(.fault("the document has more than \(Self.documentLimit) bytes"))
    }
    let count = document.count
    document.append(contentsOf: repeatElement(0, count: JSONParser.padding))
    let bytes = document
    document = []
    bytes.withUnsafeBytes { buffer in
      do throws(JSONParser.Fault) {
        let root = try parser.parse(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        guard let list = Self.list(root) else {
          return found.append(.fault("the document has no list of objects"))
        }
        for (index, item) in list.items.enumerated() {
          if item.kind == .object {
            found.append(.row(JSONFlattening.row(item), place: "item \(index + 1)"))
          } else {
            found.append(.fault("item \(index + 1): it is \(item.name), not an object"))
          }
        }
      } catch {
        found.append(.fault("it is not JSON: \(error.reason)"))
      }
    }
  }

  /// Returns the list of rows in a document; `nil` when it is missing or ambiguous.
  ///
  /// This is the document itself or the only list in an object, such as `{"items":[...]}`. Among
  /// several lists, the only one with objects counts, or else the only empty one.
  private static func list(_ root: JSONElement) -> JSONElement? {
    if root.kind == .list { return root }
    let all = root.members.map(\.value).filter { $0.kind == .list }
    let filled = all.filter { value in value.items.contains { $0.kind == .object } }
    let lists = filled.isEmpty ? all.filter { value in !value.items.contains { _ in true } } : filled
    return lists.count == 1 ? lists[0] : nil
  }
}
