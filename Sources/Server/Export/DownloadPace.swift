import ListEngine

/// Judges whether a client takes an export as fast as it must. What it waits for its source does not count.
struct DownloadPace {
  /// The least number of bytes a second, on average.
  static let leastRate = 4_096
  /// For how long the average is not looked at.
  static let grace: Duration = .seconds(60)
  /// How long an export may take in all, without what it waits for its source.
  static let longest: Duration = .seconds(3_600)

  /// When it began, later by what it has waited since.
  private var begun: Instant
  private var waitingSince: Instant?
  private var bytes = 0

  /// An export that begins now.
  init(at now: Instant) { begun = now }

  /// It waits for its source.
  mutating func wait(at now: Instant) { waitingSince = waitingSince ?? now }

  /// It was given what it has waited for, or was sent so many bytes.
  mutating func goOn(sent count: Int = 0, at now: Instant) {
    bytes += count
    guard let since = waitingSince else { return }
    begun = begun.advanced(by: max(.zero, since.duration(to: now)))
    waitingSince = nil
  }

  /// Why it is to be given up; `nil` when it may go on.
  func fault(at now: Instant) -> String? {
    let time = begun.duration(to: now)
    if time > Self.longest { return "it takes more than \(Self.longest.components.seconds) s" }
    guard time > Self.grace else { return nil }
    let least = Int(time.components.seconds) * Self.leastRate
    return bytes < least ? "less than \(Self.leastRate) bytes a second are read of it" : nil
  }
}
