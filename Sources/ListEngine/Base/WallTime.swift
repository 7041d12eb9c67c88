/// The time of day of an engine and its tables, derived from the caller's monotonic clock.
///
///     let wall = WallTime()
///     wall.set(nanoseconds, at: now)       // what the caller's clock on the wall shows
///     wall.follow(later)
///     wall.now                             // nanoseconds since 1970
///
/// Until the caller sets it, it equals the monotonic clock.
final class WallTime {
  /// The nanoseconds by which the time may be set back without going back: it stands still instead.
  ///
  /// Corrections of clocks are small, and rows would be evaluated again for each.
  static let patience: Int64 = 1_000_000_000

  /// The time at the origin of the monotonic clock.
  private var offset: Int64 = 0
  private var latest: Int64?

  /// The nanoseconds since 1970.
  var now: Int64 { latest ?? 0 }

  /// Sets the time of day at an instant, in nanoseconds since 1970.
  func set(_ nanoseconds: Int64, at now: Instant) {
    offset = Self.difference(nanoseconds, now.nanoseconds)
    follow(now)
  }

  /// Advances to an instant of the monotonic clock.
  func follow(_ now: Instant) { latest = time(at: now) }

  /// Returns a time that stands still at an instant.
  func frozen(at now: Instant?) -> WallTime {
    let frozen = WallTime()
    (frozen.offset, frozen.latest) = (offset, now.map(time) ?? latest)
    return frozen
  }

  /// Returns the instant at which it will be this time, at the earliest.
  func instant(of time: Int64) -> Instant { Instant(nanoseconds: Self.difference(time, offset)) }

  private func time(at now: Instant) -> Int64 {
    let (sum, overflows) = now.nanoseconds.addingReportingOverflow(offset)
    let time = overflows ? (offset < 0 ? .min : .max) : sum
    guard let latest, time < latest, Self.difference(latest, time) <= Self.patience else { return time }
    return latest
  }

  /// Returns `a - b`, clamped to 64 bits.
  private static func difference(_ a: Int64, _ b: Int64) -> Int64 {
    let (difference, overflows) = a.subtractingReportingOverflow(b)
    return overflows ? (a < 0 ? .min : .max) : difference
  }
}
