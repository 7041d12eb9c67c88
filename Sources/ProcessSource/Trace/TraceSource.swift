import Glibc
import ListEngine
import SourceRuntime
import Threads

/// A source that replays the events of a plugin from a trace, without the plugin.
///
///     let source = TraceSource("jobs.trace", name: "jobs", speed: 1, log: log) { event in
///       mailbox.put(event)
///     }
///     try source.start()
package final class TraceSource: RunningSource, @unchecked Sendable {
  private let path: String
  private let name: String
  private let speed: Double
  private let log: @Sendable (PluginLogLevel, String) -> Void
  private let events: @Sendable (SourceEvent) -> Bool
  private let monitor = Monitor()
  // Guarded by `monitor`.
  private var isStopping = false
  private var isFinished = true

  /// Creates a source without starting it.
  ///
  /// - Parameters:
  ///   - speed: The speed relative to the original; 0 replays without waiting.
  ///   - log: Receives the plugin's recorded standard error, and problems with the file.
  package init(
    _ path: String, name: String, speed: Double, log: @escaping @Sendable (PluginLogLevel, String) -> Void,
    events: @escaping @Sendable (SourceEvent) -> Bool
  ) {
    self.path = path
    self.name = name
    self.speed = speed
    self.log = log
    self.events = events
  }

  /// Starts the replay on a separate thread.
  ///
  /// - Throws: ``PluginError/noTrace(_:reason:)`` when the file is not a trace. No events are then
  ///   delivered.
  package func start() throws(PluginError) {
    let file = try TraceFile(path)
    monitor.withLock { isFinished = false }
    let code = startThread("replay-\(name)") { [self] in
      run(file)
      monitor.withLock {
        isFinished = true
        monitor.wakeAll()
      }
    }
    guard code == 0 else {
      monitor.withLock { isFinished = true }
      throw .noThread(source: name, code: code)
    }
  }

  /// Stops the replay and waits for the thread; returns false when that took too long.
  @discardableResult
  package func stop(within bound: Duration) -> Bool {
    monitor.withLock {
      isStopping = true
      monitor.wakeAll()
      return monitor.wait(nanoseconds: UInt64(max(0, bound.nanoseconds))) { isFinished }
    }
  }

  /// Ignores requests, because the recorded answers are replayed.
  package func send(_ request: SourceRequest) {}

  // MARK: The thread

  private func run(_ file: TraceFile) {
    let replay = TraceReplay(name: name, events: events)
    let began = monotonicNow
    var invalid = 0
    while let line = file.next() {
      switch line {
      case .entry(let at, let instance, let entry):
        guard wait(until: began.advanced(by: speed > 0 ? at / speed : .zero), replay), take(entry, instance, replay)
        else { return }
      case .invalid(let number):
        invalid += 1
        if invalid <= Self.namedLines { log(.warning, "\(path): line \(number) is not a line of a trace") }
      case .cutOff(let number): log(.warning, "\(path): the file ends within line \(number)")
      }
    }
    if invalid > Self.namedLines { log(.warning, "\(path): \(invalid) lines are no lines of a trace") }
    guard replay.settle() else { return }
    _ = events(.state(.stale, message: "the trace is over"))
  }

  /// The number of malformed lines that are logged one by one.
  ///
  /// Further ones are only counted.
  private static let namedLines = 10

  /// Waits until `moment`, running schema inference during pauses; returns false when stopping.
  private func wait(until moment: Instant, _ replay: TraceReplay) -> Bool {
    while true {
      let rest = monotonicNow.duration(to: moment)
      guard rest > .zero else { return !monitor.withLock { isStopping } }
      let slice = replay.isSampling ? min(rest, .milliseconds(200)) : rest
      let isStopped = monitor.withLock { monitor.wait(nanoseconds: UInt64(slice.nanoseconds)) { isStopping } }
      guard !isStopped else { return false }
      if replay.isSampling, slice < rest || rest >= .milliseconds(200) { guard replay.settle() else { return false } }
    }
  }

  private func take(_ entry: TraceEntry, _ instance: Int, _ replay: TraceReplay) -> Bool {
    switch entry {
    case .begin:
      replay.begin(instance)
      return true
    case .end: return replay.end(instance)
    case .line(.host, _): return true
    case .line(.log, let line):
      log(.info, String(decoding: line, as: UTF8.self))
      return true
    case .line(.plugin, let line): return replay.take(line, of: instance)
    }
  }
}
