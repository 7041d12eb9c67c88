/// Joins the lines of a stack trace to the record before them.
struct TraceJoiner {
  /// The maximum number of lines in one record.
  static let recordLines = 500
  /// The maximum size of a joined value in bytes, well below the limit of a cell.
  static let recordBytes = 32 << 10

  /// Whether lines of plain text are joined.
  var isOn = false
  /// The record that the next lines may continue.
  private(set) var pending: (row: InferredTable.UntypedRow, place: String)?
  /// The number of lines in the pending record.
  private var count = 0

  /// Begins a record that later lines may continue.
  mutating func begin(_ row: InferredTable.UntypedRow, _ number: Int, into found: inout [TextReader.Found]) {
    flush(into: &found)
    pending = (row, "line \(number)")
    count = 1
  }

  /// Adds a line of a stack trace to the record before it; returns false for other lines.
  mutating func continues(with line: String) -> Bool {
    // The line that names the error follows the trace of Python without a blank.
    let isTrace = LinePattern.continues(line) || (count > 1 && isPythonTrace && !line.contains(" INFO "))
    return isTrace && append(line)
  }

  private var isPythonTrace: Bool {
    guard case .text(let text)? = pending?.row.last?.value else { return false }
    guard let trace = text.firstRange(of: "Traceback (") else { return false }
    return text[trace.upperBound...].split(separator: "\n").last?.hasPrefix(" ") ?? false
  }

  /// Adds a line to the last value of the record; returns false when there is none or it is full.
  mutating func append(_ line: String) -> Bool {
    guard var row = pending?.row, let last = row.last, case .text(let text) = last.value,
      count < Self.recordLines, text.utf8.count + line.utf8.count < Self.recordBytes
    else { return false }
    row[row.count - 1].value = .text(text + "\n" + line)
    pending?.row = row
    count += 1
    return true
  }

  /// Emits the record that was kept for further lines.
  mutating func flush(into found: inout [TextReader.Found]) {
    guard let (row, place) = pending else { return }
    pending = nil
    count = 0
    found.append(.row(row, place: place))
  }

  /// Returns whether lines contain stack traces.
  static func hasTraces(_ lines: [String]) -> Bool {
    lines.dropFirst().contains { line in
      let text = line.drop { $0 == " " || $0 == "\t" }
      guard text.startIndex > line.startIndex else {
        return line.hasPrefix("Caused by:") || line.hasPrefix("Traceback (")
      }
      return text.hasPrefix("at ") || text.hasPrefix("File \"")
    }
  }
}
