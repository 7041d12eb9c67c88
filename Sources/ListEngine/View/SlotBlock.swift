/// Up to 64 rows whose slots are all below the same multiple of 64, and what a build reads of them.
///
/// It has plain pointers without reference counting, and its owner calls ``deallocate()``.
struct SlotBlock {
  var count = 0
  /// The slots, ascending.
  let slots = UnsafeMutablePointer<UInt32>.allocate(capacity: 64)
  /// The indices of the rows' sections.
  let sections = UnsafeMutablePointer<UInt32>.allocate(capacity: 64)
  /// The sort keys of the rows.
  let keys = UnsafeMutablePointer<UInt64>.allocate(capacity: 64)
  /// The tested rows whose result changes as time passes, with the time of the change.
  var crossings: [(slot: UInt32, time: Int64)] = []

  func deallocate() {
    slots.deallocate()
    sections.deallocate()
    keys.deallocate()
  }
}
