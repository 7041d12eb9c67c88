/// The pauses between failed lists of a ``PolledSource``: the interval first, then twice as long each time, up to a minute.
struct RetryPause {
  /// Whether the last list has failed.
  private(set) var isFailing = false
  private var pause: Duration
  private let greatest: Duration

  /// The shortest first pause: an interval of zero must not make a failing source spin.
  private static let least = Duration.milliseconds(10)

  init(_ interval: Duration) {
    pause = max(interval, Self.least)
    greatest = max(interval, .seconds(60))
  }

  /// Notes a failure; returns the pause before the next try.
  mutating func next() -> Duration {
    isFailing = true
    defer { pause = pause > greatest / 2 ? greatest : pause * 2 }
    return pause
  }

  /// A pause in seconds, as in “0.5 s” and “60 s”.
  static func written(_ pause: Duration) -> String {
    let seconds = pause / .seconds(1)
    return seconds.rounded() == seconds && seconds < 1e15 ? "\(Int64(seconds)) s" : "\(seconds) s"
  }
}
