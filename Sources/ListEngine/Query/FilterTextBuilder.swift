/// A builder of the filters that the terms of a ``FilterText`` stand for.
struct FilterTextBuilder {
  private typealias Fault = FilterText.Fault
  private typealias Word = FilterTextScanner.Word
  private typealias Operator = FilterTextScanner.Operator

  let schema: Schema
  let zone: ZoneOffsets

  /// The maximum number of characters of a text in a filter.
  private static let greatestText = 1_000
  /// The maximum number of values of a list.
  private static let greatestList = 1_000

  // MARK: Columns

  /// Returns the number of the column that a word names: by name, by title, or by either ignoring
  /// case.
  func knownColumn(_ word: FilterTextScanner.Word) -> Int? {
    let found = columns(named: word.text)
    return found.count == 1 ? found[0] : nil
  }

  private func columns(named name: String) -> [Int] {
    let columns = schema.columns
    for matches: (Column) -> Bool in [
      { $0.name == name }, { $0.title == name },
      { [lower = name.lowercased()] in $0.name.lowercased() == lower },
      { [lower = name.lowercased()] in $0.title.lowercased() == lower },
    ] {
      let found = columns.indices.filter { matches(columns[$0]) }
      if !found.isEmpty { return found }
    }
    return []
  }

  /// Returns the number of the column that a word in front of an operator names.
  func column(_ word: FilterTextScanner.Word) throws(FilterText.Fault) -> Int {
    let found = columns(named: word.text)
    if found.count == 1 { return found[0] }
    guard found.isEmpty else {
      let names = found.prefix(4).map { Self.quoted(schema.columns[$0].name) }.joined(separator: " or ")
      throw Fault(range: word.range, reason: "several columns are called “\(word.text)”: write \(names)")
    }
    let close = schema.columns.first { Self.isClose($0.name, word.text) || Self.isClose($0.title, word.text) }
    let quoting = "to search for a text with an operator in it, put it in quotes"
    let remedy = close.map { "did you mean \(Self.quoted($0.name))?" } ?? quoting
    throw Fault(range: word.range, reason: "there is no column “\(word.text.prefix(100))”: \(remedy)")
  }

  /// Returns whether two names differ by at most two letters, or one begins with the other.
  private static func isClose(_ one: String, _ other: String) -> Bool {
    let a = Array(one.lowercased().unicodeScalars.prefix(40))
    let b = Array(other.lowercased().unicodeScalars.prefix(40))
    guard a.count >= 2, b.count >= 2 else { return false }
    if a.starts(with: b) || b.starts(with: a) { return true }
    var row = Array(0...b.count)
    for (i, x) in a.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, y) in b.enumerated() {
        (diagonal, row[j + 1]) = (row[j + 1], min(row[j + 1] + 1, row[j] + 1, diagonal + (x == y ? 0 : 1)))
      }
    }
    return row[b.count] <= (min(a.count, b.count) < 4 ? 1 : 2)
  }

  /// Returns a column's name as the language writes it.
  static func quoted(_ name: String) -> String {
    var scanner = FilterTextScanner(Array(name.utf16))
    let isPlain =
      scanner.word().range.count == name.utf16.count && !name.isEmpty && !name.hasPrefix("-") && !name.hasPrefix("(")
      && !name.hasPrefix("`") && !["and", "or", "not"].contains(name.lowercased())
    if isPlain { return name }
    return "`\(name.map { $0 == "`" || $0 == "\\" ? "\\\($0)" : String($0) }.joined())`"
  }

  // MARK: Comparisons

  /// Returns whether a text is a value of a column of numbers, times or booleans.
  func isValue(_ text: String, of column: Int) -> Bool {
    FilterTextValue(text, for: schema.columns[column], zone: zone) != nil
  }

  /// Returns an example of a column's values as a remedy.
  func remedy(_ column: Int) -> String {
    let column = schema.columns[column]
    return column.type == .text ? "write a text, in quotes if it has blanks" : FilterTextValue.remedy(column)
  }

  /// Returns the filter of a comparison.
  ///
  /// - Parameter place: The place of the operator.
  func comparison(
    _ number: Int, _ comparison: FilterTextScanner.Operator, _ word: FilterTextScanner.Word, at place: Int
  ) throws(FilterText.Fault) -> Filter<String> {
    let column = schema.columns[number]
    switch column.type {
    case .text: return try textComparison(column.name, comparison, word)
    case .image, .series:
      throw Fault(
        range: place..<place + comparison.rawValue.utf16.count,
        reason: "the column “\(column.name)” has no texts or numbers: only “is empty” tests it")
    case .integer, .number, .boolean, .timestamp: break
    }
    let value = try value(word, column)
    switch comparison {
    case .equal, .contains: return try equal(column, value, word)
    case .notEqual: return .all([.not(try equal(column, value, word)), .not(.isEmpty(column.name))])
    case .notContains: return .not(try equal(column, value, word))
    case .less: return try ordered(column, .less, value, word)
    case .lessOrEqual: return try ordered(column, .lessOrEqual, value, word)
    case .greater: return try ordered(column, .greater, value, word)
    case .greaterOrEqual: return try ordered(column, .greaterOrEqual, value, word)
    case .matches, .notMatches, .begins, .notBegins, .ends, .notEnds:
      throw Fault(
        range: place..<place + comparison.rawValue.utf16.count,
        reason: "“\(comparison.rawValue)” looks into texts, but the column “\(column.name)” has none: use =, < or >")
    }
  }

  private func textComparison(
    _ name: String, _ comparison: FilterTextScanner.Operator, _ word: FilterTextScanner.Word
  ) throws(FilterText.Fault) -> Filter<String> {
    let text = try short(word)
    switch comparison {
    case .equal: return .compare(name, .equal, .text(text))
    case .notEqual: return .compare(name, .notEqual, .text(text))
    case .less: return .compare(name, .less, .text(text))
    case .lessOrEqual: return .compare(name, .lessOrEqual, .text(text))
    case .greater: return .compare(name, .greater, .text(text))
    case .greaterOrEqual: return .compare(name, .greaterOrEqual, .text(text))
    case .contains: return .contains(name, ExactText(text))
    case .notContains: return .not(.contains(name, ExactText(text)))
    case .begins: return .startsWith(name, ExactText(text))
    case .notBegins: return .not(.startsWith(name, ExactText(text)))
    case .ends: return try pattern(name, Self.escaped(text) + "$", word)
    case .notEnds: return .not(try pattern(name, Self.escaped(text) + "$", word))
    case .matches: return try pattern(name, text, word)
    case .notMatches: return .not(try pattern(name, text, word))
    }
  }

  private func pattern(
    _ name: String, _ text: String, _ word: FilterTextScanner.Word
  ) throws(FilterText.Fault) -> Filter<String> {
    do throws(Pattern.Problem) { _ = try Pattern(text, ignoringCase: true) } catch {
      throw Fault(
        range: word.range,
        reason: "“\(word.text.prefix(100))” is not a regular expression: \(error.what) at character \(error.character)")
    }
    return .matches(name, ExactText(text), ignoringCase: true)
  }

  /// Returns a text as a regular expression that matches only it.
  private static func escaped(_ text: String) -> String {
    var pattern = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if "^$\\.*+?()[]{}|/-".unicodeScalars.contains(scalar) { pattern.append("\\") }
      pattern.append(scalar)
    }
    return String(pattern)
  }

  /// Returns the filter of a list of values.
  func list(
    _ number: Int, _ words: [FilterTextScanner.Word], at place: Int
  ) throws(FilterText.Fault) -> Filter<String> {
    let column = schema.columns[number]
    guard words.count <= Self.greatestList else {
      throw Fault(
        range: place..<place, reason: "the list has more than \(Self.greatestList) values: shorten it")
    }
    var values: [Cell] = []
    var others: [Filter<String>] = []
    for word in words {
      guard column.type != .text else {
        values.append(.text(try short(word)))
        continue
      }
      switch try comparison(number, .equal, word, at: place) {
      case .compare(_, .equal, let value): values.append(value)
      case let other: others.append(other)
      }
    }
    let listed: [Filter<String>] = values.isEmpty ? [] : [.oneOf(column.name, values)]
    let parts = listed + others
    return parts.count == 1 ? parts[0] : .any(parts)
  }

  /// Returns the filter for rows that show a word in some column.
  func search(_ word: FilterTextScanner.Word) throws(FilterText.Fault) -> Filter<String> {
    let text = try short(word)
    var parts: [Filter<String>] = []
    for column in schema.columns {
      switch column.type {
      case .text: parts.append(.contains(column.name, ExactText(text)))
      case .image, .series: continue
      case .integer, .number, .boolean, .timestamp:
        // Ages are skipped, because what they show changes all the time.
        guard schema.windowed == nil, column.style != .age, !column.isDeferred,
          let value = FilterTextValue(text, for: column, zone: zone)
        else { continue }
        if let part = try? equal(column, value, word) { parts.append(part) }
      }
    }
    return parts.count == 1 ? parts[0] : .any(parts)
  }

  private func short(_ word: FilterTextScanner.Word) throws(FilterText.Fault) -> String {
    guard word.text.unicodeScalars.count <= Self.greatestText else {
      throw Fault(range: word.range, reason: "the text has more than \(Self.greatestText) characters: shorten it")
    }
    return word.text
  }

  // MARK: Values

  private func value(_ word: FilterTextScanner.Word, _ column: Column) throws(FilterText.Fault) -> FilterTextValue {
    if let value = FilterTextValue(word.text, for: column, zone: zone) { return value }
    throw Fault(
      range: word.range,
      reason:
        "“\(word.text.prefix(100))” is not a value of the column “\(column.name)”: \(FilterTextValue.remedy(column))")
  }

  private func beyond(_ word: FilterTextScanner.Word, _ column: Column) -> FilterText.Fault {
    Fault(range: word.range, reason: "“\(word.text.prefix(100))” is beyond what the column “\(column.name)” can hold")
  }

  /// Returns the filter for cells that show like a value.
  private func equal(
    _ column: Column, _ value: FilterTextValue, _ word: FilterTextScanner.Word
  ) throws(FilterText.Fault) -> Filter<String> {
    let name = column.name
    switch value {
    case .boolean(let flag): return .compare(name, .equal, .boolean(flag))
    case .age:
      throw Fault(
        range: word.range,
        reason: "“\(word.text.prefix(100))” is an age, which changes all the time: use < for younger or > for older")
    case .time(let range):
      return .range(name, from: .timestamp(range.lowerBound), through: .timestamp(range.upperBound))
    case .number(_, let whole, let low, let high) where column.type == .integer:
      if let whole, low == high { return .compare(name, .equal, .integer(whole)) }
      guard let from = Self.whole(low, isUp: true), let through = Self.whole(high, isUp: false) else {
        throw beyond(word, column)
      }
      guard from <= through else {
        throw Fault(range: word.range, reason: "the column “\(name)” has whole numbers only: write one")
      }
      return from == through
        ? .compare(name, .equal, .integer(from)) : .range(name, from: .integer(from), through: .integer(through))
    case .number(let number, _, let low, let high):
      return low == high
        ? .compare(name, .equal, .number(number)) : .range(name, from: .number(low), through: .number(high))
    }
  }

  /// Returns the filter for cells that are less or greater than a value as written.
  private func ordered(
    _ column: Column, _ comparison: Comparison, _ value: FilterTextValue, _ word: FilterTextScanner.Word
  ) throws(FilterText.Fault) -> Filter<String> {
    let name = column.name
    switch value {
    case .boolean(let flag): return .compare(name, comparison, .boolean(flag))
    case .age(let seconds):
      guard let age = Int64(exactly: (seconds * 1e9).rounded()) else { throw beyond(word, column) }
      return .age(name, comparison, .timestamp(age))
    case .time(let range):
      // A day, minute or second is passed only at its end.
      let isFromStart = comparison == .less || comparison == .greaterOrEqual
      return .compare(name, comparison, .timestamp(isFromStart ? range.lowerBound : range.upperBound))
    case .number(let number, let whole, _, _) where column.type == .integer:
      if let whole { return .compare(name, comparison, .integer(whole)) }
      // Between two whole numbers, `> 1.5` is `> 1`, and `>= 1.5` is `>= 2`.
      let isUp = comparison == .less || comparison == .greaterOrEqual
      guard let whole = Self.whole(number, isUp: isUp) else { throw beyond(word, column) }
      return .compare(name, comparison, .integer(whole))
    case .number(let number, _, _, _): return .compare(name, comparison, .number(number))
    }
  }

  /// Returns a number rounded up or down to a whole one, or `nil` beyond 64 bits.
  private static func whole(_ number: Double, isUp: Bool) -> Int64? {
    guard abs(number) < 0x1p63 else { return nil }
    let whole = Int64(number)
    if isUp, Double(whole) < number { return whole + 1 }
    if !isUp, Double(whole) > number { return whole - 1 }
    return whole
  }
}
