/// Which rows a list that is being loaded again has named, and in which order.
final class Reload {
  private(set) var order: [UInt32] = []
  private var named: [UInt64] = []
  /// How many rows of the table it has named.
  private(set) var rows = 0
  /// What they weigh.
  var bytes = 0

  /// A list that will probably be as long as it was.
  init(rows: Int, slots: UInt32) {
    order.reserveCapacity(rows)
    named = [UInt64](repeating: 0, count: Int(slots) / 64 + 1)
  }

  /// Whether the list has not named this row yet.
  func isFirst(_ slot: UInt32) -> Bool {
    let word = Int(slot) >> 6
    return word >= named.count || named[word] & (1 << UInt64(slot & 63)) == 0
  }

  /// Notes that the list has named this row, for the first time.
  func name(_ slot: UInt32, weight: Int) {
    rows += 1
    bytes += weight
    let word = Int(slot) >> 6
    if word >= named.count {
      named.append(contentsOf: repeatElement(0, count: max(word + 1 - named.count, named.count)))
    }
    named[word] |= 1 << UInt64(slot & 63)
    order.append(slot)
  }

  /// Forgets a row that is removed in the middle of the list.
  ///
  /// - Precondition: The list has named it.
  func forget(_ slot: UInt32, weight: Int) {
    rows -= 1
    bytes -= weight
    named[Int(slot) >> 6] &= ~(1 << UInt64(slot & 63))
  }
}

extension Table {
  /// Removes the rows that the list did not name, and takes over its order with as few moves as can be.
  ///
  /// - Complexity: O(rows); O(rows log rows) when the order has changed.
  func endReload() {
    guard let reload else { return }
    self.reload = nil
    for slot in 0..<slots where isAlive(slot) && reload.isFirst(slot) { remove(slot) }
    var order = reload.order
    if order.count != count {
      // A row removed and named again in the middle of the list stands in it twice: its last place counts.
      var last: [UInt32: Int] = [:]
      for (place, slot) in order.enumerated() { last[slot] = place }
      order = order.enumerated().filter { isAlive($1) && last[$1] == $0 }.map(\.element)
    }
    take(order: order)
  }

  private func take(order: [UInt32]) {
    var isAscending = true
    for place in 1..<max(1, order.count) where labels[order[place - 1]] >= labels[order[place]] {
      isAscending = false
      break
    }
    guard !isAscending else { return }
    let staying = longestIncreasingRun(order.map { labels[$0] })
    var label: UInt64 = 0
    var place = 0
    while place < order.count {
      if staying[place] {
        label = labels[order[place]]
        place += 1
        continue
      }
      var next = place
      while next < order.count && !staying[next] { next += 1 }
      let count = UInt64(next - place)
      let above = next < order.count ? labels[order[next]] : label + (count + 1) * Self.labelGap
      let step = (above - label) / (count + 1)
      guard step > 0 else { return relabel(order) }
      for moved in place..<next {
        label += step
        labels[order[moved]] = label
        log.note(order[moved], columns: ChangeLog.everything)
      }
      place = next
    }
    lastLabel = max(lastLabel, label)
  }

  /// A label for `slot` directly before `other`.
  func label(before other: UInt32, of slot: UInt32) -> UInt64 {
    // A move names one neighbour only; the other one is found by looking, as sources with many moves are small.
    var below: UInt64 = 0
    for candidate in 0..<slots where candidate != slot && labels[candidate] < labels[other] {
      below = max(below, labels[candidate])
    }
    if labels[other] - below < 2 {
      relabel((0..<slots).filter { isAlive($0) }.sorted { labels[$0] < labels[$1] })
      return label(before: other, of: slot)
    }
    return below + (labels[other] - below) / 2
  }

  /// Gives all rows new labels, in this order. Rows that change places among the others are noted by the caller's order.
  private func relabel(_ order: [UInt32]) {
    for (place, slot) in order.enumerated() {
      labels[slot] = UInt64(place + 1) * Self.labelGap
    }
    lastLabel = UInt64(order.count) * Self.labelGap
    relabelings += 1
  }
}

/// Marks a longest strictly increasing subsequence: what can stay when the rest moves.
///
/// - Complexity: O(n log n); O(n) when nearly all are in order. Patience sorting (Fredman 1975), looking for a value's pile from the last
///   one on, where values that are in order belong.
func longestIncreasingRun<Value: Comparable>(_ values: [Value]) -> [Bool] {
  // The last value of each pile and its place; before each value, the place of one that it may follow, or -1.
  var tops: [Value] = []
  var places: [Int32] = []
  var previous = [Int32](repeating: -1, count: values.count)
  tops.reserveCapacity(values.count)
  places.reserveCapacity(values.count)
  for (place, value) in values.enumerated() {
    var high = tops.count
    var step = 1
    while high > 0, tops[max(0, high - step)] >= value {
      high = max(0, high - step)
      step *= 2
    }
    // All piles from `high` on are too great; those further than a step below it are not.
    var low = max(0, high - step)
    while low < high {
      let middle = (low + high) / 2
      if tops[middle] < value { low = middle + 1 } else { high = middle }
    }
    if low > 0 { previous[place] = places[low - 1] }
    if low == tops.count {
      tops.append(value)
      places.append(Int32(truncatingIfNeeded: place))
    } else {
      tops[low] = value
      places[low] = Int32(truncatingIfNeeded: place)
    }
  }
  var marks = [Bool](repeating: false, count: values.count)
  var place = places.last ?? -1
  while place >= 0 {
    marks[Int(place)] = true
    place = previous[Int(place)]
  }
  return marks
}
