import ListEngine

/// The pauses between attempts that fail: each is twice as long as the one before, up to ten times
/// the first.
struct RetryPause {
  private let first: Duration
  private var pause: Duration

  init(_ first: Duration) {
    self.first = first
    pause = first
  }

  /// Returns the pause before the next attempt.
  mutating func next() -> Duration {
    defer { pause = min(pause * 2, first * 10) }
    return pause
  }

  /// Begins with the first pause again, after a success.
  mutating func reset() { pause = first }
}
