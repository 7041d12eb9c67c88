import ListEngine

/// A periodic timer that runs only while there are clients.
struct PeriodicTimer {
  /// The result of checking the timer.
  enum Round { case notYet, inTime, late }

  private let interval: Duration
  /// The time of the next round; `nil` while there are no clients.
  private(set) var deadline: Instant?

  init(every interval: Duration) {
    precondition(interval > .zero, "periodicTimer need time between them")
    self.interval = interval
  }

  /// Starts the timer when a client connects.
  mutating func begin(at now: Instant) {
    if deadline == nil { deadline = now.advanced(by: interval) }
  }

  /// Returns whether a round is due, and schedules the next one.
  ///
  /// A round that is more than one interval late is `.late`: the process was suspended, so silent
  /// clients must not be closed.
  mutating func take(at now: Instant, isAnyoneThere: Bool) -> Round {
    guard let due = deadline, due <= now else { return .notYet }
    deadline = isAnyoneThere ? now.advanced(by: interval) : nil
    return due.duration(to: now) > interval ? .late : .inTime
  }
}
