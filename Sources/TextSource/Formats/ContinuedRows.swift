/// Rows of aligned columns, of which each may continue on the next line.
struct ContinuedRows {
  private var open: (fields: [String], names: [String], title: String?, number: Int, details: String)?
  private var lines = 0
  /// Whether rows are held back for lines that continue them.
  var continues = false
  /// Whether rows are held back for the details below them.
  var hasDetails = false
  /// Whether a line has continued a row.
  private(set) var hasContinued = false
  /// Whether there was a row.
  private(set) var hasBegun = false
  /// A value of the first column that is wider than it, so that the rest of the row follows below.
  private var wrapped: (word: String, number: Int)?

  /// Whether a row waits for more lines.
  var isWaiting: Bool { open != nil || wrapped != nil }

  /// Adds a row.
  ///
  /// A line with values only in columns behind the first one, and only where the row above has
  /// some, belongs to that row.
  mutating func add(
    _ fields: [String], _ names: [String], _ title: String?, _ number: Int, canContinue: Bool,
    into found: inout [TextReader.Found]
  ) {
    var fields = fields
    var number = number
    if let (word, place) = wrapped, fields.first == "" {
      wrapped = nil
      fields[0] = word
      number = place
    } else if canContinue, continues, var row = open, belongs(fields, to: row.fields) {
      for (index, field) in fields.enumerated() where !field.isEmpty { row.fields[index] += "\n" + field }
      open = row
      lines += 1
      hasContinued = true
      return
    }
    flush(into: &found)
    open = (fields, names, title, number, "")
    lines = 1
    hasBegun = true
    if !continues, !hasDetails { flush(into: &found) }
  }

  /// Adds the text of a line below a row to the row; returns false without a row.
  mutating func addDetail(_ line: String) -> Bool {
    guard var row = open, lines < TraceJoiner.recordLines, row.details.utf8.count < TraceJoiner.recordBytes else {
      return false
    }
    row.details += (row.details.isEmpty ? "" : "\n") + String(AlignedHeader.trimmed(Array(line)[...]))
    open = row
    lines += 1
    return true
  }

  private func belongs(_ fields: [String], to row: [String]) -> Bool {
    guard lines < TraceJoiner.recordLines, fields.count == row.count, fields.first == "" else { return false }
    let filled = fields.indices.filter { !fields[$0].isEmpty }
    return filled.count == 1 && !row[0].isEmpty && !row[filled[0]].isEmpty
      && row[filled[0]].utf8.count < TraceJoiner.recordBytes
  }

  /// Keeps a value for the line below it.
  mutating func wrap(_ word: String, _ number: Int, into found: inout [TextReader.Found]) {
    flush(into: &found)
    wrapped = (word, number)
  }

  /// Emits what waits for more lines.
  mutating func flush(into found: inout [TextReader.Found]) {
    if let (fields, names, title, number, details) = open {
      var row: InferredTable.UntypedRow = zip(names, fields).map { ($0, .text($1)) }
      if hasDetails { row.append((TextReader.unique(names + ["details"]).last!, .text(details))) }
      let section: InferredTable.UntypedRow = title.map { [("section", .text($0))] } ?? []
      found.append(.row(section + row, place: "line \(number)"))
    }
    open = nil
    if let (word, number) = wrapped { found.append(.row([("line", .text(word))], place: "line \(number)")) }
    wrapped = nil
  }
}
