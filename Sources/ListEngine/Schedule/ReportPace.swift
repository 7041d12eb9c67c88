/// The next report of a board to one client: whether it is owed one, and the time of the last.
struct ReportPace {
  /// The report that a client gets next.
  enum Pending: Comparable {
    /// None, until something changes.
    case nothing
    /// One that follows the last one after an interval at the earliest.
    case inTime
    /// One that does not wait.
    case atOnce
  }

  private(set) var pending = Pending.atOnce
  /// The time of the last report, or `nil` before the first.
  private(set) var sentAt: Instant?

  /// Schedules a report, unless an earlier one is due already.
  mutating func schedule(_ report: Pending) { pending = max(pending, report) }

  /// Ends the pending report; with a time, it was sent then.
  mutating func settle(sentAt now: Instant? = nil) {
    pending = .nothing
    if let now { sentAt = now }
  }

  /// The time from which a report is due.
  func time(after interval: Duration) -> Instant {
    guard pending != .atOnce, let sentAt else { return .zero }
    return sentAt.advanced(by: interval)
  }

  /// Whether a report is pending and due.
  func isDue(after interval: Duration, at now: Instant) -> Bool {
    guard pending != .nothing else { return false }
    // After the clock has gone back, the last report was later than now.
    return time(after: interval) <= now || sentAt.map { $0 > now } ?? false
  }
}
