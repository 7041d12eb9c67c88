/// A hold on the row order of a window while its user points, selects or edits.
///
/// Cell values keep updating in place; all other changes wait. A hold ends by itself after a fixed
/// time, in case the client never releases it.
struct Hold {
  private var since: Instant
  private let length: Duration

  init(at now: Instant, length: Duration) {
    since = now
    self.length = length
  }

  /// The time at which the hold expires.
  var deadline: Instant { since.advanced(by: length) }

  /// Returns whether the hold has expired.
  mutating func isOver(at now: Instant) -> Bool {
    follow(now)
    return deadline <= now
  }

  /// Moves the start back if the clock went back, so that the hold never lasts longer than its
  /// length.
  mutating func follow(_ now: Instant) { since = min(since, now) }
}
