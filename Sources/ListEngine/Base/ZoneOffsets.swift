/// The offsets from UTC of a time zone: one offset, and the changes of it to and from daylight
/// saving.
///
/// Local times are nanoseconds since 1970-01-01 00:00 on the zone's clocks. A clock that is set
/// back shows some times twice. A local time counts as reached at the first moment at which the
/// clock has shown it or a later one, so that days and months do not overlap.
///
///     let changes = [Change(at: march, minutes: 120), Change(at: october, minutes: 60)]
///     let berlin = ZoneOffsets(60, changes: changes)
///     berlin?.moment(reaching: midnight)       // the beginning of a local day
public struct ZoneOffsets: Hashable, Sendable {
  /// A change of the offset.
  public struct Change: Hashable, Sendable {
    /// The nanoseconds since 1970 from which the offset holds.
    public let time: Int64
    /// The offset in minutes.
    public let minutes: Int

    /// Creates a change.
    public init(at time: Int64, minutes: Int) { (self.time, self.minutes) = (time, minutes) }
  }

  /// The offset before the first change, in minutes.
  public let first: Int
  /// The changes in ascending order.
  public let changes: [Change]

  /// The maximum number of changes.
  public static let greatestCount = 400
  /// The offsets that a change may have, in minutes.
  public static let minutes = -1_440...1_440
  /// The times that a change may have, in milliseconds: those of a calendar of 64-bit nanoseconds,
  /// without a year or more at both ends.
  public static let milliseconds: ClosedRange<Int64> = -8_200_000_000_000...8_200_000_000_000

  private static var minute: Int64 { 60_000_000_000 }
  /// The least time between changes, and the greatest offset.
  static var day: Int64 { 1_440 * minute }

  /// Creates a zone with one offset, in minutes.
  public init(_ minutes: Int) { (first, changes) = (minutes, []) }

  /// Creates a zone with changes.
  ///
  /// Returns `nil` if there are too many changes, or if one is out of range or less than a day
  /// after the one before.
  public init?(_ first: Int, changes: [Change]) {
    guard changes.count <= Self.greatestCount, Self.minutes.contains(first) || changes.isEmpty else { return nil }
    for (index, change) in changes.enumerated() {
      guard Self.milliseconds.contains(change.time / 1_000_000), Self.minutes.contains(change.minutes),
        index == 0 || change.time - Self.day >= changes[index - 1].time
      else { return nil }
    }
    (self.first, self.changes) = (first, changes)
  }

  /// Returns the number of the changes up to a time.
  ///
  /// - Complexity: O(log changes).
  @inline(__always) func period(of time: Int64) -> Int {
    var (low, high) = (0, changes.count)
    while low < high {
      let middle = (low + high) / 2
      if changes[middle].time <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the offset after this number of changes, in minutes.
  @inline(__always) func minutes(in period: Int) -> Int { period == 0 ? first : changes[period - 1].minutes }

  /// Returns the offset after this number of changes, in nanoseconds.
  private func offset(in period: Int) -> Int128 { Int128(minutes(in: period)) * Int128(Self.minute) }

  /// Returns the beginning of a period, or `nil` for the first one.
  @inline(__always) func start(of period: Int) -> Int64? { period == 0 ? nil : changes[period - 1].time }

  /// Returns the end of a period, or `nil` for the last one.
  @inline(__always) func end(of period: Int) -> Int64? { period < changes.count ? changes[period].time : nil }

  /// Returns the latest local time that is reached at a moment.
  func reached(by time: Int64) -> Int128 {
    var period = period(of: time)
    var latest = Int128(time) + offset(in: period)
    // Clocks that were set back have shown later times before.
    while let start = start(of: period), Int128(start) + Int128(Self.day) > latest {
      period -= 1
      latest = max(latest, Int128(start) - 1 + offset(in: period))
    }
    return latest
  }

  /// Returns the first moment at which a local time is reached.
  func moment(reaching local: Int128) -> Int128 {
    // No offset exceeds a day.
    var period = period(of: Int64(clamping: local - Int128(Self.day)))
    while true {
      let moment = max(local - offset(in: period), start(of: period).map { Int128($0) } ?? .min)
      guard let end = end(of: period), moment >= Int128(end) else { return moment }
      period += 1
    }
  }
}

/// A zone with one offset can be written as its number.
extension ZoneOffsets: ExpressibleByIntegerLiteral {
  /// Creates a zone with one offset, in minutes.
  public init(integerLiteral minutes: Int) { self.init(minutes) }
}

/// A zone with one offset is encoded as its number, as in recordings of earlier versions; others
/// are a list of the first offset, and the time and the offset of each change.
extension ZoneOffsets: Codable {
  /// Decodes a zone written by ``encode(to:)``.
  public init(from decoder: any Decoder) throws {
    if let minutes = try? decoder.singleValueContainer().decode(Int.self) {
      self.init(minutes)
      return
    }
    var list = try decoder.unkeyedContainer()
    let first = try list.decode(Int.self)
    var changes: [Change] = []
    while !list.isAtEnd, changes.count <= Self.greatestCount {
      changes.append(Change(at: try list.decode(Int64.self), minutes: try list.decode(Int.self)))
    }
    guard let zone = ZoneOffsets(first, changes: changes) else {
      throw DecodingError.dataCorruptedError(
        in: list, debugDescription: "changes of an offset are out of order or range")
    }
    self = zone
  }

  /// Encodes the zone.
  public func encode(to encoder: any Encoder) throws {
    guard !changes.isEmpty else {
      var value = encoder.singleValueContainer()
      return try value.encode(first)
    }
    var list = encoder.unkeyedContainer()
    try list.encode(first)
    for change in changes {
      try list.encode(change.time)
      try list.encode(change.minutes)
    }
  }
}
