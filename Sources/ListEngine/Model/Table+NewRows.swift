extension Table {
  /// Inserts leading records that are whole rows with new keys, column by column.
  ///
  /// Returns the number of records inserted; 0 means that the first one must be applied
  /// individually.
  ///
  /// - Precondition: The first record's key is new.
  /// - Complexity: O(cells) of the rows inserted.
  func takeNewRows(_ records: RecordRun) -> Int {
    // Rows must be applied individually if one may revive a tombstone, evict another row or have
    // deferred cells.
    guard !mayReuseSlots, arrivals == nil, deferred == nil else { return 0 }
    let room = rowLimit - (reload?.rows ?? count)
    guard room > 0 else { return 0 }
    makeRoom()
    let most = min(newRowsAtOnce, 64 - Int(slots & 63), room)
    let rows = records[0..<records.wholeRows(of: givenColumns, atMost: most)]
    guard rows.count > 0 else { return 0 }
    var unfit: UInt64 = 0
    for number in 0..<givenColumns {
      unfit |= columns[number].unfit(rows.column(number, of: givenColumns), limit: limits.cellBytes)
    }
    var taken = min(rows.count, unfit.trailingZeroBitCount)
    let fitting = rows[0..<taken]
    if taken > 0, weight(of: fitting) <= byteLimit - (reload?.bytes ?? bytes) {
      taken = keys.insertNew(fitting, limit: limits.cellBytes, from: slots)
      if taken > 0 { append(rows[0..<taken]) }
    } else {
      taken = 0
    }
    newRowsAtOnce = taken == most ? min(64, max(newRowsAtOnce, most * 2)) : max(1, taken)
    return taken
  }
}
