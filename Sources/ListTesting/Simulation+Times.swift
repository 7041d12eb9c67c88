import ListEngine

/// The time of day, and filters by age. They use a separate generator, so that other random choices
/// do not change.
extension Simulation {
  /// Sets the time of day of the engine and the plain table.
  mutating func setWall(_ engine: inout Engine, _ nanoseconds: Int64) {
    engine.handle(.wallTime(nanoseconds), at: clock.now)
    plain.setWall(nanoseconds, at: clock.now)
  }

  /// Lets time pass, in some cases with a jump of the time of day.
  mutating func pass(_ duration: Duration, _ engine: inout Engine) {
    let before = relativeRows
    clock.advance(by: duration)
    if moments.oneIn(8) {
      let jump = Int64(moments.pick([-3_600_000, -2_000, -900, -1, 1, 40, 5_000, 3_600_000])) * 1_000_000
      setWall(&engine, plain.wall.now + jump)
    } else {
      // Any input reports the time; one of an unknown client has no other effect.
      engine.handle(.close(SessionID(rawValue: .max)), at: clock.now)
      plain.followWall(clock.now)
    }
    for (before, after) in zip(before, relativeRows) { coverage.crossings += before.symmetricDifference(after).count }
  }

  /// Returns this timestamp, or one near the present.
  mutating func moment(_ time: Int64) -> Cell {
    .timestamp(moments.oneIn(2) ? time : plain.wall.now + Int64(moments.number(-5_000...5_000)) * 1_000_000)
  }

  /// The rows that each client with a filter by age should show.
  private var relativeRows: [Set<RowKey>] {
    clients.filter { $0.query.filter?.isRelative == true }.map { Set(plain.shownRows($0.query).keys) }
  }

  /// Adds a comparison of ages to the filters of some queries.
  mutating func addAge(to query: inout Query) {
    guard moments.oneIn(3) else { return }
    let times = schema.columns.indices.filter { schema.columns[$0].type == .timestamp }
    let age = Filter.age(
      moments.pick(times), moments.pick([.less, .lessOrEqual, .greater, .greaterOrEqual]),
      .timestamp(Int64(moments.number(-4_000...8_000)) * 1_000_000))
    let part: Filter<Int> = moments.oneIn(3) ? .not(age) : age
    query.filter = query.filter.map { moments.oneIn(2) ? .all([$0, part]) : .any([$0, part]) } ?? part
  }
}
