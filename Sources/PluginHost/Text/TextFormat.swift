/// The format of rows in a text stream.
public enum TextFormat: String, CaseIterable, Sendable {
  /// One JSON object per line.
  case ndjson
  /// One JSON document: a list of objects, or an object that contains one list of objects.
  case json
  /// Comma-separated values (RFC 4180).
  ///
  /// The first line names the columns.
  case csv
  /// Tab-separated values.
  ///
  /// The first line names the columns.
  case tsv
  /// Lines of `key=value` pairs (logfmt), with quotes where needed.
  case logfmt
  /// Whitespace-aligned columns below a header, as printed by `ps`, `df` and `kubectl`.
  case columns
  /// Plain text with one row per line.
  case lines

  /// Infers the format from the first line with text; `nil` when more lines are needed.
  static func guess(_ line: UnsafeRawBufferPointer) -> TextFormat? {
    guard let first = line.first(where: { $0 > 0x20 }) else { return nil }
    if first == 0x7B || first == 0x5B {
      switch JSONBeginning.look(line) {
      case .whole: return first == 0x7B ? .ndjson : .json
      case .part: return .json
      case .neither: break
      }
    }
    let pairs = KeyValueLine.count(line)
    return pairs.pairs >= 2 && pairs.pairs >= pairs.others ? .logfmt : nil
  }

  /// Infers the format from several lines; `nil` when they are neither delimited records nor pairs.
  static func guess(lines: [String]) -> TextFormat? {
    guard let first = lines.first(where: { $0.utf8.contains { $0 > 0x20 } }) else { return nil }
    if first.utf8.contains(0x09), isDelimited(lines, by: .tsv) { return .tsv }
    if isKeyValue(lines) { return .logfmt }
    return isDelimited(lines, by: .csv) ? .csv : nil
  }

  private var separator: UInt8 { self == .tsv ? 0x09 : 0x2C }

  /// Returns whether lines are delimited records.
  ///
  /// The first one must be able to name columns, and most others must have as many values.
  private static func isDelimited(_ lines: [String], by format: TextFormat) -> Bool {
    var record = DelimitedRecord(separator: format.separator)
    var names: [String]?
    var rows: [[String]] = []
    for var line in lines {
      guard record.isOpen || line.utf8.contains(where: { $0 > 0x20 }) else { continue }
      guard line.withUTF8({ record.take(UnsafeRawBufferPointer($0)) }) else { continue }
      if names != nil {
        rows.append(record.takeFields())
      } else {
        guard let found = delimitedNames(line, record.takeFields()) else { return false }
        names = found
      }
    }
    guard let names else { return false }
    let agreeing = rows.filter { $0.count == names.count }
    guard agreeing.count * 2 >= rows.count, !rows.isEmpty || record.isOpen else { return false }
    return AlignedHeader.canName(names, agreeing)
  }

  /// Returns the column names in a delimited line; `nil` for a line that is more likely a row of
  /// values.
  static func delimitedNames(_ line: String) -> (names: [String], format: TextFormat)? {
    for format in [TextFormat.tsv, .csv] {
      var line = line
      var record = DelimitedRecord(separator: format.separator)
      guard line.withUTF8({ record.take(UnsafeRawBufferPointer($0)) }) else { continue }
      if let names = delimitedNames(line, record.takeFields()) { return (names, format) }
    }
    return nil
  }

  private static func delimitedNames(_ line: String, _ fields: [String]) -> [String]? {
    guard fields.count >= 2, !line.hasPrefix(" "), !fields.contains("true"), !fields.contains("false"),
      let first = fields.first(where: { !$0.isEmpty }),
      AlignedHeader.canName(first)
    else { return nil }
    let numbers = fields.filter { !$0.isEmpty && !AlignedHeader.canName($0) }
    return numbers.isEmpty || isSeries(numbers) ? fields : nil
  }

  /// Returns whether numbers can name columns: the years 2020, 2021, or 1, 2, 3.
  private static func isSeries(_ names: [String]) -> Bool {
    let numbers = names.compactMap { Int32($0) }
    guard numbers.count == names.count, let first = numbers.first else { return false }
    let areYears = numbers.allSatisfy { (1800...2199).contains($0) }
    guard numbers.count >= (areYears ? 2 : 3) else { return false }
    let step = Int64(numbers[1]) - Int64(first)
    return step != 0 && zip(numbers, numbers.dropFirst()).allSatisfy { Int64($1) - Int64($0) == step }
  }

  /// Returns whether lines are `key=value` pairs with recurring keys, unlike the output of `env`.
  private static func isKeyValue(_ lines: [String]) -> Bool {
    var known: Set<String> = []
    var (similar, rows) = (0, 0)
    for var line in lines {
      let (names, others) = line.withUTF8 { bytes in
        var row = KeyValueLine(UnsafeRawBufferPointer(bytes))
        var names: [String] = []
        var others = 0
        while let (name, value) = row.next() {
          if value == nil || name.isEmpty { others += 1 } else { names.append(name) }
        }
        return (names, others)
      }
      if rows == 0, names.isEmpty || names.count < others { return false }
      guard !names.isEmpty || others > 0 else { continue }
      if rows > 0, names.contains(where: known.contains) { similar += 1 }
      rows += 1
      known.formUnion(names)
    }
    return rows == 1 || (rows > 1 && similar * 2 >= rows - 1)
  }
}
