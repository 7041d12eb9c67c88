/// The progress of a reload: the rows named so far, and their order.
///
/// A reload names the rows of the new list one by one. The other rows are deleted at its end.
final class Reload {
  /// The named rows.
  ///
  /// It is one value because the exclusivity checks of class properties would cost more than naming
  /// a row.
  fileprivate struct Progress {
    var runs: [Range<UInt32>] = []
    var named: [UInt64]
    var lastLabel: UInt64 = 0
    var isInOrder = true
    var lastKnownLabel: UInt64 = 0
    var isKnownInOrder = true
    var rows = 0
    var bytes = 0
  }

  private var progress: Progress

  /// The named rows in order, as runs of consecutive slots.
  ///
  /// An unchanged list is a single run. A row that was deleted and inserted again during the reload
  /// occurs twice.
  var runs: [Range<UInt32>] { progress.runs }
  /// Whether the rows named so far are in table order.
  var isInOrder: Bool { progress.isInOrder }
  /// Whether the rows named so far, except new ones, are in table order.
  var isKnownInOrder: Bool { progress.isKnownInOrder }
  /// The number of rows named so far.
  var rows: Int { progress.rows }
  /// The weight of the rows named so far, in bytes as defined by ``TableLimits``.
  var bytes: Int {
    get { progress.bytes }
    set { progress.bytes = newValue }
  }

  /// The commit before the one in which the reload begins.
  let before: UInt32

  /// Creates the state of a reload of a table with this many slots.
  init(slots: UInt32, before: UInt32) {
    progress = Progress(named: [UInt64](repeating: 0, count: Int(slots) / 64 + 1))
    self.before = before
  }

  /// Whether the reload has not named this row yet.
  func isFirst(_ slot: UInt32) -> Bool { progress.unnamed(from: slot) > 0 }

  /// Marks a row as named.
  ///
  /// - Precondition: The row is not named yet.
  func name(_ slot: UInt32, label: UInt64, isNew: Bool, weight: Int) {
    var label = label
    progress.name(slot..<slot + 1, labels: &label, areNew: isNew, weight: weight)
  }

  /// Marks consecutive rows with the given labels as named.
  ///
  /// - Precondition: No row is named yet, and all slots are below the next multiple of 64.
  func name(_ slots: Range<UInt32>, labels: UnsafePointer<UInt64>, areNew: Bool, weight: Int) {
    progress.name(slots, labels: labels, areNew: areNew, weight: weight)
  }

  /// Marks consecutive known rows as named if none is yet, and there is room for all of them.
  ///
  /// Returns whether they are marked.
  ///
  /// - Precondition: All slots are below the next multiple of 64.
  func nameTogether(
    _ slots: Range<UInt32>, labels: UnsafePointer<UInt64>, weight: Int, rowLimit: Int, byteLimit: Int
  ) -> Bool {
    progress.nameTogether(slots, labels: labels, weight: weight, rowLimit: rowLimit, byteLimit: byteLimit)
  }

  /// Notes that a row has moved, so that the order must be restored at the end.
  func noteMove() { (progress.isInOrder, progress.isKnownInOrder) = (false, false) }

  /// Unmarks a row that is deleted during the reload.
  ///
  /// - Precondition: The row is named.
  func forget(_ slot: UInt32, weight: Int) {
    progress.rows -= 1
    progress.bytes -= weight
    progress.named[Int(slot) >> 6] &= ~(1 << UInt64(slot & 63))
  }

  /// Calls `body` with the slots below `end` that are not named.
  ///
  /// It passes a multiple of 64, and a bit for each slot from it on.
  ///
  /// - Complexity: O(end / 64).
  func forEachUnnamed(below end: UInt32, _ body: (UInt32, UInt64) -> Void) {
    for word in 0..<(Int(end) + 63) / 64 {
      let rest = Int(end) - word * 64
      let present: UInt64 = rest < 64 ? 1 << UInt64(rest) - 1 : .max
      let unnamed = (word < progress.named.count ? ~progress.named[word] : .max) & present
      if unnamed != 0 { body(UInt32(word * 64), unnamed) }
    }
  }
}

extension Reload.Progress {
  /// Returns the number of consecutive slots from this one that are not named yet, up to the next
  /// multiple of 64.
  @inline(__always) fileprivate func unnamed(from slot: UInt32) -> Int {
    let word = Int(slot) >> 6
    let rest = 64 - Int(slot & 63)
    return word < named.count ? min(rest, (named[word] >> UInt64(slot & 63)).trailingZeroBitCount) : rest
  }

  fileprivate mutating func nameTogether(
    _ slots: Range<UInt32>, labels: UnsafePointer<UInt64>, weight: Int, rowLimit: Int, byteLimit: Int
  ) -> Bool {
    guard slots.count <= unnamed(from: slots.lowerBound), slots.count <= rowLimit - rows, weight <= byteLimit - bytes
    else { return false }
    name(slots, labels: labels, areNew: false, weight: weight)
    return true
  }

  fileprivate mutating func name(
    _ slots: Range<UInt32>, labels: UnsafePointer<UInt64>, areNew: Bool, weight: Int
  ) {
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
      reload.forEachUnnamed(below: slots) { first, unnamed in
        let leaving = unnamed & alive(from: first)
        if leaving != 0 { remove(first, leaving) }
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
      var slot = run.lowerBound
      while slot < run.upperBound {
        // The rows of this run up to the next multiple of 64.
        let count = min(Int(run.upperBound - slot), 64 - Int(slot & 63))
        let own = labels.pointer(slot)
        let fixed = staying?.slots(from: slot) ?? known(from: slot, count, since: commit)
        var place = 0
        while place < count {
          if between.isEmpty {
            // Fixed rows that follow one another need no work.
            let more = min(count - place, (~(fixed >> UInt64(place))).trailingZeroBitCount)
            place += more
            if more > 0 { label = own[place - 1] }
            guard place < count else { break }
          }
          if fixed & 1 << UInt64(place) == 0 {
            between.append(slot + UInt32(place))
          } else {
            guard spread(between, between: label, and: own[place]) else { return relabel(Array(runs.joined())) }
            between.removeAll(keepingCapacity: true)
            label = own[place]
          }
          place += 1
        }
        slot += UInt32(count)
      }
    }
    // After the last row there is always room.
    _ = spread(between, between: label, and: label + UInt64(between.count + 1) * Self.labelGap)
    if let last = runs.last { lastLabel = max(lastLabel, labels[last.upperBound - 1]) }
  }

  /// Returns a maximal set of rows, inserted no later than `commit`, that can keep their labels.
  private func stayingRows(_ runs: [Range<UInt32>], since commit: UInt32) -> SlotSet {
    var increasing = IncreasingRun<UInt64>(items: Int(slots), length: count)
    let labels = labels.elements
    for run in runs {
      var slot = run.lowerBound
      while slot < run.upperBound {
        let count = min(Int(run.upperBound - slot), 64 - Int(slot & 63))
        let (own, known) = (labels.pointer(slot), known(from: slot, count, since: commit))
        for place in 0..<count where known & 1 << UInt64(place) != 0 {
          increasing.append(slot + UInt32(place), own[place]) { labels.pointer($0).pointee }
        }
        slot += UInt32(count)
      }
    }
    var staying = SlotSet(slots: slots)
    increasing.forEachBackwards { staying.insert($0) }
    return staying
  }

  /// Returns a bit for each of `count` slots whose row was inserted no later than `commit`.
  ///
  /// - Precondition: All slots are below the next multiple of 64.
  @inline(__always) private func known(from first: UInt32, _ count: Int, since commit: UInt32) -> UInt64 {
    let creations = creationCommits.pointer(first)
    var known: UInt64 = 0
    for place in 0..<count where Int32(bitPattern: creations[place] &- commit) <= 0 { known |= 1 << UInt64(place) }
    return known
  }

  /// Returns a bit for each slot from `first` on, a multiple of 64, that contains a row.
  private func alive(from first: UInt32) -> UInt64 {
    let labels = labels.pointer(first)
    var alive: UInt64 = 0
    for place in 0..<64 where labels[place] != 0 { alive |= 1 << UInt64(place) }
    return alive
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
