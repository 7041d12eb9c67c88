import Glibc
import ListEngine

/// The time that threads have waited for a processor, from the kernel's statistics.
///
/// Zero if the kernel has none.
struct ProcessorWait {
  /// The waiting time of each thread at the last call, by its folder.
  private var known: [String: UInt64] = [:]

  /// The maximum number of threads measured.
  ///
  /// Further threads are ignored.
  private static let threadLimit = 64

  /// Returns the time waited since the last call, summed over the calling thread, a process and its
  /// descendants.
  ///
  /// Threads started since then count from their start.
  mutating func take(of process: pid_t?) -> Duration {
    var found: [String: UInt64] = [:]
    if let wait = Self.wait("/proc/thread-self/schedstat") { found["self"] = wait }
    var processes = process.map { ["\($0)"] } ?? []
    var looked = 0
    while let number = processes.popLast(), looked < Self.threadLimit {
      for task in Self.names(in: "/proc/\(number)/task").prefix(Self.threadLimit - looked) {
        looked += 1
        let folder = "/proc/\(number)/task/\(task)"
        if let wait = Self.wait(folder + "/schedstat") { found[folder] = wait }
        processes += Self.words(of: folder + "/children")
      }
    }
    var sum: UInt64 = 0
    for (thread, wait) in found {
      // At the first call, all threads count from now, because they may have started earlier.
      let before = known[thread] ?? (known.isEmpty ? wait : 0)
      if wait > before { sum &+= wait - before }
    }
    known = found
    return .nanoseconds(Int64(min(sum, UInt64(Int64.max))))
  }

  /// Reads the second field: nanoseconds in a run queue.
  private static func wait(_ path: String) -> UInt64? {
    let fields = words(of: path)
    return fields.count > 1 ? UInt64(fields[1]) : nil
  }

  private static func words(of path: String) -> [String] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 1 << 10)
    let count = read(file, &buffer, buffer.count)
    guard count > 0 else { return [] }
    return String(decoding: buffer[..<count], as: UTF8.self).split { $0 == " " || $0 == "\n" }.map(String.init)
  }

  private static func names(in folder: String) -> [String] {
    guard let folder = opendir(folder) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name.first?.isNumber == true { names.append(name) }
    }
    return names
  }
}
