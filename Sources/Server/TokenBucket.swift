import ListEngine

/// Bounds how often something may happen: `rate` times a second on average, `burst` times at once.
///
///     bucket.take(at: now)   // false: too often
///
/// Told the time, like everything that is to be tested.
struct TokenBucket {
  let rate: Int
  let burst: Int
  /// In billionths of a token, so that no rounding adds up.
  private var level: Int64
  private var last: Instant

  init(rate: Int, burst: Int, at now: Instant) {
    precondition(rate > 0 && burst > 0, "\(rate) a second, \(burst) at once, lets nothing through")
    self.rate = rate
    self.burst = burst
    level = Int64(burst) * 1_000_000_000
    last = now
  }

  private mutating func fill(at now: Instant) {
    let full = Int64(burst) * 1_000_000_000
    // Longer than a whole filling takes makes no difference, and could not be counted.
    let elapsed = min(max(0, last.duration(to: now).nanoseconds), full / Int64(rate) + 1)
    level = min(full, level + elapsed * Int64(rate))
    last = max(last, now)
  }

  /// Takes so many tokens, or all there are; false when there is not one.
  mutating func take(_ count: Int = 1, at now: Instant) -> Bool {
    fill(at: now)
    guard level >= 1_000_000_000 else { return false }
    level = max(0, level - Int64(min(count, burst)) * 1_000_000_000)
    return true
  }

  /// Whether it is as full as it can be: nothing has happened for a while.
  mutating func isFull(at now: Instant) -> Bool {
    fill(at: now)
    return level == Int64(burst) * 1_000_000_000
  }

  /// Whether not even one could be taken now.
  mutating func isEmpty(at now: Instant) -> Bool {
    fill(at: now)
    return level < 1_000_000_000
  }
}
