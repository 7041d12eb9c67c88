/// The progress of a reload: the rows named so far, and their order.
///
/// A reload names the rows of the new list one by one. The other rows are deleted at its end.
final class Reload {
  /// The named rows in order, as runs of consecutive slots.
  ///
  /// An unchanged list is a single run. A row that was deleted and inserted again during the reload
  /// occurs twice.
  private(set) var runs: [Range<UInt32>] = []
  private var named: [UInt64] = []
  private var lastLabel: UInt64 = 0
  /// Whether the rows named so far are in table order.
  private(set) var isInOrder = true
  private var lastKnownLabel: UInt64 = 0
  /// Whether the rows named so far, except new ones, are in table order.
  private(set) var isKnownInOrder = true
  /// The number of rows named so far.
  private(set) var rows = 0
  /// The weight of the rows named so far, in bytes as defined by ``TableLimits``.
  var bytes = 0

  /// The commit before the one in which the reload begins.
  let before: UInt32

  /// Creates the state of a reload of a table with this many slots.
  init(slots: UInt32, before: UInt32) {
    named = [UInt64](repeating: 0, count: Int(slots) / 64 + 1)
    self.before = before
  }

  /// Whether the reload has not named this row yet.
  func isFirst(_ slot: UInt32) -> Bool { unnamed(from: slot) > 0 }

  /// Returns the number of consecutive slots from this one that are not named yet, up to the next
  /// multiple of 64.
  @inline(__always) func unnamed(from slot: UInt32) -> Int {
    let word = Int(slot) >> 6
    let rest = 64 - Int(slot & 63)
    return word < named.count ? min(rest, (named[word] >> UInt64(slot & 63)).trailingZeroBitCount) : rest
  }

  /// Marks a row as named.
  ///
  /// - Precondition: The row is not named yet.
  func name(_ slot: UInt32, label: UInt64, isNew: Bool, weight: Int) {
    var label = label
    name(slot..<slot + 1, labels: &label, areNew: isNew, weight: weight)
  }

  /// Marks consecutive rows with the given labels as named.
  ///
  /// - Precondition: No row is named yet, and all slots are below the next multiple of 64.
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

  /// Notes that a row has moved, so that the order must be restored at the end.
  func noteMove() { (isInOrder, isKnownInOrder) = (false, false) }

  /// Unmarks a row that is deleted during the reload.
  ///
  /// - Precondition: The row is named.
  func forget(_ slot: UInt32, weight: Int) {
    rows -= 1
    bytes -= weight
    named[Int(slot) >> 6] &= ~(1 << UInt64(slot & 63))
  }

  /// Calls `body` with each slot below `end` that is not named.
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
  /// Deletes the rows that the reload did not name, and applies its order with a minimal number of
  /// moves.
  ///
  /// - Complexity: O(rows log rows) if the order has changed, O(1) if the list is unchanged,
  ///   otherwise O(rows).
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
      // A row deleted and inserted again during the reload occurs twice. Its last position counts.
      let order = runs.joined()
      var last: [UInt32: Int] = [:]
      for (place, slot) in order.enumerated() { last[slot] = place }
      runs = order.enumerated().filter { isAlive($1) && last[$1] == $0 }.map { $1..<$1 + 1 }
    }
    take(runs, since: reload.before, isKnownInOrder: reload.isKnownInOrder)
  }

  /// Reorders the rows to match these runs.
  ///
  /// Rows inserted after `commit` have no position yet, so only the other rows determine the
  /// minimal set of moves.
  private func take(_ runs: [Range<UInt32>], since commit: UInt32, isKnownInOrder: Bool) {
    neighbours = nil
    let staying = isKnownInOrder ? nil : stayingRows(runs, since: commit)
    var label: UInt64 = 0
    // The rows between the last fixed row and the next one.
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
    // After the last row there is always room.
    _ = spread(between, between: label, and: label + UInt64(between.count + 1) * Self.labelGap)
    if let last = runs.last { lastLabel = max(lastLabel, labels[last.upperBound - 1]) }
  }

  /// Returns a maximal set of rows, inserted no later than `commit`, that can keep their labels.
  private func stayingRows(_ runs: [Range<UInt32>], since commit: UInt32) -> SlotSet {
    var increasing = IncreasingRun(items: Int(slots), length: count)
    for run in runs {
      for slot in run where !isNew(slot, since: commit) { increasing.append(slot) { labels[$0] } }
    }
    var staying = SlotSet(slots: slots)
    increasing.forEachBackwards { staying.insert($0) }
    return staying
  }

  /// Distributes labels between two others, unless the rows already have such labels.
  ///
  /// Returns `false` if no labels are free.
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
      // Rows inserted in this commit are in the log already.
      if creationCommits[slot] != self.commit { log.note(slot, columns: ChangeLog.everything) }
    }
    return true
  }
}
