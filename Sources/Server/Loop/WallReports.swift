import ListEngine

/// Decides when to report the time of day to the engine: first, and whenever the clocks of the
/// machine have diverged noticeably, because one was set, corrected or suspended.
///
///     if let input = reports.take(WallClock.nanoseconds, at: now) { handle(input) }
struct WallReports {
  /// The divergence that is not reported, in nanoseconds; recordings would grow with each report.
  static let tolerance: Int64 = 20_000_000

  /// The time of day at the origin of the monotonic clock, as last reported.
  private var offset: Int64?

  /// Returns the input that reports the time of day, or `nil` if the engine knows it.
  mutating func take(_ wall: Int64, at now: Instant) -> Input? {
    let offset = wall &- now.nanoseconds
    if let known = self.offset, (offset &- known).magnitude <= UInt64(Self.tolerance) { return nil }
    self.offset = offset
    return .wallTime(wall)
  }
}
