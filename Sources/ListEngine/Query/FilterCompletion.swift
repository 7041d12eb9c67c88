/// The texts that fit at a place of a ``FilterText``, for a list below an input field.
///
///     FilterCompletion("us", at: 2, schema: schema).items  // the column “user”
public struct FilterCompletion: Hashable, Sendable {
  /// The kind of an item.
  public enum Kind: String, Sendable {
    /// A column.
    case column
    /// A comparison.
    case comparison = "operator"
    /// A word that joins or negates terms.
    case word
    /// A value of the column in question.
    case value
  }

  /// A text that fits.
  public struct Item: Hashable, Sendable {
    /// The kind of the text.
    public var kind: Kind
    /// The text to insert.
    public var text: String
    /// A short explanation for users, such as a column's title.
    public var detail: String
  }

  /// The maximum number of items.
  public static let greatestItemCount = 50

  /// The range of the text that an item replaces, in UTF-16 code units.
  public var range: Range<Int>
  /// The texts that fit, the likeliest first.
  public var items: [Item] = []
  /// The name of the column of which a value is expected; a client may offer its values.
  public var column: String?

  /// Finds the texts that fit in front of a place.
  ///
  /// Returns `nil` if nothing fits, as within a faulty text.
  ///
  /// - Complexity: O(bytes · columns).
  public init?(_ text: String, at place: Int, schema: Schema) {
    guard text.utf8.count <= FilterText.greatestByteCount else { return nil }
    let units = Array(text.utf16)
    let place = min(max(0, place), units.count)
    var parser = FilterTextParser(Array(units[..<place]), schema: schema, zone: 0)
    // The text up to the place is often incomplete; the parser still notes what it expects there.
    _ = try? parser.parse()
    guard let (expectation, from) = parser.expectation else { return nil }
    var end = FilterTextScanner(units)
    end.place = place
    if from < place { _ = end.value(isListed: false) }
    range = from..<end.place
    let typed = String(decoding: units[from..<place], as: UTF16.self)
    switch expectation {
    case .term, .next:
      items = Self.columns(typed, schema)
      // Inside a word the parser does not know yet whether it joins terms.
      let joining = expectation == .next || (from > 0 && !typed.isEmpty) ? Self.joining : []
      items += (joining + Self.first).filter { $0.text.hasPrefix(typed.lowercased()) }
    case .comparison(let column): items = Self.comparisons(schema.columns[column])
    case .value(let number, let canBeAge):
      let column = schema.columns[number]
      self.column = column.name
      items = Self.values(column, canBeAge: canBeAge).filter { $0.text.hasPrefix(typed.lowercased()) }
    }
    items = Array(items.prefix(Self.greatestItemCount))
  }

  private static let joining = [
    Item(kind: .word, text: "and ", detail: "both terms"), Item(kind: .word, text: "or ", detail: "either term"),
  ]
  private static let first = [Item(kind: .word, text: "not ", detail: "the opposite of a term")]

  /// Returns the columns whose name or title contains a text; those that begin with it come first.
  private static func columns(_ typed: String, _ schema: Schema) -> [Item] {
    let wanted = String(typed.drop { $0 == "`" || $0 == "\"" }).lowercased()
    func rank(_ column: Column) -> Int? {
      let names = [column.name.lowercased(), column.title.lowercased()]
      if names.contains(where: { $0.hasPrefix(wanted) }) { return 0 }
      let search = TextSearch(wanted)
      let isInside = names.contains { name in Array(name.utf8).withUnsafeBytes { search.isIn($0) } }
      return isInside ? 1 : nil
    }
    let ranked = schema.columns.compactMap { column in rank(column).map { ($0, column) } }
    return (ranked.filter { $0.0 == 0 } + ranked.filter { $0.0 == 1 }).map { _, column in
      let kind = column.type == .text ? "text" : column.type.rawValue
      let title = column.title == column.name ? "" : "\(column.title), "
      return Item(
        kind: .column, text: FilterTextBuilder.quoted(column.name) + " ",
        detail: title + kind + (column.unit.isEmpty ? "" : " in \(column.unit)"))
    }
  }

  private static func comparisons(_ column: Column) -> [Item] {
    func item(_ text: String, _ detail: String) -> Item { Item(kind: .comparison, text: text + " ", detail: detail) }
    let ends = [item("is empty", "has no value"), item("is not empty", "has a value")]
    switch column.type {
    case .text:
      return [
        item(":", "contains"), item("=", "equals"), item("!=", "differs from"), item("!:", "does not contain"),
        item("^=", "starts with"), item("$=", "ends with"), item("~", "matches a regular expression"),
        item("!~", "does not match"), Item(kind: .comparison, text: "in (", detail: "is one of"),
      ] + ends
    case .integer, .number:
      return [
        item(">", "greater than"), item("<", "less than"), item("=", "shows as"), item(">=", "at least"),
        item("<=", "at most"), item("!=", "does not show as"),
        Item(kind: .comparison, text: "in (", detail: "is one of"),
      ] + ends
    case .timestamp:
      return [
        item("<", "before a time, or younger than an age"), item(">", "after a time, or older than an age"),
        item(">=", "since"), item("<=", "until"), item("=", "within"),
      ] + ends
    case .boolean: return [item("=", "is"), item("!=", "is not")] + ends
    case .image, .series: return ends
    }
  }

  /// Ages that are often looked for.
  private static let ages = [
    ("5m", "5 minutes"), ("15m", "15 minutes"), ("1h", "1 hour"), ("1d", "1 day"), ("7d", "7 days"),
  ]

  private static func values(_ column: Column, canBeAge: Bool) -> [Item] {
    if canBeAge, column.type == .timestamp {
      return ages.map { Item(kind: .value, text: "\($0) ", detail: "an age of \($1)") }
    }
    guard column.type == .boolean else { return [] }
    return [
      Item(kind: .value, text: "true ", detail: "yes"), Item(kind: .value, text: "false ", detail: "no"),
    ]
  }
}
