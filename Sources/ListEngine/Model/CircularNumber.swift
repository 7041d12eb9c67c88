/// Numbers that are given out one after the other, and again from the beginning behind the greatest: a table may live longer than 2^32 of them.
struct CircularNumber: Equatable {
  private var next: UInt32

  /// The first number to give out.
  init(from first: UInt32) { next = first }

  /// The next number that is not in use.
  ///
  /// - Complexity: O(numbers in use) at worst.
  mutating func take(unless isInUse: (UInt32) -> Bool) -> UInt32 {
    while isInUse(next) { next &+= 1 }
    defer { next &+= 1 }
    return next
  }
}
