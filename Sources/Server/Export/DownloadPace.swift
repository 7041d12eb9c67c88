import ListEngine

/// A check that a client reads an export fast enough, excluding the time spent waiting for the
/// source.
struct DownloadPace {
  /// The minimum average rate, in bytes per second.
  static let leastRate = 4_096
  /// The time at the start during which the rate is not checked.
  static let grace: Duration = .seconds(60)
  /// The time limit for an export, excluding the time spent waiting for the source.
  static let longest: Duration = .seconds(3_600)

  /// The start of the export, advanced by the time spent waiting.
  private var begun: Instant
  private var waitingSince: Instant?
  private var bytes = 0

  /// Creates the check for an export that starts now.
  init(at now: Instant) { begun = now }

  /// Notes that the export waits for its source.
  mutating func wait(at now: Instant) { waitingSince = waitingSince ?? now }

  /// Notes that `count` bytes were sent, or that the wait has ended.
  mutating func goOn(sent count: Int = 0, at now: Instant) {
    bytes += count
    guard let since = waitingSince else { return }
    begun = begun.advanced(by: max(.zero, since.duration(to: now)))
    waitingSince = nil
  }

  /// Returns the reason to abort the export, or `nil` if it may continue.
  func fault(at now: Instant) -> String? {
    let time = begun.duration(to: now)
    if time > Self.longest { return "it takes more than \(Self.longest.components.seconds) s" }
    guard time > Self.grace else { return nil }
    let least = Int(time.components.seconds) * Self.leastRate
    return bytes < least ? "less than \(Self.leastRate) bytes a second are read of it" : nil
  }
}
