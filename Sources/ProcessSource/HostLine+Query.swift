import ListEngine
import Wire

/// Queries on a remote table, sent by the host.
extension HostLine {
  /// Encodes a query for rows or sections.
  package static func query(_ request: BlockRequest, _ schema: Schema) -> [UInt8] {
    JSONWriter.line("query") { writer in
      writer.member("id", request.id.rawValue)
      let query = request.query
      if !query.sort.isEmpty {
        writer.member("sort", query.sort) { writer, term in
          writer.object {
            $0.member("column", schema.columns[term.column].name)
            $0.member("descending", term.isDescending)
          }
        }
      }
      writer.member("search", unlessEmpty: query.search)
      if let filter = query.filter {
        writer.name("filter")
        writer.filter(filter) { schema.columns[$0].name }
      }
      if !query.group.isEmpty { writer.member("group", query.group) { $0.text(schema.columns[$1].name) } }
      if !request.section.isEmpty { writer.member("section", request.section) { $0.exactCell($1) } }
      switch request.what {
      case .sections(let limit): writer.member("sections") { $0.member("limit", limit) }
      case .rows(let after, let upTo, let skip, let count):
        writer.member("rows") {
          if let after { $0.member("after", after.text.string) }
          if let upTo { $0.member("upTo", upTo.text.string) }
          $0.member("skip", skip)
          $0.member("count", count)
        }
      }
    }
  }

  /// Encodes the cancellation of queries.
  package static func cancel(_ queries: [BlockRequestID]) -> [UInt8] {
    JSONWriter.line("cancel") { $0.member("queries", queries) { $0.unsigned($1.rawValue) } }
  }
}
