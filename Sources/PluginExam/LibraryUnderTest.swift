import DequeModule
import Glibc
import LibrarySource
import ListEngine
import ProcessSource
import SourceRuntime
import Threads

/// A shared library under test inside this process, with the lines of a child process over an
/// in-memory pipe.
///
/// Ending the process is simulated by ending the instance, because libraries are never unloaded.
/// `hold(_:)` has no effect.
final class LibraryUnderTest: PluginUnderTest {
  /// The pipe shared with the library's threads.
  private final class Pipe: @unchecked Sendable {
    let monitor = Monitor()
    let room: Int
    // Guarded by `monitor`.
    var bytes: [UInt8] = []
    var isClosed = false
    var code: Int32?
    var log: [String] = []
    init(room: Int) { self.room = room }

    /// Appends whole lines, and waits while the buffer is full, like the pipe of a program.
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

  /// The lines for the library, which a thread of its own passes on.
  ///
  /// The library may wait for space in the pipe, which only the exam's thread makes.
  private final class Inbox: @unchecked Sendable {
    private let monitor = Monitor()
    private static let room = 1_024
    // Guarded by `monitor`.
    private var lines: Deque<[UInt8]> = []
    private var isClosed = false
    private var isDrained = false

    /// Starts the thread, which ends after the lines that precede ``close(within:)``.
    init(_ receive: @escaping @Sendable ([UInt8]) -> Void) {
      let code = startThread("inbox") { [self] in
        while let line = next() { receive(line) }
        monitor.withLock {
          isDrained = true
          monitor.wakeAll()
        }
      }
      precondition(code == 0, "no thread for the lines of an exam (error \(code))")
    }

    private func next() -> [UInt8]? {
      monitor.withLock {
        monitor.wait { !lines.isEmpty || isClosed }
        defer { monitor.wakeAll() }
        return lines.popFirst()
      }
    }

    /// Adds a line, and waits for room for at most `bound`; without room the line is lost.
    func add(_ line: [UInt8], within bound: Duration) {
      monitor.withLock {
        let isRoomy = monitor.wait(nanoseconds: UInt64(max(0, bound.nanoseconds))) {
          lines.count < Self.room || isClosed
        }
        guard isRoomy, !isClosed else { return }
        lines.append(line)
        monitor.wakeAll()
      }
    }

    /// Ends the thread, and returns whether that happened in time.
    func close(within bound: Duration) -> Bool {
      monitor.withLock {
        isClosed = true
        monitor.wakeAll()
        return monitor.wait(nanoseconds: UInt64(max(0, bound.nanoseconds))) { isDrained }
      }
    }
  }

  private let pipe: Pipe
  private let time = ExamTime(of: nil)
  private let library: HostedLibrary
  private let inbox: Inbox
  private var line: [UInt8] = []
  private var ending: Supervisor.Exit?

  init(_ path: String, pipeBytes: Int32) {
    let pipe = Pipe(room: pipeBytes > 0 ? Int(pipeBytes) : 1 << 18)
    self.pipe = pipe
    let library = HostedLibrary(
      path, write: { pipe.put($0) },
      log: { level, message in
        guard level > .debug else { return }
        pipe.monitor.withLock { pipe.log.append("\(level): \(message)") }
      },
      ended: { pipe.end($0) })
    self.library = library
    inbox = Inbox { library.receive($0) }
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

  func send(_ bytes: [UInt8], within bound: Duration) {
    for byte in bytes {
      guard byte == 0x0A else {
        line.append(byte)
        continue
      }
      inbox.add(line, within: bound)
      line = []
    }
  }

  func closeInput() { stop(.code(0)) }
  func terminate() { stop(.signal(SIGTERM)) }
  func kill() { stop(.signal(SIGKILL)) }
  func hold(_ isHeld: Bool) {}

  /// Stops the library, first releasing threads that wait for space in the pipe.
  private func stop(_ exit: Supervisor.Exit) {
    pipe.monitor.withLock {
      pipe.isClosed = true
      pipe.monitor.wakeAll()
    }
    guard inbox.close(within: .seconds(5)), library.close(within: .seconds(5)) else { return }
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
  /// Examines a shared library inside this process, where a crash of the plugin also crashes the
  /// exam.
  ///
  /// The rules and findings equal those of the same library as a child process.
  package static func hold(ofLibrary path: String, named name: String, _ options: ExamOptions = ExamOptions())
    -> ExamReport
  {
    hold(named: name, options) { LibraryUnderTest(path, pipeBytes: $0) }
  }
}
