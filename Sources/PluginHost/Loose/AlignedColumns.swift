/// Where the columns are in lines that stand below a header, as `ps`, `df` and `kubectl` write them.
///
///     let columns = AlignedColumns(lines)!       // the first line is the header
///     columns.names                              // ["NAME", "READY", "AGE"]
///     columns.fields(of: lines[1])
///
/// Where there are two or more blanks in front of a header's word, a column begins. Where there is one, a column begins when no line has anything
/// there, and there are values below both words: `PID TTY`, but `IMAGE ID`. Where a value is too wide for its column and the lines do not stand
/// below each other any more, they are split at blanks, and the last column takes the rest.
struct AlignedColumns: Equatable {
  /// The header's words.
  let names: [String]
  /// Which of the lines is the last of the header: some print a sentence above it, or a line of dashes below.
  let headerLine: Int

  private enum Cut: Equatable {
    /// Where each column begins; it ends where the next one does.
    case places([Int])
    case blanks
  }
  private let cut: Cut
  /// Whether a wide character, such as 名, takes the place of two.
  private let countsWidth: Bool

  /// How many lines may stand above the header.
  private static let titleLines = 2

  /// `nil` when the lines are no table: fewer than two lines, fewer than two columns, or a first line that is more likely a value. When somebody has
  /// said that they are one (`isTold`), any first line will do.
  init?(_ lines: [String], isTold: Bool = false) {
    let filled = lines.indices.filter { lines[$0].contains { !$0.isWhitespace } }
    for (title, line) in filled.prefix(isTold ? 1 : Self.titleLines + 1).enumerated() {
      var rows = filled[title...].map { lines[$0] }
      let isUnderlined = rows.count > 1 && rows[1].allSatisfy { "-= ".contains($0) }
      if isUnderlined { rows.remove(at: 1) }
      let isWide = rows.contains { $0.contains(where: AlignedHeader.isWide) }
      guard let plain = AlignedHeader(rows.map { Array($0) }) else { continue }
      let wide = isWide ? AlignedHeader(rows.map { AlignedHeader.characters(of: $0, true) }) : nil
      let countsWidth = wide.map { $0.fit > plain.fit } ?? false
      let header = countsWidth ? wide! : plain
      guard isTold || header.canName, let cut = Self.cut(header) else { continue }
      let names = cut == .blanks ? header.words.map { header.text($0.range) } : header.columns.map(header.text)
      self.init(names, headerLine: isUnderlined ? filled[title + 1] : line, cut, countsWidth)
      let isClear = title == 0 || (names.count >= 3 && header.hasGap && (cut != .blanks || header.splitsEvenly))
      if isTold || (isClear && hasValues(rows.dropFirst())) { return }
    }
    return nil
  }

  private init(_ names: [String], headerLine: Int, _ cut: Cut, _ countsWidth: Bool) {
    self.names = names
    self.headerLine = headerLine
    self.cut = cut
    self.countsWidth = countsWidth
  }

  private static func cut(_ header: AlignedHeader) -> Cut? {
    if header.isStraight { return header.columns.count >= 2 ? .places(header.columns.map(\.lowerBound)) : nil }
    // Prose has no columns: in a header that stands above some there are blanks next to each other.
    guard header.hasGap, header.words.count >= 2 else { return nil }
    if header.canSplit { return .blanks }
    return header.mostStandBelow && header.columns.count >= 2 ? .places(header.columns.map(\.lowerBound)) : nil
  }

  /// Whether the names can be names of what stands below them: where every other line says the same, they are values.
  private func hasValues(_ rows: ArraySlice<String>) -> Bool {
    AlignedHeader.canName(names, rows.map(fields(of:)))
  }

  /// The names in a header that stands alone, as `docker ps` prints it when there is nothing; `nil` for a line that is more likely a value: a header
  /// is in capitals, and has blanks next to each other.
  static func names(ofHeader line: String) -> [String]? {
    let characters = Array(line)
    guard characters.allSatisfy({ !$0.isLowercase && !$0.isNumber }) else { return nil }
    let words = AlignedHeader.words(characters)
    guard words.dropFirst().contains(where: \.beginsColumn) else { return nil }
    var names: [String] = []
    for word in words {
      let text = String(characters[word.range])
      if word.beginsColumn { names.append(text) } else { names[names.count - 1] += " " + text }
    }
    return names
  }

  /// The values of a line, as many as there are columns.
  func fields(of line: String) -> [String] {
    switch cut {
    case .places(let places): return fields(AlignedHeader.characters(of: line, countsWidth), places)
    case .blanks:
      var fields = line.split(
        maxSplits: names.count - 1, omittingEmptySubsequences: true, whereSeparator: \.isWhitespace
      )
      .map { String(AlignedHeader.trimmed(Array($0)[...])) }
      while fields.count < names.count { fields.append("") }
      return fields
    }
  }

  private func fields(_ line: [Character], _ places: [Int]) -> [String] {
    var first = 0
    return places.indices.map { index in
      var end = index + 1 < places.count ? min(places[index + 1], line.count) : line.count
      if end > first, end < line.count, !line[end].isWhitespace, !line[end - 1].isWhitespace {
        // A word across the border is of the column on the left when it is all that this one has, else it has grown to the left.
        let start = line[first..<end].lastIndex(where: \.isWhitespace) ?? first - 1
        if line[first..<max(first, start)].contains(where: { !$0.isWhitespace }) {
          end = start + 1
        } else {
          end = line[end...].firstIndex(where: \.isWhitespace) ?? line.count
        }
      }
      end = max(first, end)
      defer { first = end }
      return AlignedHeader.text(line, first..<end)
    }
  }
}
