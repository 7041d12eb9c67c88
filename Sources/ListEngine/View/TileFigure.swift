/// The aggregate of a column over the rows that a ``Tile`` counts, updated in place.
///
/// Tables change in place, so it stores the value that each row contributed. In contrast to
/// ``Aggregation`` there is one column and no section.
final class TileFigure {
  private let function: Aggregate.Function
  private let column: ColumnStore
  private var tally: Tally
  /// The values as keys whose least one is the result; `nil` for other functions than the minimum
  /// and the maximum.
  private let extreme: LeastOfSlots?
  /// The bits by which keys of ``extreme`` differ from values.
  private let mask: UInt64
  /// The value that each row contributed; not used with ``extreme``.
  private let words = Chunked<UInt64>(filler: 0)
  /// Whether each row contributed a value.
  private let isAdded = Chunked<Bool>(filler: false)
  /// The contributed texts, because a text may be gone from its column before it is removed here.
  private let texts: TextPool?
  private var count = 0
  /// The columns that affect the result, as a bit set; see ``ChangeLog/Entry/columns``.
  let interest: UInt64

  /// Creates the figure of no rows.
  ///
  /// - Precondition: The function needs no order of the rows.
  init(_ aggregate: Aggregate, table: Table) {
    function = aggregate.function
    column = table.columns[aggregate.column]
    var needs = Tally.Needs(column.type)
    let isExtreme = function == .min || function == .max
    if !isExtreme { needs.add(function) }
    tally = Tally(needs)
    extreme = isExtreme ? LeastOfSlots() : nil
    mask = function == .max ? .max : 0
    texts = column.isText ? TextPool(hasher: table.hasher, mayStopSharing: false) : nil
    interest = 1 << UInt64(aggregate.column & 63)
  }

  deinit {
    words.deallocate()
    isAdded.deallocate()
  }

  /// Makes room for this many slots.
  func grow(to slots: Int) {
    isAdded.grow(to: slots)
    if let extreme { extreme.grow(to: slots) } else { words.grow(to: slots) }
  }

  /// Counts a row as it is now, instead of what it contributed before.
  ///
  /// - Complexity: O(log rows), and that of hashing a text.
  func put(_ slot: UInt32) {
    guard !column.isNull(slot) else { return take(slot) }
    let wasAdded = isAdded[slot]
    if !wasAdded {
      isAdded[slot] = true
      count += 1
    }
    if let extreme { return extreme.set(slot, to: column.sortKey(slot, descending: false) ^ mask) }
    let word = texts.map { UInt64($0.take(column.bytes(slot))) } ?? column.sortKey(slot, descending: false)
    let before = words[slot]
    if !wasAdded || word != before {
      words[slot] = word
      tally.add(word)
      if wasAdded { tally.remove(before) }
    }
    if wasAdded { texts?.release(UInt32(truncatingIfNeeded: before)) }
  }

  /// Removes what a row contributed.
  func take(_ slot: UInt32) {
    guard isAdded[slot] else { return }
    isAdded[slot] = false
    count -= 1
    if let extreme { return extreme.set(slot, to: LeastOfSlots.none) }
    tally.remove(words[slot])
    texts?.release(UInt32(truncatingIfNeeded: words[slot]))
  }

  /// The result.
  ///
  /// - Complexity: O(log rows).
  var value: Cell {
    guard let extreme else { return tally.value(function) }
    return tally.cell(count == 0 ? nil : extreme.least ^ mask)
  }

  /// Checks that each of these rows has contributed its cell unless it is null.
  func checkInvariants(rows: [UInt32]) {
    #if CHECK_INVARIANTS
      let added = rows.count { isAdded[$0] }
      let wanted = rows.count { !column.isNull($0) }
      precondition(added == wanted && added == count, "a tile has added \(count) cells of \(wanted)")
      texts?.checkInvariants()
      tally.checkInvariants()
      guard let extreme else { return }
      extreme.checkInvariants()
      let least = rows.lazy.filter { !self.column.isNull($0) }.map {
        self.column.sortKey($0, descending: false) ^ self.mask
      }
      precondition(extreme.least == least.min() ?? LeastOfSlots.none, "a tile has another least value")
    #endif
  }
}
