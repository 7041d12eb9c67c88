import SourceRuntime
import Threads

/// A regular expression whose named groups are the columns of a line.
///
///     let pattern = LinePattern.named("syslog")!
///     pattern.fields(of: "Nov 23 10:00:00 web sshd[7]: Accepted")
///
/// A line without a match continues the record before it, or is shown whole.
package struct LinePattern: Hashable, Sendable {
  /// The name of a ready-made pattern, or the expression.
  package let name: String
  /// The regular expression, which must match the whole line.
  let expression: String
  /// The declared columns.
  package let hints: [String: ColumnHint]
  /// An expression for lines that are left out, such as `total 12` above `ls -l`.
  let skipped: String?
  /// Whether the pattern is used for lines that match it without being named.
  let isDetected: Bool
  /// Whether lines without a match belong to the record before them, as stack traces in a log.
  let joinsLines: Bool
  /// A requirement on the values of the first column.
  package enum Names: Hashable, Sendable {
    /// Any values.
    case any
    /// At least two values, all of them different.
    case unique
    /// At least one value that occurs twice.
    case repeated
  }
  /// The values of the first column that are required for the pattern to be detected.
  let names: Names
  /// The column for headings above the lines, such as `/etc:` above those of `ls -lR`.
  let heading: String?
  /// An expression for headings whose first group is the title, or `nil` for lines that end with a
  /// colon.
  let title: String?

  /// An expression that the first line must match for the pattern to be detected, or `nil`.
  let start: String?
  /// Whether the pattern is detected only below headings, of which each follows a blank line.
  let needsHeadings: Bool
  /// Whether the first column must ascend for the pattern to be detected.
  ///
  /// It ascends by one, or has no blanks in front of it.
  let ascends: Bool
  /// An expression that some line must match for the pattern to be detected, or `nil`.
  ///
  /// An output of a single line needs no match.
  let somewhere: String?

  /// Creates a ready-made pattern.
  package init(
    _ name: String, _ expression: String, hints: [String: ColumnHint] = [:], skipping skipped: String? = nil,
    isDetected: Bool = true, joinsLines: Bool = false, names: Names = .any, heading: String? = nil,
    startsWith start: String? = nil, needsHeadings: Bool = false, titled title: String? = nil, ascends: Bool = false,
    somewhere: String? = nil
  ) {
    self.name = name
    self.expression = expression
    self.hints = hints
    self.skipped = skipped
    self.isDetected = isDetected
    self.joinsLines = joinsLines
    self.names = names
    self.heading = heading
    self.title = title
    self.start = start
    self.needsHeadings = needsHeadings
    self.ascends = ascends
    self.somewhere = somewhere
  }

  /// The reason why an expression is refused.
  package struct Fault: Error {
    /// The reason, for the user.
    package let reason: String
  }

  /// Creates a pattern from the name of a ready-made one or from a regular expression.
  package init(named text: String) throws(Fault) {
    if let known = Self.named(text) {
      self = known
      return
    }
    let groups: [String]
    do { groups = try PatternMatcher(text).names } catch {
      throw Fault(reason: "invalid pattern “\(text)”: \(error)")
    }
    guard !groups.isEmpty else {
      let names = Self.readyMade.map(\.name).joined(separator: ", ")
      throw Fault(
        reason:
          "pattern “\(text)” has no named group: use a regular expression with groups such as (?<status>\\d+), or one of \(names)"
      )
    }
    self.init(text, text, joinsLines: true)
  }

  /// Returns a ready-made pattern.
  package static func named(_ name: String) -> LinePattern? { readyMade.first { $0.name == name } }

  /// Returns the first ready-made pattern that nine of ten lines match, including the first one
  /// that it does not leave out.
  static func detected(in lines: [String]) -> LinePattern? {
    let filled = lines.filter { $0.utf8.contains { $0 > 0x20 } }
    guard let first = filled.first else { return nil }
    return readyMade.first { pattern in
      guard pattern.isDetected, !pattern.needsHeadings || hasHeadings(lines) else { return false }
      if let start = pattern.start, !PatternMatcher.readyMade(start).matches(first) { return false }
      return pattern.describes(filled)
    }
  }

  /// Returns whether lines have at least two headings, the first line one of them, and each after a
  /// blank line.
  private static func hasHeadings(_ lines: [String]) -> Bool {
    let headings = lines.indices.filter { lines[$0].hasSuffix(":") && !lines[$0].contains(": ") }
    let isBlank = { (index: Int) in !lines[index].utf8.contains { $0 > 0x20 } }
    let blanks = lines.indices.dropLast().count { isBlank($0) && !isBlank($0 + 1) }
    return headings.count >= 2 && headings.first == 0 && headings.dropFirst().allSatisfy { isBlank($0 - 1) }
      && blanks == headings.count - 1 && !lines.contains { $0.hasPrefix(" ") || $0.hasPrefix("\t") }
  }

  private func describes(_ lines: [String]) -> Bool {
    guard let matcher = try? PatternMatcher.cached(self), hasLineSomewhere(lines) else { return false }
    var (matching, others) = (0, 0)
    var known: Set<String> = []
    var isContinued = false
    var order = NumberOrder()
    for (index, line) in lines.enumerated() where !matcher.skips(line) {
      if let row = matcher.fields(of: line) {
        matching += 1
        isContinued = false
        if !known.insert(row[0].value).inserted, names == .unique { return false }
        if ascends, !order.take(row[0].value, isPadded: line.first == " ") { return false }
        continue
      }
      if heading(in: line) != nil { continue }
      if matching == 0 { return false }
      // The first and the last line of a stack trace may begin with the name of the error.
      let isTrace = Self.continues(line) || (index + 1 < lines.count && Self.continues(lines[index + 1]))
      isContinued = joinsLines && (isContinued || isTrace)
      others += isContinued ? 0 : 1
    }
    guard matching > (names == .unique ? 1 : 0), others * 10 <= matching else { return false }
    return names != .repeated || known.count < matching
  }

  private func hasLineSomewhere(_ lines: [String]) -> Bool {
    guard let somewhere, lines.count > 1 else { return true }
    let matcher = PatternMatcher.readyMade(somewhere)
    return lines.contains { matcher.matches($0) }
  }

  /// Returns the title in a line that can be a heading of the lines below it, or `nil`.
  func heading(in line: String) -> String? {
    guard heading != nil, line.utf8.count > 1 else { return nil }
    if let title { return PatternMatcher.readyMade(title).fields(of: line)?.first?.value }
    return line.utf8.last == UInt8(ascii: ":") && line.utf8.first != 0x20 ? String(line.dropLast()) : nil
  }

  /// Returns whether a line continues the record before it.
  ///
  /// Stack traces do: their lines begin with a blank, `at `, `Caused by:` or `Traceback`.
  static func continues(_ line: String) -> Bool {
    guard let first = line.utf8.first else { return false }
    return first == 0x20 || first == 0x09 || line.hasPrefix("at ") || line.hasPrefix("Caused by:")
      || line.hasPrefix("Traceback (")
  }
}

/// The order of numbers at the beginning of lines.
private struct NumberOrder {
  private var last: Int?
  private var isConsecutive = true
  private var isPadded = false

  /// Returns whether the numbers ascend: by one, or without blanks in front of them.
  mutating func take(_ text: String, isPadded: Bool) -> Bool {
    guard let number = Int(text), last.map({ number > $0 }) ?? true else { return false }
    if let last, number != last + 1 { isConsecutive = false }
    self.isPadded = self.isPadded || isPadded
    last = number
    return isConsecutive || !self.isPadded
  }
}

/// A compiled ``LinePattern``.
final class PatternMatcher: @unchecked Sendable {
  // The expressions are only read after they have been compiled.
  private let regex: Regex<AnyRegexOutput>
  private let skipped: Regex<AnyRegexOutput>?
  /// The names of the groups, in order.
  let names: [String]

  private static let monitor = Monitor()
  private nonisolated(unsafe) static var compiled: [LinePattern: PatternMatcher] = [:]

  /// Returns the compiled form of a pattern, which is kept for ready-made ones.
  static func cached(_ pattern: LinePattern) throws -> PatternMatcher {
    guard LinePattern.named(pattern.name) != nil else { return try PatternMatcher(pattern.expression) }
    if let known = monitor.withLock({ compiled[pattern] }) { return known }
    let matcher = try PatternMatcher(pattern.expression, skipping: pattern.skipped)
    monitor.withLock { compiled[pattern] = matcher }
    return matcher
  }

  private nonisolated(unsafe) static var parts: [String: PatternMatcher] = [:]

  /// Returns the compiled form of an expression of a ready-made ``RecordPattern``, which is kept.
  static func readyMade(_ expression: String) -> PatternMatcher {
    if let known = monitor.withLock({ parts[expression] }) { return known }
    guard let matcher = try? PatternMatcher(expression) else { preconditionFailure("invalid pattern \(expression)") }
    monitor.withLock { parts[expression] = matcher }
    return matcher
  }

  /// Compiles an expression.
  init(_ expression: String, skipping skipped: String? = nil) throws {
    regex = try Regex(expression).matchingSemantics(.unicodeScalar)
    self.skipped = try skipped.map { try Regex($0).matchingSemantics(.unicodeScalar) }
    names = Self.groups(of: expression)
  }

  /// Returns the names of the groups `(?<name>...)` in order, each once.
  private static func groups(of expression: String) -> [String] {
    var names: [String] = []
    for part in expression.components(afterEach: "(?<") {
      guard let end = part.firstIndex(of: ">"), let first = part.first, first.isLetter || first == "_" else { continue }
      let name = String(part[..<end])
      if !names.contains(name) { names.append(name) }
    }
    return names
  }

  /// Returns the values of a line, or `nil` when it does not match.
  ///
  /// A group that takes no part in the match has no value.
  func fields(of line: String) -> [(name: String, value: String)]? {
    guard let match = try? regex.wholeMatch(in: line) else { return nil }
    return names.compactMap { name in
      guard let text = match.output[name]?.substring else { return nil }
      return (name, String(text))
    }
  }

  /// Returns whether a line matches.
  func matches(_ line: String) -> Bool { (try? regex.wholeMatch(in: line)) != nil }

  /// Returns whether a line is left out.
  func skips(_ line: String) -> Bool { skipped.map { (try? $0.wholeMatch(in: line)) != nil } ?? false }
}

extension String {
  /// Returns the parts behind each occurrence of a separator.
  fileprivate func components(afterEach separator: String) -> [Substring] {
    var parts: [Substring] = []
    var rest = Substring(self)
    while let range = rest.firstRange(of: separator) {
      rest = rest[range.upperBound...]
      parts.append(rest)
    }
    return parts
  }
}
