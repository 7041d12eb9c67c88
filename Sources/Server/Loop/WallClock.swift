import Glibc

/// The time of day, which can jump; for output, and for times that several processes compare.
public enum WallClock {
  /// The milliseconds since 1970-01-01T00:00Z.
  public static var milliseconds: Int64 { nanoseconds / 1_000_000 }

  /// The nanoseconds since 1970-01-01T00:00Z.
  static var nanoseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
