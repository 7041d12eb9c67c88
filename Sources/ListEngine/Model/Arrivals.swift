/// The rows of a table with a retention rule, in order of arrival: a linked list through their
/// slots.
///
/// Time follows the engine's clock but never runs backwards: a clock that jumps back counts as
/// stopped. No row is therefore kept longer than its retention allows.
final class Arrivals {
  private let list = SlotList()
  /// The arrival time of each row, in nanoseconds of the internal clock.
  private let moments = Chunked<Int64>(filler: 0)
  private var lastReading: Instant?
  /// The internal clock.
  private var now: Int64 = 0

  deinit { moments.deallocate() }

  /// The row that arrived first.
  var first: UInt32? { list.first }

  func grow(to count: Int) {
    list.grow(to: count)
    moments.grow(to: count)
  }

  /// Advances the internal clock.
  func follow(_ reading: Instant) {
    if let lastReading, lastReading < reading {
      now = now.addingReportingOverflow(lastReading.duration(to: reading).nanoseconds).partialValue
    }
    lastReading = reading
  }

  /// Appends a row that arrives now.
  ///
  /// - Precondition: The row is not in the list.
  func append(_ slot: UInt32) {
    moments[slot] = now
    list.append(slot)
  }

  /// Removes a row.
  ///
  /// - Precondition: The row is in the list.
  func remove(_ slot: UInt32) { list.remove(slot) }

  /// Returns the time since the row arrived.
  func age(of slot: UInt32) -> Duration { .nanoseconds(now - moments[slot]) }

  /// Returns the time at which the first row reaches this age.
  func deadline(_ age: Duration) -> Instant? {
    guard let first, let lastReading else { return nil }
    return lastReading.advanced(by: age - self.age(of: first))
  }

  /// Checks that every row is listed once, in order of arrival.
  func checkInvariants(isAlive: (UInt32) -> Bool, rows: Int) {
    #if CHECK_INVARIANTS
      list.checkInvariants()
      precondition(list.count == rows, "\(list.count) rows are listed, of \(rows)")
      var slot = list.first
      while let some = slot {
        let next = list.next(some)
        precondition(isAlive(some), "slot \(some) is listed, but holds no row")
        precondition(next.map { moments[some] <= moments[$0] } ?? true, "slot \(some) came after the next one")
        slot = next
      }
    #endif
  }
}
