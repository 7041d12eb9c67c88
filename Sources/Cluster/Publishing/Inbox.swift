import DequeModule
import ListEngine
import Threads

/// A bounded queue of a source's events for the thread that publishes them.
///
/// A source that is faster than that thread waits, as at the engine.
final class Inbox: Sendable {
  /// An event with the time of its arrival.
  struct Letter {
    var event: SourceEvent
    /// In nanoseconds since 1970.
    var time: Int64
    /// By the monotonic clock.
    var arrived: Instant
  }

  private struct State {
    var events: Deque<Letter> = []
    var rows = 0
    var isClosed = false
  }

  /// The number of rows after which a source waits.
  static let greatestRows = 20_000

  private let monitor = Monitor()
  /// Protected by `monitor`.
  private nonisolated(unsafe) var state = State()

  /// Appends an event; blocks while the queue is full. [any thread]
  func put(_ event: SourceEvent, time: Int64) {
    let arrived = BootTime.now
    monitor.withLock {
      monitor.wait { state.isClosed || state.rows < Self.greatestRows }
      guard !state.isClosed else { return }
      state.events.append(Letter(event: event, time: time, arrived: arrived))
      state.rows += Self.weight(of: event)
      monitor.wakeAll()
    }
  }

  /// Removes and returns the first events; waits for one up to a time. [the publishing thread]
  func take(within patience: Duration) -> [Letter] {
    monitor.withLock {
      _ = monitor.wait(nanoseconds: UInt64(clamping: patience.nanoseconds)) {
        state.isClosed || !state.events.isEmpty
      }
      var taken: [Letter] = []
      var rows = 0
      while rows < SourceEvent.partRows, let first = state.events.popFirst() {
        rows += Self.weight(of: first.event)
        taken.append(first)
      }
      state.rows -= rows
      monitor.wakeAll()
      return taken
    }
  }

  /// Drops all events and lets no source wait any more. [any thread]
  func close() {
    monitor.withLock {
      state.isClosed = true
      state.events = []
      state.rows = 0
      monitor.wakeAll()
    }
  }

  private static func weight(of event: SourceEvent) -> Int {
    guard case .changes(let changes) = event else { return 1 }
    return max(1, changes.count)
  }
}
