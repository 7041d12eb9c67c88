/// One column's part in taking many rows at a time: nothing is looked up, called or decided for each cell that could be for all of them.
extension ColumnStore {
  /// The kind that cells of this column have, but for nulls and whole numbers among numbers.
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

  /// Whether a cell says what the column, one without texts, holds in this slot.
  func holds(_ cell: Changeset.PackedCell, at slot: UInt32) -> Bool {
    if cell.kind == .null { return isNull(slot) }
    return accepts(cell.kind) && words[slot] == word(of: cell) && !isNull(slot)
  }

  /// Which of these cells say something else than the column holds in the slots from `first` on.
  ///
  /// - Precondition: The slots are all below the next multiple of 64.
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
    // The word of a null may be a number as well: which one it is, is found out more slowly.
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

  /// Which of these cells the column does not take: see ``accepts(_:)``; or texts of more than `limit` bytes, or that are not UTF-8.
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

  /// Stores cells that it takes in the slots from `first` on, which are empty.
  ///
  /// - Precondition: The slots are all below the next multiple of 64.
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

  /// How many bytes the texts of these cells have; nulls have none.
  @inline(__always) func textBytes(_ cells: CellRun) -> Int {
    guard isText else { return 0 }
    var sum = 0
    cells.forEach { sum &+= Int($1.length) }
    return sum
  }
}
