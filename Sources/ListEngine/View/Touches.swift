/// How many different rows of a view were touched since each of several moments: they changed in it, came into it or left it.
///
///     let moment = touches.open()         // a page pauses
///     touches.note(slot)                  // a row changes: however often, it counts once
///     touches.count(since: moment)
///     touches.close(moment)
///
/// However many pages pause, and however long: a touch costs O(log moments), and each row a number of 32 bits. Each row is stamped with the last
/// moment before its touch, so the next touch is news to the later moments only.
final class Touches {
  /// A moment that is counted from.
  typealias Moment = UInt32

  private struct Since {
    let moment: Moment
    /// How many of its rows no moment before it counts.
    var gain = 0
    /// What it and those before it would add up to when it began.
    var start: Int
    /// How many count from here.
    var holders = 1
  }

  /// By slot, the last moment before the row was touched; 0 when it was not.
  private let stamps = Chunked<Moment>(filler: 0)
  /// In order.
  private var moments: [Since] = []
  private var last: Moment = 0
  private var sums: [Int]?

  deinit { stamps.deallocate() }

  /// Whether nobody counts.
  var isEmpty: Bool { moments.isEmpty }

  /// Begins to count; as long as nothing was touched, from the same moment as the last.
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

  /// Ends what ``open()`` began.
  func close(_ moment: Moment) {
    let place = place(of: moment)
    moments[place].holders -= 1
    guard moments[place].holders == 0 else { return }
    let gone = moments.remove(at: place)
    if place < moments.count { moments[place].gain += gone.gain }
    sums = nil
  }

  /// A row was touched.
  func note(_ slot: UInt32) {
    stamps.grow(to: Int(slot) + 1)
    let stamp = stamps[slot]
    guard stamp < last, let newest = moments.last, stamp < newest.moment else { return }
    stamps[slot] = newest.moment
    moments[firstPlace { $0.moment > stamp }].gain += 1
    sums = nil
  }

  /// The row is gone for good: another one may take its slot, and counts anew.
  func forget(_ slot: UInt32) { if slot < stamps.count { stamps[slot] = 0 } }

  /// Whether a row was touched since then.
  func isTouched(_ slot: UInt32, since moment: Moment) -> Bool { slot < stamps.count && stamps[slot] >= moment }

  /// How many different rows were touched since then.
  ///
  /// - Complexity: O(moments) for the first to ask after a touch, O(log moments) for the others.
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
    precondition(place < moments.count && moments[place].moment == moment, "nobody counts from moment \(moment)")
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
