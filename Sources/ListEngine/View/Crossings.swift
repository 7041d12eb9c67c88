/// The rows of a view's table whose result in the filter changes as time passes, ordered by the
/// time of the change: an indexed heap.
///
///     crossings.note(slot)                 // after each test of a row
///     crossings.followTime()               // ages are those of the present from here on
///     while let slot = crossings.takeFirst() { ... }   // rows to test again
///     crossings.deadline                   // when to notify sessions that more rows are due
///
/// Rows whose result does not depend on their age, or not any longer, take no space.
struct Crossings {
  private let filter: RowFilter
  /// The time of day at which ages are computed.
  private let wall: WallTime
  private var heap = IndexedHeap<Int64>()
  /// The number of rows taken so far.
  private(set) var taken = 0
  private var settled = 0
  /// Whether sessions were notified of the rows that are due, none of which was taken since.
  private var isNoted = false

  /// Creates an empty heap for a filter.
  init(_ filter: RowFilter, wall: WallTime) {
    (self.filter, self.wall) = (filter, wall)
    followTime()
  }

  /// The approximate size in bytes.
  var bytes: Int { heap.count * 24 }
  /// Whether rows have to be tested again because time has passed.
  var isDue: Bool { heap.first.map { $0.priority <= wall.now } ?? false }
  /// Whether the time of day was set back, so that all rows have to be tested again.
  var isTimeBack: Bool { filter.isRelative && wall.now < filter.time }
  /// The number of rows taken since the last call of ``settle()``.
  var unsettled: Int { taken - settled }

  /// Computes ages at the present time from here on.
  func followTime() { if filter.isRelative { filter.time = wall.now } }

  // MARK: Rows

  /// Records when the result for the row that the filter tested last may change.
  ///
  /// - Complexity: O(log rows).
  @inline(__always) mutating func note(_ slot: UInt32) {
    if filter.isRelative { set(slot, at: filter.crossing) }
  }

  /// Records the time at which the result for a row may change; `Int64.max` for never.
  mutating func set(_ slot: UInt32, at time: Int64) {
    if time == .max { heap.remove(Int(slot)) } else { heap.set(Int(slot), to: time) }
  }

  /// Removes a row if it is present.
  @inline(__always) mutating func remove(_ slot: UInt32) { if filter.isRelative { heap.remove(Int(slot)) } }

  /// Returns the time at which the result for a row may change; `Int64.max` for never.
  func time(of slot: UInt32) -> Int64 { heap.priority(of: Int(slot)) ?? .max }

  /// Removes and returns a row that has to be tested again, or returns `nil` if there is none.
  ///
  /// - Complexity: O(log rows).
  mutating func takeFirst() -> UInt32? {
    guard let first = heap.first, first.priority <= filter.time else { return nil }
    heap.remove(first.number)
    taken += 1
    isNoted = false
    return UInt32(first.number)
  }

  /// Removes all rows, because all are tested again at the present time.
  mutating func restart() {
    heap = IndexedHeap()
    settle()
    followTime()
  }

  // MARK: Sessions

  /// Returns whether sessions have to be notified; `true` once until the view catches up.
  mutating func noteDue() -> Bool {
    guard !isNoted, isDue || isTimeBack else { return false }
    isNoted = true
    return true
  }

  /// Records that the view is up to date.
  mutating func settle() {
    settled = taken
    isNoted = false
  }

  /// The time of the next call to ``noteDue()``, or `nil` for none.
  var deadline: Instant? {
    guard !isNoted else { return nil }
    return isTimeBack ? .zero : heap.first.map { wall.instant(of: $0.priority) }
  }
}
