import ListEngine

/// A [token bucket](https://en.wikipedia.org/wiki/Token_bucket) with `rate` tokens per second and
/// room for `burst`.
///
///     bucket.take(at: now)   // false: the rate is exceeded
///
/// The caller passes the time, so that tests need no clock.
struct TokenBucket {
  let rate: Int
  let burst: Int
  /// The level in billionths of a token, which avoids accumulated rounding errors.
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
    // Limit the elapsed time to that of a complete refill, so that the product cannot overflow.
    let elapsed = min(max(0, last.duration(to: now).nanoseconds), full / Int64(rate) + 1)
    level = min(full, level + elapsed * Int64(rate))
    last = max(last, now)
  }

  /// Takes `count` tokens, or all there are; returns `false` if there is less than one.
  mutating func take(_ count: Int = 1, at now: Instant) -> Bool {
    fill(at: now)
    guard level >= 1_000_000_000 else { return false }
    level = max(0, level - Int64(min(count, burst)) * 1_000_000_000)
    return true
  }

  /// Returns whether the bucket is full.
  mutating func isFull(at now: Instant) -> Bool {
    fill(at: now)
    return level == Int64(burst) * 1_000_000_000
  }

  /// Returns whether the bucket contains less than one token.
  mutating func isEmpty(at now: Instant) -> Bool {
    fill(at: now)
    return level < 1_000_000_000
  }
}
