import ListEngine

/// A clock that only tests advance.
public struct ManualClock: Sendable {
  /// The current time.
  public private(set) var now: Instant

  /// Creates a clock. It does not start at the origin, so that tests notice an uninitialized time.
  public init(now: Instant = Instant(nanoseconds: 1_000_000_000_000)) { self.now = now }

  /// Advances the clock; a negative duration sets it back.
  public mutating func advance(by duration: Duration) { now = now.advanced(by: duration) }
}
