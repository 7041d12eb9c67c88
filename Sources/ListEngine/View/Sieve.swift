/// A filter of slots that loads its inputs once for many rows.
struct Sieve {
  let filter: RowFilter
  let changed: ChangedRows
  let comparator: RowComparator
  let labels: Chunked<UInt64>
  /// Whether every slot had a row when the build began, so that only changed rows can be gone.
  let isDense: Bool

  /// Finds the matching rows in a range of slots that are all below the next multiple of 64.
  ///
  /// Returns the slot at which it stopped: the end, or where a limit of filter work or new
  /// collation keys was reached.
  func find(_ rows: inout SlotBlock, from start: UInt32, to end: UInt32, work: Int, collationKeys: Int) -> UInt32 {
    let base = start & ~63
    var found = isDense ? UInt64.max >> UInt64(64 - (end - start)) : living(from: start, to: end)
    found = found << UInt64(start - base) & ~changed.word(of: start)
    if !rows.crossings.isEmpty { rows.crossings.removeAll(keepingCapacity: true) }
    let (isFiltered, isCollated) = (!filter.isEmpty && !filter.testsBlocks, comparator.isCollated)
    if !isFiltered { found = filter.matching(found, from: base) }
    guard isFiltered || isCollated else {
      rows.set(base: base, mask: found)
      return end
    }
    var (matching, left): (UInt64, UInt64) = (0, found)
    defer { rows.set(base: base, mask: matching) }
    while left != 0 {
      let slot = base + UInt32(left.trailingZeroBitCount)
      let bit = left & (0 &- left)
      left ^= bit
      if isFiltered {
        guard filter.work < work, let isShown = filter.lets(slot, until: work) else { return slot }
        if filter.isRelative, filter.crossing != .max { rows.crossings.append((slot, filter.crossing)) }
        guard isShown else { continue }
      }
      // Make all keys here, so that sorting makes none.
      if isCollated {
        guard comparator.collationKeysMade < collationKeys else { return slot }
        comparator.makeCollationKeys(slot)
      }
      matching |= bit
    }
    return end
  }

  /// Returns the slots with a row as bits counted from `start`.
  @inline(__always) private func living(from start: UInt32, to end: UInt32) -> UInt64 {
    let (labels, count) = (labels.pointer(start), Int(end - start))
    var living: UInt64 = 0
    for place in 0..<count { living |= (labels[place] != 0 ? 1 : 0) << UInt64(place) }
    return living
  }

  /// Checks that the rows found exist.
  func checkInvariants(_ rows: SlotBlock) {
    #if CHECK_INVARIANTS
      for place in 0..<rows.count {
        precondition(labels[rows.slots[place]] != 0, "slot \(rows.slots[place]) is free, but no row of it has changed")
      }
    #endif
  }
}
