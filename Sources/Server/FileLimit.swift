import Glibc

/// How many files and sockets the process may have open.
public enum FileLimit {
  /// What is kept for everything that is no page's socket: plugins, logs, libraries.
  static let reserve = 128

  /// What is kept for each source: a program has six, and as many more while it is started.
  static let reservePerSource = 16

  /// The highest number that a client's socket may have under this limit. Where there are only a few a quarter stays free for the server,
  /// and a quarter at most for its sources.
  static func greatestDescriptor(of limit: Int, sources: Int) -> Int {
    limit - min(reserve, limit / 4) - min(reservePerSource * sources, limit / 4)
  }

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
