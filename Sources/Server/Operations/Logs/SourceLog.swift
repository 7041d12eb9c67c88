import CWebSockets
import ListEngine
import Logging
import Threads

/// A rate-limited log for events that sources or clients cause.
///
/// It writes at most ``rate`` lines per second, and the number of lines suppressed.
public final class SourceLog: Sendable {
  static let rate = 100

  private struct State {
    var bucket: TokenBucket
    var suppressed = 0
  }

  private let logger: Logger
  private let clock: @Sendable () -> Instant
  private let state: Guarded<State>

  /// Creates a log for the source with this name.
  public convenience init(_ name: String) { self.init(Logger(label: name)) { EventLoop.now } }

  /// Creates a log with a rate limit of its own.
  init(_ logger: Logger, clock: @escaping @Sendable () -> Instant) {
    self.logger = logger
    self.clock = clock
    state = Guarded(State(bucket: TokenBucket(rate: Self.rate, burst: Self.rate, at: clock())))
  }

  /// Writes a line unless the rate limit is exceeded. [any thread]
  public func log(_ level: Logger.Level, _ message: String) { log(level, message, metadata: nil) }

  func log(_ level: Logger.Level, _ message: String, metadata: Logger.Metadata?) {
    guard level >= logger.logLevel else { return }
    let now = clock()
    let suppressed = state.withLock { state -> Int? in
      guard state.bucket.take(at: now) else {
        state.suppressed += 1
        return nil
      }
      defer { state.suppressed = 0 }
      return state.suppressed
    }
    guard let suppressed else { return }
    if suppressed > 0 { logger.warning("lines were dropped", metadata: ["suppressed": "\(suppressed)"]) }
    logger.log(level: level, "\(message)", metadata: metadata)
  }
}
