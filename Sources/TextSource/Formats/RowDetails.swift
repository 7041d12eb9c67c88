/// Lines below the rows of a table that begin with a tab, as `ss -i` prints them.
enum RowDetails {
  /// Returns whether at least one line in four below a header begins with a tab, each below a row.
  static func areBelowRows(_ lines: [String]) -> Bool {
    let filled = lines.filter { $0.utf8.contains { $0 > 0x20 } }
    guard filled.count >= 3, let header = filled.first, !header.utf8.contains(0x09), AlignedHeader.hasGaps(header),
      !isDetail(filled[1])
    else { return false }
    let details = filled.count(where: isDetail)
    return details * 4 >= filled.count && (filled.count - details) >= 2
  }

  /// Returns whether a line is part of the row above it.
  static func isDetail(_ line: String) -> Bool { line.utf8.first == 0x09 }
}
