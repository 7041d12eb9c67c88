import ListEngine

extension JSONWriter {
  /// Appends the members of `facets`, without the closing brace.
  mutating func facets(_ reports: FacetReports) {
    beginObject()
    type("facets")
    member("id", reports.id)
    member("facets", reports.facets) { writer, facet in
      writer.object {
        $0.member("at", facet.place)
        $0.facet(facet.outcome)
      }
    }
  }

  private mutating func facet(_ outcome: FacetOutcome) {
    switch outcome {
    case .pending: member("pending", true)
    case .moreValues(let number): member("moreThan", number)
    case .refused(let error):
      member("error") {
        $0.member("code", error.code)
        $0.member("reason", error.reason)
      }
    case .counts(let counts):
      switch counts.parts {
      case .values(let values, let others, let otherRows):
        member("values", values) { writer, value in
          writer.raw("[")
          writer.cell(value.value)
          writer.raw(",")
          writer.integer(Int64(value.rows))
          writer.raw("]")
        }
        if others > 0 {
          member("others") {
            $0.member("values", others)
            $0.member("rows", otherRows)
          }
        }
      case .ranges(let edges, let rows):
        member("edges", edges) { $0.cell($1) }
        member("rows", rows) { $0.integer(Int64($1)) }
      }
      member("empty", counts.emptyRows)
    }
  }
}
