/// A pattern for records of several lines: the expression of the first line, and those of the
/// others.
///
///     eth0: flags=4163<UP,BROADCAST>  mtu 1500
///             inet 192.168.1.20  netmask 255.255.255.0
struct RecordPattern: Sendable {
  let name: String
  /// The expression of the first line of a record.
  let first: String
  /// The expressions of further lines, whose groups are columns.
  ///
  /// Repeated values of a column are joined.
  let parts: [String]
  /// The expression of a line of names above a line of values.
  ///
  /// Its groups are `prefix` and `names`, which together form the name of a column: `rx_bytes`.
  let heading: String?
  /// Whether lines `name: value` are columns, too.
  let hasProperties: Bool
  /// The column for other indented lines, or `nil` if no such line may occur.
  let rest: String?
  let hints: [String: ColumnHint]
  /// An expression for lines that are left out.
  let skipped: String?

  init(
    _ name: String, _ first: String, parts: [String] = [], heading: String? = nil, hasProperties: Bool = false,
    rest: String? = nil, hints: [String: ColumnHint] = [:], skipping skipped: String? = nil
  ) {
    self.name = name
    self.first = first
    self.parts = parts
    self.heading = heading
    self.hasProperties = hasProperties
    self.rest = rest
    self.hints = hints
    self.skipped = skipped
  }

  /// The pattern for other records that begin without indentation and go on with it.
  static let indented = RecordPattern("records", #"(?<line>\S.*)"#, hasProperties: true, rest: "details")

  /// Returns the reader for the first pattern that describes the lines.
  static func reader(for lines: [String]) -> RecordReader { readyMadeReader(for: lines) ?? RecordReader(indented) }

  /// Returns the reader for the first ready-made pattern that describes the lines.
  static func readyMadeReader(for lines: [String]) -> RecordReader? {
    readyMade.lazy.map { RecordReader($0) }.first { $0.describes(lines) }
  }

  /// Returns a reader for other records: at least two, with names and values in a third of their
  /// indented lines.
  static func indentedReader(for lines: [String]) -> RecordReader? {
    let filled = lines.filter { $0.utf8.contains { $0 > 0x20 } }
    let isDeep = filled.map { PropertyLine.indent(of: $0) > 0 }
    let heads = isDeep.count { !$0 }
    let hasBraces = filled.contains { $0.hasSuffix("}") && $0.allSatisfy { $0 == "}" || $0.isWhitespace } }
    guard heads >= 2, !hasBraces, let first = isDeep.first, !first, isDeep.count - heads >= heads else { return nil }
    let bare = zip(isDeep, isDeep.dropFirst() + [false]).count { !$0 && !$1 }
    let pairs = zip(filled, isDeep).count { $1 && PropertyLine($0) != nil }
    // Names that differ from record to record are values, such as those of changed files.
    let names = Set(zip(filled, isDeep).compactMap { $1 ? PropertyLine($0)?.name : nil })
    guard heads < 3 || names.count * 2 <= pairs, bare * 10 <= heads, pairs * 3 >= isDeep.count - heads else {
      return nil
    }
    return RecordReader(indented)
  }
}
