/// Numbers assigned in sequence that wrap around at 2^32 and skip those in use.
struct CircularNumber: Equatable {
  private var next: UInt32

  /// Creates a sequence that starts at `first`.
  init(from first: UInt32) { next = first }

  /// Returns the next number that is not in use.
  ///
  /// - Complexity: O(numbers in use) at worst.
  mutating func take(unless isInUse: (UInt32) -> Bool) -> UInt32 {
    while isInUse(next) { next &+= 1 }
    defer { next &+= 1 }
    return next
  }
}
