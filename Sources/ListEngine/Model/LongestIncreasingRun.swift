/// Marks a longest strictly increasing subsequence: what can stay when the rest moves.
///
/// - Complexity: O(n log n); O(n) when nearly all are in order.
func longestIncreasingRun<Value: Comparable>(_ values: [Value]) -> [Bool] {
  var increasing = IncreasingRun(items: values.count, length: values.count)
  var marks = [Bool](repeating: false, count: values.count)
  values.withUnsafeBufferPointer { values in
    for item in 0..<UInt32(values.count) { increasing.append(item) { values[Int($0)] } }
  }
  increasing.forEachBackwards { marks[Int($0)] = true }
  return marks
}

/// Finds a longest strictly increasing subsequence among items that are named one after the other, whose values can be looked up.
///
///     var increasing = IncreasingRun(items: 3, length: 3)
///     for item in [2, 0, 1] as [UInt32] { increasing.append(item) { values[Int($0)] } }
///     increasing.forEachBackwards { print($0) }
///
/// Patience sorting (Fredman 1975), looking for a value's pile from the last one on, where values that are in order belong. It takes eight
/// bytes for each item and no more, for memory that was never used is what costs most here.
struct IncreasingRun: ~Copyable {
  private static var none: UInt32 { .max }

  /// The last item of each pile.
  private let tops: UnsafeMutablePointer<UInt32>
  /// Before each item, one that it may follow.
  private let previous: UnsafeMutablePointer<UInt32>
  private var piles = 0

  /// For items below `items`, of which at most `length` will be named.
  init(items: Int, length: Int) {
    tops = .allocate(capacity: length)
    previous = .allocate(capacity: items)
  }

  deinit {
    tops.deallocate()
    previous.deallocate()
  }

  /// Names the next item; `value` tells the value of any item that was named.
  ///
  /// - Precondition: It was not named yet.
  /// - Complexity: O(log piles); O(1) where it belongs on one of the last.
  @inline(__always) mutating func append<Value: Comparable>(_ item: UInt32, _ value: (UInt32) -> Value) {
    let own = value(item)
    var high = piles
    var step = 1
    while high > 0, value(tops[max(0, high - step)]) >= own {
      high = max(0, high - step)
      step *= 2
    }
    // All piles from `high` on are too great; those further than a step below it are not.
    var low = max(0, high - step)
    while low < high {
      let middle = (low + high) / 2
      if value(tops[middle]) < own { low = middle + 1 } else { high = middle }
    }
    previous[Int(item)] = low > 0 ? tops[low - 1] : Self.none
    tops[low] = item
    if low == piles { piles += 1 }
  }

  /// Walks over the items of a longest one, the last first.
  func forEachBackwards(_ body: (UInt32) -> Void) {
    var item = piles > 0 ? tops[piles - 1] : Self.none
    while item != Self.none {
      body(item)
      item = previous[Int(item)]
    }
  }
}
