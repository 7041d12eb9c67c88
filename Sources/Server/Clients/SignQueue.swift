import DequeModule
import ListEngine

/// The clients that want signs of life, in the order in which they are due.
///
/// All have the same interval, so a FIFO queue keeps the times sorted.
struct SignQueue {
  /// The time between two signs of life.
  static let interval = Duration.seconds(1)
  /// The time since the last message in which a client needs no sign of life.
  static let sufficient = Duration.milliseconds(500)
  /// Times are rounded up to this, so that clients share turns of the loop.
  private static let step = Duration.milliseconds(50)

  private var waiting: Deque<(id: SessionID, due: Instant)> = []

  /// The earliest time; `nil` if the queue is empty.
  var deadline: Instant? { waiting.first?.due }

  /// Adds a client, which is due after the interval.
  mutating func add(_ id: SessionID, at now: Instant) {
    let step = Self.step.nanoseconds
    let due = now.advanced(by: Self.interval).nanoseconds
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
