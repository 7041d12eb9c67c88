import ListEngine

extension RowSnapshot {
  /// The bytes of the row's cells: made once, and kept as long as the row at this revision.
  func encodedCells() -> EncodedRow {
    if let encoded { return encoded }
    var writer = JSONWriter()
    writer.bytes.reserveCapacity(cells.count * 12)
    var ends: [Int32] = []
    ends.reserveCapacity(cells.count)
    for (column, cell) in cells.enumerated() {
      if let why = missing(column) { writer.missing(why) } else { writer.cell(cell) }
      ends.append(Int32(writer.bytes.count))
    }
    let made = EncodedRow(bytes: writer.bytes, ends: ends)
    encoded = made
    return made
  }
}

extension JSONWriter {
  /// A cell of a deferred column that shows no value, or the cells of a row that is not there.
  mutating func missing(_ why: Missing) {
    switch why {
    case .pending: raw("{\"pending\":true}")
    case .failed(let reason):
      raw("{\"failed\":")
      text(reason)
      byte("}")
    }
  }
}

extension EncodedRow {
  /// Appends one cell.
  func append(cell column: Int, to writer: inout JSONWriter) {
    let start = column == 0 ? 0 : Int(ends[column - 1])
    bytes.withUnsafeBufferPointer {
      writer.bytes.append(contentsOf: UnsafeBufferPointer(rebasing: $0[start..<Int(ends[column])]))
    }
  }

  /// Appends all cells with commas between them.
  func appendAll(to writer: inout JSONWriter) {
    for column in ends.indices {
      if column > 0 { writer.byte(",") }
      append(cell: column, to: &writer)
    }
  }
}
