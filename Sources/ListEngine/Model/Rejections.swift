/// A reason for which rows were left out, or answers were wrong: how often, and the last example.
public struct RejectionReason: Hashable, Sendable {
  /// The reason, without what names one row or one line.
  public var reason: String
  /// How often.
  public var count: UInt64
  /// What it was said of last: with the row's key, and with the number and the beginning of its line where the source knows them.
  public var example: String

  /// A reason.
  public init(reason: String, count: UInt64, example: String) {
    (self.reason, self.count, self.example) = (reason, count, example)
  }
}

/// Counts by reason, of which only so many are told apart; further ones count together.
struct Rejections {
  /// How often anything was noted.
  private(set) var total: UInt64 = 0
  /// What was noted last, in one line.
  private(set) var last = ""
  /// The reasons in the order in which they came; the last of as many as there may be stands for all others.
  private(set) var reasons: [RejectionReason] = []
  /// The first, tenth, hundredth and so on of each reason, since they were taken last.
  private var notes: [RejectionReason] = []

  static let greatestCount = 8
  static let others = "other reasons"
  /// Characters of a reason, and of an example.
  static let greatestReason = 200
  static let greatestExample = 400

  /// Notes one, or several of one reason.
  ///
  /// - Parameters:
  ///   - name: What the row is called, as in `row 7`; empty where it has no name.
  ///   - text: The reason; behind a line break the beginning of the line that it was said of.
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

  /// What the log is to get: a reason at its first, tenth, hundredth and so on, with how often it was noted by then.
  mutating func takeNotes() -> [RejectionReason] {
    guard !notes.isEmpty else { return [] }
    defer { notes = [] }
    return notes
  }

  /// How many digits a count has; 0 for none.
  private static func power(of count: UInt64) -> Int {
    var (rest, digits) = (count, 0)
    while rest > 0 { (rest, digits) = (rest / 10, digits + 1) }
    return digits
  }

  /// The reason without the line: `line 4: ` or `line 4, row 2: ` in front of it, ` (line 4)` behind it.
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
