/// Vertical bars between groups of columns, as printed by `dstat`.
enum VerticalRules {
  /// Returns the positions of bars in all lines but the first two.
  static func places(_ lines: [String]) -> Set<Int> {
    let filled = lines.filter { $0.utf8.contains { $0 > 0x20 } }
    guard filled.count > 3, filled[2].contains("|") else { return [] }
    var places: Set<Int>?
    for line in filled.dropFirst(2) {
      let own = Set(line.enumerated().lazy.filter { $1 == "|" }.map(\.offset))
      places = places?.intersection(own) ?? own
      if places?.isEmpty ?? false { return [] }
    }
    return places ?? []
  }

  /// Returns a line with blanks instead of bars.
  static func removed(from line: String, _ places: Set<Int>) -> String {
    String(line.enumerated().map { $1 == "|" && places.contains($0) ? " " : $1 })
  }
}
