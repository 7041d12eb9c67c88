import ListEngine

extension JSONWriter {
  /// Appends a list.
  package mutating func list<Item>(_ items: some Sequence<Item>, _ write: (inout JSONWriter, Item) -> Void) {
    byte("[")
    for (number, item) in items.enumerated() {
      if number > 0 { byte(",") }
      write(&self, item)
    }
    byte("]")
  }

  /// Appends a list of texts.
  mutating func texts(_ texts: [String]) { list(texts) { $0.text($1) } }

  /// Appends a cell without loss: a timestamp with a fraction of a millisecond becomes a text.
  package mutating func exactCell(_ cell: Cell) {
    guard case .timestamp(let value) = cell, value % 1_000_000 != 0 else { return self.cell(cell) }
    byte("\"")
    self.cell(cell)
    byte("\"")
  }

  /// Appends a filter in the form of docs/protocol.md.
  ///
  /// - Parameter name: Returns the name of a column.
  package mutating func filter<Name>(_ filter: Filter<Name>, _ name: (Name) -> String) {
    func begin(_ column: Name, _ op: String, _ writer: inout JSONWriter) {
      writer.beginObject()
      writer.member("column", name(column))
      writer.member("op", op)
    }
    func text(_ column: Name, _ op: String, _ value: ExactText, _ writer: inout JSONWriter) {
      begin(column, op, &writer)
      writer.member("value", value.string)
    }
    switch filter {
    case .all(let parts):
      beginObject()
      member("all", parts) { $0.filter($1, name) }
    case .any(let parts):
      beginObject()
      member("any", parts) { $0.filter($1, name) }
    case .not(let part):
      beginObject()
      self.name("not")
      self.filter(part, name)
    case .compare(let column, let comparison, let value):
      begin(column, comparison.rawValue, &self)
      self.name("value")
      exactCell(value)
    case .range(let column, let from, let through):
      begin(column, "range", &self)
      if let from {
        self.name("from")
        exactCell(from)
      }
      if let through {
        self.name("through")
        exactCell(through)
      }
    case .contains(let column, let value): text(column, "contains", value, &self)
    case .startsWith(let column, let value): text(column, "startsWith", value, &self)
    case .matches(let column, let pattern, let ignoresCase):
      text(column, "matches", pattern, &self)
      if ignoresCase { member("ignoreCase", true) }
    case .oneOf(let column, let values):
      begin(column, "oneOf", &self)
      member("values", values) { $0.exactCell($1) }
    case .age(let column, let comparison, let duration):
      begin(column, "age\(comparison.rawValue)", &self)
      self.name("value")
      exactCell(duration)
    case .isEmpty(let column): begin(column, "isEmpty", &self)
    }
    endObject()
  }
}
