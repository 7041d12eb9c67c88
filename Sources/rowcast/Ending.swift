import Dispatch
import Threads

/// The shutdown of all sources, in parallel with that of the server's connections.
final class Ending: Sendable {
  private let feeds = Guarded<[any Feed]>([])
  private let isDone = DispatchGroup()
  private let refusal = Guarded<String?>(nil)
  /// The time limit for stopping the sources.
  ///
  /// With the server's own second it stays below the three seconds promised to supervisors.
  private static let patience = DispatchTimeInterval.milliseconds(1_000)

  /// Starts a source and registers it to be stopped later.
  func start(_ feed: any Feed) throws {
    try feed.start()
    feeds.withLock { $0.append(feed) }
  }

  /// The exit code of the command: 2 after a usage error, else 0.
  var exitCode: Int32 { refusal.withLock { $0 == nil ? 0 : 2 } }

  /// Reports a usage error that was found after the start; only the first one counts.
  func refuse(_ reason: String) {
    let isFirst = refusal.withLock { refusal in
      defer { refusal = refusal ?? reason }
      return refusal == nil
    }
    if isFirst { complain(reason) }
  }

  /// Begins to stop every source; returns immediately.
  func begin() {
    for feed in feeds.withLock({ $0 }) {
      DispatchQueue.global().async(group: isDone) { feed.stop() }
    }
  }

  /// Waits until all sources have stopped, or until the time limit.
  func finish() { _ = isDone.wait(timeout: .now() + Self.patience) }
}
