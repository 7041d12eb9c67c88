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
      writer.filter(filter) { schema.columns[$0].name }
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
