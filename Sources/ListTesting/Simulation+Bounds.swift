import ListEngine

/// Tables with limits and retention.
extension Simulation {
  /// Sets random limits or a random retention in some runs.
  static func bound(_ schema: inout Schema, keys: Int, _ random: inout SeededGenerator) {
    if random.oneIn(4) { schema.limits.rows = max(1, random.number(keys / 4...keys)) }
    // A row has about 120 bytes. Deferred values that exceed the limit would be requested again and
    // again, so such a run would never end.
    if random.oneIn(4), !schema.columns.contains(where: \.isDeferred) {
      schema.limits.bytes = random.number(1...max(2, keys / 2)) * 120
    }
    switch random.number(1...6) {
    case 1: schema.retention = .last(random.number(1...max(2, keys / 2)))
    case 2: schema.retention = .recent(random.pick([.milliseconds(1), .milliseconds(500), .seconds(5)]))
    default: break
    }
  }

  /// Upserts a row of the plain table. A row evicted by it counts as moved, because it may return
  /// at the end.
  mutating func upsert(_ key: RowKey, _ cells: [Cell]) {
    let before = plain.rows.map(\.key)
    plain.upsert(key, cells)
    guard schema.retention != .everything else { return }
    let after = Set(plain.rows.map(\.key))
    for gone in before where !after.contains(gone) {
      coverage.evictions += 1
      noteMove(gone)
    }
  }

  /// Advances the engine and the plain table.
  mutating func advance(_ engine: inout Engine) throws {
    plain.follow(clock.now)
    plain.followWall(clock.now)
    for key in plain.evict() {
      coverage.evictions += 1
      noteMove(key)
    }
    try take(engine.advance(to: clock.now))
  }
}
