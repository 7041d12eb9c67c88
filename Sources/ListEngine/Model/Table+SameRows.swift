extension Table {
  /// Applies leading records that are whole rows, most of them in slot order, as in most reloads.
  ///
  /// Returns the number of records applied.
  ///
  /// Rows are compared column by column; unchanged rows need no further work.
  ///
  /// - Complexity: O(cells).
  func takeSameRows(_ records: RecordRun) -> Int {
    // The load state of deferred cells is not covered by a comparison of values.
    guard records[0].verb == .upsert, deferred == nil, let run = keys.run(of: records, width: givenColumns)
    else { return 0 }
    var own = records[0..<run.count]
    var differing: UInt64 = 0
    for number in 0..<givenColumns {
      differing |= columns[number].differing(own.column(number, of: givenColumns), from: run.first)
    }
    if run.others != 0 {
      if let taken = takeMixedRows(own, run, differing: differing & ~run.others) { return taken }
      own = own[0..<run.others.trailingZeroBitCount]
    }
    let reload = reload
    var place = 0
    while place < own.count {
      let same = min(own.count - place, (differing >> UInt64(place)).trailingZeroBitCount)
      nameSame(own[place..<place + same], from: run.first + UInt32(place), reload)
      place += same
      guard place < own.count else { break }
      replace(own[place], run.first + UInt32(place), cells: own.cells(of: place), bytes: own.bytes)
      place += 1
    }
    keys.expect(run.first + UInt32(own.count))
    return own.count
  }

  /// Marks unchanged rows as named if a reload is in progress.
  @inline(__always) private func nameSame(_ records: RecordRun, from first: UInt32, _ reload: Reload?) {
    guard records.count > 0, let reload else { return }
    let slots = first..<first + UInt32(records.count)
    if reload.nameTogether(
      slots, labels: labels.pointer(first), weight: weight(of: records), rowLimit: rowLimit, byteLimit: byteLimit)
    {
      return
    }
    // There may not be room for all of them, or a key is named twice.
    for place in 0..<records.count {
      replace(records[place], first + UInt32(place), cells: records.cells(of: place), bytes: records.bytes)
    }
  }

  /// Returns the weight of valid whole rows.
  @inline(__always) func weight(of records: RecordRun) -> Int {
    var weight = rowWeight * records.count
    for number in 0..<givenColumns { weight += columns[number].textBytes(records.column(number, of: givenColumns)) }
    if schema.key == .text { for record in records.records { weight += Int(record.key.length) } }
    return weight
  }

  // MARK: Among new and moved rows

  /// Applies leading records of a run in which some rows are new or have another slot, as in a
  /// reload that replaces, inserts and moves rows.
  ///
  /// `differing` has the places of the rows in slot order that change. Returns the number of
  /// records applied, or `nil` if the first other row must be applied individually.
  ///
  /// New rows are stored column by column.
  private func takeMixedRows(_ records: RecordRun, _ run: KeyIndex.Run, differing: UInt64) -> Int? {
    // No row of a mixed run is rejected, except for a key that is named twice.
    var unfit: UInt64 = 0
    for number in 0..<givenColumns {
      unfit |= columns[number].unfit(
        records.column(number, of: givenColumns), among: differing | run.others, limit: limits.cellBytes)
    }
    let fitting = records[0..<min(records.count, unfit.trailingZeroBitCount)]
    let (rows, bytes) = reload.map { ($0.rows, $0.bytes) } ?? (count, self.bytes)
    guard fitting.count > run.others.trailingZeroBitCount, fitting.count <= rowLimit - rows,
      weight(of: fitting) <= byteLimit - bytes
    else { return nil }
    return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { slots in
      let slots = slots.baseAddress.unsafelyUnwrapped
      let (taken, new) = findOthers(fitting, run, slots)
      guard taken > run.others.trailingZeroBitCount else { return nil }
      let own = fitting[0..<taken]
      if new != 0 { insert(own, new, at: slots) }
      name(own, run, slots, differing: differing, new: new)
      keys.expect(run.first + UInt32(taken))
      return taken
    }
  }

  /// Finds the slots of the rows that are not in slot order, and inserts the keys of new ones.
  ///
  /// Returns the number of leading records that can be applied together, and the places of the new
  /// rows among them.
  private func findOthers(
    _ records: RecordRun, _ run: KeyIndex.Run, _ slots: UnsafeMutablePointer<UInt32>
  ) -> (count: Int, new: UInt64) {
    var count = records.count
    var new: UInt64 = 0
    keys.fetch(records, records.count < 64 ? run.others & (1 << UInt64(records.count) - 1) : run.others)
    var others = run.others
    // Rows must be inserted individually if one may revive a tombstone or evict another row.
    let mayInsert = arrivals == nil && !keys.hasDeleted
    let mayExtend = mayInsert && !hasFreeSlots
    if mayExtend { makeRoom() }
    var next = self.slots
    defer { if mayExtend { useSlots(below: next) } }
    var fetched: UInt64 = 0
    defer { self.fetched = fetched }
    while others != 0 {
      let place = others.trailingZeroBitCount
      others &= others - 1
      guard place < count else { break }
      guard let key = keys.probe(records[place].key, bytes: records.bytes, limit: limits.cellBytes) else {
        return (place, new)
      }
      if let slot = keys.slot(of: key) {
        slots[place] = slot
        // Its cells are compared later.
        for number in 0..<givenColumns { fetched &+= columns[number].stored(slot) }
        // A row that is compared in its slot must not be named by another record before.
        let own = Int(slot) - Int(run.first)
        guard own >= 0, own < count, run.others & 1 << UInt64(own) == 0 else { continue }
        count = max(place, own)
      } else {
        guard mayInsert else { return (place, new) }
        let slot: UInt32
        if mayExtend {
          // There is room up to the next multiple of 64.
          if next & 63 == 0, next > self.slots { return (place, new) }
          slot = next
          next += 1
        } else {
          slot = freeSlot()
        }
        keys.insert(key, slot: slot)
        slots[place] = slot
        new |= 1 << UInt64(place)
      }
    }
    return (count, new)
  }

  /// Stores new rows, whose keys are in the index already, in empty slots.
  private func insert(_ records: RecordRun, _ new: UInt64, at slots: UnsafePointer<UInt32>) {
    for number in 0..<givenColumns {
      columns[number].fill(records.column(number, of: givenColumns), new, at: slots)
    }
    appendRows(new, at: slots)
  }

  /// Applies the records of a run whose new rows are stored already, and marks the rows as named if
  /// a reload is in progress.
  private func name(
    _ records: RecordRun, _ run: KeyIndex.Run, _ slots: UnsafePointer<UInt32>, differing: UInt64, new: UInt64
  ) {
    let others = differing | run.others
    let reload = reload
    var place = 0
    while place < records.count {
      let same = min(records.count - place, (others >> UInt64(place)).trailingZeroBitCount)
      nameSame(records[place..<place + same], from: run.first + UInt32(place), reload)
      place += same
      guard place < records.count else { break }
      let bit: UInt64 = 1 << UInt64(place)
      let slot = run.others & bit != 0 ? slots[place] : run.first + UInt32(place)
      let own = records[place..<place + 1]
      if new & bit != 0 {
        reload?.name(slot, label: labels[slot], isNew: true, weight: weight(of: own))
      } else if run.others & bit != 0, reload?.isFirst(slot) ?? true, isSame(own, as: slot) {
        reload?.name(slot, label: labels[slot], isNew: false, weight: weight(of: own))
      } else {
        replace(own[0], slot, cells: own.cells(of: 0), bytes: own.bytes)
      }
      place += 1
    }
  }

  /// Whether a row has the cells of a single record.
  private func isSame(_ record: RecordRun, as slot: UInt32) -> Bool {
    for number in 0..<givenColumns
    where columns[number].differing(record.column(number, of: givenColumns), from: slot) != 0 { return false }
    return true
  }
}
