import ListEngine

/// Turns lines of a format that nobody has named into rows of a ``InferredTable``.
///
///     var reader = TextReader(format: nil)
///     reader.read(line, number: 1)
///     for row in reader.takeRows() { table.add(row.row, at: row.place) }
///     reader.settle()                     // it is quiet, or there is no more: what waits for a decision is decided
struct TextReader: ~Copyable {
  /// A row, or why there is none.
  enum Found {
    case row(InferredTable.UntypedRow, place: String)
    case fault(String)
  }

  /// So many lines are looked at, at most, to find their columns, and about so many bytes.
  static let sampleLines = 100
  static let sampleBytes = 1 << 20
  /// The longest JSON document.
  static let documentLimit = 64 << 20
  /// The mark of the byte order, in UTF-8: it says nothing.
  static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// What it has decided on, or was told.
  private(set) var format: TextFormat?
  /// Whether values are texts that may stand for something else.
  var isTextual: Bool { format != .ndjson && format != .json }
  /// Whether lines wait for a decision.
  var isSampling: Bool { !sample.isEmpty && loneNames == nil }
  /// What the only line so far names, when it looks like a header: that one waits for what stands below it.
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
  /// What the first line has named, where the format has a line for it.
  private(set) var names: [String]?
  /// Names of columns that only some records have.
  private var extraNames: [String] = []
  private var aligned: AlignedColumns?
  /// Lines of the header and above it: programs repeat them.
  private var headerLines: Set<String> = []
  private var alignment = Alignment.certain
  /// Whether the format was found out, and its columns with it.
  private(set) var isGuessed = false
  /// Whether a text was not UTF-8, and was read as Windows-1252.
  private(set) var hasForeignText = false

  /// What the lines since the header say about the next one.
  private enum Alignment {
    /// The last line stood below the header.
    case certain
    /// The last line did not.
    case interrupted
    /// A blank line came, or two lines that do not fit: only a line with a value in each column but the last is a row.
    case strict
    /// Another table or text has begun: every line is a text.
    case over
  }
  private var record = DelimitedRecord(separator: 0x2C)
  private var recordNumber = 0
  /// Whether values between tabs stand below their names, as `helm` writes them: the blanks around them say nothing.
  private var isPadded = false
  private var document: [UInt8] = []
  private var isDocumentTooLong = false

  /// Reads this format; with `nil` it looks for itself.
  init(format: TextFormat?) { decide(format) }

  private mutating func decide(_ format: TextFormat?) {
    self.format = format
    if format == .tsv { record = DelimitedRecord(separator: 0x09) }
  }

  /// What was found since the last call.
  mutating func takeRows() -> [Found] {
    defer { found = [] }
    return found
  }

  /// Whether something was found that was not taken.
  var hasRows: Bool { !found.isEmpty }

  // MARK: Lines

  /// Reads one line. ``JSONParser/padding`` bytes behind it must be readable.
  mutating func read(_ line: UnsafeRawBufferPointer, number: Int) {
    var line = line
    // Some programs begin their files with a mark of the byte order.
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
    if format == nil, sample.isEmpty { decide(TextFormat.guess(line)) }
    switch format {
    case .json: appendToDocument(line)
    case .ndjson: readObject(line, number)
    case .csv, .tsv: readDelimited(line, number)
    case .logfmt: readPairs(line, number)
    case .lines: readLine(line, number)
    case .columns, nil:
      if aligned != nil { return readAligned(line, number) }
      // Between quotes a line may be empty, and below columns it ends them.
      guard line.contains(where: { $0 > 0x20 }) || !sample.isEmpty else { return }
      sample.append((text(line), number))
      sampledBytes += line.count
      if sample.count >= Self.sampleLines || sampledBytes >= Self.sampleBytes { settle() }
    }
  }

  /// A line was skipped.
  mutating func noteTooLong(_ number: Int, limit: Int) {
    found.append(.fault("line \(number): it has more than \(limit) bytes"))
  }

  /// What is to be told of texts that were not read as they are; empty when there is nothing to tell.
  var notice: String {
    var notices: [String] = []
    if isGuessed, format == .columns || format == .csv || format == .tsv {
      notices.append("Columns were guessed from the header; --format lines shows the text as it is")
    }
    if hasForeignText { notices.append("Text that is not UTF-8 was read as Latin-1 (Windows-1252)") }
    return notices.joined(separator: ". ")
  }

  private func text(_ line: UnsafeRawBufferPointer) -> String { String(decoding: line, as: UTF8.self) }

  /// Decides what waits for a decision.
  mutating func settle() {
    guard loneNames == nil else { return }
    let lines = sample
    sample = []
    guard !lines.isEmpty else { return }
    if format == nil {
      isGuessed = true
      let found = TextFormat.guess(lines: lines.map(\.line))
      if let found { decide(found) }
    }
    if format == nil || format == .columns {
      aligned = AlignedColumns(lines.map(\.line), isTold: format == .columns)
      if format == nil { decide(aligned == nil ? .lines : .columns) }
    }
    let header = (aligned?.headerLine ?? -1) + 1
    if isGuessed { headerLines = Set(lines.prefix(header).map(\.line).filter { !$0.isEmpty }) }
    for (line, number) in lines.dropFirst(header) {
      var line = line
      line.withUTF8 { bytes in
        let bytes = UnsafeRawBufferPointer(bytes)
        switch format {
        case .csv, .tsv: readDelimited(bytes, number)
        case .logfmt: readPairs(bytes, number)
        case .columns: readAligned(bytes, number)
        default: readLine(bytes, number)
        }
      }
    }
  }

  /// Nothing more will come.
  mutating func end() {
    if let alone = loneNames {
      if format == nil {
        isGuessed = true
        decide(TextFormat.delimitedNames(sample[0].line)?.format ?? .columns)
      }
      names = Self.unique(alone)
      sample = []
    }
    settle()
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
      found.append(.row(Self.row(root), place: "line \(number)"))
    } catch {
      found.append(.fault("line \(number): it is no JSON: \(error.reason)"))
    }
  }

  private static func row(_ object: JSONElement) -> InferredTable.UntypedRow {
    object.members.map { member in
      let value = UntypedValue(member.value)
      let name = String(decoding: member.name, as: UTF8.self)
      guard case .text(let text) = value, text.utf8.contains(0x1B) else { return (name, value) }
      return (name, .text(TerminalText.plain(text)))
    }
  }

  private mutating func readDelimited(_ line: UnsafeRawBufferPointer, _ number: Int) {
    guard record.isOpen || line.contains(where: { $0 > 0x20 }) else { return }
    if !record.isOpen { recordNumber = number }
    let wasTooLong = record.isOpen && record.isTooLong
    let isWhole = record.take(line)
    if record.isTooLong {
      // Told at once: until a quote closes it, nothing else comes.
      guard !wasTooLong else { return }
      return found.append(
        .fault(
          "line \(recordNumber): its record has more than \(DelimitedRecord.limit) bytes: it is left out up to the quote that closes it"
        ))
    }
    guard isWhole else { return }
    var fields = record.takeFields()
    guard let names else {
      isPadded = format == .tsv && fields.contains { $0.hasSuffix(" ") }
      if isPadded { fields = fields.map(Self.trimmed) }
      names = Self.unique(fields)
      return
    }
    if isPadded { fields = fields.map(Self.trimmed) }
    var row: InferredTable.UntypedRow = zip(names, fields).map { ($0, .text($1)) }
    if fields.count > names.count {
      // Values beyond the names are columns that are called by their numbers.
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
    let names = Self.unique(aligned.names)
    guard line.contains(where: { $0 > 0x20 }) else {
      if isGuessed, alignment != .over { alignment = .strict }
      return
    }
    let text = text(line)
    guard isGuessed else {
      return found.append(.row(zip(names, aligned.fields(of: text)).map { ($0, .text($1)) }, place: "line \(number)"))
    }
    guard !headerLines.contains(text), !AlignedColumns.isRuler(text) else { return }
    if let fields = alignedFields(aligned, text) {
      found.append(.row(zip(names, fields).map { ($0, .text($1)) }, place: "line \(number)"))
    } else {
      found.append(.row([(Self.unique(names + ["line"]).last!, .text(text))], place: "line \(number)"))
    }
  }

  /// The values of a line below the header; `nil` for a line that is none of its rows.
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
    found.append(.row([("line", .text(text(line)))], place: "line \(number)"))
  }

  /// Names without repetition: `x`, `x 2`; one that is empty is called by its number.
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
            found.append(.row(Self.row(item), place: "item \(index + 1)"))
          } else {
            found.append(.fault("item \(index + 1): it is \(item.name), not an object"))
          }
        }
      } catch {
        found.append(.fault("it is no JSON: \(error.reason)"))
      }
    }
  }

  /// The list itself, or the only list of objects in an object, `{"items":[...]}`, or the only empty one.
  private static func list(_ root: JSONElement) -> JSONElement? {
    if root.kind == .list { return root }
    let all = root.members.map(\.value).filter { $0.kind == .list }
    let filled = all.filter { value in value.items.contains { $0.kind == .object } }
    let lists = filled.isEmpty ? all.filter { value in !value.items.contains { _ in true } } : filled
    return lists.count == 1 ? lists[0] : nil
  }
}
