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
          return number == TextPool.none
            || !pool.isText(number, cells.bytes, after: Int(cell.payload), Int(cell.length))
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
  /// not valid UTF-8, among those at these places.
  ///
  /// See ``accepts(_:)``.
  @inline(__always) func unfit(_ cells: CellRun, among places: UInt64 = .max, limit: Int) -> UInt64 {
    let kind = kind
    guard isText else {
      return cells.mask(among: places) { _, cell in
        cell.kind != kind && cell.kind != .null && !(type == .number && cell.kind == .integer)
      }
    }
    return cells.mask(among: places) { _, cell in
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

  /// Stores the fitting cells at these places in empty slots.
  @inline(__always) func fill(_ cells: CellRun, _ places: UInt64, at slots: UnsafePointer<UInt32>) {
    if let texts {
      return texts._withUnsafeGuaranteedRef { pool in
        cells.forEach(among: places) { place, cell in
          if cell.kind != .null { numbers[slots[place]] = pool.take(cells.text(cell)) }
        }
      }
    }
    let hasLeastValues = type == .integer || type == .timestamp
    cells.forEach(among: places) { place, cell in
      words[slots[place]] = word(of: cell)
      if hasLeastValues, cell.payload == Self.nullWord, cell.kind != .null {
        leastValues.pointee.insert(slots[place])
      }
    }
  }

  /// Returns the stored word or text number.
  @inline(__always) func stored(_ slot: UInt32) -> UInt64 { isText ? UInt64(numbers[slot]) : words[slot] }

  /// Clears the cells of deleted rows.
  ///
  /// `rows` has a bit for each slot from `first` on, a multiple of 64.
  func clear(_ first: UInt32, _ rows: UInt64) {
    if let texts {
      let stored = numbers.pointer(first)
      return texts._withUnsafeGuaranteedRef { pool in
        forEachBit(of: rows) { place in
          if stored[place] != TextPool.none { pool.release(stored[place]) }
          stored[place] = TextPool.none
        }
      }
    }
    let (stored, null) = (words.pointer(first), type == .number ? Self.nullNumber : Self.nullWord)
    forEachBit(of: rows) { stored[$0] = null }
    if !leastValues.pointee.isEmpty { forEachBit(of: rows) { leastValues.pointee.remove(first + UInt32($0)) } }
  }

  /// Returns the total size of these cells' texts in bytes, where nulls count zero.
  @inline(__always) func textBytes(_ cells: CellRun) -> Int {
    guard isText else { return 0 }
    var sum = 0
    cells.forEach { sum &+= Int($1.length) }
    return sum
  }
}
