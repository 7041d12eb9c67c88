/// The places of columns in lines below a header, as `ps`, `df` and `kubectl` write them.
///
///     let columns = AlignedColumns(lines)!       // the first line is the header
///     columns.names                              // ["NAME", "READY", "AGE"]
///     columns.fields(of: lines[1])
///
/// Where two or more blanks precede a header's word, a column begins. Where there is one, a column begins when no line has anything
/// there, and there are values below both words: `PID TTY`, but `IMAGE ID`. Where a value is too wide for its column and the lines do not stand
/// below each other any more, they are split at blanks, and the last column takes the rest. A line of dashes below the header that
/// is as wide as the columns says where they are.
///
/// Lines whose columns are not certain have none: see ``fittingFields(of:)``.
struct AlignedColumns: Equatable {
  /// The header's words.
  let names: [String]
  /// The number of the header's last line: some programs print a sentence above it, or a line of dashes below.
  let headerLine: Int

  private enum Cut: Equatable {
    /// Where each column begins; it ends where the next one does.
    case places([Int])
    /// Columns that a line of dashes names; the places between them are blank.
    case ruled([Range<Int>])
    /// `isEven`: each line has as many words as there are columns. Otherwise the last column takes the rest.
    case blanks(isEven: Bool)
  }
  private let cut: Cut
  /// Whether a wide character, such as 名, takes the place of two.
  private let countsWidth: Bool

  /// How many lines may stand above the header.
  private static let titleLines = 2
  /// How many lines may stand above a header that has a line of dashes below it.
  private static let ruledTitleLines = 5

  /// `nil` when the lines are no table, or when it is not certain where their columns are: fewer than two lines, fewer than two columns, a first
  /// line that is more likely a value, or more than one line of ten that does not fit. With `isTold` any first line will do.
  init?(_ lines: [String], isTold: Bool = false) {
    let filled = lines.indices.filter { lines[$0].contains { !$0.isWhitespace } }
    if !isTold, let ruled = Self.ruled(lines, filled) {
      self = ruled
      return
    }
    for (title, line) in filled.prefix(isTold ? 1 : Self.titleLines + 1).enumerated() {
      var rows = Self.section(of: filled[title...], lines).map { lines[$0] }
      let isUnderlined = rows.count > 1 && rows[1].allSatisfy { "-= ".contains($0) }
      if isUnderlined { rows.remove(at: 1) }
      let isWide = rows.contains { $0.contains(where: AlignedHeader.isWide) }
      guard let plain = AlignedHeader(rows.map { Array($0) }) else { continue }
      let wide = isWide ? AlignedHeader(rows.map { AlignedHeader.characters(of: $0, true) }) : nil
      let countsWidth = wide.map { $0.fit > plain.fit } ?? false
      let header = countsWidth ? wide! : plain
      guard isTold || header.canName, let cut = Self.cut(header, isTold) else { continue }
      var names = header.columns.map(header.text)
      if case .blanks = cut { names = header.words.map { header.text($0.range) } }
      self.init(names, headerLine: isUnderlined ? filled[title + 1] : line, cut, countsWidth)
      if isTold { return }
      let isClear: Bool
      if case .blanks = cut { isClear = header.splitsEvenly } else { isClear = true }
      guard title == 0 || (names.count >= 3 && header.hasGap && isClear) else { continue }
      if names.allSatisfy({ AlignedHeader.canName($0) }), hasValues(rows.dropFirst()), fits(rows.dropFirst()) { return }
    }
    return nil
  }

  private init(_ names: [String], headerLine: Int, _ cut: Cut, _ countsWidth: Bool) {
    self.names = names
    self.headerLine = headerLine
    self.cut = cut
    self.countsWidth = countsWidth
  }

  /// The lines up to the first blank one below the header: others, such as a legend, may follow.
  private static func section(of filled: ArraySlice<Int>, _ lines: [String]) -> ArraySlice<Int> {
    let end = filled.indices.dropFirst(2).first { filled[$0] != filled[$0 - 1] + 1 }
    return end.map { filled[..<$0] } ?? filled
  }

  private static func cut(_ header: AlignedHeader, _ isTold: Bool) -> Cut? {
    let places = header.columns.count >= 2 ? Cut.places(header.columns.map(\.lowerBound)) : nil
    if header.isStraight { return header.isDoubtful && !isTold ? nil : places }
    // Prose has no columns: in a header that stands above some there are blanks next to each other.
    guard header.hasGap, header.words.count >= 2 else { return nil }
    if header.canSplit, isTold || header.blanksAgree { return .blanks(isEven: header.splitsEvenly) }
    guard isTold || !(header.isDoubtful || header.isCrowded) else { return nil }
    return header.mostStandBelow ? places : nil
  }

  /// Whether the names can be names of what stands below them: where other lines say the same, they are values.
  private func hasValues(_ rows: ArraySlice<String>) -> Bool {
    AlignedHeader.canName(names, rows.map(fields(of:)))
  }

  /// Whether nine of ten lines fit. The last one may be a sum or a remark.
  private func fits(_ rows: ArraySlice<String>) -> Bool {
    let rows = rows.filter { !Self.isRuler($0) }
    return rows.dropLast(rows.count > 1 ? 1 : 0).count { fittingFields(of: $0) == nil } * 10 <= rows.count
  }

  // MARK: Lines of dashes

  /// Whether a line only separates: `----  ---`, `----+---`, `+++-===-===`.
  static func isRuler(_ line: String) -> Bool {
    line.contains { "-=─".contains($0) } && line.allSatisfy { "-=+| ─┼├┤".contains($0) }
  }

  /// Columns whose places a line of dashes names: one that goes beyond the names somewhere, or has corners.
  private static func ruled(_ lines: [String], _ filled: [Int]) -> AlignedColumns? {
    guard
      let place = filled.prefix(ruledTitleLines + 1).indices.dropFirst().first(where: { isRuler(lines[filled[$0]]) })
    else { return nil }
    let ruler = Array(lines[filled[place]])
    var separators: Set<Character> = [" ", "+", "|", "┼", "├", "┤"]
    if !ruler.contains(where: { $0 == " " || $0 == "|" || $0 == "┼" }), ruler.contains("=") {
      separators = ["-"]
    }
    let ranges = ruler.indices.split { separators.contains(ruler[$0]) }.map { $0.startIndex..<$0.endIndex }
    guard ranges.count >= 2 else { return nil }
    let header = Array(lines[filled[place - 1]])
    let isExact = AlignedHeader.words(header).map(\.range) == ranges
    let rows = section(of: filled[place...], lines).dropFirst().map { lines[$0] }
    guard !isExact, !rows.isEmpty, fits([lines[filled[place - 1]]][...], ranges) else { return nil }
    let columns = AlignedColumns(
      ranges.map { name(AlignedHeader.text(header, $0)) }, headerLine: filled[place], .ruled(ranges), false)
    return columns.fits(rows[...]) ? columns : nil
  }

  private static func name(_ text: String) -> String {
    text.contains { $0.isLetter || $0.isNumber || $0 == "#" || $0 == "%" } ? text : ""
  }

  private static func fits(_ lines: ArraySlice<String>, _ ranges: [Range<Int>]) -> Bool {
    lines.allSatisfy { line in
      let line = Array(line)
      return zip(ranges, ranges.dropFirst()).allSatisfy { left, right in
        (left.upperBound..<right.lowerBound).allSatisfy { $0 >= line.count || " |│".contains(line[$0]) }
      }
    }
  }

  // MARK: Lines

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
    case .places(let places): return fields(AlignedHeader.characters(of: line, countsWidth), places).fields
    case .ruled(let ranges):
      let line = Array(line)
      return ranges.indices.map { index in
        var end = index + 1 < ranges.count ? ranges[index].upperBound : max(line.count, ranges[index].lowerBound)
        // The frame of a table ends with its lines.
        if ranges[0].lowerBound > 0, end == line.count, "|│".contains(line.last ?? " ") { end -= 1 }
        return AlignedHeader.text(line, ranges[index].lowerBound..<max(end, ranges[index].lowerBound))
      }
    case .blanks: return words(of: line)
    }
  }

  /// The values of a line; `nil` when it is not certain of which columns they are. `strictly`: no value may be wider than its column.
  func fittingFields(of line: String, strictly: Bool = false) -> [String]? {
    switch cut {
    case .places(let places):
      let characters = AlignedHeader.characters(of: line, countsWidth)
      let isAcross = places.dropFirst().contains { place in
        place < characters.count && !characters[place].isWhitespace && !characters[place - 1].isWhitespace
      }
      if strictly, isAcross { return nil }
      let (fields, isCertain) = fields(characters, places)
      if isCertain { return fields }
      let words = line.split(whereSeparator: \.isWhitespace)
      return words.count == names.count ? words.map { String($0) } : nil
    case .ruled(let ranges): return Self.fits([line][...], ranges) ? fields(of: line) : nil
    case .blanks(let isEven):
      let count = line.split(whereSeparator: \.isWhitespace).count
      return count == names.count || (count > names.count && !isEven) ? words(of: line) : nil
    }
  }

  private func words(of line: String) -> [String] {
    var fields = line.split(
      maxSplits: names.count - 1, omittingEmptySubsequences: true, whereSeparator: \.isWhitespace
    )
    .map { String(AlignedHeader.trimmed(Array($0)[...])) }
    while fields.count < names.count { fields.append("") }
    return fields
  }

  private func fields(_ line: [Character], _ places: [Int]) -> (fields: [String], isCertain: Bool) {
    var first = 0
    var isCertain = true
    // A word of the column before has grown into this one.
    var isPushed = false
    let fields = places.indices.map { index in
      let border = index + 1 < places.count ? places[index + 1] : line.count
      var end = min(border, line.count)
      var pushes = false
      if end > first, end < line.count, !line[end].isWhitespace, !line[end - 1].isWhitespace {
        // A word across the border is of the column on the left when it is all that this one has, else it has grown to the left.
        let start = line[first..<end].lastIndex(where: \.isWhitespace) ?? first - 1
        if line[first..<max(first, start)].contains(where: { !$0.isWhitespace }) {
          end = start + 1
          // Then it is all that the column on the right has.
          let wordEnd = line[border...].firstIndex(where: \.isWhitespace) ?? line.count
          let next = index + 2 < places.count ? min(places[index + 2], line.count) : wordEnd
          if wordEnd > next || line[wordEnd..<next].contains(where: { !$0.isWhitespace }) { isCertain = false }
        } else {
          end = line[end...].firstIndex(where: \.isWhitespace) ?? line.count
          pushes = true
        }
      }
      end = max(first, end)
      defer { first = end }
      let text = AlignedHeader.text(line, first..<end)
      // What was pushed out of its column is of the next one, as far as its place says.
      if isPushed, text.isEmpty { isCertain = false }
      isPushed = pushes
      return text
    }
    return (fields, isCertain)
  }
}
