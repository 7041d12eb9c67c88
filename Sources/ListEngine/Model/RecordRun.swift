/// Consecutive records of a changeset, valid only while the changeset's buffers are accessible.
struct RecordRun {
  let records: UnsafeBufferPointer<Changeset.Record>
  /// The cells of the whole changeset.
  let cells: UnsafeBufferPointer<Changeset.PackedCell>
  /// The payload bytes of the whole changeset.
  let bytes: UnsafeRawBufferPointer

  @inline(__always) var count: Int { records.count }
  @inline(__always) subscript(_ place: Int) -> Changeset.Record { records[place] }

  @inline(__always) subscript(_ places: Range<Int>) -> RecordRun {
    RecordRun(records: UnsafeBufferPointer(rebasing: records[places]), cells: cells, bytes: bytes)
  }

  /// Returns the cells of one record.
  @inline(__always) func cells(of place: Int) -> UnsafeBufferPointer<Changeset.PackedCell> {
    let (first, count) = (records[place].firstCell, Int(records[place].cellCount))
    return UnsafeBufferPointer(rebasing: cells[first..<first + count])
  }

  /// Returns the number of leading records that are upserts of `width` contiguous cells each, at
  /// most `most`.
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

  /// Returns the cells of one column.
  ///
  /// - Precondition: The records are whole rows of `width` contiguous cells each; see
  ///   ``wholeRows(of:atMost:)``.
  @inline(__always) func column(_ number: Int, of width: Int) -> CellRun {
    let start = cells.baseAddress.unsafelyUnwrapped + records[0].firstCell + number
    // Without payload bytes all texts are empty, and the base address does not matter.
    return CellRun(
      first: start, stride: width, count: records.count, bytes: bytes.baseAddress ?? UnsafeRawPointer(start))
  }
}

/// The cells of one column in at most 64 consecutive rows, so that a predicate's results fit into a
/// 64-bit mask.
struct CellRun {
  let first: UnsafePointer<Changeset.PackedCell>
  /// The distance from one cell to the next, in cells.
  let stride: Int
  let count: Int
  /// The base address of the texts.
  let bytes: UnsafeRawPointer

  @inline(__always) subscript(_ place: Int) -> Changeset.PackedCell { first[place * stride] }

  @inline(__always) func forEach(_ body: (Int, Changeset.PackedCell) -> Void) {
    var cell = first
    for place in 0..<count {
      body(place, cell.pointee)
      cell += stride
    }
  }

  /// Calls `body` with the cells at these places.
  @inline(__always) func forEach(among places: UInt64, _ body: (Int, Changeset.PackedCell) -> Void) {
    if places == .max { return forEach(body) }
    forEachBit(of: count < 64 ? places & (1 << UInt64(count) - 1) : places) { body($0, self[$0]) }
  }

  /// Returns a mask whose bit *k* is set if the *k*-th cell is at one of these places and satisfies
  /// the predicate.
  @inline(__always) func mask(
    among places: UInt64, where isSo: (Int, Changeset.PackedCell) -> Bool
  ) -> UInt64 {
    var mask: UInt64 = 0
    forEach(among: places) { mask |= (isSo($0, $1) ? 1 : 0) &<< UInt64($0) }
    return mask
  }

  /// Returns a mask whose bit *k* is set if the *k*-th cell satisfies the predicate.
  @inline(__always) func mask(where isSo: (Int, Changeset.PackedCell) -> Bool) -> UInt64 {
    var mask: UInt64 = 0
    forEach { mask |= (isSo($0, $1) ? 1 : 0) &<< UInt64($0) }
    return mask
  }

  /// Returns the bytes of a text, image key or series.
  @inline(__always) func text(_ cell: Changeset.PackedCell) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: bytes + Int(cell.payload), count: Int(cell.length))
  }
}
