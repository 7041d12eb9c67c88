/// The rows of a table that keeps only some, in the order in which they came: a list through their slots.
///
/// Time is the engine's clock as far as it runs forward: one that goes back has stood still, so that no row is kept for longer than
/// it is to be.
final class Arrivals {
  private static var none: UInt32 { .max }

  private let next = Chunked<UInt32>(filler: Arrivals.none)
  private let previous = Chunked<UInt32>(filler: Arrivals.none)
  /// When the row came, in nanoseconds of the clock as it is counted here.
  private let moments = Chunked<Int64>(filler: 0)
  private var head = Arrivals.none
  private var tail = Arrivals.none
  private(set) var count = 0
  private var lastReading: Instant?
  /// The time here; it never goes back.
  private var now: Int64 = 0

  deinit {
    next.deallocate()
    previous.deallocate()
    moments.deallocate()
  }

  /// The row that came first.
  var first: UInt32? { head == Self.none ? nil : head }

  func grow(to count: Int) {
    next.grow(to: count)
    previous.grow(to: count)
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
    next[slot] = Self.none
    previous[slot] = tail
    if tail == Self.none { head = slot } else { next[tail] = slot }
    tail = slot
    count += 1
  }

  /// A row went.
  ///
  /// - Precondition: It is listed.
  func remove(_ slot: UInt32) {
    let (before, after) = (previous[slot], next[slot])
    if before == Self.none { head = after } else { next[before] = after }
    if after == Self.none { tail = before } else { previous[after] = before }
    count -= 1
  }

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
      var slot = head
      var (before, listed) = (Self.none, 0)
      while slot != Self.none {
        precondition(isAlive(slot), "slot \(slot) is listed, but holds no row")
        precondition(previous[slot] == before, "slot \(slot) hangs elsewhere")
        precondition(before == Self.none || moments[before] <= moments[slot], "slot \(slot) came before the one before")
        listed += 1
        (before, slot) = (slot, next[slot])
      }
      precondition(before == tail && listed == count && count == rows, "\(listed) rows are listed, of \(rows)")
    #endif
  }
}
