/// A bounded max-heap that keeps the smallest rows offered.
struct BoundedHeap {
  private var limit: Int
  /// Whether rows may have been refused, because the heap was full once.
  private var isBeyondLimit = false
  private var rows: [(key: UInt64, slot: UInt32)] = []

  init(limit: Int) { self.limit = limit }

  /// Inserts a row if it is among the smallest.
  ///
  /// - Complexity: O(1) for a row greater than all kept ones, otherwise O(log limit).
  @inline(__always)
  mutating func offer(key: UInt64, slot: UInt32, _ precedes: (UInt32, UInt32) -> Bool) {
    if rows.count < limit {
      rows.append((key, slot))
      var child = rows.count - 1
      while child > 0, isLess(rows[(child - 1) / 2], rows[child], precedes) {
        rows.swapAt(child, (child - 1) / 2)
        child = (child - 1) / 2
      }
      isBeyondLimit = isBeyondLimit || rows.count == limit
      return
    }
    guard limit > 0, key <= rows[0].key, isLess((key, slot), rows[0], precedes) else { return }
    rows[0] = (key, slot)
    siftDown(0, precedes)
  }

  /// The greatest key of a row that would be inserted.
  var bound: UInt64 { rows.count < limit ? .max : rows.first?.key ?? 0 }

  /// Whether the smallest `count` rows offered are here, or all.
  func knows(_ count: Int) -> Bool { !isBeyondLimit || rows.count >= count }

  /// Removes rows; afterwards the heap keeps fewer, because others were refused for them.
  ///
  /// - Complexity: O(limit).
  mutating func remove(where isRemoved: (UInt32) -> Bool, _ precedes: (UInt32, UInt32) -> Bool) {
    let count = rows.count
    rows.removeAll { isRemoved($0.slot) }
    guard rows.count < count else { return }
    if isBeyondLimit { limit = rows.count }
    for root in (0..<rows.count / 2).reversed() { siftDown(root, precedes) }
  }

  @inline(__always) private mutating func siftDown(_ start: Int, _ precedes: (UInt32, UInt32) -> Bool) {
    var root = start
    while true {
      var greatest = root
      let left = 2 * root + 1
      if left < rows.count, isLess(rows[greatest], rows[left], precedes) { greatest = left }
      if left + 1 < rows.count, isLess(rows[greatest], rows[left + 1], precedes) { greatest = left + 1 }
      guard greatest != root else { return }
      rows.swapAt(root, greatest)
      root = greatest
    }
  }

  func sorted(_ precedes: (UInt32, UInt32) -> Bool) -> [UInt32] {
    rows.sorted { isLess($0, $1, precedes) }.map(\.slot)
  }

  @inline(__always) private func isLess(
    _ a: (key: UInt64, slot: UInt32), _ b: (key: UInt64, slot: UInt32), _ precedes: (UInt32, UInt32) -> Bool
  ) -> Bool {
    a.key != b.key ? a.key < b.key : precedes(a.slot, b.slot)
  }
}
