/// Ranges of times: the minutes, hours, days, weeks, months or years of a time zone.
///
/// A day, or a longer range, begins at the first moment at which the clocks of the zone have
/// reached its beginning. A change of the offset makes it shorter or longer. Minutes and hours also
/// begin at each change, so that an hour that a clock shows twice is in two ranges.
public struct TimeRanges: Hashable, Sendable {
  /// The unit.
  public let unit: TimeUnit
  /// The time zone.
  public let zone: ZoneOffsets

  /// Creates the ranges of a zone.
  public init(_ unit: TimeUnit, zone: ZoneOffsets) { (self.unit, self.zone) = (unit, zone) }

  /// Creates the ranges at a fixed offset from UTC, in minutes.
  public init(_ unit: TimeUnit, offset: Int = 0) { self.init(unit, zone: ZoneOffsets(offset)) }

  /// The time from a change after which the former offset has no effect.
  private static var settling: Int64 { 2 * ZoneOffsets.day }

  /// Returns the first nanosecond of the range that contains a time.
  ///
  /// It is the first nanosecond that 64 bits can hold if the range begins earlier.
  ///
  /// - Complexity: O(log changes of the offset).
  func lowerBound(of time: Int64) -> Int64 {
    let period = zone.period(of: time)
    let fixed = ranges(in: period)
    guard let start = zone.start(of: period) else { return fixed.lowerBound(of: time) }
    if isClock { return max(start, fixed.lowerBound(of: time)) }
    guard time >= start + Self.settling else { return moment(reaching: beginning(ofReached: time)) }
    let bound = fixed.lowerBound(of: time)
    return bound >= start + Self.settling ? bound : moment(reaching: local(bound, in: period))
  }

  /// Returns the first nanosecond after the range that contains a time, or `nil` if 64 bits cannot
  /// hold it.
  func end(of time: Int64) -> Int64? {
    let period = zone.period(of: time)
    guard let end = ranges(in: period).end(of: time) else { return nil }
    let change = zone.end(of: period)
    if isClock { return change.map { min($0, end) } ?? end }
    if let start = zone.start(of: period), time < start + Self.settling {
      return FixedTimeRanges(unit).end(of: beginning(ofReached: time)).map(moment)
    }
    if let change, end >= change { return moment(reaching: local(end, in: period)) }
    return end
  }

  /// Whether the ranges are parts of a day.
  private var isClock: Bool { unit == .minute || unit == .hour }

  @inline(__always) private func ranges(in period: Int) -> FixedTimeRanges {
    FixedTimeRanges(unit, offset: zone.minutes(in: period))
  }

  /// Returns the local beginning of the range that is reached at a moment close to a change.
  private func beginning(ofReached time: Int64) -> Int64 {
    FixedTimeRanges(unit).lowerBound(of: Int64(clamping: zone.reached(by: time)))
  }

  /// Returns the local time of a moment close to a change.
  private func local(_ time: Int64, in period: Int) -> Int64 {
    Int64(clamping: Int128(time) + Int128(zone.minutes(in: period)) * 60_000_000_000)
  }

  private func moment(reaching local: Int64) -> Int64 { Int64(clamping: zone.moment(reaching: Int128(local))) }
}
