import ListEngine

extension RowSnapshot {
  /// Returns the encoded cells, from the row's cache if it was encoded before at this revision.
  func encodedCells(counting counts: inout EncodingCounts) -> EncodedRow {
    if let encoded {
      counts.sharedRows += 1
      return encoded
    }
    counts.rows += 1
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
  /// Appends the state of a deferred cell, or of a row that is not loaded.
  mutating func missing(_ why: Missing) {
    switch why {
    case .pending: object { $0.member("pending", true) }
    case .failed(let reason): object { $0.member("failed", reason) }
    }
  }
}

extension EncodedRow {
  /// Appends the encoded cell of `column`.
  func append(cell column: Int, to writer: inout JSONWriter) {
    let start = column == 0 ? 0 : Int(ends[column - 1])
    bytes.withUnsafeBufferPointer {
      writer.bytes.append(contentsOf: UnsafeBufferPointer(rebasing: $0[start..<Int(ends[column])]))
    }
  }

  /// Appends all encoded cells, separated by commas.
  func appendAll(to writer: inout JSONWriter) {
    for column in ends.indices {
      if column > 0 { writer.byte(",") }
      append(cell: column, to: &writer)
    }
  }
}
