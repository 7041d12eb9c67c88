/// A filter of slots that loads its inputs once for many rows.
struct Sieve {
  let filter: RowFilter
  let changed: ChangedRows
  let comparator: RowComparator
  let labels: Chunked<UInt64>

  /// Finds the matching rows in a range of slots that are all below the next multiple of 64.
  ///
  /// Returns the slot at which it stopped: the end, or where a limit of filter work or new
  /// collation keys was reached.
  func find(
    _ rows: inout SlotBlock, from start: UInt32, to end: UInt32, work: Int, collationKeys: Int
  ) -> UInt32 {
    let labels = labels.pointer(start)
    let (isFiltered, isCollated, hasChanges) = (!filter.isEmpty, comparator.isCollated, changed.word(of: start) != 0)
    rows.count = 0
    guard isFiltered || isCollated || hasChanges else {
      for place in 0..<Int(end - start) {
        // Without a branch, because free slots are in no order.
        rows.slots[rows.count] = start + UInt32(place)
        rows.count += labels[place] != 0 ? 1 : 0
      }
      return end
    }
    if !rows.crossings.isEmpty { rows.crossings.removeAll(keepingCapacity: true) }
    for slot in start..<end where labels[Int(slot - start)] != 0 {
      if hasChanges && changed.contains(slot) { continue }
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
      rows.slots[rows.count] = slot
      rows.count += 1
    }
    return end
  }
}
