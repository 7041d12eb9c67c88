import ListEngine

/// Records of several lines, and lines that match a pattern.
extension TextReader {
  /// The maximum number of lines in one record.
  private static let recordLines = 500
  /// The maximum size of a joined value in bytes, well below the limit of a cell.
  private static let recordBytes = 32 << 10

  /// Reads a line by the pattern.
  ///
  /// A line without a match continues the record before it, or is kept whole in a column `line`.
  mutating func readMatching(_ line: String, _ number: Int) {
    guard let matcher, line.utf8.contains(where: { $0 > 0x20 }), !matcher.skips(line) else { return }
    if let fields = matcher.fields(of: line) {
      let row: InferredTable.UntypedRow = matcher.names.compactMap { name in
        let value = fields.first { $0.name == name }?.value
        return value.map { (name, .text($0)) } ?? (groups.contains(name) ? (name, .null) : nil)
      }
      return pattern?.joinsLines ?? false ? begin(row, number) : add(.row(row, place: "line \(number)"))
    }
    guard !(pattern?.joinsLines ?? false && append(line)) else { return }
    add(.row([("line", .text(line))], place: "line \(number)"))
  }

  /// Begins a record that later lines may continue.
  mutating func begin(_ row: InferredTable.UntypedRow, _ number: Int) {
    flushPending()
    pending = (row, "line \(number)")
    pendingLines = 1
  }

  /// Adds a line of a stack trace to the record before it; returns false for other lines.
  mutating func continuePending(_ line: String) -> Bool {
    // The line that names the error follows the trace of Python without a blank.
    let isTrace = LinePattern.continues(line) || (pendingLines > 1 && isPythonTrace && !line.contains(" INFO "))
    return isTrace && append(line)
  }

  private var isPythonTrace: Bool {
    guard case .text(let text)? = pending?.row.last?.value else { return false }
    guard let trace = text.firstRange(of: "Traceback (") else { return false }
    return text[trace.upperBound...].split(separator: "\n").last?.hasPrefix(" ") ?? false
  }

  private mutating func append(_ line: String) -> Bool {
    guard var row = pending?.row, let last = row.last, case .text(let text) = last.value,
      pendingLines < Self.recordLines, text.utf8.count + line.utf8.count < Self.recordBytes
    else { return false }
    row[row.count - 1].value = .text(text + "\n" + line)
    pending?.row = row
    pendingLines += 1
    return true
  }

  /// Emits the record that was kept for further lines.
  mutating func flushPending() {
    guard let (row, place) = pending else { return }
    pending = nil
    pendingLines = 0
    add(.row(row, place: place))
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

/// A filter for programs that print a summary above each table: `top -b` and `iostat`.
struct SummaryFilter {
  private enum Program { case top, sysstat }
  private var program: Program?
  private var hasBegun = false
  /// Whether lines of a summary follow.
  private var isAbove = false

  /// Returns whether a line belongs to the summary, or is blank between tables.
  mutating func skips(_ line: UnsafeRawBufferPointer) -> Bool {
    guard !hasBegun || program != nil else { return false }
    let isBlank = !line.contains { $0 > 0x20 }
    if !hasBegun, !isBlank {
      hasBegun = true
      if line.starts(with: "top - ".utf8) { program = .top }
      if line.starts(with: "Linux ".utf8), String(decoding: line, as: UTF8.self).hasSuffix("CPU)") {
        program = .sysstat
        return true
      }
    }
    switch program {
    case nil: return false
    case .top:
      if line.starts(with: "top - ".utf8) { isAbove = true }
      if isAbove, String(decoding: line, as: UTF8.self).contains("PID ") { isAbove = false }
      return isAbove || isBlank
    case .sysstat:
      // The averages of all processors are two lines above the devices.
      let isAverage = line.starts(with: "avg-cpu:".utf8)
      defer { if !isBlank { isAbove = isAverage } }
      return isAverage || isAbove || isBlank
    }
  }
}

/// Columns of well-known commands whose numbers have a unit that their output does not state.
enum KnownHeaders {
  /// Returns the declarations for the names in a header.
  static func hints(_ names: [String]) -> [String: ColumnHint] {
    let known = Set(names)
    var hints: [String: ColumnHint] = [:]
    func declare(_ names: String..., kind: ColumnKind) { for name in names { hints[name] = ColumnHint(kind) } }
    if known.contains("PID") || known.contains("%MEM") { declare("VSZ", "RSS", kind: .bytes(1024)) }
    if known.isSuperset(of: ["VIRT", "RES", "SHR"]) {
      declare("VIRT", "RES", "SHR", kind: .bytes(1024))
      declare("%CPU", "%MEM", kind: .percent)
    }
    if known.contains("USER"), known.contains("%CPU"), known.contains("%MEM") {
      declare("%CPU", "%MEM", kind: .percent)
    }
    if known.contains("1K-blocks") { declare("1K-blocks", "Used", "Available", kind: .bytes(1024)) }
    if known.contains("buff/cache") {
      declare("total", "used", "free", "shared", "buff/cache", "available", kind: .bytes(1024))
    }
    if known.isSuperset(of: ["Filename", "Type", "Size", "Used"]) { declare("Size", "Used", kind: .bytes(1024)) }
    return hints
  }
}
