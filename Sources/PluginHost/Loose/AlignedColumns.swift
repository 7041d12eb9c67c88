/// Where the columns are in lines that stand below a header, as `ps`, `df` and `kubectl` write them.
///
///     let columns = AlignedColumns(lines)!       // the first line is the header
///     columns.names                              // ["NAME", "READY", "AGE"]
///     columns.fields(of: lines[1])
///
/// Columns are what is kept apart by blanks in all lines, as long as the header has a word for each. Where a value is too wide for its column and
/// the lines do not stand below each other any more, they are split at blanks, and the last column takes the rest.
struct AlignedColumns: Equatable {
  /// The header's words.
  let names: [String]

  private enum Cut: Equatable {
    /// Where each column begins; it ends where the next one does.
    case places([Int])
    case blanks
  }
  private let cut: Cut

  /// `nil` when the lines are no table: fewer than two lines, or fewer than two columns.
  init?(_ lines: [String]) {
    let rows = lines.filter { $0.contains { !$0.isWhitespace } }.map(Array.init)
    guard rows.count >= 2, let header = rows.first else { return nil }
    let words = Self.words(header)
    guard words.count >= 2 else { return nil }
    let runs = Self.runs(rows, header)
    if runs.count >= 2, runs.count == words.count || !Self.canSplit(rows, words.count) {
      names = runs.map { Self.text(header, $0.lowerBound, $0.upperBound) }
      cut = .places(runs.map(\.lowerBound))
    } else {
      // Prose has no columns: in a header that stands above some there are blanks next to each other.
      guard Self.canSplit(rows, words.count), Self.hasGap(header) else { return nil }
      names = words
      cut = .blanks
    }
  }

  /// The names in a header that stands alone, as `docker ps` prints it when there is nothing; `nil` for a line that is more likely a value: a header
  /// is in capitals, and has blanks next to each other.
  static func names(ofHeader line: String) -> [String]? {
    let characters = Array(line)
    guard characters.allSatisfy({ !$0.isLowercase && !$0.isNumber }), hasGap(characters) else { return nil }
    var names: [String] = []
    var blanks = 2
    for character in characters {
      if character.isWhitespace {
        blanks += 1
        continue
      }
      if blanks >= 2 {
        names.append(String(character))
      } else {
        names[names.count - 1] += (blanks == 1 ? " " : "") + String(character)
      }
      blanks = 0
    }
    return names
  }

  /// The values of a line, as many as there are columns.
  func fields(of line: String) -> [String] {
    let characters = Array(line)
    switch cut {
    case .places(let places):
      return places.indices.map { index in
        Self.text(characters, index == 0 ? 0 : places[index], index + 1 < places.count ? places[index + 1] : .max)
      }
    case .blanks:
      var fields = line.split(
        maxSplits: names.count - 1, omittingEmptySubsequences: true, whereSeparator: \.isWhitespace
      )
      .map { $0.trimmed }
      while fields.count < names.count { fields.append("") }
      return fields
    }
  }

  private static func words(_ line: [Character]) -> [String] {
    line.split(whereSeparator: \.isWhitespace).map { String($0) }
  }

  private static func hasGap(_ line: [Character]) -> Bool {
    guard let first = line.firstIndex(where: { !$0.isWhitespace }),
      let last = line.lastIndex(where: { !$0.isWhitespace })
    else { return false }
    return (first..<last).contains { line[$0].isWhitespace && line[$0 + 1].isWhitespace }
  }

  private static func canSplit(_ rows: [[Character]], _ count: Int) -> Bool {
    rows.dropFirst().allSatisfy { $0.split(whereSeparator: \.isWhitespace).count >= count }
  }

  private static func text(_ line: [Character], _ first: Int, _ last: Int) -> String {
    guard first < line.count else { return "" }
    return String(line[first..<min(last, line.count)]).trimmed
  }

  /// The places that are blank in no line, as runs; each has a word of the header and a value.
  private static func runs(_ rows: [[Character]], _ header: [Character]) -> [Range<Int>] {
    let width = rows.map(\.count).max() ?? 0
    var isFilled = [Bool](repeating: false, count: width)
    for row in rows {
      for (place, character) in row.enumerated() where !character.isWhitespace { isFilled[place] = true }
    }
    var runs: [Range<Int>] = []
    var place = 0
    while place < width {
      guard isFilled[place] else {
        place += 1
        continue
      }
      var end = place
      while end < width, isFilled[end] { end += 1 }
      let hasName = header[min(place, header.count)..<min(end, header.count)].contains { !$0.isWhitespace }
      let hasValue = rows.dropFirst().contains { row in
        row[min(place, row.count)..<min(end, row.count)].contains { !$0.isWhitespace }
      }
      // A run below no name belongs to the column before, and so does a word of the header without values: “Mounted on”.
      if let last = runs.last, !hasName || !hasValue {
        runs[runs.count - 1] = last.lowerBound..<end
      } else {
        runs.append(place..<end)
      }
      place = end
    }
    return runs
  }
}

extension StringProtocol {
  fileprivate var trimmed: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace }) else {
      return ""
    }
    return String(self[first...last])
  }
}
