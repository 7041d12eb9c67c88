import ListEngine

/// Judges whether a client reads an export fast enough. The time that the export waits for its source does not count.
public struct DownloadPace {
  /// The bounds of an export's time.
  public struct Bounds: Sendable {
    /// The least average number of bytes a second; 0 for any.
    public var leastRate = 4_096
    /// The time before the average is checked.
    public var grace: Duration = .seconds(60)
    /// The longest time of an export.
    public var longest: Duration = .seconds(3_600)

    /// The standard bounds.
    public init() {}
  }

  private let bounds: Bounds
  /// When it began, later by what it has waited since.
  private var begun: Instant
  private var waitingSince: Instant?
  private var bytes = 0

  /// An export that begins now.
  init(_ bounds: Bounds, at now: Instant) {
    self.bounds = bounds
    begun = now
  }

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
    if time > bounds.longest { return "it takes more than \(bounds.longest.components.seconds) s" }
    guard time > bounds.grace else { return nil }
    guard Double(bytes) < time / .seconds(1) * Double(bounds.leastRate) else { return nil }
    return "less than \(bounds.leastRate) bytes a second are read of it"
  }
}
