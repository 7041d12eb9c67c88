extension Table {
  /// Moves a row directly before another one.
  ///
  /// - Complexity: O(1). Building the linked list costs O(rows log rows) on the first move, also
  ///   after a reload that reorders. A move costs O(rows) if no label is free between its
  ///   neighbors.
  func move(_ slot: UInt32, before other: UInt32) {
    let order = neighbours ?? findNeighbours()
    order.remove(slot)
    order.insert(slot, before: other)
    let below = order.previous(slot).map { labels[$0] } ?? 0
    let room = labels[other] - below
    if room < 2 { relabel(order) } else { labels[slot] = below + room / 2 }
  }

  /// Moves a row to the end.
  func moveToEnd(_ slot: UInt32) {
    lastLabel += Self.labelGap
    labels[slot] = lastLabel
    neighbours?.remove(slot)
    neighbours?.append(slot)
  }

  private func findNeighbours() -> SlotList {
    let order = SlotList()
    order.grow(to: labels.count)
    for slot in (0..<slots).filter({ isAlive($0) }).sorted(by: { labels[$0] < labels[$1] }) { order.append(slot) }
    neighbours = order
    return order
  }

  private func relabel(_ order: SlotList) {
    var slots: [UInt32] = []
    slots.reserveCapacity(order.count)
    var slot = order.first
    while let some = slot {
      slots.append(some)
      slot = order.next(some)
    }
    relabel(slots)
  }

  /// Reassigns the labels of all rows in this order.
  ///
  /// The caller logs rows that change their relative position.
  func relabel(_ order: [UInt32]) {
    for (place, slot) in order.enumerated() {
      labels[slot] = UInt64(place + 1) * Self.labelGap
    }
    lastLabel = UInt64(order.count) * Self.labelGap
    relabelings += 1
  }

  /// Checks that the linked list contains all rows in label order.
  func checkNeighbours() {
    #if CHECK_INVARIANTS
      guard let neighbours else { return }
      neighbours.checkInvariants()
      precondition(neighbours.count == count, "\(neighbours.count) rows have neighbours, of \(count)")
      var slot = neighbours.first
      while let some = slot {
        let next = neighbours.next(some)
        precondition(isAlive(some), "slot \(some) has neighbours, but holds no row")
        precondition(next.map { labels[some] < labels[$0] } ?? true, "slot \(some) has a label out of order")
        slot = next
      }
    #endif
  }
}
