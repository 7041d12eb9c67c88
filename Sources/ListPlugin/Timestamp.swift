import Glibc

/// A point in time in nanoseconds since 1970-01-01T00:00Z.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// The nanoseconds since 1970-01-01T00:00Z.
  public var nanoseconds: Int64

  /// Creates a timestamp from nanoseconds since 1970-01-01T00:00Z.
  @inlinable
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Creates a timestamp from milliseconds since 1970-01-01T00:00Z, clamped to the range.
  @inlinable
  public init(milliseconds: Int64) {
    let (value, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    nanoseconds = overflow ? (milliseconds < 0 ? .min : .max) : value
  }

  /// Creates a timestamp from seconds since 1970-01-01T00:00Z.
  ///
  /// The value is clamped to the range; NaN gives 1970.
  public init(seconds: Double) {
    let value = (seconds * 1e9).rounded()
    nanoseconds = value.isNaN ? 0 : value >= 0x1p63 ? .max : value < -0x1p63 ? .min : Int64(value)
  }

  /// The current wall-clock time.
  public static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// Whether `lhs` is earlier.
  public static func < (lhs: Timestamp, rhs: Timestamp) -> Bool { lhs.nanoseconds < rhs.nanoseconds }
}
