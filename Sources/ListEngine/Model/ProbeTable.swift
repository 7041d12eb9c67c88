/// Finds numbers by a hash of what they stand for: open addressing with linear probing.
///
/// Beside each number lies a byte of its hash, so that a search looks at what a number stands for only when it is almost surely the
/// right one: a search in vain costs one cache line. (The idea of tags is that of SwissTable, Kulukundis 2017.)
struct ProbeTable {
  private var numbers: UnsafeMutablePointer<UInt32>
  /// 0 where nothing is.
  private var tags: UnsafeMutablePointer<UInt8>
  private var mask: Int
  /// How many numbers there are.
  private(set) var count = 0

  init() {
    mask = 15
    numbers = .allocate(capacity: 16)
    tags = .allocate(capacity: 16)
    tags.initialize(repeating: 0, count: 16)
  }

  /// Gives the memory back. Nobody may use it afterwards.
  func deallocate() {
    numbers.deallocate()
    tags.deallocate()
  }

  @inline(__always) private static func tag(_ hash: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: hash >> 56) | 1 }

  /// The number with this hash for which `matches` says yes.
  ///
  /// - Complexity: O(1), expected.
  @inline(__always) func find(_ hash: UInt64, _ matches: (UInt32) -> Bool) -> UInt32? {
    let tag = Self.tag(hash)
    var place = Int(truncatingIfNeeded: hash) & mask
    while tags[place] != 0 {
      if tags[place] == tag && matches(numbers[place]) { return numbers[place] }
      place = (place + 1) & mask
    }
    return nil
  }

  /// Enters a number that is not there yet. `rehash` tells the hash of any number that is.
  ///
  /// - Complexity: O(1), amortized.
  @inline(__always) mutating func insert(_ number: UInt32, hash: UInt64, rehash: (UInt32) -> UInt64) {
    count += 1
    if count * 4 > (mask + 1) * 3 { grow(rehash) }
    enter(number, hash)
  }

  @inline(__always) private func enter(_ number: UInt32, _ hash: UInt64) {
    var place = Int(truncatingIfNeeded: hash) & mask
    while tags[place] != 0 { place = (place + 1) & mask }
    numbers[place] = number
    tags[place] = Self.tag(hash)
  }

  private mutating func grow(_ rehash: (UInt32) -> UInt64) {
    let (oldNumbers, oldTags, oldMask) = (numbers, tags, mask)
    mask = mask * 2 + 1
    numbers = .allocate(capacity: mask + 1)
    tags = .allocate(capacity: mask + 1)
    tags.initialize(repeating: 0, count: mask + 1)
    for place in 0...oldMask where oldTags[place] != 0 { enter(oldNumbers[place], rehash(oldNumbers[place])) }
    oldNumbers.deallocate()
    oldTags.deallocate()
  }

  /// Takes a number out, and closes the gap by moving back what would not be found across it (Knuth 6.4, R).
  ///
  /// - Precondition: It is there.
  mutating func remove(_ number: UInt32, hash: UInt64, rehash: (UInt32) -> UInt64) {
    var gap = Int(truncatingIfNeeded: hash) & mask
    while numbers[gap] != number || tags[gap] == 0 {
      precondition(tags[gap] != 0, "number \(number) is not in the table")
      gap = (gap + 1) & mask
    }
    var next = (gap + 1) & mask
    while tags[next] != 0 {
      let home = Int(truncatingIfNeeded: rehash(numbers[next])) & mask
      if (next &- home) & mask >= (next &- gap) & mask {
        numbers[gap] = numbers[next]
        tags[gap] = tags[next]
        gap = next
      }
      next = (next + 1) & mask
    }
    tags[gap] = 0
    count -= 1
  }

  /// All numbers, in no order.
  var all: [UInt32] { (0...mask).filter { tags[$0] != 0 }.map { numbers[$0] } }
}
