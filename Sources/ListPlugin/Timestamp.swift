import Glibc

/// A moment: nanoseconds since 1970-01-01T00:00Z.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Nanoseconds since 1970.
  public var nanoseconds: Int64

  /// So many nanoseconds since 1970.
  @inlinable
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// So many milliseconds since 1970; the nearest moment that there is when they are too many.
  @inlinable
  public init(milliseconds: Int64) {
    let (value, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    nanoseconds = overflow ? (milliseconds < 0 ? .min : .max) : value
  }

  /// So many seconds since 1970; the nearest moment that there is when they are too many, 1970 when they are no number.
  public init(seconds: Double) {
    let value = (seconds * 1e9).rounded()
    nanoseconds = value.isNaN ? 0 : value >= 0x1p63 ? .max : value < -0x1p63 ? .min : Int64(value)
  }

  /// Now, by the clock on the wall.
  public static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// Whether `lhs` is earlier.
  public static func < (lhs: Timestamp, rhs: Timestamp) -> Bool { lhs.nanoseconds < rhs.nanoseconds }
}
