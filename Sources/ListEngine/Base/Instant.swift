/// A point in time on the caller's monotonic clock, in nanoseconds since an origin of the caller's
/// choice.
///
/// Instants with different origins must not be compared.
public struct Instant: InstantProtocol, Hashable, Sendable {
  /// Nanoseconds since the origin.
  public let nanoseconds: Int64

  /// Creates the instant `nanoseconds` after the origin.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The origin.
  public static let zero = Instant(nanoseconds: 0)

  /// Returns the instant `duration` later, clamped to the representable range.
  public func advanced(by duration: Duration) -> Instant {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.nanoseconds)
    return Instant(nanoseconds: overflow ? (duration < .zero ? .min : .max) : sum)
  }

  /// Returns the time from this instant to `other`, negative if `other` is earlier.
  public func duration(to other: Instant) -> Duration {
    let (difference, overflow) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
    return .nanoseconds(overflow ? (other > self ? .max : .min) : difference)
  }

  /// Whether `lhs` is earlier than `rhs`.
  public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.nanoseconds < rhs.nanoseconds }
}

extension Duration {
  /// The duration in nanoseconds, clamped to 64 bits.
  public var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflow2) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflow || overflow2 ? (self < .zero ? .min : .max) : sum
  }
}
