import DequeModule
import ListEngine

/// The deadlines by which new clients must send their `hello`.
///
/// All clients have the same time, so a FIFO queue keeps the deadlines sorted. libwebsockets' own
/// timers are a sorted list that is searched linearly.
struct HelloQueue {
  private let patience: Duration
  private var waiting: Deque<(id: SessionID, deadline: Instant)> = []

  init(patience: Duration) { self.patience = patience }

  /// The earliest deadline; `nil` if the queue is empty.
  var deadline: Instant? { waiting.first?.deadline }

  /// Adds a client that has connected.
  mutating func add(_ id: SessionID, at now: Instant) { waiting.append((id, now.advanced(by: patience))) }

  /// Removes and returns all clients whose deadline has passed, whether or not they sent a `hello`.
  ///
  /// - Complexity: O(*n*) in the clients removed.
  mutating func takeOverdue(at now: Instant) -> [SessionID] {
    var overdue: [SessionID] = []
    while let next = waiting.first, next.deadline <= now {
      overdue.append(next.id)
      waiting.removeFirst()
    }
    return overdue
  }
}
