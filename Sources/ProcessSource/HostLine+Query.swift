import ListEngine
import Wire

/// Queries on a remote table, sent by the host.
extension HostLine {
  /// Encodes a query for rows or sections.
  package static func query(_ request: PageRequest, _ schema: Schema) -> [UInt8] {
    var writer = JSONWriter()
    writer.raw("{\"type\":\"query\",\"id\":")
    writer.integer(Int64(request.id.rawValue))
    let query = request.query
    if !query.sort.isEmpty {
      writer.raw(",\"sort\":")
      writer.list(query.sort) { writer, term in
        writer.raw("{\"column\":")
        writer.text(schema.columns[term.column].name)
        writer.raw(term.isDescending ? ",\"descending\":true}" : ",\"descending\":false}")
      }
    }
    if !query.search.isEmpty {
      writer.raw(",\"search\":")
      writer.text(query.search)
    }
    if let filter = query.filter {
      writer.raw(",\"filter\":")
      writer.filter(filter, schema)
    }
    if !query.group.isEmpty {
      writer.raw(",\"group\":")
      writer.list(query.group) { writer, column in writer.text(schema.columns[column].name) }
    }
    if !request.section.isEmpty {
      writer.raw(",\"section\":")
      writer.list(request.section) { writer, value in writer.exactCell(value) }
    }
    switch request.what {
    case .sections(let limit):
      writer.raw(",\"sections\":{\"limit\":")
      writer.integer(Int64(limit))
    case .rows(let after, let upTo, let skip, let count):
      writer.raw(",\"rows\":{")
      if let after {
        writer.raw("\"after\":")
        writer.text(after.text.string)
        writer.byte(",")
      }
      if let upTo {
        writer.raw("\"upTo\":")
        writer.text(upTo.text.string)
        writer.byte(",")
      }
      writer.raw("\"skip\":")
      writer.integer(Int64(skip))
      writer.raw(",\"count\":")
      writer.integer(Int64(count))
    }
    writer.raw("}}\n")
    return writer.bytes
  }

  /// Encodes the cancellation of queries.
  package static func cancel(_ queries: [PageRequestID]) -> [UInt8] {
    var writer = JSONWriter()
    writer.raw("{\"type\":\"cancel\",\"queries\":")
    writer.list(queries) { writer, id in writer.integer(Int64(id.rawValue)) }
    writer.raw("}\n")
    return writer.bytes
  }
}

extension JSONWriter {
  fileprivate mutating func list<Item>(_ items: [Item], _ write: (inout JSONWriter, Item) -> Void) {
    byte("[")
    for (number, item) in items.enumerated() {
      if number > 0 { byte(",") }
      write(&self, item)
    }
    byte("]")
  }

  /// Writes a cell without loss: a timestamp with a fraction of a millisecond becomes a text.
  fileprivate mutating func exactCell(_ cell: Cell) {
    guard case .timestamp(let value) = cell, value % 1_000_000 != 0 else { return self.cell(cell) }
    byte("\"")
    self.cell(cell)
    byte("\"")
  }

  /// Writes a filter in the form of docs/protocol.md.
  fileprivate mutating func filter(_ filter: Filter<Int>, _ schema: Schema) {
    func begin(_ column: Int, _ name: String, _ writer: inout JSONWriter) {
      writer.raw("{\"column\":")
      writer.text(schema.columns[column].name)
      writer.raw(",\"op\":")
      writer.text(name)
    }
    func text(_ column: Int, _ name: String, _ value: ExactText, _ writer: inout JSONWriter) {
      begin(column, name, &writer)
      writer.raw(",\"value\":")
      writer.text(value.string)
    }
    switch filter {
    case .all(let parts):
      raw("{\"all\":")
      list(parts) { $0.filter($1, schema) }
    case .any(let parts):
      raw("{\"any\":")
      list(parts) { $0.filter($1, schema) }
    case .not(let part):
      raw("{\"not\":")
      self.filter(part, schema)
    case .compare(let column, let comparison, let value):
      begin(column, comparison.rawValue, &self)
      raw(",\"value\":")
      exactCell(value)
    case .range(let column, let from, let through):
      begin(column, "range", &self)
      if let from {
        raw(",\"from\":")
        exactCell(from)
      }
      if let through {
        raw(",\"through\":")
        exactCell(through)
      }
    case .contains(let column, let value): text(column, "contains", value, &self)
    case .startsWith(let column, let value): text(column, "startsWith", value, &self)
    case .matches(let column, let pattern, let ignoresCase):
      text(column, "matches", pattern, &self)
      if ignoresCase { raw(",\"ignoreCase\":true") }
    case .oneOf(let column, let values):
      begin(column, "oneOf", &self)
      raw(",\"values\":")
      list(values) { $0.exactCell($1) }
    case .isEmpty(let column): begin(column, "isEmpty", &self)
    }
    byte("}")
  }
}
