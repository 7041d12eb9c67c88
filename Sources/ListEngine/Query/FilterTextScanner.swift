/// A scanner of the words, quoted texts and operators of a ``FilterText``.
struct FilterTextScanner {
  /// A comparison of the language.
  enum Operator: String, CaseIterable {
    case notBegins = "!^="
    case notEnds = "!$="
    case notEqual = "!="
    case notMatches = "!~"
    case notContains = "!:"
    case begins = "^="
    case ends = "$="
    case lessOrEqual = "<="
    case greaterOrEqual = ">="
    case less = "<"
    case greater = ">"
    case equal = "="
    case matches = "~"
    case contains = ":"

    /// The operators with their code units, longer ones before those that they begin with.
    fileprivate static let spelled = allCases.map { ($0, Array($0.rawValue.utf16)) }
  }

  /// A word or quoted text.
  struct Word {
    enum Quote {
      case none
      /// In double quotes: a phrase, a value, or a column in front of an operator.
      case double
      /// In backquotes: a column.
      case back
    }

    /// The content, without quotes and escapes.
    var text: String
    var quote: Quote
    var range: Range<Int>
  }

  let units: [UInt16]
  var place = 0

  init(_ units: [UInt16]) { self.units = units }

  var isAtEnd: Bool { place >= units.count }

  /// The code unit at an offset from the present place; 0 beyond the end.
  func peek(_ offset: Int = 0) -> UInt16 { place + offset < units.count ? units[place + offset] : 0 }

  /// Returns whether something that may be a term begins at an offset.
  func isBeforeTerm(_ offset: Int) -> Bool {
    guard place + offset < units.count else { return false }
    return !Self.isBlank(units[place + offset]) && units[place + offset] != Self.close
  }

  mutating func skipBlanks() { while place < units.count, Self.isBlank(units[place]) { place += 1 } }

  func text(_ range: Range<Int>) -> String { String(decoding: units[range], as: UTF16.self) }

  /// Scans an ASCII character.
  mutating func take(_ character: Character) -> Bool {
    guard place < units.count, let ascii = character.asciiValue, units[place] == UInt16(ascii) else { return false }
    place += 1
    return true
  }

  /// Scans an operator.
  mutating func takeOperator() -> Operator? {
    for (one, spelling) in Operator.spelled where units[place...].starts(with: spelling) {
      place += spelling.count
      return one
    }
    return nil
  }

  /// Returns whether an operator begins at the present place.
  func isAtOperator() -> Bool {
    var ahead = self
    return ahead.takeOperator() != nil
  }

  /// Scans a quoted text.
  ///
  /// A backslash stands in front of a quote or another backslash; in front of other characters it
  /// is one of them, as in regular expressions.
  mutating func quoted() throws(FilterText.Fault) -> Word {
    let start = place
    let mark = units[place]
    place += 1
    var content: [UInt16] = []
    while place < units.count, units[place] != mark {
      if units[place] == Self.backslash, peek(1) == mark || peek(1) == Self.backslash { place += 1 }
      content.append(units[place])
      place += 1
    }
    guard place < units.count else {
      let quote = mark == Self.doubleQuote ? "\"" : "`"
      throw FilterText.Fault(range: start..<place, reason: "the quoted text does not end: add \(quote)")
    }
    place += 1
    return Word(
      text: String(decoding: content, as: UTF16.self), quote: mark == Self.doubleQuote ? .double : .back,
      range: start..<place)
  }

  /// Scans a word at the beginning of a term, which ends at an operator.
  mutating func word() -> Word {
    bare { $0.isAtOperator() || ($0.units[$0.place] == Self.open && $0.isKeywordSoFar) }
  }

  /// Scans a value, which may contain operators.
  ///
  /// - Parameter isListed: Whether a comma ends it.
  mutating func value(isListed: Bool) -> Word { bare { isListed && $0.units[$0.place] == Self.comma } }

  private var wordStart = 0
  private var isKeywordSoFar: Bool { ["not", "and", "or", "in"].contains(text(wordStart..<place).lowercased()) }

  /// Scans up to a blank, a quote or a parenthesis that the word did not open.
  private mutating func bare(until isEnd: (FilterTextScanner) -> Bool) -> Word {
    wordStart = place
    var depth = 0
    while place < units.count, !Self.isBlank(units[place]), units[place] != Self.doubleQuote, !isEnd(self) {
      if units[place] == Self.open { depth += 1 }
      if units[place] == Self.close {
        guard depth > 0 else { break }
        depth -= 1
      }
      place += 1
    }
    return Word(text: text(wordStart..<place), quote: .none, range: wordStart..<place)
  }

  static func isBlank(_ unit: UInt16) -> Bool {
    unit == 0x20 || (0x09...0x0D).contains(unit) || unit == 0xA0 || unit == 0x202F || (0x2000...0x200A).contains(unit)
      || unit == 0x3000
  }

  static let doubleQuote = UInt16(0x22)
  static let backQuote = UInt16(0x60)
  static let open = UInt16(0x28)
  static let close = UInt16(0x29)
  static let comma = UInt16(0x2C)
  static let minus = UInt16(0x2D)
  private static let backslash = UInt16(0x5C)
}
