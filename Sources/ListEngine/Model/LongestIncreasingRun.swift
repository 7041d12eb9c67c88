/// Marks a longest strictly increasing subsequence: what can stay when the rest moves.
///
/// - Complexity: O(n log n); O(n) when nearly all are in order. Patience sorting (Fredman 1975), looking for a value's pile from the last
///   one on, where values that are in order belong.
func longestIncreasingRun<Value: Comparable & BitwiseCopyable>(_ values: [Value]) -> [Bool] {
  values.withUnsafeBufferPointer { values in
    [Bool](unsafeUninitializedCapacity: values.count) { marks, count in
      count = values.count
      marks.initialize(repeating: false)
      // The last value of each pile and its place; before each value, the place of one that it may follow, or -1.
      withUnsafeTemporaryAllocation(of: Value.self, capacity: values.count) { tops in
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: values.count * 2) { room in
          let places = UnsafeMutableBufferPointer(rebasing: room[..<values.count])
          let previous = UnsafeMutableBufferPointer(rebasing: room[values.count...])
          mark(values, &marks, tops: tops, places: places, previous: previous)
        }
      }
    }
  }
}

private func mark<Value: Comparable & BitwiseCopyable>(
  _ values: UnsafeBufferPointer<Value>, _ marks: inout UnsafeMutableBufferPointer<Bool>,
  tops: UnsafeMutableBufferPointer<Value>, places: UnsafeMutableBufferPointer<Int32>,
  previous: UnsafeMutableBufferPointer<Int32>
) {
  var piles = 0
  for (place, value) in values.enumerated() {
    var high = piles
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
    previous[place] = low > 0 ? places[low - 1] : -1
    tops[low] = value
    places[low] = Int32(truncatingIfNeeded: place)
    if low == piles { piles += 1 }
  }
  var place = piles > 0 ? places[piles - 1] : -1
  while place >= 0 {
    marks[Int(place)] = true
    place = previous[Int(place)]
  }
}
