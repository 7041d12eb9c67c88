import ListEngine

/// The encoded cells of a row in one buffer, with the end offset of each cell.
///
/// A row keeps it in ``RowSnapshot/attachment``. All messages that show this revision share it, and
/// it is freed together with the snapshot.
final class EncodedRow: ManagedBuffer<EncodedCells, Int32> {
  /// Returns the encoding of `count` cells. `encode` appends one of them.
  static func make(_ count: Int, encode: (_ column: Int, _ writer: inout JSONWriter) -> Void) -> EncodedRow {
    var writer = JSONWriter()
    writer.bytes.reserveCapacity(count * 12)
    let made = create(minimumCapacity: count) { _ in EncodedCells(count: count) }
    made.withUnsafeMutablePointerToElements { ends in
      for column in 0..<count {
        encode(column, &writer)
        (ends + column).initialize(to: Int32(writer.bytes.count))
      }
    }
    made.header.bytes = writer.bytes
    return unsafeDowncast(made, to: EncodedRow.self)
  }

  /// Appends the encoded cell of `column`.
  func append(cell column: Int, to writer: inout JSONWriter) {
    withUnsafeMutablePointers { cells, ends in
      precondition(0..<cells.pointee.count ~= column, "cell \(column) of \(cells.pointee.count)")
      let start = column == 0 ? 0 : Int(ends[column - 1])
      cells.pointee.bytes.withUnsafeBufferPointer {
        writer.bytes.append(contentsOf: UnsafeBufferPointer(rebasing: $0[start..<Int(ends[column])]))
      }
    }
  }

  /// Appends all encoded cells, separated by commas.
  func appendAll(to writer: inout JSONWriter) {
    for column in 0..<header.count {
      if column > 0 { writer.byte(",") }
      append(cell: column, to: &writer)
    }
  }
}

/// The bytes of a row's cells, without separators, and the number of cells.
struct EncodedCells {
  var bytes: [UInt8] = []
  let count: Int

  init(count: Int) { self.count = count }
}

extension RowSnapshot {
  /// Returns the encoded cells, which are encoded once for each revision of the row.
  func encodedCells(counting counts: inout EncodingCounts) -> EncodedRow {
    if let encoded = attachment as? EncodedRow {
      counts.sharedRows += 1
      return encoded
    }
    counts.rows += 1
    let made = EncodedRow.make(cells.count) { column, writer in
      if let why = missing(column) { writer.missing(why) } else { writer.cell(cells[column]) }
    }
    attachment = made
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
