import Glibc

/// The limit on open file descriptors of the process.
public enum FileLimit {
  /// The descriptors reserved for plugins, logs and libraries.
  static let reserve = 128

  /// The descriptors reserved per source: a program has six, and six more during a hot swap.
  static let reservePerSource = 16

  /// Returns the highest descriptor that a client's socket may have under this limit.
  ///
  /// With a small limit, at least a quarter is reserved for the server, and at most a quarter for
  /// its sources.
  static func greatestDescriptor(of limit: Int, sources: Int) -> Int {
    limit - min(reserve, limit / 4) - min(reservePerSource * sources, limit / 4)
  }

  /// The current soft limit.
  static var current: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1_024 }
    return Int(clamping: limit.rlim_cur)
  }

  /// Raises the soft limit to fit this many clients, as far as the hard limit allows.
  ///
  /// The usual soft limit of 1,024 is too low.
  public static func raise(forClients count: Int) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    let wanted = UInt(count + 1_024 + reserve)
    guard limit.rlim_cur < wanted else { return }
    limit.rlim_cur = min(wanted, limit.rlim_max)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
