extension Table {
  /// Applies leading records that are whole rows in slot order, as in most reloads.
  ///
  /// Returns the number of records applied.
  ///
  /// Rows are compared column by column; unchanged rows need no further work.
  ///
  /// - Complexity: O(cells).
  func takeSameRows(_ records: RecordRun) -> Int {
    // The load state of deferred cells is not covered by a comparison of values.
    guard records[0].verb == .upsert, deferred == nil, var slots = keys.run(of: records, width: givenColumns)
    else { return 0 }
    if let reload {
      // Key duplicates are rejected with their reason when applied individually.
      slots = slots.prefix(reload.unnamed(from: slots.lowerBound))
      guard !slots.isEmpty else { return 0 }
    }
    let own = records[0..<slots.count]
    var differing: UInt64 = 0
    for number in 0..<givenColumns {
      differing |= columns[number].differing(own.column(number, of: givenColumns), from: slots.lowerBound)
    }
    var place = 0
    while place < slots.count {
      let same = min(slots.count - place, (differing >> UInt64(place)).trailingZeroBitCount)
      nameSame(own[place..<place + same], from: slots.lowerBound + UInt32(place))
      place += same
      guard place < slots.count else { break }
      replace(own[place], slots.lowerBound + UInt32(place), cells: own.cells(of: place), bytes: own.bytes)
      place += 1
    }
    return slots.count
  }

  /// Marks unchanged rows as named if a reload is in progress.
  @inline(__always) private func nameSame(_ records: RecordRun, from first: UInt32) {
    guard records.count > 0, let reload else { return }
    let weight = weight(of: records)
    if records.count <= rowLimit - reload.rows && weight <= byteLimit - reload.bytes {
      return reload.name(
        first..<first + UInt32(records.count), labels: labels.pointer(first), areNew: false, weight: weight)
    }
    // There may not be room for all of them.
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
}
