import ListEngine

/// How much a page says: one that says too much is first not listened to, so that its own socket fills up, and shown out when it goes on.
///
///     switch rate.note(at: now) {
///     case .fine: ...
///     case .enough: ...       // nothing more is read of it for a while
///     case .tooMuch: ...      // it goes
///     }
struct MessageRate {
  /// What is to be done about the page.
  enum Finding { case fine, enough, tooMuch }

  /// So many pauses in a row it is given.
  static let greatestPauses = 20

  private var bucket: TokenBucket
  /// How often in a row it was told that it is enough.
  private var pauses = 0

  /// A page that may say as much as this has tokens.
  init(_ bucket: TokenBucket) { self.bucket = bucket }

  /// Counts a message, or what costs as much as several.
  mutating func note(_ count: Int = 1, at now: Instant) -> Finding {
    if bucket.isFull(at: now) { pauses = 0 }
    // What libwebsockets had read before it was told to stop still arrives.
    guard bucket.take(count, at: now) else { return pauses <= Self.greatestPauses ? .fine : .tooMuch }
    guard bucket.isEmpty(at: now) else { return .fine }
    pauses += 1
    return pauses <= Self.greatestPauses ? .enough : .tooMuch
  }
}
