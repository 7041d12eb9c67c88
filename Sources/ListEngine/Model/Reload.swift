/// Which rows a list that is being loaded again has named, and in which order.
final class Reload {
  /// The named rows in their order, as runs of slots one behind the other: a list that is as it was is one run. A row that was forgotten
  /// and named again stands in them twice.
  private(set) var runs: [Range<UInt32>] = []
  private var named: [UInt64] = []
  private var lastLabel: UInt64 = 0
  /// Whether the rows were named in the order that they have.
  private(set) var isInOrder = true
  private var lastKnownLabel: UInt64 = 0
  /// The same for those that are not new.
  private(set) var isKnownInOrder = true
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
  func name(_ slot: UInt32, label: UInt64, isNew: Bool, weight: Int) {
    var label = label
    name(slot..<slot + 1, labels: &label, areNew: isNew, weight: weight)
  }

  /// Notes that the list has named these rows, which have these labels, one after the other and for the first time.
  ///
  /// - Precondition: They are all below the next multiple of 64 from the first one on.
  @inline(__always) func name(_ slots: Range<UInt32>, labels: UnsafePointer<UInt64>, areNew: Bool, weight: Int) {
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
    var last = labels[0]
    var isIncreasing = true
    for place in 1..<max(1, slots.count) {
      if labels[place] <= last { isIncreasing = false }
      last = labels[place]
    }
    if !isIncreasing || labels[0] <= lastLabel { isInOrder = false }
    lastLabel = last
    guard !areNew else { return }
    if !isIncreasing || labels[0] <= lastKnownLabel { isKnownInOrder = false }
    lastKnownLabel = last
  }

  /// A row has another place in the order than when it was named, or than it would have been.
  func noteMove() { (isInOrder, isKnownInOrder) = (false, false) }

  /// Forgets a row that is removed in the middle of the list.
  ///
  /// - Precondition: The list has named it.
  func forget(_ slot: UInt32, weight: Int) {
    rows -= 1
    bytes -= weight
    named[Int(slot) >> 6] &= ~(1 << UInt64(slot & 63))
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
    var runs = reload.runs
    if runs.reduce(0, { $0 + $1.count }) != count {
      // A row removed and named again in the middle of the list stands in it twice: its last place counts.
      let order = runs.joined()
      var last: [UInt32: Int] = [:]
      for (place, slot) in order.enumerated() { last[slot] = place }
      runs = order.enumerated().filter { isAlive($1) && last[$1] == $0 }.map { $1..<$1 + 1 }
    }
    take(runs, since: reload.before, isKnownInOrder: reload.isKnownInOrder)
  }

  /// Gives the rows the order of these runs of slots. What came since that commit has no place of its own yet: the others decide which of
  /// them can stay.
  private func take(_ runs: [Range<UInt32>], since commit: UInt32, isKnownInOrder: Bool) {
    neighbours = nil
    let staying = isKnownInOrder ? nil : stayingRows(runs, since: commit)
    var label: UInt64 = 0
    // The rows between the last one that stays and the next one.
    var between: [UInt32] = []
    for run in runs {
      for slot in run {
        guard !isNew(slot, since: commit), staying?.contains(slot) ?? true else {
          between.append(slot)
          continue
        }
        guard between.isEmpty || spread(between, between: label, and: labels[slot]) else {
          return relabel(Array(runs.joined()))
        }
        between.removeAll(keepingCapacity: true)
        label = labels[slot]
      }
    }
    // At the end there is always room.
    _ = spread(between, between: label, and: label + UInt64(between.count + 1) * Self.labelGap)
    if let last = runs.last { lastLabel = max(lastLabel, labels[last.upperBound - 1]) }
  }

  /// The rows that were there before that commit and can keep their labels when the order is to be that of these runs: as many as can be.
  private func stayingRows(_ runs: [Range<UInt32>], since commit: UInt32) -> SlotSet {
    var increasing = IncreasingRun(items: Int(slots), length: count)
    for run in runs {
      for slot in run where !isNew(slot, since: commit) { increasing.append(slot) { labels[$0] } }
    }
    var staying = SlotSet(slots: slots)
    increasing.forEachBackwards { staying.insert($0) }
    return staying
  }

  /// Gives rows labels between two others, unless they have such; says no when there is no room.
  private func spread(_ slots: [UInt32], between below: UInt64, and above: UInt64) -> Bool {
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
