import Glibc
import ListEngine

/// Says when a call into a shared library does not come back soon: it cannot be ended, but it can be named.
///
///     watch.during("load") { loader.load(...) }    // reported once when it takes longer than the patience
///
/// One call at a time. Its thread is there while there are calls.
final class CallWatch: @unchecked Sendable {
  /// Within five seconds people are told of a call that hangs.
  static let patience = Duration.seconds(4)

  private let name: String
  private let report: @Sendable (String) -> Void
  private let monitor = Monitor()
  // Under `monitor`.
  private var call: (number: Int, name: String, patience: Duration)?
  private var count = 0
  private var isWatching = false

  /// - Parameter report: Takes a sentence about a call that hangs. [a thread of its own]
  init(name: String, report: @escaping @Sendable (String) -> Void) {
    self.name = name
    self.report = report
  }

  /// Makes a call, which is named when it takes longer than this.
  func during<Result, Failure: Error>(
    _ name: String, patience: Duration = CallWatch.patience, _ body: () throws(Failure) -> Result
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
    // Without a thread nobody watches, and the next call tries again.
    if mustWatch, startThread("watch-\(self.name)", { self.watch() }) != 0 { monitor.withLock { isWatching = false } }
  }

  private func watch() {
    while let call = next() {
      let isOver = monitor.withLock {
        monitor.wait(nanoseconds: UInt64(max(0, call.patience.nanoseconds))) { self.call?.number != call.number }
      }
      guard !isOver else { continue }
      report(
        "\(call.name) has not come back for \(call.patience): it should return soon; nothing else is asked of it meanwhile"
      )
      monitor.withLock { _ = monitor.wait(nanoseconds: .max) { self.call?.number != call.number } }
    }
  }

  /// The call that is under way; `nil`, and nobody watches any more, when there is none for a while.
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
