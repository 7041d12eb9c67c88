/// Up to 64 rows whose slots are all below the same multiple of 64, and what a build reads of them.
///
/// It has plain pointers without reference counting, and its owner calls ``deallocate()``.
struct SlotBlock {
  /// The multiple of 64 at or below the slots.
  private(set) var base: UInt32 = 0
  /// The rows, as bits counted from `base`.
  private(set) var mask: UInt64 = 0
  private(set) var count = 0
  /// The slots, ascending.
  let slots = UnsafeMutablePointer<UInt32>.allocate(capacity: 64)
  /// The indices of the rows' sections; 0 without grouping.
  let sections = UnsafeMutablePointer<UInt32>.allocate(capacity: 64)
  /// The sort keys of the rows.
  let keys = UnsafeMutablePointer<UInt64>.allocate(capacity: 64)
  /// The tested rows whose result changes as time passes, with the time of the change.
  var crossings: [(slot: UInt32, time: Int64)] = []

  init() { sections.initialize(repeating: 0, count: 64) }

  func deallocate() {
    slots.deallocate()
    sections.deallocate()
    keys.deallocate()
  }

  /// Replaces the rows.
  @inline(__always) mutating func set(base: UInt32, mask: UInt64) {
    (self.base, self.mask, count) = (base, mask, mask.nonzeroBitCount)
    guard mask != .max else {
      for place in 0..<64 { slots[place] = base + UInt32(place) }
      return
    }
    var (left, place) = (mask, 0)
    while left != 0 {
      slots[place] = base + UInt32(left.trailingZeroBitCount)
      left &= left - 1
      place += 1
    }
  }

  /// Sets the keys to a function of a column's values, given as a pointer to that of `base`.
  @inline(__always) func setKeys(of values: UnsafeMutablePointer<UInt64>, _ key: (UInt64) -> UInt64) {
    guard mask != .max else {
      for place in 0..<64 { keys[place] = key(values[place]) }
      return
    }
    for place in 0..<count { keys[place] = key(values[Int(slots[place] - base)]) }
  }
}
