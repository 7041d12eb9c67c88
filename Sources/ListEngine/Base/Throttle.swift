/// Lets one flush through per interval, and never loses the last change.
///
/// A throttle has no clock. It is told the time, and says when to come back:
///
///     throttle.noteChange(at: now)
///     throttle.deadline              // ask again then; nil when nothing waits
///     throttle.takeFlush(at: now)    // true at most once per interval
///
/// The first change after a quiet time is let through at once; later ones wait until the interval has passed since the last
/// flush, and go together. The rule is that of a well-known UITableView category, without its two faults: that one keeps its
/// "awaiting" mark after a cancel, so that the next change is never scheduled, and swallows the change when its timer fires
/// a moment early.
struct Throttle {
  /// The least time between two flushes. A change of it holds for what is waiting, too.
  var interval: Duration {
    willSet { precondition(newValue >= .zero, "an interval of \(newValue) cannot run backwards") }
  }
  /// When the oldest change that waits came; `nil` when none waits.
  private var waitingSince: Instant?
  private var lastFlush: Instant?
  /// How far behind the others of its interval it flushes, since a turn had no time for it when they did.
  private var lag = Duration.zero

  init(interval: Duration) {
    precondition(interval >= .zero, "an interval of \(interval) cannot run backwards")
    self.interval = interval
  }

  /// Whether a change waits.
  var isWaiting: Bool { waitingSince != nil }

  /// When what waits may be flushed; `nil` when nothing waits.
  var deadline: Instant? {
    guard let waitingSince else { return nil }
    guard let lastFlush else { return waitingSince }
    return max(waitingSince, lastFlush.advanced(by: interval))
  }

  /// The same, in step with others of the same interval: what has to wait for the interval anyway waits on, until they flush. They did at
  /// `tick`, and do again each interval after it. So it waits less than an interval longer, once; the first change after a quiet time waits
  /// for nobody. Where there are more than one turn can serve, whoever was served so much later than the others stays as much behind them: to
  /// wait for their next flush would halve its rate.
  func deadline(inStepWith tick: Instant?) -> Instant? {
    guard let deadline, let tick, let waitingSince, interval > .zero, waitingSince < deadline else { return deadline }
    let interval = self.interval.nanoseconds
    let rest = (tick.duration(to: deadline) - lag).nanoseconds % interval
    return rest == 0 ? deadline : deadline.advanced(by: .nanoseconds(rest > 0 ? interval - rest : -rest))
  }

  /// Something has changed.
  mutating func noteChange(at now: Instant) {
    follow(now)
    guard waitingSince == nil else { return }  // one is already waiting; this change rides along
    waitingSince = now
  }

  /// Whether what waits is to be flushed now. A call before the deadline changes nothing.
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

  /// Whether ``takeFlush(at:inStepWith:)`` would say yes.
  func isDue(at now: Instant, inStepWith tick: Instant? = nil) -> Bool {
    var copy = self
    return copy.takeFlush(at: now, inStepWith: tick)
  }

  /// Drops what waits. The next change is scheduled as if nothing had waited.
  mutating func cancel() { waitingSince = nil }

  /// A clock that went back must not make anyone wait for more than an interval: what lay in the past lies at `now` at the latest.
  mutating func follow(_ now: Instant) {
    if let lastFlush, lastFlush > now { self.lastFlush = now }
    if let waitingSince, waitingSince > now { self.waitingSince = now }
  }
}
