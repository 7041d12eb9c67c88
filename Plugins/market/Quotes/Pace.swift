/// Says how many changes are due, at a steady rate. It is told the time.
///
///     var pace = Pace(rate: 10_000, burst: 5_000, at: now)
///     pace.take(at: now + .milliseconds(50))          // 500
///     pace.take(at: now + .seconds(60))               // 5,000: what was missed in a long pause is not made up for
///
/// Nothing is lost to rounding: what is not a whole change yet counts for the next time.
public struct Pace: Sendable {
  /// Changes per second.
  public let rate: Double
  /// The most that one ``take(at:)`` gives.
  public let burst: Int

  private var last: Duration
  private var credit = 0.0

  /// From now on at this rate.
  public init(rate: Double, burst: Int, at now: Duration) {
    precondition(rate >= 0 && burst > 0, "a pace of \(rate) changes a second, \(burst) at a time, leads nowhere")
    self.rate = rate
    self.burst = burst
    last = now
  }

  /// How many changes are due since the last time.
  public mutating func take(at now: Duration) -> Int {
    guard now > last else { return 0 }  // a clock that stands still owes nothing
    credit += (now - last) / .seconds(1) * rate
    last = now
    if credit > Double(burst) { credit = Double(burst) }
    let due = Int(credit)
    credit -= Double(due)
    return due
  }
}
