/// A filter written as one line of text, in the language of docs/filtering.md.
///
///     let text = try FilterText("cpu > 50 and (user = root or name ~ ^ssh)", schema: schema)
///     text.filter  // as in a client's query
///     text.terms   // the parts that a user can remove one by one
///
/// Positions in the text count UTF-16 code units, as in JavaScript.
public struct FilterText: Hashable, Sendable {
  /// The maximum length of a text in UTF-8 bytes.
  public static let greatestByteCount = 4_096
  /// The maximum number of terms of a text: comparisons and searches.
  public static let greatestTermCount = 100
  /// The maximum nesting depth of parentheses, and of the resulting filter.
  public static let greatestDepth = 8
  /// The maximum number of comparisons with cells into which the terms of a text expand.
  ///
  /// A search compares with every column that can show its words.
  public static let greatestTestCount = 1_000
  /// The offsets of time zones from UTC that exist, in minutes.
  public static let zones: ClosedRange<Int> = -1_440...1_440

  /// A part of a text that all shown rows match.
  public struct Term: Hashable, Sendable {
    /// The term's range in the text.
    public var range: Range<Int>
    /// The range to remove from the text to remove the term, with the word that joins it.
    public var cut: Range<Int>
  }

  /// A fault of a text.
  public struct Fault: Error, Hashable, Sendable {
    /// The range of the part at fault; empty if something is missing there.
    public var range: Range<Int>
    /// The fault and its remedy, as a sentence for users without a full stop.
    public var reason: String

    init(range: Range<Int>, reason: String) {
      self.range = range
      self.reason = reason
    }

    /// Creates the fault of a text about a table that does not exist yet.
    public init(missingTable text: String) {
      self.init(range: 0..<text.utf16.count, reason: "the table is not there yet: try again when it shows rows")
    }
  }

  /// The filter, in the form of a client's query; `nil` if every row matches.
  public var filter: Filter<String>?
  /// A word that rows must contain and that the filter leaves to the search of a windowed source,
  /// or an empty string.
  public var search = ""
  /// The terms that all rows must match, in the order of the text.
  public var terms: [Term] = []
  /// The words and phrases that matching rows contain, for marking them.
  public var words: [String] = []

  /// Creates the filter of an empty text, which every row matches.
  init() {}

  /// Parses a text.
  ///
  /// - Parameters:
  ///   - schema: The schema of the table whose columns the text names.
  ///   - zone: The zone of times without one.
  /// - Throws: ``Fault`` for the first fault of the text.
  /// - Complexity: O(bytes · columns).
  public init(_ text: String, schema: Schema, zone: ZoneOffsets = 0) throws(Fault) {
    guard text.utf8.count <= Self.greatestByteCount else {
      throw Fault(
        range: 0..<text.utf16.count, reason: "the filter has more than \(Self.greatestByteCount) bytes: shorten it")
    }
    var parser = FilterTextParser(Array(text.utf16), schema: schema, zone: zone)
    self = try parser.parse()
  }
}

extension Filter {
  /// The number of nested filters, this one included.
  var depth: Int {
    switch self {
    case .all(let parts), .any(let parts): 1 + (parts.map(\.depth).max() ?? 0)
    case .not(let part): 1 + part.depth
    default: 1
    }
  }

  /// The number of comparisons.
  var testCount: Int {
    switch self {
    case .all(let parts), .any(let parts): parts.reduce(0) { $0 + $1.testCount }
    case .not(let part): part.testCount
    default: 1
    }
  }
}
