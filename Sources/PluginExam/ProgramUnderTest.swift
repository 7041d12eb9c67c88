import Glibc
import ListEngine
import ProcessSource
import SourceRuntime

/// A program under test, run as a child process.
final class ProgramUnderTest: PluginUnderTest {
  private let process: ChildProcess
  private let time: ExamTime
  private var lastExit: Supervisor.Exit?
  private var errors = ErrorLog()
  private var lines: [String] = []
  private var isAtEnd = false
  /// `F_SETPIPE_SZ`, a GNU constant that is not visible here.
  private static let setPipeSize: Int32 = 1_031

  /// Starts the program.
  ///
  /// `pipeBytes`: the capacity of its output pipe, or 0 for the default.
  init(_ command: ChildCommand, pipeBytes: Int32) throws(ChildProcess.Fault) {
    // Not niced, because the exam is timed and serves no clients.
    process = try ChildProcess(command, niceness: 0)
    time = ExamTime(of: process.process)
    if pipeBytes > 0 { _ = fcntl(process.output, Self.setPipeSize, pipeBytes) }
  }

  var now: Instant { time.now }

  var exit: Supervisor.Exit? {
    if lastExit == nil { lastExit = process.status().exit }
    return lastExit
  }

  func takeLog() -> [String] {
    readErrors()
    defer { lines = [] }
    return lines
  }

  private func readErrors() {
    guard process.errors >= 0 else { return }
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    for _ in 0..<64 {
      let count = Glibc.read(process.errors, &buffer, buffer.count)
      guard count > 0 else {
        if count == 0 { process.closeErrors() }
        return
      }
      errors.take(buffer[..<count], at: monotonicNow) { lines.append($0) }
    }
  }

  func send(_ bytes: [UInt8], within bound: Duration) {
    let deadline = now.advanced(by: bound)
    var rest = bytes[...]
    while !rest.isEmpty, process.input >= 0 {
      let count = rest.withUnsafeBytes { write(process.input, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN || errno == EINTR {
        guard wait(process.input, POLLOUT, until: deadline) else { return }
      } else {
        return process.closeInput()  // the plugin has closed its input, which is allowed
      }
    }
  }

  func closeInput() { process.closeInput() }

  func read(atMost count: Int, within bound: Duration) -> [UInt8]? {
    guard !isAtEnd else { return [] }
    readErrors()  // a full error pipe would also block it
    guard wait(process.output, POLLIN, until: now.advanced(by: bound)) else { return nil }
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = max(0, Glibc.read(process.output, buffer.baseAddress, count))
    }
    isAtEnd = bytes.isEmpty
    return bytes
  }

  /// Waits in slices, so that a full error pipe does not block the plugin for long.
  private func wait(_ file: Int32, _ event: Int32, until deadline: Instant) -> Bool {
    while true {
      let rest = max(.zero, now.duration(to: deadline))
      var entry = pollfd(fd: file, events: Int16(event), revents: 0)
      let slice = min(rest, .milliseconds(50))
      if poll(&entry, 1, Int32((slice.nanoseconds + 999_999) / 1_000_000)) > 0 { return true }
      readErrors()
      if rest <= .zero { return false }
    }
  }

  func terminate() { process.send(SIGTERM) }
  func kill() { process.send(SIGKILL) }
  func hold(_ isHeld: Bool) { process.send(isHeld ? SIGSTOP : SIGCONT) }

  func reap() -> Int {
    readErrors()
    errors.end { lines.append($0) }
    var others = ProcessGroup.members(of: process.process).count
    // Descendants that received the same signal may take longer, above all on a busy machine.
    for _ in 0..<200 where others > 0 {
      _ = poll(nil, 0, 10)
      others = ProcessGroup.members(of: process.process).count
    }
    process.reap()
    close(process.output)
    return others
  }
}
