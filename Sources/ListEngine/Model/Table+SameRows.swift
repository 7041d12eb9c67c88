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
    // The rows from `first` on are as they were, so far as they were looked at.
    var first = 0
    for place in 0..<slots.count where !isSame(own, place, slots.lowerBound + UInt32(place)) {
      nameSame(own[first..<place], from: slots.lowerBound + UInt32(first))
      replace(own[place], slots.lowerBound + UInt32(place), cells: own.cells(of: place), bytes: own.bytes)
      first = place + 1
    }
    nameSame(own[first..<slots.count], from: slots.lowerBound + UInt32(first))
    return slots.count
  }

  /// Whether a whole row says what the slot holds.
  @inline(__always) private func isSame(_ records: RecordRun, _ place: Int, _ slot: UInt32) -> Bool {
    if Int(slot) / Chunked<UInt64>.chunkSize != comparedChunk { compareAround(slot) }
    let cells = records.cells.baseAddress.unsafelyUnwrapped + records[place].firstCell
    // Without any bytes no text has one: then it does not matter where they would be.
    let bytes = records.bytes.baseAddress ?? UnsafeRawPointer(cells)
    for number in 0..<comparers.count where !comparers[number].isSame(cells[number], bytes: bytes, at: slot) {
      return false
    }
    return true
  }

  /// Notes, while a list is being loaded again, that it has named rows that stay as they are.
  @inline(__always) private func nameSame(_ records: RecordRun, from first: UInt32) {
    guard records.count > 0, let reload else { return }
    let weight = weight(of: records)
    if records.count <= rowLimit - reload.rows && weight <= byteLimit - reload.bytes {
      return reload.name(first..<first + UInt32(records.count), labels: labels.pointer(first), weight: weight)
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
