import Glibc

/// How many files and sockets the process may have open.
public enum FileLimit {
  /// What is kept for everything that is no page's socket: plugins, logs, libraries.
  static let reserve = 128

  /// The highest number that a page's socket may have: a quarter stays free where there are only a few.
  static var greatestDescriptor: Int { greatestDescriptor(of: current) }

  static func greatestDescriptor(of limit: Int) -> Int { limit - min(reserve, limit / 4) }

  /// The limit in force.
  static var current: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1_024 }
    return Int(clamping: limit.rlim_cur)
  }

  /// Asks for room for this many pages, as far as the system lets us; the usual limit of 1,024 is for fewer.
  public static func raise(forPages pages: Int) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    let wanted = UInt(pages + 1_024 + reserve)
    guard limit.rlim_cur < wanted else { return }
    limit.rlim_cur = min(wanted, limit.rlim_max)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
