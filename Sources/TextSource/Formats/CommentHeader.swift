/// A header in a comment, as printed by `perf report` and `conda env list`.
enum CommentHeader {
  /// Returns the lines with the last comments above the rows as header; `nil` when there are none.
  static func uncovered(_ lines: [String]) -> [String]? {
    guard let rows = lines.firstIndex(where: { !$0.hasPrefix("#") && $0.utf8.contains { $0 > 0x20 } }), rows > 0 else {
      return nil
    }
    let comments = lines[..<rows].enumerated().filter { $1.contains(where: \.isLetter) || $1.contains("..") }
    guard let last = comments.last, last.element.hasPrefix("#") else { return nil }
    var result = lines.map { $0.hasPrefix("#") ? "" : $0 }
    var header = last
    if !last.element.contains(where: \.isLetter), comments.count > 1 {
      // A line of dots has the width of the columns.
      result[last.offset] = " " + last.element.dropFirst().replacing(".", with: "-")
      header = comments[comments.count - 2]
    }
    result[header.offset] = " " + header.element.dropFirst()
    return result
  }
}
