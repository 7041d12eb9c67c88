import Glibc
import ListEngine

/// A shared library that is examined inside our own process: the same lines as from a child, through a pipe that is ours.
///
/// What would end a process ends its instance: a library is not unloaded. It cannot be held.
final class LibraryUnderTest: PluginUnderTest {
  /// What the library's threads share with us.
  private final class Pipe: @unchecked Sendable {
    let monitor = Monitor()
    let room: Int
    // Under `monitor`.
    var bytes: [UInt8] = []
    var isClosed = false
    var code: Int32?
    var log: [String] = []
    init(room: Int) { self.room = room }

    /// Waits while it is full, as a pipe makes a program wait.
    func put(_ new: [UInt8]) -> Bool {
      monitor.withLock {
        _ = monitor.wait(nanoseconds: .max) { bytes.count < room || isClosed }
        guard !isClosed else { return false }
        bytes += new
        monitor.wakeAll()
        return true
      }
    }

    func end(_ code: Int32) {
      monitor.withLock {
        if self.code == nil { self.code = code }
        monitor.wakeAll()
      }
    }
  }

  private let pipe: Pipe
  private let time = ExamTime(of: nil)
  private let library: HostedLibrary
  private var line: [UInt8] = []
  private var ending: Supervisor.Exit?

  init(_ path: String, pipeBytes: Int32) {
    let pipe = Pipe(room: pipeBytes > 0 ? Int(pipeBytes) : 1 << 18)
    self.pipe = pipe
    library = HostedLibrary(
      path, write: { pipe.put($0) },
      log: { level, message in
        guard level > .debug else { return }
        pipe.monitor.withLock { pipe.log.append("\(level): \(message)") }
      },
      ended: { pipe.end($0) })
    library.begin()
  }

  var now: Instant { time.now }

  var exit: Supervisor.Exit? { ending ?? pipe.monitor.withLock { pipe.code }.map { .code($0) } }

  func takeLog() -> [String] {
    pipe.monitor.withLock {
      defer { pipe.log = [] }
      return pipe.log
    }
  }

  func say(_ bytes: [UInt8], within bound: Duration) {
    for byte in bytes {
      guard byte == 0x0A else {
        line.append(byte)
        continue
      }
      library.hear(line)
      line = []
    }
  }

  func closeInput() { stop(.code(0)) }
  func terminate() { stop(.signal(SIGTERM)) }
  func kill() { stop(.signal(SIGKILL)) }
  func hold(_ isHeld: Bool) {}

  /// Who waits for room is let go first.
  private func stop(_ exit: Supervisor.Exit) {
    pipe.monitor.withLock {
      pipe.isClosed = true
      pipe.monitor.wakeAll()
    }
    guard library.close(within: .seconds(5)) else { return }
    if ending == nil { ending = exit }
    pipe.end(0)
  }

  func read(atMost count: Int, within bound: Duration) -> [UInt8]? {
    pipe.monitor.withLock {
      _ = pipe.monitor.wait(nanoseconds: UInt64(max(0, bound.nanoseconds))) {
        !pipe.bytes.isEmpty || pipe.isClosed || pipe.code != nil
      }
      guard !pipe.bytes.isEmpty else { return pipe.isClosed || pipe.code != nil ? [] : nil }
      let taken = Array(pipe.bytes.prefix(count))
      pipe.bytes.removeFirst(taken.count)
      pipe.monitor.wakeAll()
      return taken
    }
  }

  func reap() -> Int {
    stop(.signal(SIGKILL))
    return 0
  }
}

extension Exam {
  /// Examines a shared library inside of this process, where a crash of the plugin is a crash of the exam. The rules and the findings are
  /// those of the same library as a child process.
  public static func hold(ofLibrary path: String, named name: String, _ options: ExamOptions = ExamOptions())
    -> ExamReport
  {
    hold(named: name, options) { LibraryUnderTest(path, pipeBytes: $0) }
  }
}
