/// A reason for rejections or contradictions, with their number and the last example.
public struct RejectionReason: Hashable, Sendable {
  /// The reason, without row or line numbers.
  public var reason: String
  /// The number of occurrences.
  public var count: UInt64
  /// The last occurrence, with the row's key and, if known, the number and beginning of the line.
  public var example: String

  /// Creates a reason.
  public init(reason: String, count: UInt64, example: String) {
    (self.reason, self.count, self.example) = (reason, count, example)
  }
}

/// Counts of rejections or contradictions for a limited number of reasons, and for all others
/// together.
struct Rejections {
  /// The total number of occurrences.
  private(set) var total: UInt64 = 0
  /// The last occurrence, in one line.
  private(set) var last = ""
  /// The reasons in order of first occurrence.
  ///
  /// Once the limit is reached, the last entry counts all other reasons.
  private(set) var reasons: [RejectionReason] = []
  /// The 1st, 10th, 100th, … occurrence of each reason since the last ``takeNotes()``.
  private var notes: [RejectionReason] = []

  static let greatestCount = 8
  static let others = "other reasons"
  /// The maximum number of characters of a reason, and of an example.
  static let greatestReason = 200
  static let greatestExample = 400

  /// Counts one or several occurrences of a reason.
  ///
  /// - Parameters:
  ///   - name: The row's name, as in `row 7`, or an empty string.
  ///   - text: The reason. The beginning of the input line may follow after a line break.
  mutating func note(_ name: String, _ text: String, count: UInt64 = 1) {
    let parts = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    let words = String(parts[0])
    total &+= count
    last = name.isEmpty ? words : "\(name): \(words)"
    let reason = Self.reason(words)
    var index = reasons.firstIndex { $0.reason == reason }
    if index == nil {
      if reasons.count < Self.greatestCount {
        let isLast = reasons.count == Self.greatestCount - 1
        reasons.append(RejectionReason(reason: isLast ? Self.others : reason, count: 0, example: ""))
      }
      index = reasons.count - 1
    }
    guard let index else { return }
    let before = reasons[index].count
    reasons[index].count &+= count
    let line = parts.count > 1 ? ": \(parts[1])" : ""
    reasons[index].example = String((last + line).prefix(Self.greatestExample))
    if Self.power(of: reasons[index].count) > Self.power(of: before), notes.count < Self.greatestCount {
      notes.append(reasons[index])
    }
  }

  /// Returns and clears the occurrences to log: the 1st, 10th, 100th, … of each reason, with the
  /// count reached.
  mutating func takeNotes() -> [RejectionReason] {
    guard !notes.isEmpty else { return [] }
    defer { notes = [] }
    return notes
  }

  /// Returns the number of digits of a count, with 0 digits for zero.
  private static func power(of count: UInt64) -> Int {
    var (rest, digits) = (count, 0)
    while rest > 0 { (rest, digits) = (rest / 10, digits + 1) }
    return digits
  }

  /// Returns the reason without line numbers: without a leading `line 4: ` or `line 4, row 2: ` and
  /// a trailing ` (line 4)`.
  private static func reason(_ words: String) -> String {
    var rest = Substring(words)
    if rest.hasPrefix("line "), let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")) {
      let place = rest[..<colon]
      if place.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "\"") }), place.utf8.count <= 50 {
        rest = rest[rest.index(after: colon)...].drop { $0 == " " }
      }
    }
    if rest.hasSuffix(")"), let open = rest.utf8.lastIndex(of: UInt8(ascii: "(")), rest[open...].hasPrefix("(line ") {
      rest = rest[..<open]
      while rest.hasSuffix(" ") { rest.removeLast() }
    }
    return String(rest.prefix(greatestReason))
  }
}
