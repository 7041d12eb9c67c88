/// A reproducible random number generator (SplitMix64, Steele et al. 2014).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator from a seed.
  public init(seed: UInt64) { state = seed }

  /// Returns the next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// Returns a number in the range.
  public mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// Returns true with a probability of 1 in `odds`.
  public mutating func oneIn(_ odds: Int) -> Bool { number(1...odds) == 1 }

  /// Returns one of the elements.
  public mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(0...elements.count - 1)] }
}
