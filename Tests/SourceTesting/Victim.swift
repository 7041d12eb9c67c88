import Foundation

/// A process with three threads that waits for its end.
///
/// Foundation's `Process` is unsuitable: it detects the end by a descriptor that other processes
/// may inherit and hold open.
package final class Victim {
  package let pid: pid_t
  private var status: Int32?

  /// Starts the process and waits until all its threads run.
  package init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0, ends.allSatisfy({ fcntl($0, F_SETFD, FD_CLOEXEC) == 0 }) else {
      throw Workshop.Failure(description: "no pipe: \(errno)")
    }
    defer { close(ends[0]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    let program = """
      import threading
      for _ in range(2): threading.Thread(target=threading.Event().wait).start()
      print("ready", flush=True)
      """
    let python = try Workshop.compiler(["python3"])
    let words: [String] = [python, "-c", program]
    let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    // The test runner's threads block signals, which the process would inherit.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var pid = pid_t()
    let code = posix_spawn(&pid, python, &actions, &attributes, arguments, environ)
    close(ends[1])
    guard code == 0 else { throw Workshop.Failure(description: "no process: \(code)") }
    self.pid = pid
    var byte: UInt8 = 0
    while read(ends[0], &byte, 1) == 1, byte != UInt8(ascii: "\n") {}
    guard byte == UInt8(ascii: "\n") else { throw Workshop.Failure(description: "the victim has ended by itself") }
  }

  deinit {
    guard isRunning else { return }
    kill(pid, SIGKILL)
    _ = waitForSignal()
  }

  package var isRunning: Bool {
    guard status == nil else { return false }
    var found: Int32 = 0
    if waitpid(pid, &found, WNOHANG) == pid { status = found }
    return status == nil
  }

  /// Waits for the end and returns the signal that caused it, or 0 for an exit.
  package func waitForSignal() -> Int32 {
    var found: Int32 = 0
    if status == nil, waitpid(pid, &found, 0) == pid { status = found }
    return (status ?? 0) & 0x7F
  }

  /// The niceness of each of its threads.
  package var niceness: [Int32] {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
    return tasks.compactMap { UInt32($0) }.map { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), $0) }
  }
}
