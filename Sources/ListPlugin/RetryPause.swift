/// The delays between failed lists of a ``PolledSource``: exponential backoff up to a minute.
struct RetryPause {
  /// Whether the last list failed.
  private(set) var isFailing = false
  private var pause: Duration
  private let greatest: Duration

  /// The shortest delay, so that a failing source with an interval of zero does not spin.
  private static let least = Duration.milliseconds(10)

  init(_ interval: Duration) {
    pause = max(interval, Self.least)
    greatest = max(interval, .seconds(60))
  }

  /// Records a failure and returns the delay before the next try.
  mutating func next() -> Duration {
    isFailing = true
    defer { pause = pause > greatest / 2 ? greatest : pause * 2 }
    return pause
  }

  /// Returns a delay in seconds, such as “0.5 s” or “60 s”.
  static func written(_ pause: Duration) -> String {
    let seconds = pause / .seconds(1)
    return seconds.rounded() == seconds && seconds < 1e15 ? "\(Int64(seconds)) s" : "\(seconds) s"
  }
}
