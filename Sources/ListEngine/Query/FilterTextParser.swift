/// A recursive-descent parser of a ``FilterText``; docs/filtering.md has the grammar.
struct FilterTextParser {
  private typealias Fault = FilterText.Fault

  /// The kind of text that fits at the end of the text, for completion.
  enum Expectation: Equatable {
    /// The beginning of a term: a column, a word, “not”.
    case term
    /// The beginning of a term, or a word that joins it with the one before.
    case next
    /// An operator for the column with this number.
    case comparison(Int)
    /// A value of the column with this number, possibly the age of a time.
    case value(Int, canBeAge: Bool)
  }

  /// A parsed part.
  private struct Node {
    var filter: Filter<String>
    var range: Range<Int>
    /// The text that the part searches for; `nil` for other parts.
    var search: String?
  }

  private var scanner: FilterTextScanner
  private let builder: FilterTextBuilder
  private let schema: Schema
  private var depth = 0
  private var termCount = 0
  private var isNegated = false
  private var words: [String] = []
  /// The text that fits at the end, and the place from which it replaces the text.
  private(set) var expectation: (Expectation, from: Int)?

  init(_ units: [UInt16], schema: Schema, zone: ZoneOffsets) {
    scanner = FilterTextScanner(units)
    self.schema = schema
    builder = FilterTextBuilder(schema: schema, zone: zone)
  }

  /// Parses the whole text.
  mutating func parse() throws(FilterText.Fault) -> FilterText {
    var text = FilterText()
    let whole = 0..<scanner.units.count
    let alternatives = try disjunction(isOutermost: true)
    guard scanner.isAtEnd else {
      throw Fault(range: scanner.place..<scanner.place + 1, reason: "“)” closes nothing: remove it, or add “(”")
    }
    guard var parts = alternatives.first, !parts.isEmpty else { return text }
    if alternatives.count > 1 {
      parts = [Node(filter: Self.any(alternatives.map { Self.all($0.map(\.filter)) }), range: whole)]
    }
    for (index, part) in parts.enumerated() {
      let cut =
        index > 0
        ? parts[index - 1].range.upperBound..<part.range.upperBound
        : 0..<(parts.count > 1 ? parts[1].range.lowerBound : whole.upperBound)
      text.terms.append(FilterText.Term(range: part.range, cut: cut))
    }
    text.words = words
    if schema.windowed != nil, let index = parts.firstIndex(where: { $0.search != nil }) {
      text.search = parts.remove(at: index).search ?? ""
    }
    guard !parts.isEmpty else { return text }
    let filter = Self.all(parts.map(\.filter))
    guard filter.depth <= FilterText.greatestDepth + 1 else {
      let most = FilterText.greatestDepth
      throw Fault(range: whole, reason: "the terms are nested more than \(most) deep: simplify them")
    }
    guard filter.testCount <= FilterText.greatestTestCount else {
      throw Fault(range: whole, reason: "this searches for too many words in too many columns: use fewer words")
    }
    text.filter = filter
    return text
  }

  // MARK: Terms

  /// Parses terms joined by “or”; each alternative is a list of terms that must all match.
  private mutating func disjunction(isOutermost: Bool = false) throws(FilterText.Fault) -> [[Node]] {
    var alternatives = [try conjunction()]
    while let word = takeKeyword("or") {
      guard alternatives[alternatives.count - 1].isEmpty == false else {
        throw Fault(range: word.range, reason: "a term is missing before “or”; to search for the word, write \"or\"")
      }
      let next = try conjunction()
      guard !next.isEmpty else {
        throw Fault(range: word.range, reason: "a term is missing after “or”; to search for the word, write \"or\"")
      }
      alternatives.append(next)
    }
    return alternatives
  }

  private mutating func conjunction() throws(FilterText.Fault) -> [Node] {
    var parts: [Node] = []
    while true {
      scanner.skipBlanks()
      expectAfterBlank(parts.isEmpty ? .term : .next)
      guard !scanner.isAtEnd, scanner.peek() != FilterTextScanner.close, !isAtKeyword("or") else { return parts }
      if let word = takeKeyword("and") {
        scanner.skipBlanks()
        expectAfterBlank(.term)
        let isFollowed =
          !scanner.isAtEnd && scanner.peek() != FilterTextScanner.close && !isAtKeyword("or") && !isAtKeyword("and")
        guard !parts.isEmpty, isFollowed else {
          let side = parts.isEmpty ? "before" : "after"
          throw Fault(
            range: word.range, reason: "a term is missing \(side) “and”; to search for the word, write \"and\"")
        }
      }
      parts.append(try term())
    }
  }

  private mutating func term() throws(FilterText.Fault) -> Node {
    let start = scanner.place
    if scanner.take("(") {
      let alternatives = try nested { parser throws(FilterText.Fault) in try parser.disjunction() }
      guard scanner.take(")") else {
        throw Fault(range: start..<start + 1, reason: "“(” is not closed: add “)”")
      }
      guard let first = alternatives.first, !first.isEmpty else {
        throw Fault(range: start..<scanner.place, reason: "a term is missing between the parentheses")
      }
      return Node(
        filter: Self.any(alternatives.map { Self.all($0.map(\.filter)) }), range: start..<scanner.place)
    }
    let isMinus = scanner.peek() == FilterTextScanner.minus && scanner.isBeforeTerm(1)
    if isMinus { scanner.place += 1 }
    if isMinus || takeKeyword("not") != nil {
      scanner.skipBlanks()
      expectAfterBlank(.term)
      guard !scanner.isAtEnd, scanner.peek() != FilterTextScanner.close else {
        throw Fault(
          range: start..<scanner.place, reason: "a term is missing after “not”; to search for the word, write \"not\"")
      }
      isNegated.toggle()
      defer { isNegated.toggle() }
      let part = try nested { parser throws(FilterText.Fault) in try parser.term() }
      return Node(filter: .not(part.filter), range: start..<part.range.upperBound)
    }
    termCount += 1
    guard termCount <= FilterText.greatestTermCount else {
      throw Fault(
        range: start..<scanner.units.count,
        reason: "the filter has more than \(FilterText.greatestTermCount) terms: remove some")
    }
    return try comparisonOrSearch()
  }

  /// Parses a part that counts as one level of nesting.
  private mutating func nested<Part>(
    _ parse: (inout Self) throws(FilterText.Fault) -> Part
  ) throws(FilterText.Fault) -> Part {
    depth += 1
    defer { depth -= 1 }
    guard depth <= FilterText.greatestDepth else {
      throw Fault(
        range: max(0, scanner.place - 1)..<scanner.place,
        reason: "the terms are nested more than \(FilterText.greatestDepth) deep: simplify them")
    }
    return try parse(&self)
  }

  private mutating func comparisonOrSearch() throws(FilterText.Fault) -> Node {
    let start = scanner.place
    // A quoted text that does not end yet may become a column.
    if isAtQuote { expect(.term, from: start) }
    let word = isAtQuote ? try scanner.quoted() : scanner.word()
    guard !word.range.isEmpty else {
      let end = min(start + 1, scanner.units.count)
      throw Fault(range: start..<end, reason: "a column is missing before “\(scanner.text(start..<end))”")
    }
    if scanner.isAtEnd { expect(.term, from: start) }
    let end = scanner.place
    scanner.skipBlanks()
    let operatorStart = scanner.place
    if let comparison = scanner.takeOperator() {
      if isText(word, before: comparison, isJoined: operatorStart == end) {
        scanner.place = start
        return try search(scanner.value(isListed: false))
      }
      let column = try builder.column(word)
      let canBeAge = [.less, .lessOrEqual, .greater, .greaterOrEqual].contains(comparison)
      let value = try value(of: column, isListed: false, canBeAge: canBeAge)
      return Node(
        filter: try builder.comparison(column, comparison, value, at: operatorStart), range: start..<scanner.place)
    }
    if let column = builder.knownColumn(word) {
      if scanner.isAtEnd, operatorStart > end { expect(.comparison(column), from: scanner.place) }
      if let filter = try wordyComparison(column) { return Node(filter: filter, range: start..<scanner.place) }
    }
    scanner.place = end
    guard word.quote != .back else {
      let reason = "an operator is missing after the column “\(word.text)”: add one, such as ="
      throw Fault(range: end..<end, reason: reason)
    }
    return try search(word)
  }

  /// Whether a word with a colon in it is a text such as `10:30`, not a column with its value.
  private func isText(_ word: FilterTextScanner.Word, before comparison: FilterTextScanner.Operator, isJoined: Bool)
    -> Bool
  {
    guard comparison == .contains, isJoined, word.quote == .none, let first = word.text.utf8.first else { return false }
    return (0x30...0x39).contains(first) && builder.knownColumn(word) == nil
  }

  /// Parses “is empty”, “is not empty”, “in (…)” or “not in (…)” after a column.
  ///
  /// Restores the place and returns `nil` without one.
  private mutating func wordyComparison(_ column: Int) throws(FilterText.Fault) -> Filter<String>? {
    let start = scanner.place
    let name = schema.columns[column].name
    if takeKeyword("is") != nil {
      let isNegated = takeKeyword("not") != nil
      if takeKeyword("empty") != nil { return isNegated ? .not(.isEmpty(name)) : .isEmpty(name) }
    } else {
      let isNegated = takeKeyword("not") != nil
      if takeKeyword("in") != nil {
        scanner.skipBlanks()
        if scanner.peek() == FilterTextScanner.open {
          let filter = try list(column, at: start)
          return isNegated ? .not(filter) : filter
        }
      }
    }
    scanner.place = start
    return nil
  }

  /// Parses the values in parentheses after “in”.
  private mutating func list(_ column: Int, at start: Int) throws(FilterText.Fault) -> Filter<String> {
    let open = scanner.place
    scanner.place += 1
    var values: [FilterTextScanner.Word] = []
    repeat {
      values.append(try value(of: column, isListed: true))
      scanner.skipBlanks()
    } while scanner.take(",")
    guard scanner.take(")") else {
      throw Fault(range: open..<open + 1, reason: "the list is not closed: separate values by commas, and add “)”")
    }
    return try builder.list(column, values, at: start)
  }

  /// Scans a value; one of numbers or times may have several words, such as `1.5 GiB`.
  private mutating func value(
    of column: Int, isListed: Bool, canBeAge: Bool = false
  ) throws(FilterText.Fault) -> FilterTextScanner.Word {
    scanner.skipBlanks()
    let start = scanner.place
    if scanner.isAtEnd || isAtQuote { expect(.value(column, canBeAge: canBeAge), from: start) }
    if scanner.peek() == FilterTextScanner.doubleQuote { return try scanner.quoted() }
    var word = scanner.value(isListed: isListed)
    guard !word.range.isEmpty else {
      throw Fault(range: start..<start, reason: "a value is missing here: \(builder.remedy(column))")
    }
    if scanner.isAtEnd { expect(.value(column, canBeAge: canBeAge), from: start) }
    var ahead = scanner
    for _ in 0..<4 {
      ahead.skipBlanks()
      guard !ahead.isAtEnd, ahead.peek() != FilterTextScanner.doubleQuote else { break }
      let next = ahead.value(isListed: isListed)
      guard !next.range.isEmpty else { break }
      let text = scanner.text(start..<ahead.place)
      guard builder.isValue(text, of: column) else { continue }
      word = FilterTextScanner.Word(text: text, quote: .none, range: start..<ahead.place)
      scanner.place = ahead.place
      if scanner.isAtEnd { expect(.value(column, canBeAge: canBeAge), from: start) }
    }
    return word
  }

  private mutating func search(_ word: FilterTextScanner.Word) throws(FilterText.Fault) -> Node {
    guard !word.text.isEmpty else {
      throw Fault(range: word.range, reason: "the quotes hold nothing to search for: write a text between them")
    }
    if !isNegated { words.append(word.text) }
    return Node(filter: try builder.search(word), range: word.range, search: word.text)
  }

  // MARK: Keywords

  private var isAtQuote: Bool {
    scanner.peek() == FilterTextScanner.doubleQuote || scanner.peek() == FilterTextScanner.backQuote
  }

  private func isAtKeyword(_ keyword: String) -> Bool {
    var ahead = self
    return ahead.takeKeyword(keyword) != nil
  }

  /// Scans blanks and a keyword, in any case; nothing if another word follows.
  private mutating func takeKeyword(_ keyword: String) -> FilterTextScanner.Word? {
    var ahead = scanner
    ahead.skipBlanks()
    guard !ahead.isAtEnd, ahead.peek() != FilterTextScanner.doubleQuote else { return nil }
    let word = ahead.word()
    guard word.text.lowercased() == keyword else { return nil }
    // In front of an operator it is a column.
    var next = ahead
    next.skipBlanks()
    guard !next.isAtOperator() else { return nil }
    // A word that ends the text may be the beginning of a longer one.
    if ahead.isAtEnd { expect(.next, from: word.range.lowerBound) }
    scanner = ahead
    return word
  }

  private mutating func expect(_ expectation: Expectation, from place: Int) { self.expectation = (expectation, place) }

  /// Notes what fits at the end of the text, unless a word or column there may go on.
  private mutating func expectAfterBlank(_ next: Expectation) {
    guard scanner.isAtEnd else { return }
    if let expectation {
      let isAfterBlank = scanner.units.last.map(FilterTextScanner.isBlank) ?? true
      if case .comparison = expectation.0, expectation.from == scanner.place { return }
      guard isAfterBlank else { return }
    }
    expect(next, from: scanner.place)
  }

  // MARK: Filters

  /// Returns the conjunction of filters without nested conjunctions.
  private static func all(_ parts: [Filter<String>]) -> Filter<String> {
    let parts = parts.flatMap { if case .all(let inner) = $0, !inner.isEmpty { inner } else { [$0] } }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  /// Returns the disjunction of filters without nested disjunctions.
  private static func any(_ parts: [Filter<String>]) -> Filter<String> {
    guard parts.count > 1 else { return parts.first ?? .any([]) }
    return .any(parts.flatMap { if case .any(let inner) = $0, !inner.isEmpty { inner } else { [$0] } })
  }
}
