import Dispatch
import Synchronization

/// Ends the sources while the pages are being told, so that both together take no longer than either.
final class Ending: Sendable {
  private let feeds = Mutex<[any Feed]>([])
  private let isDone = DispatchGroup()
  /// With the server's own second this stays below the three seconds that a supervisor is promised.
  private static let patience = DispatchTimeInterval.milliseconds(1_000)

  /// Starts a source that is to be ended later.
  func start(_ feed: any Feed) throws {
    try feed.start()
    feeds.withLock { $0.append(feed) }
  }

  /// Tells every source to end; returns at once.
  func begin() {
    for feed in feeds.withLock({ $0 }) {
      DispatchQueue.global().async(group: isDone) { feed.stop() }
    }
  }

  /// Waits until all have ended, but not for long.
  func finish() { _ = isDone.wait(timeout: .now() + Self.patience) }
}
