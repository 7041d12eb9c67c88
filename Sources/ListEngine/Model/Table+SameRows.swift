extension Table {
  /// Takes whole rows that are named in the order of their slots, as most are when a list is loaded again, so far as they go: those that
  /// are as they were are compared column by column, and cost nothing else. The result is how many records it has taken.
  ///
  /// - Complexity: O(cells).
  func takeSameRows(_ records: RecordRun) -> Int {
    // Whether a deferred cell is told or left out makes a difference even where its value does not.
    guard records[0].verb == .upsert, deferred == nil, var slots = keys.run(of: records, width: columns.count)
    else { return 0 }
    if let reload {
      // One that is named twice is rejected with its reason elsewhere.
      slots = slots.prefix(reload.unnamed(from: slots.lowerBound))
      guard !slots.isEmpty else { return 0 }
    }
    let own = records[0..<slots.count]
    var differing: UInt64 = 0
    for number in 0..<columns.count {
      differing |= columns[number].differing(own.column(number, of: columns.count), from: slots.lowerBound)
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

  /// Notes, while a list is being loaded again, that it has named rows that stay as they are.
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

  /// What whole rows weigh that fit.
  @inline(__always) func weight(of records: RecordRun) -> Int {
    var weight = rowWeight * records.count
    for number in 0..<columns.count { weight += columns[number].textBytes(records.column(number, of: columns.count)) }
    if schema.key == .text { for record in records.records { weight += Int(record.key.length) } }
    return weight
  }
}
