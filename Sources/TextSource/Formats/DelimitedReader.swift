import ListEngine

/// Reads delimited records: the names from the first one, and rows from the others.
struct DelimitedReader {
  /// The column names, once they are known.
  private(set) var names: [String]?
  /// The generated names of columns that only some records have.
  private var extraNames: [String] = []
  private var record: DelimitedRecord
  private var recordNumber = 0
  private let options: TextOptions
  /// Whether values are separated by vertical bars, which may also surround the lines.
  private let hasBars: Bool
  /// Whether tab-separated values are padded for alignment, as by `helm`.
  ///
  /// The padding is removed.
  private var isPadded = false
  private let isTabbed: Bool
  /// The columns of numbers with a decimal comma.
  private let commaColumns: Set<Int>

  init(separator: UInt8, _ options: TextOptions, names: [String]? = nil, commaColumns: Set<Int> = []) {
    record = DelimitedRecord(separator: separator)
    hasBars = separator == UInt8(ascii: "|")
    isTabbed = separator == 0x09
    self.commaColumns = commaColumns
    self.options = options
    self.names = names
    isPadded = names != nil && (separator == UInt8(ascii: "|") || separator == 0x09)
    if names == nil, !options.hasHeader, !options.names.isEmpty { self.names = TextReader.unique(options.names) }
  }

  mutating func read(_ line: UnsafeRawBufferPointer, _ number: Int, into found: inout [TextReader.Found]) {
    guard record.isOpen || line.contains(where: { $0 > 0x20 }) else { return }
    if !record.isOpen { recordNumber = number }
    if options.delimiter == " " {
      // The last column takes the rest of the line.
      let most = (names?.count ?? (options.names.isEmpty ? Int.max : options.names.count)) - 1
      let words = String(decoding: line, as: UTF8.self).split(maxSplits: max(0, most), whereSeparator: \.isWhitespace)
      return take(words.map { Self.trimmed(String($0)) }, into: &found)
    }
    let wasTooLong = record.isOpen && record.isTooLong
    if hasBars, !record.isOpen, line.count < DelimitedRecord.limit {
      guard var inner = TextFormat.withoutBorders(String(decoding: line, as: UTF8.self)) else { return }
      let isWhole = inner.withUTF8 { record.take(UnsafeRawBufferPointer($0)) }
      if isWhole { take(record.takeFields(), into: &found) }
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
    take(record.takeFields(), into: &found)
  }

  /// Reports a record that is incomplete at the end of the input.
  func end(into found: inout [TextReader.Found]) {
    if record.isOpen { found.append(.fault("line \(recordNumber): a quote is not closed")) }
  }

  /// Emits a row of these values, or takes the names from them.
  private mutating func take(_ values: [String], into found: inout [TextReader.Found]) {
    var fields = values
    if names == nil {
      // `nvidia-smi` pads values after commas.
      isPadded =
        hasBars || (isTabbed && fields.contains { $0.hasSuffix(" ") })
        || (fields.count > 1 && fields.dropFirst().allSatisfy { $0.hasPrefix(" ") })
      if isPadded { fields = fields.map(Self.trimmed) }
      if hasBars, options.hasHeader, fields.allSatisfy({ $0.count > 2 && $0.first == "\"" && $0.last == "\"" }) {
        fields = fields.map { String($0.dropFirst().dropLast()) }
      }
      if options.hasHeader {
        names = TextReader.unique(options.names + fields.dropFirst(options.names.count))
        return
      }
      names = TextReader.unique(fields.map { _ in "" })
    }
    guard let names else { return }
    for index in fields.indices where fields[index].utf8.first == 0x20 {
      let number = fields[index].drop { $0 == " " }
      if Double(number) != nil { fields[index] = String(number) }
    }
    if isPadded { fields = fields.map(Self.trimmed) }
    for index in commaColumns where index < fields.count { fields[index] = DecimalComma.plain(fields[index]) }
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
    extraNames.append(TextReader.unique(names + extraNames + [name]).last!)
  }

  private static func trimmed(_ text: String) -> String { String(AlignedHeader.trimmed(Array(text)[...])) }
}
