import DequeModule
import ListEngine

/// Clients that are due a fixed time after they were added.
///
/// All clients of a queue wait equally long, so a FIFO queue keeps the times sorted. libwebsockets'
/// own timers are a sorted list that is searched linearly.
struct DueQueue {
  private let delay: Duration
  private let step: Int64
  private var waiting: Deque<(id: SessionID, due: Instant)> = []

  /// Creates an empty queue.
  ///
  /// - Parameters:
  ///   - delay: The time from adding a client until it is due.
  ///   - step: Times are rounded up to a multiple of it, so that clients share turns of the loop.
  init(delay: Duration, step: Duration = .nanoseconds(1)) { (self.delay, self.step) = (delay, step.nanoseconds) }

  /// The earliest time; `nil` if the queue is empty.
  var deadline: Instant? { waiting.first?.due }

  /// Adds a client.
  mutating func add(_ id: SessionID, at now: Instant) {
    let due = now.advanced(by: delay).nanoseconds
    waiting.append((id, Instant(nanoseconds: (due + step - 1) / step * step)))
  }

  /// Removes and returns all clients that are due, also those that have gone.
  ///
  /// - Complexity: O(*n*) in the clients removed.
  mutating func takeDue(at now: Instant) -> [SessionID] {
    var due: [SessionID] = []
    while let next = waiting.first, next.due <= now {
      due.append(next.id)
      waiting.removeFirst()
    }
    return due
  }
}
