import ListEngine

/// When to look at all pages: once in a while, as long as there are any.
struct PeriodicTimer {
  /// How a round finds itself.
  enum Round { case notYet, inTime, late }

  private let interval: Duration
  /// When the next one is; `nil` as long as there is nobody.
  private(set) var deadline: Instant?

  init(every interval: Duration) {
    precondition(interval > .zero, "periodicTimer need time between them")
    self.interval = interval
  }

  /// Notes that somebody is there.
  mutating func begin(at now: Instant) {
    if deadline == nil { deadline = now.advanced(by: interval) }
  }

  /// Whether it is time, and whether it was long ago: then the process stood still, and nobody can be blamed for having said nothing.
  mutating func take(at now: Instant, isAnyoneThere: Bool) -> Round {
    guard let due = deadline, due <= now else { return .notYet }
    deadline = isAnyoneThere ? now.advanced(by: interval) : nil
    return due.duration(to: now) > interval ? .late : .inTime
  }
}
