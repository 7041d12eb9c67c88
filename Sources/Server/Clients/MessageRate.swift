import ListEngine

/// A rate limit for one client's messages.
///
///     switch rate.note(at: now) {
///     case .fine: ...
///     case .enough: ...       // pause reading, so that the client's socket fills up
///     case .tooMuch: ...      // close the connection
///     }
struct MessageRate {
  /// The action to take.
  enum Finding { case fine, enough, tooMuch }

  /// The number of consecutive pauses before the connection is closed.
  static let greatestPauses = 20

  private var bucket: TokenBucket
  /// The number of consecutive pauses so far.
  private var pauses = 0

  /// Creates a limit with this token bucket.
  init(_ bucket: TokenBucket) { self.bucket = bucket }

  /// Counts a message, or an expensive message as several.
  mutating func note(_ count: Int = 1, at now: Instant) -> Finding {
    if bucket.isFull(at: now) { pauses = 0 }
    // Messages that libwebsockets had read before the pause still arrive.
    guard bucket.take(count, at: now) else { return pauses <= Self.greatestPauses ? .fine : .tooMuch }
    guard bucket.isEmpty(at: now) else { return .fine }
    pauses += 1
    return pauses <= Self.greatestPauses ? .enough : .tooMuch
  }
}
