/// Which rows a list that is being loaded again has named, and in which order.
final class Reload {
  /// The named rows in their order, as runs of slots one behind the other: a list that is as it was is one run.
  private var runs: [Range<UInt32>] = []
  private var named: [UInt64] = []
  private var lastLabel: UInt64 = 0
  /// Whether the rows were named in the order that they have.
  private(set) var isInOrder = true
  /// How many rows of the table it has named.
  private(set) var rows = 0
  /// What they weigh.
  var bytes = 0

  /// The commit before the one with which the list begins.
  let before: UInt32

  /// A list that will probably be as long as it was.
  init(slots: UInt32, before: UInt32) {
    named = [UInt64](repeating: 0, count: Int(slots) / 64 + 1)
    self.before = before
  }

  /// Whether the list has not named this row yet.
  func isFirst(_ slot: UInt32) -> Bool { unnamed(from: slot) > 0 }

  /// How many rows from this slot on the list has not named yet, up to the next multiple of 64 at most.
  @inline(__always) func unnamed(from slot: UInt32) -> Int {
    let word = Int(slot) >> 6
    let rest = 64 - Int(slot & 63)
    return word < named.count ? min(rest, (named[word] >> UInt64(slot & 63)).trailingZeroBitCount) : rest
  }

  /// Notes that the list has named this row, for the first time.
  func name(_ slot: UInt32, label: UInt64, weight: Int) {
    var label = label
    name(slot..<slot + 1, labels: &label, weight: weight)
  }

  /// Notes that the list has named these rows, which have these labels, one after the other and for the first time.
  ///
  /// - Precondition: They are all below the next multiple of 64 from the first one on.
  @inline(__always) func name(_ slots: Range<UInt32>, labels: UnsafePointer<UInt64>, weight: Int) {
    rows += slots.count
    bytes += weight
    let word = Int(slots.lowerBound) >> 6
    if word >= named.count {
      named.append(contentsOf: repeatElement(0, count: max(word + 1 - named.count, named.count)))
    }
    named[word] |= (.max >> UInt64(64 - slots.count)) << UInt64(slots.lowerBound & 63)
    if let last = runs.last, last.upperBound == slots.lowerBound {
      runs[runs.count - 1] = last.lowerBound..<slots.upperBound
    } else {
      runs.append(slots)
    }
    for place in 0..<slots.count {
      if labels[place] <= lastLabel { isInOrder = false }
      lastLabel = labels[place]
    }
  }

  /// A row has another place in the order than when it was named, or than it would have been.
  func noteMove() { isInOrder = false }

  /// Forgets a row that is removed in the middle of the list.
  ///
  /// - Precondition: The list has named it.
  func forget(_ slot: UInt32, weight: Int) {
    rows -= 1
    bytes -= weight
    named[Int(slot) >> 6] &= ~(1 << UInt64(slot & 63))
  }

  /// The slots in the order in which the list named them. A row that was forgotten and named again stands in it twice.
  var order: [UInt32] {
    var order: [UInt32] = []
    order.reserveCapacity(runs.reduce(0) { $0 + $1.count })
    for run in runs { order.append(contentsOf: run) }
    return order
  }

  /// The slots below `end` that the list has not named.
  ///
  /// - Complexity: O(end / 64 + slots).
  func forEachUnnamed(below end: UInt32, _ body: (UInt32) -> Void) {
    for word in 0..<(Int(end) + 63) / 64 {
      var unnamed = word < named.count ? ~named[word] : .max
      while unnamed != 0 {
        let slot = UInt32(word * 64 + unnamed.trailingZeroBitCount)
        guard slot < end else { return }
        unnamed &= unnamed - 1
        body(slot)
      }
    }
  }
}

extension Table {
  /// Removes the rows that the list did not name, and takes over its order with as few moves as can be.
  ///
  /// - Complexity: O(1) when the list is as it was; O(rows); O(rows log rows) when the order has changed.
  func endReload() {
    guard let reload else { return }
    self.reload = nil
    if count > reload.rows {
      reload.forEachUnnamed(below: slots) { slot in
        if isAlive(slot) { remove(slot) }
      }
    }
    if reload.isInOrder { return }
    var order = reload.order
    if order.count != count {
      // A row removed and named again in the middle of the list stands in it twice: its last place counts.
      var last: [UInt32: Int] = [:]
      for (place, slot) in order.enumerated() { last[slot] = place }
      order = order.enumerated().filter { isAlive($1) && last[$1] == $0 }.map(\.element)
    }
    take(order: order, since: reload.before)
  }

  /// Gives the rows this order. What came since that commit has no place of its own yet: the others decide which of them can stay.
  private func take(order: [UInt32], since commit: UInt32) {
    neighbours = nil
    // The places in `order` of rows that were there before, and those that can stay of them.
    var places: [Int32] = []
    var known: [UInt64] = []
    places.reserveCapacity(order.count)
    known.reserveCapacity(order.count)
    for (place, slot) in order.enumerated() where !isNew(slot, since: commit) {
      places.append(Int32(truncatingIfNeeded: place))
      known.append(labels[slot])
    }
    let staying = longestIncreasingRun(known)
    var label: UInt64 = 0
    var first = 0
    for index in places.indices where staying[index] {
      let place = Int(places[index])
      guard spread(order[first..<place], between: label, and: known[index]) else { return relabel(order) }
      label = known[index]
      first = place + 1
    }
    let rest = order[first...]
    // At the end there is always room.
    _ = spread(rest, between: label, and: label + UInt64(rest.count + 1) * Self.labelGap)
    if let last = order.last { lastLabel = max(lastLabel, labels[last]) }
  }

  /// Gives rows labels between two others, unless they have such; says no when there is no room.
  private func spread(_ slots: ArraySlice<UInt32>, between below: UInt64, and above: UInt64) -> Bool {
    var label = below
    if slots.allSatisfy({ slot in
      defer { label = labels[slot] }
      return label < labels[slot] && labels[slot] < above
    }) {
      return true
    }
    let step = (above - below) / UInt64(slots.count + 1)
    guard step > 0 else { return false }
    label = below
    for slot in slots {
      label += step
      labels[slot] = label
      // What came with this commit has been noted already, and nobody has looked since.
      if births[slot] != self.commit { log.note(slot, columns: ChangeLog.everything) }
    }
    return true
  }
}
