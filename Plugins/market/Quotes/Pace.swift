/// A token bucket: the number of changes that are due at a steady rate.
///
///     var pace = Pace(rate: 10_000, burst: 5_000, at: now)
///     pace.take(at: now + .milliseconds(50))          // 500
///     pace.take(at: now + .seconds(60))               // 5,000: at most one burst after a pause
///
/// Fractions of a change are carried over to the next call. The caller passes the time.
public struct Pace: Sendable {
  /// The number of changes per second.
  public let rate: Double
  /// The maximum that one ``take(at:)`` returns.
  public let burst: Int

  private var last: Duration
  private var credit = 0.0

  /// Creates an empty bucket.
  public init(rate: Double, burst: Int, at now: Duration) {
    precondition(rate >= 0 && burst > 0, "a pace of \(rate) changes a second, \(burst) at a time, leads nowhere")
    self.rate = rate
    self.burst = burst
    last = now
  }

  /// Returns the number of changes due since the last call.
  public mutating func take(at now: Duration) -> Int {
    guard now > last else { return 0 }  // nothing is due while the clock stands still
    credit += (now - last) / .seconds(1) * rate
    last = now
    if credit > Double(burst) { credit = Double(burst) }
    let due = Int(credit)
    credit -= Double(due)
    return due
  }
}
