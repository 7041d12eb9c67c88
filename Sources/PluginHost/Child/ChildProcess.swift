import CChildProcess
import Glibc

/// A running child process, and our ends of its three pipes.
///
/// It is made on a thread that lives as long as the process is to live, and used by that thread alone; only ``output`` is read by another.
final class ChildProcess {
  /// Why there is none.
  struct Fault: Error {
    var reason: String
  }

  let process: pid_t
  /// Becomes readable when the process has ended; -1 when the kernel cannot tell.
  let watch: Int32
  /// Its standard input; -1 when it is closed.
  private(set) var input: Int32
  /// Its standard output. Belongs to whoever reads it, who closes it.
  let output: Int32
  /// Tells its processes from all others.
  private let mark: UInt64
  /// Its standard error; -1 when it is closed.
  private(set) var errors: Int32

  init(
    _ command: ChildCommand, niceness: Int32 = childNiceness, confinement chosen: Confinement? = nil
  ) throws(Fault) {
    let ours = ChildCommand.ours
    guard let path = command.path(searching: ours["PATH"]) else {
      throw Fault(reason: "there is no program “\(command.program)” that may be run")
    }
    if command.sha256 != nil {
      do throws(PluginError) {
        try command.checkTrust()
      } catch {
        throw Fault(reason: "\(error)")
      }
    }
    let confinement = chosen ?? Confinement(command)
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
          // Many runtimes reserve far more addresses than they use.
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

  /// The read and write ends of three pipes, none of which another child inherits; `nil` when there are not so many.
  private static func pipes() -> [Int32]? {
    var files: [Int32] = []
    for index in 0..<3 {
      var pair: [Int32] = [0, 0]
      // A larger one saves switches between a fast child and us.
      guard child_pipe(&pair, index == 1 ? 1 << 18 : 0) == 0 else {
        for file in files { close(file) }
        return nil
      }
      files += pair
    }
    return files
  }

  /// RLIMIT_NPROC counts all of a user's threads, so that a limit for one child begins at what there is.
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
      // A folder's links beside its own two are the folders in it: one for each thread.
      guard stat("/proc/\(name)/task", &status) == 0 else { continue }
      count += UInt64(max(1, Int(status.st_nlink) - 2))
    }
    return count
  }

  private static func words(_ error: Int32) -> String { String(cString: strerror(error)) }

  // MARK: Its course

  /// Whether it has ended, and how. It stays to be waited for.
  func look() -> (exit: Supervisor.Exit?, isStopped: Bool) {
    var code: Int32 = 0
    switch child_look(process, &code) {
    case CHILD_EXITED: return (.code(code), false)
    case CHILD_KILLED: return (.signal(code), false)
    case CHILD_STOPPED: return (nil, true)
    default: return (nil, false)
    }
  }

  /// The reason why the program must end: all its processes together take more than ``ChildCommand`` allows. `nil` when they do not.
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

  /// Sends a signal to its whole group.
  ///
  /// - Precondition: It was not reaped: until then nobody else can have its number.
  func send(_ signal: Int32) { kill(-process, signal) }

  /// Kills what is left of it, also outside its group and session, and lets it go.
  func reap() {
    send(SIGKILL)
    child_reap(process)
    child_kill_marked(mark)
    closeInput()
    if errors >= 0 { close(errors) }
    errors = -1
    if watch >= 0 { close(watch) }
  }

  /// Says that there is no more to hear.
  func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// There is no more to read.
  func closeErrors() {
    if errors >= 0 { close(errors) }
    errors = -1
  }
}
