/// When sessions of one interval flush, so that they flush together and share their patches.
///
/// Each interval has its own tick: the last moment at which a session of it flushed, one interval or more after the tick before. Whoever
/// flushes between two ticks, as the first change after a quiet time does, changes nothing for the others.
struct Ticks {
  private var ticks: [Duration: Instant] = [:]

  /// The last tick of an interval; `nil` when there was none.
  subscript(_ interval: Duration) -> Instant? { ticks[interval] }

  /// A session of this interval has flushed.
  mutating func noteFlush(of interval: Duration, at now: Instant) {
    // There are as many intervals as classes; a clock that went back begins anew.
    if let tick = ticks[interval], tick <= now, tick.duration(to: now) < interval { return }
    ticks[interval] = now
  }
}
