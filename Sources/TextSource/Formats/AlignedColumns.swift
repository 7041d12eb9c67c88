/// The column positions of whitespace-aligned tables, as printed by `ps`, `df` and `kubectl`.
///
///     let columns = AlignedColumns(lines)!       // the first line is the header
///     columns.names                              // ["NAME", "READY", "AGE"]
///     columns.fields(of: lines[1])
///
/// A column begins at a header word that follows two or more blanks. After a single blank, a word
/// begins a column if no line has text at that blank and both words have values below them. Thus
/// `PID TTY` are two columns, but `IMAGE ID` is one.
///
/// If values are wider than their columns and the lines are no longer aligned, lines are split at
/// blanks, and the last column takes the rest. A line of dashes below the header that has the width
/// of the columns defines their positions.
///
/// A line that does not clearly fit the columns has no fields; see ``fittingFields(of:)``.
struct AlignedColumns: Equatable {
  /// The column names from the header.
  let names: [String]
  /// The index of the header's last line.
  ///
  /// Some programs print a title above it or dashes below it.
  let headerLine: Int

  private enum Cut: Equatable {
    /// The start of each column.
    ///
    /// A column ends at the start of the next one.
    case places([Int])
    /// The column ranges given by a line of dashes.
    ///
    /// The positions between them are blank.
    case ruled([Range<Int>])
    /// Columns separated by blanks.
    ///
    /// `isEven`: every line has one word per column. Otherwise the last column takes the rest.
    case blanks(isEven: Bool)
    /// One value per word, except that the words at these positions continue the one before them.
    case words(joined: Set<Int>)
  }
  private let cut: Cut
  /// Whether a wide character such as 名 counts as two positions.
  private let countsWidth: Bool

  /// The maximum number of title lines above a header.
  static let titleLines = 3
  /// The maximum number of title lines above a header that is followed by a line of dashes.
  private static let ruledTitleLines = 5

  /// Detects the columns; returns `nil` when the lines are not clearly a table.
  ///
  /// This needs at least two lines and two columns, a first line that looks like a header, and nine
  /// of ten lines that fit. With `isDeclared`, any first line is accepted.
  init?(_ lines: [String], isDeclared: Bool = false) {
    let lines = lines.enumerated().map { $0 <= Self.ruledTitleLines ? Self.joiningNames($1) : $1 }
    let filled = lines.indices.filter { lines[$0].contains { !$0.isWhitespace } }
    if !isDeclared, let ruled = Self.ruled(lines, filled) {
      self = ruled
      return
    }
    for (title, line) in filled.prefix(isDeclared ? 1 : Self.titleLines + 1).enumerated() {
      var rows = Self.section(of: filled[title...], lines).map { lines[$0] }
      let isUnderlined = rows.count > 1 && rows[1].allSatisfy { "-= ".contains($0) }
      if isUnderlined { rows.remove(at: 1) }
      rows = Self.withoutWrapped(rows)
      let isWide = rows.contains { $0.contains(where: AlignedHeader.isWide) }
      guard let plain = AlignedHeader(rows.map { Array($0) }) else { continue }
      let wide = isWide ? AlignedHeader(rows.map { AlignedHeader.characters(of: $0, true) }) : nil
      let countsWidth = wide.map { $0.fit > plain.fit } ?? false
      let header = countsWidth ? wide! : plain
      guard isDeclared || header.canName, let cut = Self.cut(header, isDeclared) else { continue }
      var names = header.columns.map(header.text)
      if case .blanks = cut { names = header.words.map { header.text($0.range) } }
      if names.count >= 3, !isDeclared, names[0].hasSuffix(":"), Self.hasNumbers(rows) { names[0].removeLast() }
      self.init(names, headerLine: isUnderlined ? filled[title + 1] : line, cut, countsWidth)
      if isDeclared { return }
      let isClear: Bool
      // `vmstat` prints groups of columns: `procs ---memory---`.
      let areGroups = filled[..<title].allSatisfy { lines[$0].contains("---") }
      if case .blanks = cut { isClear = header.splitsEvenly || areGroups } else { isClear = true }
      guard title == 0 || (names.count >= 3 && header.hasGap && isClear && isDistinct(rows)) else { continue }
      if names.allSatisfy({ AlignedHeader.canName($0) }), hasValues(rows.dropFirst()), fits(rows.dropFirst()),
        areApart(rows.dropFirst(), isWhole: isUnderlined),
        isUnderlined || ((names.count > 2 || isDistinct(rows)) && !isListing(rows))
      {
        return
      }
    }
    return nil
  }

  /// Detects the columns of lines of which the last one may be a remark.
  static func aboveRemark(_ lines: [String]) -> AlignedColumns? {
    if let columns = AlignedColumns(lines) { return columns }
    let filled = lines.indices.filter { lines[$0].contains { !$0.isWhitespace } }
    guard filled.count >= 4, let last = filled.last else { return nil }
    return AlignedColumns(Array(lines[..<last]))
  }

  private init(_ names: [String], headerLine: Int, _ cut: Cut, _ countsWidth: Bool) {
    self.names = names.map { $0.replacing(Self.joiner, with: " ") }
    self.headerLine = headerLine
    self.cut = cut
    self.countsWidth = countsWidth
  }

  /// The character for the blank inside a known name.
  private static let joiner = "\u{2}"
  /// Names of several words that some programs print with one blank on either side.
  private static let knownNames = [
    "Local Address", "Peer Address", "Foreign Address", "CREATED AT", "CREATED BY", "UPDATED AT", "STARTED AT",
    "LAST SEEN",
    "LAST USED", "PID/Program name",
    "Mounted on", "Eingehängt auf", "Monté sur", "Montado en", "Montato su", "Montado em", "Gekoppeld op",
    "Cмонтировано в", "Used by", "OBJ SIZE", "CACHE SIZE", "POD ID", "DISK READ", "DISK WRITE", "Last sample",
    "Login Time", "Office Phone",
  ]

  /// Returns a header with its known names joined.
  ///
  /// A time of day in front, as `mpstat` prints it, is named as well. The width stays, except that
  /// `ss` prints no blank in front of its last name.
  private static func joiningNames(_ line: String) -> String {
    var line = line
    for name in knownNames where line.contains(name) {
      line = line.replacing(name, with: name.replacing(" ", with: joiner))
    }
    if line.contains(":Port"), let range = line.firstRange(of: "Process"), line[..<range.lowerBound].contains("Peer") {
      line.insert(" ", at: range.lowerBound)
    }
    if let count = timeLength(line) {
      let rest = line.dropFirst(count)
      let names = rest.split(separator: " ")
      let isHeader = names.count >= 2 && rest.hasPrefix("  ") && names.allSatisfy { AlignedHeader.canName(String($0)) }
      if isHeader || line.contains("%") || line.contains("/s") {
        line = "Time" + String(repeating: " ", count: count - 4) + rest
      }
    }
    return line
  }

  /// Returns the length of the time of day, or the word `Average:`, that begins a line.
  private static func timeLength(_ line: String) -> Int? {
    if line.hasPrefix("Average: ") { return 8 }
    let bytes = Array(line.utf8.prefix(11))
    guard bytes.count > 8, bytes[2] == 0x3A, bytes[5] == 0x3A,
      TextQuantity.duration(String(line.prefix(8)))?.form == .clock
    else { return nil }
    let half = String(decoding: bytes[8...], as: UTF8.self)
    return half == " AM" || half == " PM" ? 11 : 8
  }

  /// Returns a header of `sar` or `mpstat` without its time, so that it equals the one above the
  /// table; other lines as they are.
  static func withoutTime(_ line: String) -> String {
    guard let first = line.utf8.first, first == UInt8(ascii: "A") || (0x30...0x39).contains(first),
      let count = timeLength(line)
    else { return line }
    let words = line.dropFirst(count).split(separator: " ")
    guard words.count >= 2, words.allSatisfy({ AlignedHeader.canName(String($0)) && $0.first?.isNumber != true }) else {
      return line
    }
    let names = words.joined(separator: " ")
    return "Time \(names)"
  }

  /// Returns the lines up to the first blank line below the header.
  ///
  /// Other text, such as a legend, may follow.
  private static func section(of filled: ArraySlice<Int>, _ lines: [String]) -> ArraySlice<Int> {
    let end = filled.indices.dropFirst(2).first { filled[$0] != filled[$0 - 1] + 1 }
    return end.map { filled[..<$0] } ?? filled
  }

  private static func cut(_ header: AlignedHeader, _ isDeclared: Bool) -> Cut? {
    let places = header.columns.count >= 2 ? Cut.places(header.columns.map(\.lowerBound)) : nil
    if header.isStraight { return header.isDoubtful && !isDeclared ? nil : places }
    // A header above columns has consecutive blanks, unlike prose.
    guard header.hasGap, header.words.count >= 2 else { return nil }
    if header.canSplit, isDeclared || header.blanksAgree { return .blanks(isEven: header.splitsEvenly) }
    guard isDeclared || !(header.isDoubtful || header.isCrowded) else { return nil }
    return header.mostStandBelow ? places : nil
  }

  /// Returns whether a header differs from its values: it has capitals, or there are numbers.
  private func isDistinct(_ rows: [String]) -> Bool {
    let capitals = names.count { $0.first?.isUppercase ?? true }
    return capitals >= min(2, names.count) || (capitals > 0 && names.count > 2)
      || !SafeFields.numeric(rows.dropFirst().compactMap { fittingFields(of: $0) }, least: 1).isEmpty
  }

  /// Returns whether the header can name the values below it.
  ///
  /// Words that other lines repeat are values.
  private func hasValues(_ rows: ArraySlice<String>) -> Bool {
    AlignedHeader.canName(names, rows.map(fields(of:)))
  }

  /// Returns whether most rows have no value in front of the last one that is several values.
  ///
  /// `isWhole`: whether the last value counts, too, because dashes mark the names.
  private func areApart(_ rows: ArraySlice<String>, isWhole: Bool) -> Bool {
    guard hasPlaces, rows.count >= 3 else { return true }
    let joined = rows.count { row in
      fields(of: row).dropLast(isWhole ? 0 : 1).contains { Self.withoutBranches($0).contains("   ") }
    }
    return joined * 2 < rows.count
  }

  /// Returns a value without the lines of a tree in front of it: `│   └─/dev`.
  private static func withoutBranches(_ value: String) -> Substring { value.drop { "│├└─┬|`\\ ".contains($0) } }

  /// Returns whether the lines are a list of words in columns, as `ls` prints them.
  ///
  /// Each column goes on in the next one, or each line.
  private func isListing(_ lines: [String]) -> Bool {
    guard lines.count >= 3 else { return false }
    let rows = lines.map { fields(of: $0) }
    let byColumn = names.indices.flatMap { index in rows.map { $0[index] }.filter { !$0.isEmpty } }
    return [byColumn, rows.flatMap { $0.filter { !$0.isEmpty } }].contains { words in
      // Some locales order words without regard to capitals.
      words.count >= lines.count * 2 - 1
        && (zip(words, words.dropFirst()).allSatisfy { $0 < $1 }
          || zip(words, words.dropFirst()).allSatisfy { $0.lowercased() < $1.lowercased() })
    }
  }

  /// Returns whether nine of ten lines fit.
  ///
  /// The last line is excluded, because it may be a sum or a remark.
  private func fits(_ rows: ArraySlice<String>) -> Bool {
    let rows = rows.filter { !Self.isRuler($0) }
    return rows.dropLast(rows.count > 1 ? 1 : 0).count { fittingFields(of: $0) == nil } * 10 <= rows.count
  }

  /// Returns the header and the rows without values that take up a line of their own.
  private static func withoutWrapped(_ rows: [String]) -> [String] {
    guard rows.count > 2 else { return rows }
    let words = AlignedHeader.words(Array(rows[0]))
    guard words.count >= 3 else { return rows }
    return rows[..<1] + rows.dropFirst().filter { isWord($0, beyond: words[1].range.lowerBound) == nil }
  }

  /// Returns whether each line below a header has a number.
  private static func hasNumbers(_ rows: [String]) -> Bool {
    rows.count > 1 && rows.dropFirst().allSatisfy { $0.contains(where: \.isNumber) }
  }

  /// Returns a line's only word if it begins the line and ends behind a position.
  private static func isWord(_ line: String, beyond place: Int) -> String? {
    guard let first = line.first, !first.isWhitespace, line.count > place else { return nil }
    let word = line.prefix { !$0.isWhitespace }
    return line.dropFirst(word.count).allSatisfy(\.isWhitespace) && word.count > place ? String(word) : nil
  }

  /// Returns the columns of lines without a header; `nil` when they are not clearly a table.
  ///
  /// Either blanks separate the values of at least six of ten lines at the same positions, or all
  /// lines have as many words, half of them numbers.
  static func withoutHeader(_ lines: [String]) -> AlignedColumns? {
    let filled = lines.filter { line in line.contains { !$0.isWhitespace } }
    guard filled.count >= 3, filled.count(where: isBranch) < 2 else { return nil }
    let hasGaps = { (line: [Character]) in AlignedHeader.words(line).dropFirst().contains(where: \.beginsColumn) }
    let rows = filled.map { Array($0) }.filter(hasGaps)
    if rows.count >= 3, rows.count * 10 >= filled.count * 6 {
      let places = AlignedHeader.starts(rows)
      let columns = AlignedColumns(places.map { _ in "" }, headerLine: -1, .places(places), false)
      // Values with blanks between them are several columns that are not separated.
      let areApart = rows.count { row in
        !columns.fields(of: String(row)).contains { $0.contains("  ") }
      }
      if places.count >= 2, areApart * 10 >= rows.count * 9, !columns.hasLabels(rows.map { String($0) }),
        columns.haveText(rows)
      {
        return columns
      }
    }
    let words = filled.map { $0.split(whereSeparator: \.isWhitespace).map { String($0) } }
    guard filled.count >= 4, words[0].count >= 2, words.allSatisfy({ $0.count == words[0].count }),
      !words.contains(where: { $0.last?.hasSuffix(":") ?? false })
    else { return nil }
    let numeric = SafeFields.numeric(words)
    let hasNumbers = words[0].indices.contains { index in words.allSatisfy { TextQuantity.number($0[index]) != nil } }
    guard numeric.count * 2 >= words[0].count || (hasNumbers && filled.count >= 6 && words[0].count >= 3) else {
      return nil
    }
    let joined = WordDates.continuations(in: words)
    return AlignedColumns(
      (joined.count..<words[0].count).map { _ in "" }, headerLine: -1, .words(joined: joined), false)
  }

  /// Returns whether a line is part of a tree that is drawn with lines.
  private static func isBranch(_ line: String) -> Bool {
    let text = line.drop { $0 == " " || $0 == "│" || $0 == "|" }
    return ["├", "└", "|-", "`-"].contains(where: text.hasPrefix)
  }

  /// Returns whether each column has more than brackets and bars in some line.
  private func haveText(_ rows: [[Character]]) -> Bool {
    let rows = rows.map { fields(of: String($0)) }
    return names.indices.allSatisfy { index in rows.contains { $0[index].contains { !"[](){}<>|".contains($0) } } }
  }

  /// Returns whether a column only has a label such as `len:`.
  ///
  /// The values of one name are then in several columns.
  private func hasLabels(_ lines: [String]) -> Bool {
    let rows = lines.map { fields(of: $0) }
    return names.indices.contains { index in
      rows[0][index].hasSuffix(":") && rows.allSatisfy { $0[index] == rows[0][index] }
    }
  }

  // MARK: Lines of dashes

  /// The corners and crossings of frames.
  private static let corners: Set<Character> = Set("┌┬┐└┴┘╭╮╰╯━┏┳┓┗┻┛┡╇┩╋┼├┤═╔╦╗╚╩╝╠╬╣╞╪╡")

  /// Returns whether a line is only a separator: `----  ---`, `----+---`, `+++-===-===`.
  static func isRuler(_ line: String) -> Bool {
    line.contains { "-=─━═".contains($0) } && line.allSatisfy { "-=+| ─┼├┤".contains($0) || corners.contains($0) }
  }

  /// Returns columns defined by a line of dashes that is wider than the names somewhere, or has
  /// corners.
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
    let headings = FrameHeader.lines(above: place, in: filled.map { lines[$0] })
    let isExact = AlignedHeader.words(header).map(\.range) == ranges
    let rows = section(of: filled[place...], lines).dropFirst().map { lines[$0] }
    if isExact, ranges.count >= 3, rows.count >= 2 {
      // Values may be wider than the names and the dashes.
      let names = ranges.map { name(AlignedHeader.text(header, $0)) }
      let columns = AlignedColumns(names, headerLine: filled[place], .places(ranges.map(\.lowerBound)), false)
      return columns.areApart(rows[...], isWhole: true) && columns.fits(rows[...]) ? columns : nil
    }
    guard !isExact, !rows.isEmpty, fits(headings[...], ranges) else { return nil }
    let names = FrameHeader.names(headings.map { line in ranges.map { AlignedHeader.text(Array(line), $0) } })
    let columns = AlignedColumns(names.map(name), headerLine: filled[place], .ruled(ranges), false)
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

  /// Returns the names in a header without rows, as `docker ps` prints it; `nil` for a line of
  /// values.
  ///
  /// A header is in capitals and has consecutive blanks.
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

  /// Returns the values of a line, one per column.
  func fields(of line: String) -> [String] {
    switch cut {
    case .places(let places): return fields(AlignedHeader.characters(of: line, countsWidth), places).fields
    case .ruled(let ranges):
      let line = Array(line)
      return ranges.indices.map { index in
        var end = index + 1 < ranges.count ? ranges[index].upperBound : max(line.count, ranges[index].lowerBound)
        // Exclude the right border of a table with a frame.
        if ranges[0].lowerBound > 0, end == line.count, "|│".contains(line.last ?? " ") { end -= 1 }
        return AlignedHeader.text(line, ranges[index].lowerBound..<max(end, ranges[index].lowerBound))
      }
    case .blanks: return words(of: line)
    case .words(let joined): return WordDates.values(of: line, joined)
    }
  }

  /// Returns the values of a line, or `nil` when they do not clearly belong to columns.
  ///
  /// `strictly`: whether to refuse values that are wider than their columns.
  func fittingFields(of line: String, strictly: Bool = false) -> [String]? {
    switch cut {
    case .places(let places):
      let characters = AlignedHeader.characters(of: line, countsWidth)
      if strictly, Self.isAcross(characters, places) { return nil }
      let (fields, isCertain) = fields(characters, places)
      if isCertain { return fields }
      let words = line.split(whereSeparator: \.isWhitespace)
      return words.count == names.count ? words.map { String($0) } : nil
    case .ruled(let ranges):
      if Self.fits([line][...], ranges) { return fields(of: line) }
      // In a frame, bars separate the values also when wide characters shift them.
      guard let bar = line.first, "|│".contains(bar) else { return nil }
      let parts = line.split(separator: bar, omittingEmptySubsequences: false)
      guard parts.count == ranges.count + 2 else { return nil }
      return parts.dropFirst().dropLast().map { String(AlignedHeader.trimmed(Array($0)[...])) }
    case .blanks(let isEven):
      let count = line.split(whereSeparator: \.isWhitespace).count
      return count == names.count || (count > names.count && !isEven) ? words(of: line) : nil
    case .words(let joined):
      let values = WordDates.values(of: line, joined)
      return values.count == names.count ? values : nil
    }
  }

  /// Whether the columns have positions, unlike values that are split at blanks.
  var hasPlaces: Bool {
    switch cut {
    case .places, .ruled: true
    case .blanks, .words: false
    }
  }

  /// The position of the first column, if the columns have positions.
  var firstPlace: Int? { if case .places(let places) = cut { places.first } else { nil } }

  /// Returns whether a value crosses a border of the columns.
  func isAcross(_ line: String) -> Bool {
    guard case .places(let places) = cut else { return false }
    return Self.isAcross(AlignedHeader.characters(of: line, countsWidth), places)
  }

  private static func isAcross(_ characters: [Character], _ places: [Int]) -> Bool {
    places.dropFirst().contains { place in
      place < characters.count && !characters[place].isWhitespace && !characters[place - 1].isWhitespace
    }
  }

  /// Returns a value of the first column that is wider than it and alone on its line.
  ///
  /// Some programs print the rest of the row below it.
  func wrappedValue(_ line: String) -> String? {
    switch cut {
    case .places(let places): places.count >= 3 ? Self.isWord(line, beyond: places[1]) : nil
    case .ruled(let ranges): ranges.count >= 3 ? Self.isWord(line, beyond: ranges[1].lowerBound) : nil
    case .blanks, .words: nil
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

  /// Returns whether the rest of a column may follow a value that begins in front of it.
  ///
  /// It may if it is blank or the beginning of a number of the next column that is as wide. After
  /// two blanks in front of the value (`isApart`), it may also continue the value with words.
  private static func mayFollow(_ rest: ArraySlice<Character>, _ isApart: Bool, _ line: [Character]) -> Bool {
    let words = AlignedHeader.words(Array(rest))
    guard let last = words.last else { return true }
    let isCut = last.range.upperBound == rest.count && rest.endIndex < line.count && !line[rest.endIndex].isWhitespace
    if isCut { return words.count == 1 && rest.suffix(last.range.count).allSatisfy { $0.isASCII && $0.isNumber } }
    return isApart && !words.dropFirst().contains(where: \.beginsColumn) && rest.prefix(2).last?.isWhitespace == false
  }

  private func fields(_ line: [Character], _ places: [Int]) -> (fields: [String], isCertain: Bool) {
    var first = 0
    var isCertain = true
    // Whether a word in the previous column extends into this one.
    var isPushed = false
    let fields = places.indices.map { index in
      let border = index + 1 < places.count ? places[index + 1] : line.count
      var end = min(border, line.count)
      var pushes = false
      if end > first, end < line.count, !line[end].isWhitespace, !line[end - 1].isWhitespace {
        // A word across the border belongs to the left column if it is the only word there.
        // Otherwise it is a right-column value that extends to the left.
        let start = line[first..<end].lastIndex(where: \.isWhitespace) ?? first - 1
        if line[first..<max(first, start)].contains(where: { !$0.isWhitespace }) {
          end = start + 1
          let wordEnd = line[border...].firstIndex(where: \.isWhitespace) ?? line.count
          let next = index + 2 < places.count ? min(places[index + 2], line.count) : wordEnd
          let isApart = start > 0 && line[start - 1].isWhitespace
          if wordEnd > next || !Self.mayFollow(line[wordEnd..<next], isApart, line) { isCertain = false }
        } else {
          end = line[end...].firstIndex(where: \.isWhitespace) ?? line.count
          pushes = true
        }
      }
      end = max(first, end)
      defer { first = end }
      let text = AlignedHeader.text(line, first..<end)
      // The overflowing value takes up the next column, so an empty next column is ambiguous.
      if isPushed, text.isEmpty { isCertain = false }
      isPushed = pushes
      return text
    }
    return (fields, isCertain)
  }
}
