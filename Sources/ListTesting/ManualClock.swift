import ListEngine

/// A clock that stands still until it is told otherwise: tests draw time instead of waiting for it.
public struct ManualClock: Sendable {
  /// The moment it shows.
  public private(set) var now: Instant

  /// A clock that shows this moment. It does not begin at the origin, so that a forgotten moment is noticed.
  public init(now: Instant = Instant(nanoseconds: 1_000_000_000_000)) { self.now = now }

  /// Lets time pass; a negative duration is a clock that was set back.
  public mutating func advance(by duration: Duration) { now = now.advanced(by: duration) }
}
