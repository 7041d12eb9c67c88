import Glibc
import ListEngine

/// The clocks of this machine.
enum BootTime {
  /// The time since the machine was booted, including suspended time.
  ///
  /// A lease is measured with it, because the lease expires at the server while this machine
  /// sleeps.
  static var now: Instant {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// The time of day in nanoseconds since 1970.
  static var wall: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
