import ListEngine

/// A check that a client reads an export fast enough, excluding the time spent waiting for the
/// source.
public struct ExportPace {
  /// The limits on the duration of an export.
  public struct Bounds: Sendable {
    /// The minimum average rate, in bytes per second; 0 for any.
    public var leastRate = 4_096
    /// The time at the start during which the rate is not checked.
    public var grace: Duration = .seconds(60)
    /// The time limit for an export.
    public var longest: Duration = .seconds(3_600)

    /// Creates the standard limits.
    public init() {}
  }

  private let bounds: Bounds
  /// The start of the export, advanced by the time spent waiting.
  private var begun: Instant
  private var waitingSince: Instant?
  private var bytes = 0

  /// Creates the check for an export that starts now.
  init(_ bounds: Bounds, at now: Instant) {
    self.bounds = bounds
    begun = now
  }

  /// Whether the export waits for its source.
  var isWaiting: Bool { waitingSince != nil }

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
    if time > bounds.longest { return "it takes more than \(bounds.longest.components.seconds) s" }
    guard time > bounds.grace else { return nil }
    guard Double(bytes) < time / .seconds(1) * Double(bounds.leastRate) else { return nil }
    return "less than \(bounds.leastRate) bytes per second are read"
  }
}
