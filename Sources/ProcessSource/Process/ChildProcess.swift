import CSystem
import Glibc
import SourceRuntime

/// A running child process, with the host's ends of its three pipes.
///
/// The process is created on a thread that must live as long as the process. Only that thread uses
/// the object, except for ``output``, which another thread reads.
package final class ChildProcess {
  /// The reason why a process failed to start.
  package struct Fault: Error {
    package var reason: String
  }

  package let process: pid_t
  /// A descriptor that becomes readable when the process ends; -1 if the kernel does not support
  /// this.
  package let watch: Int32
  /// The process's standard input; -1 when closed.
  package private(set) var input: Int32
  /// The process's standard output.
  ///
  /// The reader owns and closes it.
  package let output: Int32
  /// A random number that marks all processes descending from this one.
  private let mark: UInt64
  /// The process's standard error; -1 when closed.
  package private(set) var errors: Int32

  /// Ignores SIGPIPE: a process may end, or close its input, before it has read what is written.
  private static let ignoresBrokenPipes: Void = { signal(SIGPIPE, SIG_IGN) }()

  package init(
    _ command: ChildCommand, niceness: Int32 = childNiceness, confinement given: Confinement? = nil
  ) throws(Fault) {
    _ = Self.ignoresBrokenPipes
    let ours = ChildCommand.ours
    guard let path = command.path(searching: ours["PATH"]) else {
      throw Fault(reason: "no program “\(command.program)” that is executable")
    }
    if command.sha256 != nil {
      do throws(PluginError) {
        try command.checkTrust()
      } catch {
        throw Fault(reason: "\(error)")
      }
    }
    let confinement = given ?? Confinement(command)
    var wrapping: [String] = []
    if confinement.isWrapped {
      guard let wrapper = Confinement.wrapper else {
        throw Fault(reason: "isolation: strict needs bubblewrap (bwrap), and it is not installed or does not work here")
      }
      wrapping = [wrapper] + Confinement.wrapping
      if let folder = command.secrets.folder { wrapping += ["--tmpfs", folder] }
      if let file = command.secrets.file { wrapping += ["--ro-bind-try", "/dev/null", file] }
      wrapping += ["--", path]
    }
    guard let pipes = Self.pipes() else { throw Fault(reason: "no pipe: \(Self.words(errno))") }
    let words = ((wrapping.isEmpty ? [command.program] : wrapping) + command.arguments).map { strdup($0) } + [nil]
    let environment = command.environment(from: ours).map { strdup($0) } + [nil]
    defer { for text in words + environment { free(text) } }
    let folder = command.folder.map { strdup($0)! }
    let hiddenFolder = command.secrets.folder.map { strdup($0)! }
    let hiddenFile = command.secrets.file.map { strdup($0)! }
    defer { for text in [folder, hiddenFolder, hiddenFile] { free(text) } }
    let mark = UInt64.random(in: 1 ... .max)
    self.mark = mark
    var failure: Int32 = 0
    var step: UnsafePointer<CChar>?
    process = (wrapping.first ?? path).withCString { path in
      words.withUnsafeBufferPointer { words in
        environment.withUnsafeBufferPointer { environment in
          var request = child_request()
          request.path = path
          request.arguments = words.baseAddress
          request.environment = environment.baseAddress
          request.folder = UnsafePointer(folder)
          (request.input, request.output, request.errors) = (pipes[0], pipes[3], pipes[5])
          request.data_bytes = command.memory
          // Many runtimes reserve far more address space than they use.
          request.address_bytes =
            command.memory.multipliedReportingOverflow(by: 16).overflow ? .max : command.memory * 16
          request.open_files = command.openFiles
          request.processes = command.processes == .max ? .max : Self.tasksOfThisUser() + command.processes
          request.nice = niceness
          request.mark = mark
          request.confinement = confinement.flags
          request.hidden_folder = UnsafePointer(hiddenFolder)
          request.hidden_file = UnsafePointer(hiddenFile)
          return child_start(&request, &failure, &step)
        }
      }
    }
    for index in [0, 3, 5] { close(pipes[index]) }
    guard process > 0 else {
      for index in [1, 2, 4] { close(pipes[index]) }
      throw Fault(reason: "it cannot be started: \(String(cString: step!)): \(Self.words(failure))")
    }
    (input, output, errors) = (pipes[1], pipes[2], pipes[4])
    for file in [input, output, errors] { _ = fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK) }
    watch = child_watch(process)
  }

  /// Creates three pipes that no other child inherits and returns their read and write ends; `nil`
  /// on failure.
  private static func pipes() -> [Int32]? {
    var files: [Int32] = []
    for index in 0..<3 {
      var pair: [Int32] = [0, 0]
      // A larger buffer saves context switches between a fast child and the host.
      guard child_pipe(&pair, index == 1 ? 1 << 18 : 0) == 0 else {
        for file in files { close(file) }
        return nil
      }
      files += pair
    }
    return files
  }

  /// Returns the number of threads of the current user.
  ///
  /// `RLIMIT_NPROC` counts all threads of a user, so the limit for one child starts from this
  /// number.
  private static func tasksOfThisUser() -> UInt64 {
    guard getuid() != 0, let folder = opendir("/proc") else { return 0 }
    defer { closedir(folder) }
    var count: UInt64 = 0
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      var status = stat()
      guard name.first?.isNumber == true, stat("/proc/\(name)", &status) == 0, status.st_uid == getuid() else {
        continue
      }
      // A folder has one link per subfolder in addition to its own two. Each subfolder is a thread.
      guard stat("/proc/\(name)/task", &status) == 0 else { continue }
      count += UInt64(max(1, Int(status.st_nlink) - 2))
    }
    return count
  }

  private static func words(_ error: Int32) -> String { String(cString: strerror(error)) }

  // MARK: Lifetime

  /// Returns how the process has ended, if it has, and whether a signal has stopped it.
  ///
  /// Does not reap it.
  package func status() -> (exit: Supervisor.Exit?, isStopped: Bool) {
    var code: Int32 = 0
    switch child_look(process, &code) {
    case CHILD_EXITED: return (.code(code), false)
    case CHILD_KILLED: return (.signal(code), false)
    case CHILD_STOPPED: return (nil, true)
    default: return (nil, false)
    }
  }

  /// The reason why the program must end: all its processes together take more than
  /// ``ChildCommand`` allows. `nil` when they do not.
  ///
  /// - Complexity: O(processes of the machine).
  func excess(over command: ChildCommand) -> String? {
    var bytes: UInt64 = 0
    let count = Int(child_measure_marked(mark, 0, &bytes))
    if count > command.greatestProcessCount {
      return "it has \(count) processes, and may have \(command.greatestProcessCount)"
    }
    // Most programs are far below, and the exact size costs more.
    guard bytes > command.totalMemory else { return nil }
    _ = child_measure_marked(mark, 1, &bytes)
    guard bytes > command.totalMemory else { return nil }
    return "its processes take \(bytes >> 20) MiB of memory, and may take \(command.totalMemory >> 20)"
  }

  /// Sends a signal to the whole process group.
  ///
  /// - Precondition: The process was not reaped, because afterwards its ID may be reused.
  package func send(_ signal: Int32) { kill(-process, signal) }

  /// Kills the remaining processes, including those outside the group and session, and reaps the
  /// child.
  package func reap() {
    send(SIGKILL)
    child_reap(process)
    child_kill_marked(mark)
    closeInput()
    if errors >= 0 { close(errors) }
    errors = -1
    if watch >= 0 { close(watch) }
  }

  /// Closes the standard input, which signals the child to end.
  package func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// Closes the standard error after its end was reached.
  package func closeErrors() {
    if errors >= 0 { close(errors) }
    errors = -1
  }
}
