import ListEngine
import Testing

extension Golden {
  /// Returns a row from its item.
  static func pinnedRow(_ item: [Any]) throws -> RowSnapshot {
    let (id, revision) = (try #require(item[0] as? Int), try #require(item[1] as? Int))
    return try row(RowID(rawValue: UInt64(id)), UInt32(revision), try #require(item[2] as? [Any]))
  }

  static func facet(_ json: [String: Any]) throws -> FacetReports.Entry {
    FacetReports.Entry(try #require(json["at"] as? Int), try outcome(json))
  }

  private static func outcome(_ json: [String: Any]) throws -> FacetOutcome {
    if json["pending"] != nil { return .pending }
    if let number = json["moreThan"] as? Int { return .moreValues(than: number) }
    if json["error"] != nil { return .refused(.unknownColumn(table: "processes", column: "x")) }
    let empty = try #require(json["empty"] as? Int)
    if let edges = json["edges"] as? [Double] {
      let rows = try #require(json["rows"] as? [Int])
      return .counts(FacetCounts(.ranges(edges: edges.map { .number($0) }, rows: rows), emptyRows: empty))
    }
    let values = try #require(json["values"] as? [[Any]]).map { pair in
      let rows = try #require(pair[1] as? Int)
      if let text = pair[0] as? String { return FacetValue(.text(text), rows: rows) }
      return FacetValue(.boolean(try #require(pair[0] as? Bool)), rows: rows)
    }
    let others = json["others"] as? [String: Int] ?? [:]
    return .counts(
      FacetCounts(
        .values(values, others: others["values"] ?? 0, otherRows: others["rows"] ?? 0), emptyRows: empty))
  }
}
