import Dispatch
import Threads

/// The shutdown of all sources, in parallel with that of the server's connections.
final class Ending: Sendable {
  private let feeds = Guarded<[any Feed]>([])
  private let isDone = DispatchGroup()
  /// The time limit for stopping the sources.
  ///
  /// With the server's own second it stays below the three seconds promised to supervisors.
  private static let patience = DispatchTimeInterval.milliseconds(1_000)

  /// Starts a source and registers it to be stopped later.
  func start(_ feed: any Feed) throws {
    try feed.start()
    feeds.withLock { $0.append(feed) }
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
