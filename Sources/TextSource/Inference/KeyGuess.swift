import ListEngine

/// Infers the key columns of a table without a declared key.
package enum KeyGuess {
  /// The extent of the search for a key.
  package enum Effort {
    case never, ifNamed, always
    /// A column `id` of the first row is the key, even if its values repeat.
    case ifNamedFirst
  }

  /// Column names that are preferred as keys if their values are unique, in this order.
  private static let names = ["id", "key", "uuid", "uid", "pid", "name", "file", "filename", "path"]

  /// Returns the columns whose values identify the rows uniquely; empty when there are none.
  static func key(of rows: [InferredTable.UntypedRow], _ effort: Effort) -> [String] {
    guard effort != .never, let first = rows.first else { return [] }
    let columns = keyNames(first)
    if effort == .ifNamedFirst {
      return columns.first { $0.lowercased() == "id" && value($0, in: first) != nil }.map { [$0] } ?? []
    }
    if let id = columns.first(where: { $0.lowercased() == "id" }), isUnique([id], rows) { return [id] }
    guard effort == .always else { return [] }
    for name in names {
      if let column = columns.first(where: { $0.lowercased() == name }), isUnique([column], rows) { return [column] }
    }
    // The numbers in front of lines, such as those of processes.
    if columns == ["number", "text"], isUnique(["number"], rows) { return ["number"] }
    let texts = columns.filter { column in
      rows.allSatisfy { row in
        guard let value = value(column, in: row), case .text = value else { return false }
        return ColumnGuess(value, isTextual: true).isText
      }
    }
    if let column = texts.first(where: { ($0 != "value" || !columns.contains("name")) && isUnique([$0], rows) }) {
      return [column]
    }
    for (place, column) in texts.enumerated() {
      for other in texts[..<place] where isUnique([other, column], rows) { return [other, column] }
    }
    return []
  }

  /// Returns the columns that can be keys.
  ///
  /// In `vmstat`, `id` is the share of idle time.
  private static func keyNames(_ row: InferredTable.UntypedRow) -> [String] {
    let names = row.map(\.name)
    return Set(names).isSuperset(of: ["us", "sy", "id"]) ? names.filter { $0 != "id" } : names
  }

  private static func value(_ column: String, in row: InferredTable.UntypedRow) -> UntypedValue? {
    guard let value = row.first(where: { $0.name == column })?.value, value != .null, value != .text("") else {
      return nil
    }
    return value
  }

  private static func isUnique(_ columns: [String], _ rows: [InferredTable.UntypedRow]) -> Bool {
    var known: Set<[UntypedValue]> = []
    for row in rows {
      let values = columns.compactMap { value($0, in: row) }
      guard values.count == columns.count, known.insert(values).inserted else { return false }
    }
    return true
  }
}
