/// Some slots of a table: one bit for each.
struct SlotSet {
  private var words: [UInt64]

  /// None of so many.
  init(slots: UInt32) { words = [UInt64](repeating: 0, count: (Int(slots) + 63) / 64) }

  /// Whether it is one of them.
  @inline(__always) func contains(_ slot: UInt32) -> Bool {
    words[Int(slot >> 6)] & 1 << UInt64(slot & 63) != 0
  }

  /// Adds one.
  mutating func insert(_ slot: UInt32) { words[Int(slot >> 6)] |= 1 << UInt64(slot & 63) }
}
