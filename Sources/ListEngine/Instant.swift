/// A moment on a clock that only runs forward, as the outside reads it; the engine itself has no clock.
///
/// Nanoseconds since an origin of the caller's choice. Two instants of different origins cannot be compared.
public struct Instant: InstantProtocol, Hashable, Sendable {
  /// Nanoseconds since the origin.
  public let nanoseconds: Int64

  /// The moment `nanoseconds` after the origin.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The origin.
  public static let zero = Instant(nanoseconds: 0)

  /// The moment `duration` later; the greatest one when that cannot be counted.
  public func advanced(by duration: Duration) -> Instant {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.nanoseconds)
    return Instant(nanoseconds: overflow ? (duration < .zero ? .min : .max) : sum)
  }

  /// The time from here to `other`; negative when `other` is earlier.
  public func duration(to other: Instant) -> Duration {
    let (difference, overflow) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
    return .nanoseconds(overflow ? (other > self ? .max : .min) : difference)
  }

  /// Whether `lhs` is earlier.
  public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.nanoseconds < rhs.nanoseconds }
}

extension Duration {
  /// The whole duration in nanoseconds, clamped to what 64 bits hold.
  public var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflow2) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflow || overflow2 ? (self < .zero ? .min : .max) : sum
  }
}
