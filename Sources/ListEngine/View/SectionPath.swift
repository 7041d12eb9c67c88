/// Returns the path of a section with values converted from a client's message to the columns'
/// types.
///
/// Returns `nil` if no section can have these values.
func sectionPath(_ written: [Cell], of columns: [ColumnType]) -> [Cell]? {
  guard (1...max(1, columns.count)).contains(written.count), written.count <= columns.count else { return nil }
  var path: [Cell] = []
  for (value, type) in zip(written, columns) {
    guard let cell = cell(value, of: type) else { return nil }
    path.append(cell)
  }
  return path
}

/// Returns a value from a client's message as a cell of this type, or `nil` if it does not fit.
private func cell(_ written: Cell, of type: ColumnType) -> Cell? {
  switch (written, type) {
  case (.null, _), (.text, .text), (.boolean, .boolean), (.integer, .integer), (.timestamp, .timestamp),
    (.image, .image):
    return written
  case (.text(let text), .image): return .image(text)
  // Integers beyond 2^53 are sent as texts.
  case (.text(let text), .integer): return Int64(text).map { .integer($0) }
  case (.number(let value), .integer):
    return Written.whole(value).flatMap { Double($0) == value ? .integer($0) : nil }
  case (.integer(let value), .number): return .number(Double(value))
  case (.number(let value), .number): return .number(value == 0 ? 0 : value)
  case (.integer, .timestamp), (.number, .timestamp), (.text, .timestamp):
    return Written.nanoseconds(written).map { .timestamp($0) }
  default: return nil
  }
}
