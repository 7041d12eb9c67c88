/// Counters of the distinct rows of a view that changed, came or went since each of several
/// moments.
///
///     let moment = counters.open()        // a client pauses
///     counters.note(slot)                 // a row changes; repeated changes count once
///     counters.count(since: moment)
///     counters.close(moment)
///
/// The cost does not depend on the number of paused clients. A change takes O(log moments) time,
/// and each row takes 32 bits. Each row is stamped with the last moment before its change, so that
/// its next change counts only for later moments.
final class ChangeCounters {
  /// A moment from which changed rows are counted.
  typealias Moment = UInt32

  private struct Since {
    let moment: Moment
    /// The number of its rows that earlier moments do not count.
    var gain = 0
    /// The total of all moments up to this one at its start.
    var start: Int
    /// The number of paused clients that count from this moment.
    var holders = 1
  }

  /// The last moment before each row changed, by slot; 0 for unchanged rows.
  private let stamps = Chunked<Moment>(filler: 0)
  /// The open moments in ascending order.
  private var moments: [Since] = []
  private var last: Moment = 0
  private var sums: [Int]?

  deinit { stamps.deallocate() }

  /// Whether no moment is open.
  var isEmpty: Bool { moments.isEmpty }

  /// Opens a moment; it equals the last one if no row has changed since.
  func open() -> Moment {
    let sums = addUp()
    if let newest = moments.indices.last, moments[newest].moment == last, sums[newest] == moments[newest].start {
      moments[newest].holders += 1
      return last
    }
    last += 1
    moments.append(Since(moment: last, start: sums.last ?? 0))
    self.sums = nil
    return last
  }

  /// Closes a moment that ``open()`` returned.
  func close(_ moment: Moment) {
    let place = place(of: moment)
    moments[place].holders -= 1
    guard moments[place].holders == 0 else { return }
    let gone = moments.remove(at: place)
    if place < moments.count { moments[place].gain += gone.gain }
    sums = nil
  }

  /// Records that a row has changed.
  func note(_ slot: UInt32) {
    stamps.grow(to: Int(slot) + 1)
    let stamp = stamps[slot]
    guard stamp < last, let newest = moments.last, stamp < newest.moment else { return }
    stamps[slot] = newest.moment
    moments[firstPlace { $0.moment > stamp }].gain += 1
    sums = nil
  }

  /// Forgets a row that is gone, so that another row in its slot counts separately.
  func forget(_ slot: UInt32) { if slot < stamps.count { stamps[slot] = 0 } }

  /// Returns whether a row has changed since `moment`.
  func hasChanged(_ slot: UInt32, since moment: Moment) -> Bool { slot < stamps.count && stamps[slot] >= moment }

  /// Returns the number of distinct rows changed since `moment`.
  ///
  /// - Complexity: O(moments) for the first call after a change, otherwise O(log moments).
  func count(since moment: Moment) -> Int {
    let place = place(of: moment)
    return addUp()[place] - moments[place].start
  }

  private func addUp() -> [Int] {
    if let sums { return sums }
    var sum = 0
    let made = moments.map { since in
      sum += since.gain
      return sum
    }
    sums = made
    return made
  }

  private func place(of moment: Moment) -> Int {
    let place = firstPlace { $0.moment >= moment }
    precondition(place < moments.count && moments[place].moment == moment, "no pause counts from moment \(moment)")
    return place
  }

  private func firstPlace(_ isThere: (Since) -> Bool) -> Int {
    var (low, high) = (0, moments.count)
    while low < high {
      let middle = (low + high) / 2
      if isThere(moments[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
