/// What a filter asks of one text.
enum TextTest {
  /// It is this one.
  case isEqual([UInt8])
  /// It is another.
  case isNotEqual([UInt8])
  /// It lies between two others.
  case isWithin(TextRange)
  /// It is one of these, which are in order.
  case isOneOf([[UInt8]])
  /// It has another in it.
  case contains(TextSearch)
  /// It begins with another.
  case startsWith(TextSearch)
  /// A regular expression is found in it.
  case matches(PatternMatcher)

  /// What it looks for anywhere in a text, if it does.
  var search: TextSearch? {
    guard case .contains(let search) = self else { return nil }
    return search
  }

  /// Whether a text passes; `work` grows by the bytes looked at, and by the steps of a regular expression. `nil` when a regular expression has
  /// taken so many steps as are left: the next call with an equal text goes on from there.
  func passes(_ bytes: UnsafeRawBufferPointer, work: inout Int, left: Int) -> Bool? {
    // A pattern counts itself: one that goes on has not looked at the whole text again.
    if case .matches(let matcher) = self {
      let before = matcher.steps
      defer { work += matcher.steps - before }
      return matcher.matches(bytes, until: left < .max - before ? before + left : .max)
    }
    work += bytes.count
    switch self {
    case .isEqual(let text): return text.withUnsafeBytes { equal($0, bytes) }
    case .isNotEqual(let text): return !text.withUnsafeBytes { equal($0, bytes) }
    case .isWithin(let range): return range.contains(bytes)
    case .isOneOf(let texts):
      let place = partition(texts.count) { index in texts[index].withUnsafeBytes { compareBytes($0, bytes) < 0 } }
      return place < texts.count && texts[place].withUnsafeBytes { equal($0, bytes) }
    case .contains(let search): return search.isIn(bytes)
    case .startsWith(let search): return search.begins(bytes)
    case .matches: preconditionFailure("a pattern was looked at above")
    }
  }

  /// The bytes of a text.
  static func bytes(of value: Cell) -> [UInt8] {
    guard case .text(let text) = value else { preconditionFailure("\(value) is compared with texts") }
    return Array(text.utf8)
  }
}

/// Texts from one through another, by code unit.
struct TextRange {
  private var low: [UInt8] = []
  private var includesLow = true
  /// `nil` for no end.
  private var high: [UInt8]?
  private var includesHigh = true

  init(from: Cell?, through: Cell?) {
    if let from { low = TextTest.bytes(of: from) }
    high = through.map(TextTest.bytes(of:))
  }

  /// The texts that compare so with this one.
  init(_ comparison: Comparison, _ value: Cell) {
    switch comparison {
    case .less, .lessOrEqual: (high, includesHigh) = (TextTest.bytes(of: value), comparison == .lessOrEqual)
    case .greater, .greaterOrEqual: (low, includesLow) = (TextTest.bytes(of: value), comparison == .greaterOrEqual)
    case .equal, .notEqual: preconditionFailure("\(comparison) is no range")
    }
  }

  func contains(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let isAbove = low.withUnsafeBytes { compareBytes(bytes, $0) >= (includesLow ? 0 : 1) }
    guard isAbove, let high else { return isAbove }
    return high.withUnsafeBytes { compareBytes(bytes, $0) <= (includesHigh ? 0 : -1) }
  }
}

/// How many of `count` things in order come first: where the condition stops being true.
///
/// - Complexity: O(log count).
@inline(__always) func partition(_ count: Int, _ comesFirst: (Int) -> Bool) -> Int {
  var low = 0
  var high = count
  while low < high {
    let middle = (low + high) / 2
    if comesFirst(middle) { low = middle + 1 } else { high = middle }
  }
  return low
}
