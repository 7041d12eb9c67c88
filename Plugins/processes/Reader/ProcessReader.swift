import Glibc

/// Reads the processes of this machine from `/proc`. CPU shares are computed between two reads.
///
///     var reader = ProcessReader()
///     let first = try reader.read(at: clock.now - start)
///     let second = try reader.read(at: clock.now - start)     // with CPU shares
///
/// Processes that end during a read are omitted. A reused process id counts as a new process.
public struct ProcessReader {
  private let proc: ProcFolder
  private let ticksPerSecond: Double
  private let pageSize: Int64
  private var bootTime: Int64?
  private var known: [Int32: Known] = [:]
  private var users: [uid_t: String] = [:]
  private var round = 0

  /// The state of a process from the previous read.
  private struct Known {
    var startTicks: UInt64
    var cpuTicks: UInt64
    var time: Duration
    var name: String
    var command: String
    var round: Int
  }

  /// The number of rounds after which a command line is read again.
  ///
  /// Reading it is the most expensive part, and it rarely changes without the name.
  private static let commandRounds = 10

  /// Creates a reader for this folder.
  ///
  /// - Parameter ticksPerSecond: The unit of CPU times; the machine's unit by default.
  public init(root: String = "/proc", ticksPerSecond: Int = sysconf(Int32(_SC_CLK_TCK))) {
    proc = ProcFolder(root)
    self.ticksPerSecond = Double(max(ticksPerSecond, 1))
    pageSize = Int64(sysconf(Int32(_SC_PAGESIZE)))
  }

  /// Reads all processes in the order of their ids.
  ///
  /// - Parameter now: A monotonic time with any origin; CPU shares are relative to it.
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

  /// Returns the key of the process that has this id now, or nil.
  public func key(of pid: Int32) -> Int64? {
    guard (try? proc.open()) != nil else { return nil }
    defer { proc.close() }
    guard let text = proc.read(pid, "stat"), let stat = ProcessStat(text) else { return nil }
    return ProcessRow.key(pid: pid, startTicks: stat.startTicks)
  }

  /// Reads one process; nil if it has ended.
  private mutating func read(_ pid: Int32, at now: Duration) -> ProcessRow? {
    guard let owner = proc.owner(of: pid), let text = proc.read(pid, "stat"), let stat = ProcessStat(text) else {
      return nil
    }
    let before = known[pid].flatMap { $0.startTicks == stat.startTicks ? $0 : nil }

    var command = before?.command ?? ""
    // The process id staggers the reads over the rounds.
    let isDue = (round + Int(pid)) % Self.commandRounds == 0
    if before == nil || before?.name != stat.name || isDue { command = readCommand(pid, stat.name) }

    var cpu = 0.0
    if let before, stat.cpuTicks > before.cpuTicks, now > before.time {
      let used = Double(stat.cpuTicks - before.cpuTicks) / ticksPerSecond
      // More than one decimal would only show the jitter of the reads.
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
      memory: stat.residentPages &* pageSize, threads: stat.threads, started: started,
      isKernel: stat.isKernel, command: command)
  }

  private func readCommand(_ pid: Int32, _ name: String) -> String {
    guard let text = proc.read(pid, "cmdline") else { return "[\(name)]" }
    // Arguments end in NUL. A process may overwrite them with any bytes.
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

  /// Returns the machine's boot time in nanoseconds since 1970-01-01T00:00Z.
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
