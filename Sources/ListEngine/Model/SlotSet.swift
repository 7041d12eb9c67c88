/// A set of slots, stored as a bit array.
struct SlotSet {
  private var words: [UInt64]

  /// Creates an empty set for slots below `slots`.
  init(slots: UInt32) { words = [UInt64](repeating: 0, count: (Int(slots) + 63) / 64) }

  /// Whether the set contains this slot.
  @inline(__always) func contains(_ slot: UInt32) -> Bool {
    words[Int(slot >> 6)] & 1 << UInt64(slot & 63) != 0
  }

  /// Returns a bit for each slot from this one up to the next multiple of 64.
  @inline(__always) func slots(from slot: UInt32) -> UInt64 { words[Int(slot >> 6)] >> UInt64(slot & 63) }

  /// Inserts a slot.
  mutating func insert(_ slot: UInt32) { words[Int(slot >> 6)] |= 1 << UInt64(slot & 63) }
}

/// Calls `body` with the number of each bit that is set, lowest first.
@inline(__always) func forEachBit(of bits: UInt64, _ body: (Int) -> Void) {
  var rest = bits
  while rest != 0 {
    body(rest.trailingZeroBitCount)
    rest &= rest - 1
  }
}
