import ListEngine

/// The time of day, on which filters by age depend.
extension PlainTable {
  /// The time of day, kept in parallel to an engine's.
  struct Wall: Sendable {
    /// The time at the origin of the monotonic clock.
    var offset: Int64 = 0
    /// The nanoseconds since 1970.
    var now = Int64.min
  }

  /// Sets the time of day.
  mutating func setWall(_ nanoseconds: Int64, at reading: Instant) {
    followWall(reading)
    wall.offset = nanoseconds - reading.nanoseconds
    followWall(reading)
  }

  /// Advances the time of day; if it is set back by up to a second, it stands still.
  mutating func followWall(_ reading: Instant) {
    let time = reading.nanoseconds + wall.offset
    if time >= wall.now || time < wall.now - 1_000_000_000 { wall.now = time }
  }

  /// Returns whether a timestamp's age compares with a duration in this way.
  func compares(_ cell: Cell, _ comparison: Comparison, age: Cell) -> Bool {
    guard case .timestamp(let time) = cell, case .timestamp(let duration) = age else { return false }
    switch comparison {
    case .less: return wall.now - time < duration
    case .lessOrEqual: return wall.now - time <= duration
    case .greater: return wall.now - time > duration
    case .greaterOrEqual: return wall.now - time >= duration
    case .equal, .notEqual: preconditionFailure("ages are not compared with \(comparison.rawValue)")
    }
  }
}

extension Filter {
  /// Whether rows match or cease to match as time passes.
  var isRelative: Bool {
    switch self {
    case .all(let parts), .any(let parts): parts.contains(where: \.isRelative)
    case .not(let part): part.isRelative
    case .age: true
    default: false
    }
  }
}
