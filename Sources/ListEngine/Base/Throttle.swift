/// A rate limit of one flush per interval that never loses the last change.
///
/// A throttle has no clock; the caller passes the time and calls again at the deadline:
///
///     throttle.noteChange(at: now)
///     throttle.deadline              // the time of the next call; nil when nothing waits
///     throttle.takeFlush(at: now)    // true at most once per interval
///
/// The first change after a quiet time is flushed at once. Later changes wait until the interval
/// has passed since the last flush and are flushed together.
///
/// The rule is that of a well-known `UITableView` category, without two of its bugs. That category
/// loses the next change after a cancel. It also loses a change when its timer fires early.
struct Throttle {
  /// The minimum time between two flushes; a new value also applies to waiting changes.
  var interval: Duration {
    willSet { precondition(newValue >= .zero, "an interval of \(newValue) cannot run backwards") }
  }
  /// The time of the oldest waiting change, or `nil` if none waits.
  private var waitingSince: Instant?
  private var lastFlush: Instant?
  /// The delay of the flushes after the tick, if turns are too short to serve all sessions at the
  /// tick.
  private var lag = Duration.zero

  init(interval: Duration) {
    precondition(interval >= .zero, "an interval of \(interval) cannot run backwards")
    self.interval = interval
  }

  /// Whether a change waits.
  var isWaiting: Bool { waitingSince != nil }

  /// The earliest time at which the waiting changes may be flushed, or `nil` if none wait.
  var deadline: Instant? {
    guard let waitingSince else { return nil }
    guard let lastFlush else { return waitingSince }
    return max(waitingSince, lastFlush.advanced(by: interval))
  }

  /// Returns the deadline, aligned with the flushes of other throttles of the same interval.
  ///
  /// The others flush at `tick` and at multiples of the interval after it. A change that has to
  /// wait anyway waits for the next of these times, which adds less than an interval. The first
  /// change after a quiet time is not delayed. If one turn cannot serve all sessions, a late one
  /// keeps its lag, because waiting for the next tick would halve its rate.
  func deadline(inStepWith tick: Instant?) -> Instant? {
    guard let deadline, let tick, let waitingSince, interval > .zero, waitingSince < deadline else { return deadline }
    let interval = self.interval.nanoseconds
    let rest = (tick.duration(to: deadline) - lag).nanoseconds % interval
    return rest == 0 ? deadline : deadline.advanced(by: .nanoseconds(rest > 0 ? interval - rest : -rest))
  }

  /// Records a change.
  mutating func noteChange(at now: Instant) {
    follow(now)
    guard waitingSince == nil else { return }  // This change joins the one that already waits.
    waitingSince = now
  }

  /// Takes the waiting changes and returns whether to flush now; before the deadline it does
  /// nothing.
  mutating func takeFlush(at now: Instant, inStepWith tick: Instant? = nil) -> Bool {
    follow(now)
    guard let deadline = deadline(inStepWith: tick), deadline <= now else { return false }
    let isFirst = waitingSince == deadline
    let behind = tick?.duration(to: now) ?? .zero
    lag = isFirst || behind < .zero || behind >= interval ? .zero : behind
    waitingSince = nil
    lastFlush = now
    return true
  }

  /// Returns whether ``takeFlush(at:inStepWith:)`` would return `true`.
  func isDue(at now: Instant, inStepWith tick: Instant? = nil) -> Bool {
    var copy = self
    return copy.takeFlush(at: now, inStepWith: tick)
  }

  /// Discards the waiting changes; the next change is scheduled as if none had waited.
  mutating func cancel() { waitingSince = nil }

  /// Moves future times back to `now` if the clock went back, so that no change waits for more than
  /// an interval.
  mutating func follow(_ now: Instant) {
    if let lastFlush, lastFlush > now { self.lastFlush = now }
    if let waitingSince, waitingSince > now { self.waitingSince = now }
  }
}
