/// A condition on a text.
enum TextTest {
  /// Equal to this text.
  case isEqual([UInt8])
  /// Not equal to this text.
  case isNotEqual([UInt8])
  /// Within this range.
  case isWithin(TextRange)
  /// Equal to one of these sorted texts.
  case isOneOf([[UInt8]])
  /// Contains this text.
  case contains(TextSearch)
  /// Begins with this text.
  case startsWith(TextSearch)
  /// Matches this regular expression.
  case matches(PatternMatcher)

  /// The search of a ``contains(_:)`` test.
  var search: TextSearch? {
    guard case .contains(let search) = self else { return nil }
    return search
  }

  /// Returns whether a text satisfies the condition.
  ///
  /// Returns `nil` if a regular expression needs more than the steps in `left`; the next call with
  /// an equal text continues.
  ///
  /// - Parameters:
  ///   - bytes: The text in UTF-8.
  ///   - work: A counter, increased by the bytes read and the steps of a regular expression.
  ///   - left: The maximum number of steps.
  func passes(_ bytes: UnsafeRawBufferPointer, work: inout Int, left: Int) -> Bool? {
    // A pattern counts its own steps: a continued search does not read the whole text again.
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

  /// Returns the bytes of a text cell.
  static func bytes(of value: Cell) -> [UInt8] {
    guard case .text(let text) = value else { preconditionFailure("\(value) is compared with texts") }
    return Array(text.utf8)
  }
}

/// A range of texts, ordered by code unit.
struct TextRange {
  private var low: [UInt8] = []
  private var includesLow = true
  /// The upper bound, or `nil` for none.
  private var high: [UInt8]?
  private var includesHigh = true

  init(from: Cell?, through: Cell?) {
    if let from { low = TextTest.bytes(of: from) }
    high = through.map(TextTest.bytes(of:))
  }

  /// Creates the range of texts that compare with a value in this way.
  init(_ comparison: Comparison, _ value: Cell) {
    switch comparison {
    case .less, .lessOrEqual: (high, includesHigh) = (TextTest.bytes(of: value), comparison == .lessOrEqual)
    case .greater, .greaterOrEqual: (low, includesLow) = (TextTest.bytes(of: value), comparison == .greaterOrEqual)
    case .equal, .notEqual: preconditionFailure("\(comparison) does not describe a range")
    }
  }

  func contains(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let isAbove = low.withUnsafeBytes { compareBytes(bytes, $0) >= (includesLow ? 0 : 1) }
    guard isAbove, let high else { return isAbove }
    return high.withUnsafeBytes { compareBytes(bytes, $0) <= (includesHigh ? 0 : -1) }
  }
}

/// Returns the number of leading elements, of `count` partitioned ones, that satisfy a condition.
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
