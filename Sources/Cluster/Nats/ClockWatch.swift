import ListEngine

/// A detector of a time of day that is set back.
///
/// The NATS library waits until a time of day. When the clock is set back by an hour, each of its
/// waits lasts an hour longer.
///
///     var watch = ClockWatch(wall: BootTime.wall, at: BootTime.now)
///     watch.wasSetBack(wall: BootTime.wall, at: BootTime.now)   // called several times a second
struct ClockWatch {
  /// A smaller step delays the library by no more than that.
  static let tolerance = Duration.milliseconds(500)

  /// The time of day less the monotonic time, in nanoseconds.
  private var offset: Int64

  /// - Parameter wall: In nanoseconds since 1970.
  init(wall: Int64, at now: Instant) { offset = wall &- now.nanoseconds }

  /// Returns whether the time of day was set back since the last call.
  mutating func wasSetBack(wall: Int64, at now: Instant) -> Bool {
    let before = offset
    offset = wall &- now.nanoseconds
    let (step, overflow) = before.subtractingReportingOverflow(offset)
    return !overflow && step > Self.tolerance.nanoseconds
  }
}
