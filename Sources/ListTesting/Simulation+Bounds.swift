import ListEngine

/// Tables that hold no more than they may, and keep only their last rows.
extension Simulation {
  /// In some runs a table has limits, in some it keeps only some rows, in some both.
  static func bound(_ schema: inout Schema, keys: Int, _ random: inout SeededGenerator) {
    if random.oneIn(4) { schema.limits.rows = max(1, random.number(keys / 4...keys)) }
    // A row weighs about 120 bytes. Deferred values that find no room are asked for again and again: such a run has no end.
    if random.oneIn(4), !schema.columns.contains(where: \.isDeferred) {
      schema.limits.bytes = random.number(1...max(2, keys / 2)) * 120
    }
    switch random.number(1...6) {
    case 1: schema.retention = .last(random.number(1...max(2, keys / 2)))
    case 2: schema.retention = .recent(random.pick([.milliseconds(1), .milliseconds(500), .seconds(5)]))
    default: break
    }
  }

  /// The row that makes room for another goes, and comes back at the end if it does.
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

  /// The engine does what is due, and so does the plain table.
  mutating func advance(_ engine: inout Engine) throws {
    plain.follow(clock.now)
    for key in plain.evict() {
      coverage.evictions += 1
      noteMove(key)
    }
    try take(engine.advance(to: clock.now))
  }
}
