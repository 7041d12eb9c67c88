import ListEngine

/// The age of what a publisher has sent, without a common clock.
///
/// The publisher writes the time of its monotonic clock into its messages. The least difference to
/// the clock of the relay belongs to a message that has arrived without a delay; what a message has
/// more is its delay.
///
///     var age = FeedAge()
///     age.of(message.number, fence: message.fence, at: now)
struct FeedAge {
  /// One part in this many of the time by which the clocks may drift apart.
  private static let drift: Int64 = 1_000

  private var fence: UInt64?
  private var least: Int64 = 0
  private var noted: Instant = .zero

  /// Returns the delay of a message.
  ///
  /// - Parameters:
  ///   - written: The publisher's time in nanoseconds; 0 if it is unknown.
  ///   - fence: The fencing number, because another publisher has another clock.
  mutating func of(_ written: UInt64, fence: UInt64, at now: Instant) -> Duration {
    guard written > 0, let written = Int64(exactly: written) else { return .zero }
    let (difference, overflow) = now.nanoseconds.subtractingReportingOverflow(written)
    guard !overflow else { return .zero }
    let allowed = least.addingReportingOverflow(max(0, noted.duration(to: now).nanoseconds) / Self.drift)
    if self.fence != fence || allowed.overflow || difference <= allowed.partialValue {
      (self.fence, least, noted) = (fence, difference, now)
      return .zero
    }
    let (delay, tooLong) = difference.subtractingReportingOverflow(allowed.partialValue)
    return .nanoseconds(tooLong ? .max : delay)
  }
}
