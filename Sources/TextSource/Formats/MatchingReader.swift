import ListEngine

/// Reads lines by a ``LinePattern``.
struct MatchingReader {
  let pattern: LinePattern
  private let matcher: PatternMatcher
  /// The groups of the pattern that have a column in every row, so that the columns keep the order
  /// of the pattern.
  private let groups: Set<String>
  /// The heading above the lines, which is a column of its own; `nil` when the output has none.
  private var heading: String?

  /// Creates a reader for a given pattern; `nil` when it is invalid.
  init?(_ pattern: LinePattern) {
    guard let matcher = try? PatternMatcher.cached(pattern) else { return nil }
    self.pattern = pattern
    self.matcher = matcher
    groups = LinePattern.named(pattern.name) == nil ? Set(matcher.names) : []
  }

  /// Returns a reader for the ready-made pattern that describes the lines.
  static func detected(_ lines: [String]) -> MatchingReader? {
    guard let found = LinePattern.detected(in: lines), let matcher = try? PatternMatcher.cached(found) else {
      return nil
    }
    let groups = lines.flatMap { matcher.fields(of: $0) ?? [] }.map(\.name)
    let hasHeadings =
      found.needsHeadings || lines.contains { found.heading(in: $0) != nil && matcher.fields(of: $0) == nil }
    return MatchingReader(found, matcher, Set(groups), heading: hasHeadings ? "" : nil)
  }

  private init(_ pattern: LinePattern, _ matcher: PatternMatcher, _ groups: Set<String>, heading: String?) {
    self.pattern = pattern
    self.matcher = matcher
    self.groups = groups
    self.heading = heading
  }

  /// Reads a line.
  ///
  /// A line without a match continues the record before it, or is kept whole in a column `line`.
  mutating func read(
    _ line: String, _ number: Int, _ traces: inout TraceJoiner, into found: inout [TextReader.Found]
  ) {
    guard line.utf8.contains(where: { $0 > 0x20 }), !matcher.skips(line) else { return }
    if !(pattern.needsHeadings && pattern.heading(in: line) != nil), let fields = matcher.fields(of: line) {
      var row: InferredTable.UntypedRow = matcher.names.compactMap { name in
        let value = fields.first { $0.name == name }?.value
        return value.map { (name, .text($0)) } ?? (groups.contains(name) ? (name, .null) : nil)
      }
      if let name = pattern.heading, let heading { row.insert((name, .text(heading)), at: 0) }
      guard pattern.joinsLines else { return found.append(.row(row, place: "line \(number)")) }
      return traces.begin(row, number, into: &found)
    }
    if let title = pattern.heading(in: line) {
      heading = title
      return
    }
    guard !(pattern.joinsLines && traces.append(line)) else { return }
    found.append(.row([("line", .text(line))], place: "line \(number)"))
  }
}
