/// Batch operations on many rows of one column, without per-cell lookups, calls or type checks.
extension ColumnStore {
  /// The cell kind of this column.
  ///
  /// Cells can also be null, and integers in a column of numbers.
  var kind: Changeset.Kind {
    switch type {
    case .integer: .integer
    case .number: .number
    case .text: .text
    case .boolean: .boolean
    case .timestamp: .timestamp
    case .image: .image
    case .series: .series
    }
  }

  /// Whether the column stores this value in this slot.
  ///
  /// - Precondition: The column does not store texts.
  func holds(_ cell: Changeset.PackedCell, at slot: UInt32) -> Bool {
    if cell.kind == .null { return isNull(slot) }
    return accepts(cell.kind) && words[slot] == word(of: cell) && !isNull(slot)
  }

  /// Returns a mask of the cells that differ from the values stored from slot `first` on.
  ///
  /// - Precondition: All slots are below the next multiple of 64.
  @inline(__always) func differing(_ cells: CellRun, from first: UInt32) -> UInt64 {
    let kind = kind
    if let texts {
      let stored = numbers.pointer(first)
      return texts._withUnsafeGuaranteedRef { pool in
        cells.mask { place, cell in
          let number = stored[place]
          guard cell.kind == kind else { return cell.kind != .null || number != TextPool.none }
          return number == TextPool.none || !pool.isText(number, cells.bytes + Int(cell.payload), Int(cell.length))
        }
      }
    }
    let stored = words.pointer(first)
    // The bit pattern of null can also be a valid number, so check these cells individually.
    var unsure = cells.mask { place, cell in
      cell.kind != kind || cell.payload != stored[place] || cell.payload == Self.nullWord
    }
    var differing: UInt64 = 0
    while unsure != 0 {
      let place = unsure.trailingZeroBitCount
      unsure &= unsure - 1
      if !holds(cells[place], at: first + UInt32(place)) { differing |= 1 << UInt64(place) }
    }
    return differing
  }

  /// Returns a mask of the cells that do not fit the column's type, exceed `limit` bytes, or are
  /// not valid UTF-8.
  ///
  /// See ``accepts(_:)``.
  @inline(__always) func unfit(_ cells: CellRun, limit: Int) -> UInt64 {
    let kind = kind
    guard isText else {
      return cells.mask { _, cell in
        cell.kind != kind && cell.kind != .null && !(type == .number && cell.kind == .integer)
      }
    }
    return cells.mask { _, cell in
      guard cell.kind == kind else { return cell.kind != .null }
      return cell.length > limit || (kind != .series && !isUTF8(cells.text(cell)))
    }
  }

  /// Stores fitting cells in the empty slots from `first` on.
  ///
  /// - Precondition: All slots are below the next multiple of 64.
  @inline(__always) func fill(_ cells: CellRun, from first: UInt32) {
    if let texts {
      let stored = numbers.pointer(first)
      return texts._withUnsafeGuaranteedRef { pool in
        cells.forEach { place, cell in
          if cell.kind != .null { stored[place] = pool.take(cells.text(cell)) }
        }
      }
    }
    let stored = words.pointer(first)
    cells.forEach { place, cell in stored[place] = word(of: cell) }
    guard type == .integer || type == .timestamp else { return }
    cells.forEach { place, cell in
      if cell.payload == Self.nullWord && cell.kind != .null {
        leastValues.pointee.insert(first + UInt32(place))
      }
    }
  }

  /// Returns the total size of these cells' texts in bytes, where nulls count zero.
  @inline(__always) func textBytes(_ cells: CellRun) -> Int {
    guard isText else { return 0 }
    var sum = 0
    cells.forEach { sum &+= Int($1.length) }
    return sum
  }
}
