/// The values of a section, written by a page, as cells of the columns grouped by; `nil` when no section can have them.
func sectionPath(_ written: [Cell], of columns: [ColumnType]) -> [Cell]? {
  guard (1...max(1, columns.count)).contains(written.count), written.count <= columns.count else { return nil }
  var path: [Cell] = []
  for (value, type) in zip(written, columns) {
    guard let cell = cell(value, of: type) else { return nil }
    path.append(cell)
  }
  return path
}

/// One value, written by a page, as a cell of this type.
private func cell(_ written: Cell, of type: ColumnType) -> Cell? {
  switch (written, type) {
  case (.null, _), (.text, .text), (.boolean, .boolean), (.integer, .integer): return written
  case (.text(let text), .image): return .image(text)
  // Whole numbers beyond 2^53 travel as texts.
  case (.text(let text), .integer): return Int64(text).map { .integer($0) }
  case (.number(let value), .integer): return Int64(exactly: value).map { .integer($0) }
  case (.integer(let value), .number): return .number(Double(value))
  case (.number(let value), .number): return .number(value == 0 ? 0 : value)
  case (.integer(let milliseconds), .timestamp):
    let (nanoseconds, overflows) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    return overflows ? nil : .timestamp(nanoseconds)
  case (.number(let milliseconds), .timestamp):
    let whole = milliseconds.rounded(.down)
    guard let base = Int64(exactly: whole) else { return nil }
    let (nanoseconds, overflows) = base.multipliedReportingOverflow(by: 1_000_000)
    let (sum, overflowsToo) = nanoseconds.addingReportingOverflow(Int64(((milliseconds - whole) * 1_000_000).rounded()))
    return overflows || overflowsToo ? nil : .timestamp(sum)
  default: return nil
  }
}
