import Glibc

/// Reads the processes of this machine from `/proc`. It is told the time, and remembers what it needs for the next time.
///
///     var reader = ProcessReader()
///     let first = try reader.read(at: clock.now - start)
///     let second = try reader.read(at: clock.now - start)     // with CPU shares
///
/// A process that ends while it is looked at is left out. One whose pid is used again is another process.
public struct ProcessReader {
  private let proc: ProcFolder
  private let ticksPerSecond: Double
  private let pageSize: Int64
  private var bootTime: Int64?
  private var known: [Int32: Known] = [:]
  private var users: [uid_t: String] = [:]
  private var round = 0

  /// What is kept of a process from one time to the next.
  private struct Known {
    var startTicks: UInt64
    var cpuTicks: UInt64
    var time: Duration
    var name: String
    var command: String
    var round: Int
  }

  /// A command line is read anew after so many rounds: it costs more than all else, and hardly ever changes without the name.
  private static let commandRounds = 10

  /// Reads from this folder.
  ///
  /// - Parameter ticksPerSecond: The unit of CPU times; the machine's own unless told otherwise.
  public init(root: String = "/proc", ticksPerSecond: Int = sysconf(Int32(_SC_CLK_TCK))) {
    proc = ProcFolder(root)
    self.ticksPerSecond = Double(max(ticksPerSecond, 1))
    pageSize = Int64(sysconf(Int32(_SC_PAGESIZE)))
  }

  /// All processes, by pid.
  ///
  /// - Parameter now: Time that runs evenly, from anywhere: shares of the CPU are counted over it.
  public mutating func read(at now: Duration) throws(ProcessReaderError) -> [ProcessRow] {
    let pids = try proc.open()
    defer { proc.close() }
    if bootTime == nil { bootTime = readBootTime() }
    round += 1
    var rows: [ProcessRow] = []
    rows.reserveCapacity(pids.count)
    for pid in pids {
      if let row = read(pid, at: now) { rows.append(row) }
    }
    if known.count > rows.count { known = known.filter { $0.value.round == round } }
    return rows
  }

  /// The key of the process that has this number now; nil when there is none.
  public func key(of pid: Int32) -> Int64? {
    guard (try? proc.open()) != nil else { return nil }
    defer { proc.close() }
    guard let text = proc.read(pid, "stat"), let stat = ProcessStat(text) else { return nil }
    return ProcessRow.key(pid: pid, startTicks: stat.startTicks)
  }

  /// One process; nil when it has ended meanwhile.
  private mutating func read(_ pid: Int32, at now: Duration) -> ProcessRow? {
    guard let owner = proc.owner(of: pid), let text = proc.read(pid, "stat"), let stat = ProcessStat(text) else {
      return nil
    }
    let before = known[pid].flatMap { $0.startTicks == stat.startTicks ? $0 : nil }

    var command = before?.command ?? ""
    // Staggered by pid, so that no round reads all of them.
    let isDue = (round + Int(pid)) % Self.commandRounds == 0
    if before == nil || before?.name != stat.name || isDue { command = readCommand(pid, stat.name) }

    var cpu = 0.0
    if let before, stat.cpuTicks > before.cpuTicks, now > before.time {
      let used = Double(stat.cpuTicks - before.cpuTicks) / ticksPerSecond
      // To a tenth: more digits would only say how evenly we look.
      cpu = (used / ((now - before.time) / .seconds(1)) * 1_000).rounded() / 10
    }
    known[pid] = Known(
      startTicks: stat.startTicks, cpuTicks: stat.cpuTicks, time: now, name: stat.name, command: command, round: round)

    let started = bootTime.flatMap { boot -> Int64? in
      let nanoseconds = Double(stat.startTicks) / ticksPerSecond * 1e9
      return nanoseconds < 4e18 ? boot &+ Int64(nanoseconds) : nil
    }
    return ProcessRow(
      pid: pid, startTicks: stat.startTicks, user: user(owner), name: stat.name, state: stat.stateName, cpu: cpu,
      memory: stat.residentPages &* pageSize, threads: stat.threads, started: started, command: command)
  }

  private func readCommand(_ pid: Int32, _ name: String) -> String {
    guard let text = proc.read(pid, "cmdline") else { return "[\(name)]" }
    // The arguments, each ended by NUL. What a process wrote over them may be anything.
    var bytes = text
    while bytes.last == 0 { bytes = UnsafeRawBufferPointer(rebasing: bytes.dropLast()) }
    guard !bytes.isEmpty else { return "[\(name)]" }
    return String(decoding: bytes.lazy.map { $0 < 32 ? 32 : $0 }, as: UTF8.self)
  }

  private mutating func user(_ id: uid_t) -> String {
    if let name = users[id] { return name }
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer in
      guard getpwuid_r(id, &entry, buffer.baseAddress!, buffer.count, &found) == 0, found != nil,
        let name = entry.pw_name
      else { return "\(id)" }
      return String(cString: name)
    }
    users[id] = name
    return name
  }

  /// When the machine was started, in nanoseconds since 1970.
  private func readBootTime() -> Int64? {
    guard let text = proc.read(nil, "stat") else { return nil }
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n") where line.hasPrefix("btime ") {
      return Int64(line.dropFirst(6)).flatMap {
        $0.multipliedReportingOverflow(by: 1_000_000_000).overflow ? nil : $0 * 1_000_000_000
      }
    }
    return nil
  }
}
