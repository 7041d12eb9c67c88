/// The order of a page's window is held while its reader points, selects or edits: values go on changing in place, all else waits.
///
/// It ends by itself, so that a page that forgets it, or was told wrongly that somebody points, is alive again.
struct Hold {
  private var since: Instant
  private let length: Duration

  init(at now: Instant, length: Duration) {
    since = now
    self.length = length
  }

  /// When it ends by itself.
  var deadline: Instant { since.advanced(by: length) }

  /// Whether it has ended by itself.
  mutating func isOver(at now: Instant) -> Bool {
    follow(now)
    return deadline <= now
  }

  /// A clock that went back does not make it longer than it is.
  mutating func follow(_ now: Instant) { since = min(since, now) }
}
