import Glibc
import ListEngine
import SourceRuntime
import Threads

/// A watchdog that reports calls into a shared library that take too long.
///
/// Such a call is not interrupted.
///
///     watch.during("load") { loader.load(...) }    // reported once if it exceeds the patience
///
/// It watches one call at a time. Its thread exits when there are no calls.
final class CallWatchdog: @unchecked Sendable {
  /// The default time limit.
  ///
  /// Users should learn of a hanging call within five seconds.
  static let patience = Duration.seconds(4)

  private let name: String
  private let report: @Sendable (String) -> Void
  private let monitor = Monitor()
  // Guarded by `monitor`.
  private var call: (number: Int, name: String, patience: Duration)?
  private var count = 0
  private var isWatching = false

  /// Creates a watchdog.
  ///
  /// - Parameter report: Receives a message about a hanging call, on the watchdog's thread.
  init(name: String, report: @escaping @Sendable (String) -> Void) {
    self.name = name
    self.report = report
  }

  /// Makes a call, which is reported when it takes longer than `patience`.
  func during<Result, Failure: Error>(
    _ name: String, patience: Duration = CallWatchdog.patience, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    begin(name, patience)
    defer {
      monitor.withLock {
        call = nil
        monitor.wakeAll()
      }
    }
    return try body()
  }

  private func begin(_ name: String, _ patience: Duration) {
    let mustWatch = monitor.withLock {
      count += 1
      call = (count, name, patience)
      monitor.wakeAll()
      defer { isWatching = true }
      return !isWatching
    }
    // Without a thread this call is not watched, and the next call tries again.
    if mustWatch, startThread("watch-\(self.name)", { self.watch() }) != 0 { monitor.withLock { isWatching = false } }
  }

  private func watch() {
    while let call = next() {
      let isOver = monitor.withLock {
        monitor.wait(nanoseconds: UInt64(max(0, call.patience.nanoseconds))) { self.call?.number != call.number }
      }
      guard !isOver else { continue }
      report(
        "\(call.name) has not come back for \(call.patience): it should return soon; "
          + "nothing else is asked of it meanwhile"
      )
      monitor.withLock { _ = monitor.wait(nanoseconds: .max) { self.call?.number != call.number } }
    }
  }

  /// Returns the call in progress; `nil` after a second without calls, which ends the thread.
  private func next() -> (number: Int, name: String, patience: Duration)? {
    monitor.withLock {
      guard monitor.wait(nanoseconds: 1_000_000_000, until: { call != nil }) else {
        isWatching = false
        return nil
      }
      return call
    }
  }
}
