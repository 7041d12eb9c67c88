/// A bounded max-heap that keeps the smallest rows offered.
struct BoundedHeap {
  private let limit: Int
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
      return
    }
    guard key <= rows[0].key, isLess((key, slot), rows[0], precedes) else { return }
    rows[0] = (key, slot)
    var root = 0
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
