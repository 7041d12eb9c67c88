/// A hash table from a text's number and its parent section to a section.
///
/// Builds look up a section in it for each row. It uses open addressing with linear probing and a
/// seeded multiplicative hash.
struct TextSections {
  private static var none: UInt64 { .max }

  private var pairs = [UInt64](repeating: none, count: 64)
  private var sections = [UInt32](repeating: 0, count: 64)
  private var count = 0
  private var shift: UInt64 = 58
  private let factor: UInt64

  /// Creates an empty table.
  init(seed: UInt64) { factor = (seed ^ 0x9E37_79B9_7F4A_7C15) | 1 }

  /// Returns the section of this text in a parent section, if it was inserted.
  ///
  /// - Complexity: Expected O(1).
  @inline(__always) func section(of text: UInt32, in parent: UInt32) -> UInt32? {
    let pair = UInt64(parent) << 32 | UInt64(text)
    let place = place(of: pair)
    return pairs[place] == pair ? sections[place] : nil
  }

  /// Inserts a section for a pair that is absent.
  ///
  /// - Complexity: Amortized O(1).
  mutating func note(_ section: UInt32, of text: UInt32, in parent: UInt32) {
    if count * 2 >= pairs.count { grow() }
    let pair = UInt64(parent) << 32 | UInt64(text)
    let place = place(of: pair)
    precondition(pairs[place] == Self.none, "text \(text) in section \(parent) has a section already")
    (pairs[place], sections[place]) = (pair, section)
    count += 1
  }

  /// Returns the index at which a pair is or would be stored.
  @inline(__always) private func place(of pair: UInt64) -> Int {
    var place = Int((pair &* factor) >> shift)
    while pairs[place] != pair && pairs[place] != Self.none { place = (place + 1) & (pairs.count - 1) }
    return place
  }

  private mutating func grow() {
    let (oldPairs, oldSections) = (pairs, sections)
    pairs = [UInt64](repeating: Self.none, count: oldPairs.count * 2)
    sections = [UInt32](repeating: 0, count: pairs.count)
    shift -= 1
    for (pair, section) in zip(oldPairs, oldSections) where pair != Self.none {
      let place = place(of: pair)
      (pairs[place], sections[place]) = (pair, section)
    }
  }
}
