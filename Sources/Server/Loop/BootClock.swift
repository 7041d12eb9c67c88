import Glibc

/// The time since the machine was booted, including suspended time.
///
/// Setting the time of day does not change it. All processes of one boot read the same value.
public enum BootClock {
  /// The milliseconds since the machine was booted.
  public static var milliseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// The random ID of the current boot; empty if unknown.
  ///
  /// Times of different boots are not comparable.
  static let bootID: [UInt8] = {
    let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(file, &bytes, bytes.count)
    return Array(bytes[..<max(0, count)])
  }()
}
