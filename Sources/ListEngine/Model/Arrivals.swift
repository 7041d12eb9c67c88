/// The rows of a table that keeps only some, in the order in which they came: a list through their slots.
///
/// Time is the engine's clock as far as it runs forward: one that goes back has stood still, so that no row is kept for longer than
/// it is to be.
final class Arrivals {
  private let list = SlotList()
  /// When the row came, in nanoseconds of the clock as it is counted here.
  private let moments = Chunked<Int64>(filler: 0)
  private var lastReading: Instant?
  /// The time here; it never goes back.
  private var now: Int64 = 0

  deinit { moments.deallocate() }

  /// The row that came first.
  var first: UInt32? { list.first }

  func grow(to count: Int) {
    list.grow(to: count)
    moments.grow(to: count)
  }

  /// What the clock says now.
  func follow(_ reading: Instant) {
    if let lastReading, lastReading < reading {
      now = now.addingReportingOverflow(lastReading.duration(to: reading).nanoseconds).partialValue
    }
    lastReading = reading
  }

  /// A row came, now.
  ///
  /// - Precondition: It is not listed.
  func append(_ slot: UInt32) {
    moments[slot] = now
    list.append(slot)
  }

  /// A row went.
  ///
  /// - Precondition: It is listed.
  func remove(_ slot: UInt32) { list.remove(slot) }

  /// How long the row has been there.
  func age(of slot: UInt32) -> Duration { .nanoseconds(now - moments[slot]) }

  /// When the clock will say that the first row has been there for so long.
  func deadline(_ age: Duration) -> Instant? {
    guard let first, let lastReading else { return nil }
    return lastReading.advanced(by: age - self.age(of: first))
  }

  /// Every row is listed once, in the order of their moments.
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
