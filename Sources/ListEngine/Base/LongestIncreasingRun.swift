/// Returns marks for the items of a longest strictly increasing subsequence.
///
/// These items keep their place while the others move.
///
/// - Complexity: O(n log n), or O(n) if the values are almost sorted.
func longestIncreasingRun<Value: Comparable>(_ values: [Value]) -> [Bool] {
  var increasing = IncreasingRun<Value>(items: values.count, length: values.count)
  var marks = [Bool](repeating: false, count: values.count)
  values.withUnsafeBufferPointer { values in
    for item in 0..<UInt32(values.count) { increasing.append(item, values[Int(item)]) { values[Int($0)] } }
  }
  increasing.forEachBackwards { marks[Int($0)] = true }
  return marks
}

/// A builder that finds a longest strictly increasing subsequence of items appended one by one.
///
///     var increasing = IncreasingRun<Int>(items: 3, length: 3)
///     for item in [2, 0, 1] { increasing.append(UInt32(item), values[item]) { values[Int($0)] } }
///     increasing.forEachBackwards { print($0) }
///
/// The algorithm is [patience sorting](https://en.wikipedia.org/wiki/Patience_sorting) (Fredman,
/// 1975). It searches for a pile from the last one backwards, because almost sorted values belong
/// there. It uses only eight bytes per item, because touching fresh memory dominates the cost.
struct IncreasingRun<Value: Comparable>: ~Copyable {
  private var none: UInt32 { .max }

  /// The top item of each pile.
  private let tops: UnsafeMutablePointer<UInt32>
  /// For each item, its predecessor in the subsequence.
  private let previous: UnsafeMutablePointer<UInt32>
  private var piles = 0

  /// Creates an instance for items below `items`, of which at most `length` are appended.
  init(items: Int, length: Int) {
    tops = .allocate(capacity: length)
    previous = .allocate(capacity: items)
  }

  deinit {
    tops.deallocate()
    previous.deallocate()
  }

  /// Appends an item with this value.
  ///
  /// `value` returns the value of any item appended before.
  ///
  /// - Precondition: The item was not appended before.
  /// - Complexity: O(log piles), or O(1) if the item belongs on one of the last piles.
  @inline(__always) mutating func append(_ item: UInt32, _ own: Value, _ value: (UInt32) -> Value) {
    if piles == 0 || own > value(tops[piles - 1]) {
      previous[Int(item)] = piles > 0 ? tops[piles - 1] : none
      tops[piles] = item
      piles += 1
      return
    }
    var high = piles
    var step = 1
    while high > 0, value(tops[max(0, high - step)]) >= own {
      high = max(0, high - step)
      step *= 2
    }
    // All piles from `high` on are too large. Those more than a step below are not.
    var low = max(0, high - step)
    while low < high {
      let middle = (low + high) / 2
      if value(tops[middle]) < own { low = middle + 1 } else { high = middle }
    }
    previous[Int(item)] = low > 0 ? tops[low - 1] : none
    tops[low] = item
  }

  /// Calls `body` with the items of the subsequence, last item first.
  func forEachBackwards(_ body: (UInt32) -> Void) {
    var item = piles > 0 ? tops[piles - 1] : none
    while item != none {
      body(item)
      item = previous[Int(item)]
    }
  }
}
