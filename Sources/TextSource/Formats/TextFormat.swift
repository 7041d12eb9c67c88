import SourceRuntime

/// The format of rows in a text stream.
package enum TextFormat: String, CaseIterable, Sendable {
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
  /// Lines with a name and a value: `name: value`, `name = value` or `name=value`.
  ///
  /// Repeated blocks of them are one row each.
  case properties
  /// Records of several lines: one that begins the record, and indented ones.
  case records
  /// Lines that match a pattern; see ``LinePattern``.
  case pattern
  /// Plain text with one row per line.
  case lines

  /// Infers the format from the first line with text; `nil` when more lines are needed.
  package static func guess(_ line: UnsafeRawBufferPointer) -> TextFormat? {
    guard let first = line.first(where: { $0 > 0x20 }) else { return nil }
    if first == 0x7B || first == 0x5B {
      switch JSONBeginning.look(line) {
      case .whole: return first == 0x7B ? .ndjson : .json
      case .part: return .json
      case .neither: break
      }
    }
    // Words in front of pairs may be columns of their own; see `isKeyValue`.
    if Character(UnicodeScalar(first)).isLetter, !KeyValueLine.beginsWithPair(line) { return nil }
    let pairs = KeyValueLine.count(line)
    return pairs.pairs >= 2 && pairs.pairs >= pairs.others ? .logfmt : nil
  }

  /// Infers the separator of records without commas or tabs: a semicolon or a vertical bar.
  static func separator(in lines: [String]) -> UInt8? {
    [UInt8(ascii: ";"), UInt8(ascii: "|")].first { separator in
      let lines = separator == UInt8(ascii: "|") ? lines.compactMap(withoutBorders) : lines
      guard lines.first?.utf8.contains(separator) ?? false else { return false }
      return isDelimited(lines, by: separator, mostAgree: true)
    }
  }

  /// Returns the number of lines without a tab, up to three, above names and values between tabs.
  static func linesAboveTabs(_ lines: [String]) -> Int? {
    let count = lines.prefix { !$0.utf8.contains(0x09) }.count
    let rows = lines.dropFirst(count).filter { $0.utf8.contains { $0 > 0x20 } }
    guard (1...3).contains(count), rows.count > 1, let first = rows.first, AlignedHeader.canName(first) else {
      return nil
    }
    let tabs = first.utf8.count { $0 == 0x09 }
    let isTable = rows.allSatisfy { row in
      row.utf8.count { $0 == 0x09 } == tabs && !row.contains("\t\t") && !row.hasPrefix("\t")
    }
    return isTable && delimitedNames(first)?.format == .tsv ? count : nil
  }

  /// Returns the format and the number of values of records without names.
  ///
  /// All lines have as many values between tabs or commas: at least three, or two texts between
  /// tabs. With commas, some column has only numbers or times.
  static func withoutNames(_ lines: [String]) -> (format: TextFormat, count: Int)? {
    let filled = lines.filter { $0.utf8.contains { $0 > 0x20 } }
    guard filled.count >= 2, let first = filled.first else { return nil }
    let tabs = first.utf8.count { $0 == 0x09 }
    if tabs > 0, filled.allSatisfy({ $0.utf8.count { $0 == 0x09 } == tabs }) {
      // Tabs among blanks only pad.
      guard !filled.contains(where: { $0.contains("\t  ") }) else { return nil }
      let arePairs = filled.count >= 3 && !filled.contains { $0.hasPrefix("\t") || $0.hasSuffix("\t") }
      return tabs >= 2 || arePairs ? (.tsv, tabs + 1) : nil
    }
    guard filled.count >= 3, let rows = records(filled, 0x2C), let count = rows.first?.count, count >= 3,
      rows.allSatisfy({ $0.count == count && !$0.contains { $0.contains("   ") } })
    else { return nil }
    let hasNumbers = (0..<count).contains { index in
      rows.allSatisfy { row in
        switch UntypedValue(reading: row[index]) {
        case .integer, .number: true
        default: TextMoment(row[index]) != nil
        }
      }
    }
    return hasNumbers ? (.csv, count) : nil
  }

  /// Returns the fields of lines that are one record each; `nil` when a quote is not closed.
  private static func records(_ lines: [String], _ separator: UInt8) -> [[String]]? {
    var record = DelimitedRecord(separator: separator)
    var rows: [[String]] = []
    for var line in lines where line.utf8.contains(where: { $0 > 0x20 }) {
      guard line.withUTF8({ record.take(UnsafeRawBufferPointer($0)) }) else { return nil }
      rows.append(record.takeFields())
    }
    return rows
  }

  /// Returns the columns of numbers with a decimal comma.
  static func commaColumns(_ lines: [String], _ separator: UInt8) -> Set<Int> {
    guard separator == UInt8(ascii: ";"), let rows = records(lines, separator) else { return [] }
    return DecimalComma.columns(Array(rows.dropFirst()))
  }

  /// Returns whether all lines are pairs with commas between them, as `mlr` prints them.
  static func haveCommaPairs(_ lines: [String]) -> Bool {
    let filled = lines.filter { $0.utf8.contains { $0 > 0x20 } }
    return !filled.isEmpty && filled.allSatisfy { !KeyValueLine.commaPairs($0).isEmpty }
  }

  /// Returns the separator of lines without names: bars, or colons without blanks.
  ///
  /// All lines have as many of them: at least two bars, three colons, or two with a number between.
  static func bareSeparator(_ lines: [String]) -> UInt8? {
    let filled = lines.filter { $0.utf8.contains { $0 > 0x20 } }
    guard filled.count >= 2, let first = filled.first else { return nil }
    let hasNumbers = filled.count >= 3 && filled.allSatisfy(hasNumberBetweenColons)
    for (separator, least) in [(UInt8(ascii: "|"), 2), (UInt8(ascii: ":"), hasNumbers ? 2 : 3)] {
      let count = first.utf8.count { $0 == separator }
      guard count >= least, filled.allSatisfy({ $0.utf8.count { $0 == separator } == count }) else { continue }
      guard separator == UInt8(ascii: ":") else {
        return first.hasPrefix("|") || filled.allSatisfy { $0.hasSuffix("|") } ? nil : separator
      }
      // Neither times nor addresses nor sentences have as many colons in each line.
      let isPlain = filled.allSatisfy { line in
        !line.utf8.contains(0x20) && !line.utf8.contains(0x09) && line.contains(where: \.isLetter)
          && !line.contains("//") && !line.contains("::ffff") && !line.contains("[")
      }
      let isAddress = filled.allSatisfy {
        $0.utf8.allSatisfy { $0 == separator || Character(UnicodeScalar($0)).isHexDigit }
      }
      if isPlain, !isAddress { return separator }
    }
    return nil
  }

  /// Returns whether the second of three values is a number: `root:0:/root`.
  private static func hasNumberBetweenColons(_ line: String) -> Bool {
    let values = line.split(separator: ":", omittingEmptySubsequences: false)
    return values.count == 3 && values[0].contains(where: \.isLetter) && values[2].contains(where: \.isLetter)
      && !values[1].isEmpty && values[1].utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Returns the content of a line of a table with vertical bars.
  ///
  /// Returns `nil` for a line of dashes and for a count of rows below the table.
  static func withoutBorders(_ line: String) -> String? {
    guard !line.contains(where: { "-=".contains($0) }) || line.contains(where: { !"|:-+= ".contains($0) }) else {
      return nil
    }
    guard line.contains("|") || !isCount(line) else { return nil }
    var rest = Substring(line).drop { $0 == " " }
    while rest.last == " " { rest.removeLast() }
    if rest.first == "|" {
      rest.removeFirst()
      if rest.last == "|" { rest.removeLast() }
    }
    // Blanks around the bars are padding; the first name must not begin with one.
    return String(rest.drop { $0 == " " })
  }

  /// Returns whether a line is the count of rows that database clients print: `(3 rows)`.
  static func isCount(_ line: String) -> Bool {
    let words = line.split(separator: " ").map { $0.filter { $0 != "(" && $0 != ")" } }
    guard words.count >= 2, Int(words[0]) != nil, ["row", "rows"].contains(words[1]) else { return false }
    return words.count == 2 ? line.hasPrefix("(") : words[2] == "in"
  }

  /// Infers the format of a whole output.
  ///
  /// One that begins with a brace may be a single object on many lines.
  package static func guess(output: [UInt8]) -> TextFormat? {
    output.withUnsafeBytes { bytes in
      guard let first = bytes.first(where: { $0 > 0x20 }), first == 0x7B else { return nil }
      let line = bytes.drop { $0 <= 0x20 }.prefix { $0 != 0x0A }
      let padded = Array(line) + [UInt8](repeating: 0, count: JSONParser.padding)
      // One object on the first line means rows, unless it is the whole output and contains a list.
      return padded.withUnsafeBytes { buffer in
        let first = UnsafeRawBufferPointer(rebasing: buffer[..<line.count])
        let parser = JSONParser()
        guard let root = try? parser.parse(first) else { return guess(first) }
        let rest = bytes.drop { $0 <= 0x20 }.dropFirst(line.count)
        let isAlone = !rest.contains { $0 > 0x20 }
        return isAlone && root.members.contains { $0.value.items.contains { $0.kind == .object } } ? .json : .ndjson
      }
    }
  }

  /// Infers the format from several lines; `nil` when they are neither delimited records nor pairs.
  package static func guess(lines: [String]) -> TextFormat? {
    guard let first = lines.first(where: { $0.utf8.contains { $0 > 0x20 } }) else { return nil }
    if first.utf8.contains(0x09), isDelimited(lines, by: TextFormat.tsv.separator) { return .tsv }
    if isKeyValue(lines) { return .logfmt }
    return isDelimited(lines, by: TextFormat.csv.separator) ? .csv : nil
  }

  private var separator: UInt8 { self == .tsv ? 0x09 : 0x2C }

  /// Returns whether lines are delimited records.
  ///
  /// The first one must be able to name columns, and most others must have as many values.
  ///
  /// `mostAgree`: whether nine of ten must, and there must be one.
  private static func isDelimited(_ lines: [String], by separator: UInt8, mostAgree: Bool = false) -> Bool {
    var record = DelimitedRecord(separator: separator)
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
    // Statements end with semicolons.
    if names.last == "", rows.allSatisfy({ $0.last == "" }), names.count == 2 { return false }
    let agreeing = rows.filter { $0.count == names.count }
    if mostAgree, agreeing.isEmpty || agreeing.count * 10 < rows.count * 9 { return false }
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
    // An indented line has no value in front of its tab.
    guard fields.count >= 2, !line.hasPrefix(" "), fields.count > 2 || !line.hasPrefix("\t"), !fields.contains("true"),
      !fields.contains("false"),
      let first = fields.first(where: { !$0.isEmpty }),
      AlignedHeader.canName(first)
    else { return nil }
    let numbers = fields.filter { !$0.isEmpty && !AlignedHeader.canName($0) }
    return (numbers.isEmpty || isSeries(numbers)) && fields.allSatisfy(isName) ? fields : nil
  }

  /// Returns whether a value of the first record can name a column, unlike a statement or a pair.
  private static func isName(_ text: String) -> Bool {
    !text.contains(": ") && !text.hasSuffix(";") && text.count { $0 == "(" } == text.count { $0 == ")" }
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
          if value == nil || !KeyValueLine.isName(name) { others += 1 } else { names.append(name) }
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
