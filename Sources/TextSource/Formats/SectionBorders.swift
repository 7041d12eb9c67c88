/// The borders between several tables in one output.
enum SectionBorders {
  /// Returns whether a line repeats at least two names of a header, as the header of another table
  /// does.
  static func isHeader(_ line: String, like header: String) -> Bool {
    guard line.utf8.count <= 400 else { return false }
    // Rows may share words in small letters.
    let names = names(in: header)
    let words = names.isEmpty ? [] : self.names(in: line)
    let common = names.intersection(words).count
    return common >= 2 && common * 4 >= min(names.count, words.count)
  }

  /// Returns whether a line is only a date and a time, as `iostat -t` prints above each table.
  static func isTime(_ line: String) -> Bool {
    guard line.utf8.count <= 40 else { return false }
    let words = line.split(separator: " ")
    guard (2...3).contains(words.count), words.count == 2 || words[2] == "AM" || words[2] == "PM" else { return false }
    return zip(words, ["-/.", ":"]).allSatisfy { word, marks in
      word.count { marks.contains($0) } == 2 && word.allSatisfy { $0.isASCII && $0.isNumber || marks.contains($0) }
    }
  }

  /// Returns whether a line and a header have at least two words in common.
  static func sharesNames(_ line: String, _ header: String) -> Bool {
    let words = Set(line.split(whereSeparator: \.isWhitespace))
    return words.intersection(header.split(whereSeparator: \.isWhitespace)).count >= 2
  }

  private static func names(in line: String) -> Set<Substring> {
    Set(line.split(whereSeparator: \.isWhitespace).filter { $0.first?.isUppercase ?? false })
  }

  /// Returns whether each line of names is followed by one of as many numbers that begins with the
  /// same word.
  static func areNamesAndValues(_ lines: [String]) -> Bool {
    let filled = lines.lazy.filter { $0.utf8.contains { $0 > 0x20 } }
    let rows = Array(filled.prefix(8)).map { $0.split(separator: " ") }
    guard rows.count >= 2, let first = rows[0].first, first.hasSuffix(":"), rows[0].count >= 3 else { return false }
    return stride(from: 0, to: rows.count - 1, by: 2).allSatisfy { index in
      let (names, values) = (rows[index], rows[index + 1])
      return names.first == values.first && names.count == values.count
        && values.dropFirst().allSatisfy { $0.first?.isNumber ?? false || $0.first == "-" }
    }
  }

  /// Returns the end of the first table if another header follows it without a blank line.
  static func end(of lines: [String]) -> Int {
    let lines = lines.map(AlignedColumns.withoutTime)
    let filled = lines.indices.filter { lines[$0].utf8.contains { $0 > 0x20 } }
    for (title, place) in filled.prefix(AlignedColumns.titleLines + 1).enumerated()
    where !AlignedColumns.isRuler(lines[place]) {
      for next in filled.dropFirst(title + 2)
      where lines[next] == lines[place] || isHeader(lines[next], like: lines[place]) {
        // The titles above the header are as many as above the first one, or at least one line
        // without gaps.
        let isTitled = title > 0 || !AlignedHeader.hasGaps(lines[next - 1])
        return max(place + 2, next - max(title, isTitled ? 1 : 0))
      }
    }
    return lines.count
  }
}
