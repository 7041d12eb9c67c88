/// The analysis of a header and the columns below its words; a part of ``AlignedColumns``.
struct AlignedHeader {
  /// A word in the header.
  struct Word {
    let range: Range<Int>
    /// Whether the word is the first or follows two or more blanks.
    let beginsColumn: Bool
  }

  let words: [Word]
  /// The ranges of the columns.
  private(set) var columns: [Range<Int>] = []
  /// Whether every line is aligned with the header, so that no wide value shifts those after it.
  private(set) var isStraight = true
  /// Whether values of several columns are so close that no blank position separates them in all
  /// lines.
  private(set) var isCrowded = false
  /// Whether some values belong clearly neither to the name on their left nor to the one on their
  /// right.
  private(set) var isDoubtful = false

  private let header: [Character]
  private let rows: ArraySlice<[Character]>

  /// Analyzes lines whose first one is the header; `nil` with fewer than two lines or words.
  init?(_ lines: [[Character]]) {
    guard lines.count >= 2, let header = lines.first else { return nil }
    self.header = header
    rows = lines.dropFirst()
    words = Self.words(header)
    guard words.count >= 2 else { return nil }
    findColumns(Self.runs(lines))
    // If each line has as many values as words, but not aligned with them, a value was too wide.
    if columns.count != words.count, !isLeft, splitsEvenly { isStraight = false }
  }

  /// Whether consecutive blanks separate some of the words.
  var hasGap: Bool { words.dropFirst().contains(where: \.beginsColumn) }

  /// Whether each line splits at blanks into at least as many values as there are words.
  var canSplit: Bool {
    rows.allSatisfy { Self.wordCount($0) >= words.count }
  }

  /// Whether each line has exactly as many values as there are words, and nearly none is far to the
  /// right of its name.
  ///
  /// Otherwise a value of several words follows empty cells.
  var splitsEvenly: Bool {
    guard rows.allSatisfy({ Self.wordCount($0) == words.count }) else { return false }
    let far = rows.count { row in
      var push = 0
      for (index, token) in Self.words(row).map(\.range).enumerated() where index + 1 < words.count {
        if token.lowerBound - push >= words[index + 1].range.upperBound { return true }
        push = max(push, token.upperBound - words[index].range.upperBound)
      }
      return false
    }
    return far * 5 <= rows.count
  }

  /// Whether each word that begins a column has a value or a blank directly below its start.
  private var isLeft: Bool {
    words.filter(\.beginsColumn).map(\.range.lowerBound).allSatisfy { start in
      rows.allSatisfy { start >= $0.count || $0[start].isWhitespace || Self.begins(at: start, in: $0) }
    }
  }

  /// The number of words in all lines that begin or end at the same position as in the header.
  var fit: Int {
    rows.reduce(0) { sum, row in
      sum
        + words.count { word in
          Self.begins(at: word.range.lowerBound, in: row)
            || Self.begins(at: row.count - word.range.upperBound, in: row.reversed())
        }
    }
  }

  private static func begins(at start: Int, in line: [Character]) -> Bool {
    line.indices.contains(start) && !line[start].isWhitespace && (start == 0 || line[start - 1].isWhitespace)
  }

  private static func wordCount(_ line: some Sequence<Character>) -> Int {
    line.split(whereSeparator: \.isWhitespace).count
  }

  /// Whether three of four lines have a blank in front of each column.
  var mostStandBelow: Bool {
    columns.dropFirst().allSatisfy { column in
      rows.count { $0.count <= column.lowerBound || $0[column.lowerBound - 1].isWhitespace } * 4 >= rows.count * 3
    }
  }

  /// Whether a split at blanks agrees with the positions of the values.
  ///
  /// A value of several words or an empty cell would shift the values after it into other columns.
  /// At least half of the lines must have each word but the last below its name. In other lines a
  /// word may be shifted right, but only by the excess width of the words before it.
  var blanksAgree: Bool {
    if splitsEvenly { return true }
    var straight = 0
    for row in rows {
      let tokens = Self.words(row).map(\.range)
      guard tokens.count >= words.count else { return false }
      var push = 0
      var isBelow = true
      for (token, word) in zip(tokens, words).dropLast() {
        guard token.lowerBound - push < word.range.upperBound, token.upperBound > word.range.lowerBound else {
          return false
        }
        let own = token.lowerBound - push..<token.upperBound - push
        isBelow = isBelow && (token.overlaps(word.range) || own.overlaps(word.range))
        push = max(push, token.upperBound - word.range.upperBound)
      }
      straight += isBelow ? 1 : 0
    }
    return straight * 2 >= rows.count
  }

  /// Whether the words look like column names.
  ///
  /// Without consecutive blanks, the words must be in capitals or capitalized. Otherwise there must
  /// be at least three columns, one per word, and at least two rows.
  var canName: Bool {
    let names = columns.map(text)
    // Older versions of `iostat` print `Device:`.
    let first = names.count >= 3 ? names.prefix(1).map { $0.hasSuffix(":") ? String($0.dropLast()) : $0 } : []
    guard (first + names.dropFirst(first.count)).allSatisfy({ Self.canName($0) }) else { return false }
    if hasGap || !header.contains(where: \.isLowercase) { return true }
    return columns.count >= 3
      && (words.allSatisfy { header[$0.range.lowerBound].isUppercase }
        || (columns.count == words.count && rows.count >= 2))
  }

  /// Returns the header text in a range, without surrounding blanks.
  func text(_ range: Range<Int>) -> String { Self.text(header, range) }

  // MARK: Columns

  /// A run of positions that are not blank in all lines, with adjacent nameless runs of the same
  /// column.
  private struct Part {
    let run: Range<Int>
    var whole: Range<Int>
    var words: ArraySlice<Word>
    /// Whether this is a column without a name above it.
    var isNameless = false

    /// Whether values may extend to the left of the name.
    ///
    /// A shared left edge means that they grow to the right.
    var growsLeft: Bool { !isLeft || isRight }
    /// Whether values may extend to the right of the name.
    var growsRight: Bool { !isRight || isLeft }
    /// Whether all values end with a single name, and some begin in front of it.
    var isRightAligned: Bool { words.count == 1 && isRight && !isLeft }
    private var isLeft: Bool { words.first?.range.lowerBound == run.lowerBound }
    private var isRight: Bool { words.last?.range.upperBound == run.upperBound }
  }

  /// Assigns each nameless run to the column on its left or right, or makes it a separate column.
  private mutating func parts(_ runs: [Range<Int>]) -> [Part] {
    var parts: [Part] = []
    var nameless: [Range<Int>] = []
    var next = 0
    for run in runs {
      let first = next
      while next < words.count, words[next].range.lowerBound < run.upperBound { next += 1 }
      guard first < next else {
        nameless.append(run)
        continue
      }
      var part = Part(run: run, whole: run, words: words[first..<next])
      place(nameless, between: &parts, and: &part)
      nameless = []
      parts.append(part)
    }
    if let first = nameless.first, let last = nameless.last, !parts.isEmpty {
      let rest = first.lowerBound..<last.upperBound
      let left = parts[parts.count - 1]
      let isNext = first.lowerBound - left.run.upperBound == 1 && !hasNumbers(left.run)
      if left.growsRight || isNext {
        parts[parts.count - 1].whole = parts[parts.count - 1].whole.lowerBound..<rest.upperBound
      } else {
        parts.append(Part(run: rest, whole: rest, words: [], isNameless: true))
      }
    }
    return parts
  }

  private mutating func place(_ nameless: [Range<Int>], between parts: inout [Part], and right: inout Part) {
    guard let first = nameless.first, let last = nameless.last else { return }
    let all = first.lowerBound..<last.upperBound
    let rightGap = right.run.lowerBound - all.upperBound
    guard let left = parts.last else {
      if rightGap == 1, right.growsLeft, !right.growsRight, isAdjacent(all, right.run) {
        right.whole = all.lowerBound..<right.whole.upperBound
      } else {
        parts.append(Part(run: all, whole: all, words: [], isNameless: true))
      }
      return
    }
    let leftGap = all.lowerBound - left.whole.upperBound
    let isLeft: Bool
    switch (left.growsRight && !endsEvenly(left.run), right.growsLeft) {
    case (true, false): isLeft = true
    case (false, true) where isAdjacent(all, right.run): isLeft = false
    case (true, true) where leftGap != rightGap: isLeft = leftGap < rightGap
    default:
      isDoubtful = true
      isLeft = true
    }
    if isLeft {
      parts[parts.count - 1].whole = left.whole.lowerBound..<all.upperBound
    } else {
      right.whole = all.lowerBound..<right.whole.upperBound
    }
  }

  /// Returns whether all values in a range end with it and some are shorter, as numbers are.
  private func endsEvenly(_ range: Range<Int>) -> Bool {
    rows.allSatisfy { $0.count >= range.upperBound && !$0[range.upperBound - 1].isWhitespace }
      && rows.contains { $0[range.lowerBound].isWhitespace }
  }

  /// Returns whether most values in a range begin like numbers.
  private func hasNumbers(_ range: Range<Int>) -> Bool {
    let values = rows.map { [Self.text($0, range)] }
    return !SafeFields.numeric(values, least: 1).isEmpty
  }

  /// Returns whether at most two blanks separate the ranges in each line with values in both.
  ///
  /// Such gaps also occur between words in one value.
  private func isAdjacent(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
    rows.allSatisfy { row in
      guard let last = Self.slice(row, left).lastIndex(where: { !$0.isWhitespace }),
        let first = Self.slice(row, right).firstIndex(where: { !$0.isWhitespace })
      else { return true }
      return first - last <= 3
    }
  }

  /// Builds the columns from runs separated by blanks in all lines.
  private mutating func findColumns(_ runs: [Range<Int>]) {
    // Whether the last column is a word without values and the next word continues its name: “Local
    // Address:Port”.
    var isPending = false
    var hasValues = false
    let parts = parts(runs)
    let isTight = isTight(parts)
    let filled = parts.lastIndex { part in rows.contains { Self.slice($0, part.whole).contains { !$0.isWhitespace } } }
    for (index, part) in parts.enumerated() {
      // Names behind the last value are columns of their own where single blanks separate columns.
      if isTight, index > filled ?? 0, part.words.count == 1 { isPending = false }
      let hasValue = rows.contains { Self.slice($0, part.whole).contains { !$0.isWhitespace } }
      let isJoined: Bool =
        if let word = part.words.first {
          !word.beginsColumn
            && (isPending
              || (hasValue ? isGlued(word, part.run) : hasValues && !isTight && !parts[index - 1].isRightAligned))
        } else {
          false
        }
      if isJoined, let last = columns.last {
        columns[columns.count - 1] = last.lowerBound..<part.whole.upperBound
        isPending = isPending && !hasValue
        hasValues = hasValues || hasValue
      } else {
        columns.append(part.whole)
        isPending = !hasValue && part.words.contains { header[$0.range].contains(where: \.isLowercase) }
        hasValues = hasValue
      }
      take(part.words, of: part.run)
    }
  }

  /// Returns whether single blanks separate columns: two names so close have values of their own.
  private func isTight(_ parts: [Part]) -> Bool {
    let hasValue = parts.map { part in rows.contains { Self.slice($0, part.whole).contains { !$0.isWhitespace } } }
    return parts.indices.dropFirst().contains { index in
      guard let word = parts[index].words.first, !word.beginsColumn else { return false }
      return hasValue[index] && hasValue[index - 1] && !isGlued(word, parts[index].run)
    }
  }

  /// Handles a run with several words: names that belong together, or values that were shifted.
  private mutating func take(_ own: ArraySlice<Word>, of run: Range<Int>) {
    guard own.count >= 2, let name = own.first else { return }
    if own.dropFirst().contains(where: \.beginsColumn) {
      isStraight = false
      // Names separated by one blank could be one column or several.
      if own.contains(where: { !$0.beginsColumn }) { isDoubtful = true }
      let last = columns.removeLast()
      let starts =
        [last.lowerBound] + own.dropFirst().filter(\.beginsColumn).map(\.range.lowerBound) + [last.upperBound]
      columns += zip(starts, starts.dropFirst()).map { $0..<$1 }
    } else {
      // Two values below names separated by one blank.
      let hasGap = rows.contains { row in
        Self.words(Array(Self.slice(row, run))).dropFirst().contains(where: \.beginsColumn)
      }
      if hasGap { isDoubtful = true }
      // As many values as words that do not start below the name are separate columns.
      let start = name.range.lowerBound
      let isLeft = rows.allSatisfy { start >= $0.count || Self.begins(at: start, in: $0) }
      let isMany = rows.allSatisfy { Self.wordCount(Self.slice($0, run)) >= own.count }
      if isMany, !isLeft {
        isStraight = false
        isCrowded = true
      }
    }
  }

  /// Returns whether a word continues the previous name.
  ///
  /// It follows a slash in the name (`USAGE / LIMIT`) or in a value (`1kB / 2kB`), or it is only a
  /// sign: `CPU %`.
  private func isGlued(_ word: Word, _ run: Range<Int>) -> Bool {
    let isSign = { (range: Range<Int>) in !header[range].contains { $0.isLetter || $0.isNumber } }
    let previous = words.last { $0.range.upperBound <= word.range.lowerBound }
    if isSign(word.range) || previous.map({ header[$0.range] == ["/"] }) ?? false { return true }
    return rows.contains { row in
      let last = row.prefix(run.lowerBound).lastIndex { !$0.isWhitespace }
      let first = row.dropFirst(run.lowerBound).firstIndex { !$0.isWhitespace }
      return [last, first].contains { $0.map { Self.isDivider($0, row) } ?? false }
    }
  }

  /// Returns whether a slash has one blank on either side, unlike the path `/` in a column.
  private static func isDivider(_ place: Int, _ row: [Character]) -> Bool {
    guard row[place] == "/", place >= 2, place + 2 < row.count else { return false }
    return row[place - 1].isWhitespace && !row[place - 2].isWhitespace && row[place + 1].isWhitespace
      && !row[place + 2].isWhitespace
  }

  /// Returns the runs of positions that are not blank in all lines.
  private static func runs(_ lines: [[Character]]) -> [Range<Int>] {
    var isFilled = [Bool](repeating: false, count: lines.map(\.count).max() ?? 0)
    for line in lines {
      for (place, character) in line.enumerated() where !character.isWhitespace { isFilled[place] = true }
    }
    return isFilled.indices.split { !isFilled[$0] }.map { $0.startIndex..<$0.endIndex }
  }

  /// Returns where columns begin: behind two positions or more that are blank in all lines.
  ///
  /// The first column must have a value in nearly all lines, and the last one in half of them.
  static func starts(_ lines: [[Character]]) -> [Int] {
    var columns: [Range<Int>] = []
    for run in runs(lines) {
      if let last = columns.last, run.lowerBound - last.upperBound < 2 {
        columns[columns.count - 1] = last.lowerBound..<run.upperBound
      } else {
        columns.append(run)
      }
    }
    let counts = columns.map { column in lines.count { slice($0, column).contains { !$0.isWhitespace } } }
    guard let first = counts.first, let last = counts.last, first * 5 >= lines.count * 4, last * 2 >= lines.count else {
      return []
    }
    return columns.map(\.lowerBound)
  }

  // MARK: Text

  static func words(_ line: [Character]) -> [Word] {
    line.split(whereSeparator: \.isWhitespace).map { word in
      let start = word.startIndex
      let isFirst = !line[..<start].contains { !$0.isWhitespace }
      return Word(range: start..<word.endIndex, beginsColumn: isFirst || line[start - 2].isWhitespace)
    }
  }

  /// Returns whether consecutive blanks separate some words.
  static func hasGaps(_ text: String) -> Bool { words(Array(text)).dropFirst().contains(where: \.beginsColumn) }

  /// Returns whether the text can be a column name.
  ///
  /// The first word must contain a letter, unlike a date, and begin with no bracket or dash. The
  /// text must not end in a colon.
  static func canName(_ name: String) -> Bool {
    guard let word = name.split(separator: " ").first else { return true }
    guard !isQuantity(word), !isDuration(word), !name.contains("="), !name.contains("://"), !name.contains("[-"),
      word.first != "/" || word.count == 1
    else {
      return false
    }
    if isHash(word) || isVersion(word) { return false }
    return word.first != "[" && word.first != "-" && !name.hasSuffix(":")
      && (word.contains(where: \.isLetter) || word == "#" || word == "%")
  }

  /// Returns whether a word is a checksum, an object of `git` or an address.
  private static func isHash(_ word: Substring) -> Bool {
    word.utf8.count >= 7 && word.contains(where: \.isNumber)
      && word.allSatisfy { $0.isHexDigit && !$0.isUppercase || $0 == ":" }
  }

  /// Returns whether a word begins with two numbers and a point: `6.6.4-5+b1`, `10.0.0.1/8`.
  private static func isVersion(_ word: Substring) -> Bool {
    let rest = word.drop { $0.isNumber }
    return rest.count < word.count && rest.first == "." && rest.dropFirst().first?.isNumber ?? false
  }

  /// Returns whether a word is a duration of several units: `0m0.8s`.
  private static func isDuration(_ word: Substring) -> Bool {
    word.first?.isNumber ?? false && word.count { $0.isLetter } > 1 && TextQuantity.duration(String(word)) != nil
  }

  /// Returns whether a word is an amount with a unit: `4.0K`, `12GiB`.
  static func isQuantity(_ word: Substring) -> Bool {
    let number = word.prefix { $0.isNumber || $0 == "." || $0 == "," }
    let unit = word.dropFirst(number.count)
    return !number.isEmpty && number.first != "." && unit.count <= 3 && unit.allSatisfy { "kKMGTPEiBbms".contains($0) }
      && !unit.isEmpty
  }

  /// Returns whether these can be the names of the values: a text that a tenth of the rows repeat
  /// is a value.
  static func canName(_ names: [String], _ rows: [[String]]) -> Bool {
    names.indices.allSatisfy { index in
      // The state `S` of a process is as likely below a name `S`.
      names[index].isEmpty || (names[index].count == 1 && names.count >= 4)
        || rows.count { $0 != names && index < $0.count && $0[index] == names[index] } * 10 < max(1, rows.count)
    }
  }

  /// The placeholder after a wide character when its width counts.
  private static let filler: Character = "\0"

  static func characters(of line: String, _ countsWidth: Bool) -> [Character] {
    countsWidth ? line.flatMap { isWide($0) ? [$0, filler] : [$0] } : Array(line)
  }

  /// Returns whether terminals draw the character two cells wide: East Asian characters and emoji.
  static func isWide(_ character: Character) -> Bool {
    guard let scalar = character.unicodeScalars.first, scalar.value >= 0x1100 else { return false }
    return switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }

  private static func slice(_ line: [Character], _ range: Range<Int>) -> ArraySlice<Character> {
    line[min(range.lowerBound, line.count)..<min(range.upperBound, line.count)]
  }

  static func text(_ line: [Character], _ range: Range<Int>) -> String {
    String(trimmed(slice(line, range)).filter { $0 != filler })
  }

  static func trimmed(_ text: ArraySlice<Character>) -> ArraySlice<Character> {
    guard let first = text.firstIndex(where: { !$0.isWhitespace }),
      let last = text.lastIndex(where: { !$0.isWhitespace })
    else { return [] }
    return text[first...last]
  }
}
