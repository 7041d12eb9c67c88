/// The lines of names at the top of a table with a frame.
///
///     ┌───────┬─────────┐
///     │  id   │  name   │
///     │ int32 │ varchar │
///     ├───────┼─────────┤
enum FrameHeader {
  /// The types that DuckDB prints below the names.
  private static let types: Set<Substring> = [
    "bigint", "bit", "blob", "boolean", "date", "decimal", "double", "enum", "float", "hugeint", "int128", "int16",
    "int32", "int64", "int8", "integer", "interval", "json", "list", "map", "smallint", "struct", "time", "timestamp",
    "tinyint", "ubigint", "uhugeint", "uint16", "uint32", "uint64", "uint8", "uinteger", "union", "usmallint",
    "utinyint", "uuid", "varchar",
  ]
  /// The maximum number of lines with names.
  private static let mostLines = 3

  /// Returns the lines of names above the line of dashes with this index: those between bars, or
  /// else the last one.
  static func lines(above place: Int, in lines: [String]) -> [String] {
    var first = place - 1
    while first > 0, place - first < mostLines, isFramed(lines[first]), isFramed(lines[first - 1]),
      !AlignedColumns.isRuler(lines[first - 1])
    {
      first -= 1
    }
    return Array(lines[first..<place])
  }

  private static func isFramed(_ line: String) -> Bool {
    guard let first = line.first, let last = line.last else { return false }
    return "|│┃║".contains(first) && first == last
  }

  /// Returns the names of the columns in these lines, without types.
  static func names(_ lines: [[String]]) -> [String] {
    guard lines.count > 1, let last = lines.last else { return lines.first ?? [] }
    let named = last.allSatisfy(isType) ? lines.dropLast() : lines[...]
    return last.indices.map { index in
      named.map { $0[index] }.filter { !$0.isEmpty }.joined(separator: " ")
    }
  }

  private static func isType(_ text: String) -> Bool { types.contains(text.prefix { $0.isLetter || $0.isNumber }) }
}
