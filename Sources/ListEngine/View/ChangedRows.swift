/// A set of the rows that changed while a view is built, in order of insertion.
struct ChangedRows {
  private var bits: [UInt64] = []
  /// The rows in order of their first change.
  private(set) var slots: [UInt32] = []

  var isEmpty: Bool { slots.isEmpty }

  @inline(__always) func contains(_ slot: UInt32) -> Bool {
    word(of: slot) & (1 << UInt64(slot & 63)) != 0
  }

  /// Returns the bits of the rows from the multiple of 64 at or below a slot.
  @inline(__always) func word(of slot: UInt32) -> UInt64 {
    let word = Int(slot) >> 6
    return word < bits.count ? bits[word] : 0
  }

  /// Inserts a row and returns whether it was absent.
  mutating func insert(_ slot: UInt32) -> Bool {
    guard !contains(slot) else { return false }
    let word = Int(slot) >> 6
    if word >= bits.count { bits.append(contentsOf: repeatElement(0, count: word + 1 - bits.count)) }
    bits[word] |= 1 << UInt64(slot & 63)
    slots.append(slot)
    return true
  }
}
