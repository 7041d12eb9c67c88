/// The last common flush time of each interval, so that its sessions flush together and share
/// patches.
///
/// A tick is a flush at least one interval after the previous tick. Flushes between two ticks do
/// not move the tick, such as those of the first change after a quiet time.
struct Ticks {
  private var ticks: [Duration: Instant] = [:]

  /// The last tick of an interval, or `nil` if there is none.
  subscript(_ interval: Duration) -> Instant? { ticks[interval] }

  /// Records a flush of a session with this interval.
  mutating func noteFlush(of interval: Duration, at now: Instant) {
    // The table stays small: there are as many intervals as classes. If the clock went back, start
    // again.
    if let tick = ticks[interval], tick <= now, tick.duration(to: now) < interval { return }
    ticks[interval] = now
  }
}
