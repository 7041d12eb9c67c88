/// Some records of a changeset, one behind the other, with what they are made of. It is good as long as the changeset's buffers are open.
struct RecordRun {
  let records: UnsafeBufferPointer<Changeset.Record>
  /// The cells of the whole changeset.
  let cells: UnsafeBufferPointer<Changeset.PackedCell>
  /// The bytes of the whole changeset.
  let bytes: UnsafeRawBufferPointer

  @inline(__always) var count: Int { records.count }
  @inline(__always) subscript(_ place: Int) -> Changeset.Record { records[place] }

  @inline(__always) subscript(_ places: Range<Int>) -> RecordRun {
    RecordRun(records: UnsafeBufferPointer(rebasing: records[places]), cells: cells, bytes: bytes)
  }

  /// The cells of one record.
  @inline(__always) func cells(of place: Int) -> UnsafeBufferPointer<Changeset.PackedCell> {
    let (first, count) = (records[place].firstCell, Int(records[place].cellCount))
    return UnsafeBufferPointer(rebasing: cells[first..<first + count])
  }

  /// How many records from the first one on are whole rows of so many cells, which lie behind one another; at most `most`.
  @inline(__always) func wholeRows(of width: Int, atMost most: Int) -> Int {
    var length = 0
    var cell = records[0].firstCell
    while length < min(most, count), records[length].verb == .upsert, records[length].firstCell == cell,
      Int(records[length].cellCount) == width
    {
      length += 1
      cell += width
    }
    return length
  }

  /// The cells of one column.
  ///
  /// - Precondition: The records are whole rows of so many cells, which lie behind one another; see ``wholeRows(of:atMost:)``.
  @inline(__always) func column(_ number: Int, of width: Int) -> CellRun {
    let start = cells.baseAddress.unsafelyUnwrapped + records[0].firstCell + number
    // Without any bytes no text has one: then it does not matter where they would be.
    return CellRun(
      first: start, stride: width, count: records.count, bytes: bytes.baseAddress ?? UnsafeRawPointer(start))
  }
}

/// The cells of one column in some rows that follow one another, at most 64: what is found out about them fits into the bits of a word.
struct CellRun {
  let first: UnsafePointer<Changeset.PackedCell>
  /// How far one cell is from the next.
  let stride: Int
  let count: Int
  /// Where texts lie.
  let bytes: UnsafeRawPointer

  @inline(__always) subscript(_ place: Int) -> Changeset.PackedCell { first[place * stride] }

  @inline(__always) func forEach(_ body: (Int, Changeset.PackedCell) -> Void) {
    var cell = first
    for place in 0..<count {
      body(place, cell.pointee)
      cell += stride
    }
  }

  /// A word with bit k set when the k-th cell is so.
  @inline(__always) func mask(where isSo: (Int, Changeset.PackedCell) -> Bool) -> UInt64 {
    var mask: UInt64 = 0
    forEach { mask |= (isSo($0, $1) ? 1 : 0) &<< UInt64($0) }
    return mask
  }

  /// The bytes of a cell that is a text, an image key or a series.
  @inline(__always) func text(_ cell: Changeset.PackedCell) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: bytes + Int(cell.payload), count: Int(cell.length))
  }
}
