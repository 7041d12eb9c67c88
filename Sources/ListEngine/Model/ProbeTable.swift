/// Finds numbers by a hash of what they stand for: open addressing with linear probing.
///
/// Beside each number lies a byte of its hash, so that a search looks at what a number stands for only when it is almost surely the
/// right one: a search in vain costs one cache line. (The idea of tags is that of SwissTable, Kulukundis 2017.) It grows bit by bit,
/// a few places with each insertion, so that no insertion pays for all.
struct ProbeTable {
  private struct Places {
    var numbers: UnsafeMutablePointer<UInt32>
    /// 0 where nothing ever was; 2 where something was and went; otherwise an odd byte of the hash.
    var tags: UnsafeMutablePointer<UInt8>
    var mask: Int

    init(count: Int) {
      mask = count - 1
      numbers = .allocate(capacity: count)
      tags = .allocate(capacity: count)
      tags.initialize(repeating: 0, count: count)
    }

    func deallocate() {
      numbers.deallocate()
      tags.deallocate()
    }

    @inline(__always) func find(_ hash: UInt64, _ matches: (UInt32) -> Bool) -> Int? {
      let tag = ProbeTable.tag(hash)
      var place = Int(truncatingIfNeeded: hash) & mask
      while tags[place] != 0 {
        if tags[place] == tag && matches(numbers[place]) { return place }
        place = (place + 1) & mask
      }
      return nil
    }

    @inline(__always) func enter(_ number: UInt32, _ hash: UInt64) {
      var place = Int(truncatingIfNeeded: hash) & mask
      while tags[place] != 0 { place = (place + 1) & mask }
      numbers[place] = number
      tags[place] = ProbeTable.tag(hash)
    }
  }

  private static var gone: UInt8 { 2 }
  /// How many places of the former table are looked at with each insertion: all of them long before the next growth.
  private static var share: Int { 32 }

  private var places = Places(count: 16)
  /// The table before it grew, as far as it has not been moved.
  private var former: Places?
  private var moved = 0
  /// How many numbers there are.
  private(set) var count = 0

  /// Gives the memory back. Nobody may use it afterwards.
  func deallocate() {
    places.deallocate()
    former?.deallocate()
  }

  @inline(__always) private static func tag(_ hash: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: hash >> 56) | 1 }

  /// The number with this hash for which `matches` says yes.
  ///
  /// - Complexity: O(1), expected.
  @inline(__always) func find(_ hash: UInt64, _ matches: (UInt32) -> Bool) -> UInt32? {
    if let place = places.find(hash, matches) { return places.numbers[place] }
    guard let former, let place = former.find(hash, matches) else { return nil }
    return former.numbers[place]
  }

  /// Enters a number that is not there yet. `rehash` tells the hash of any number that is.
  ///
  /// - Complexity: O(1), expected.
  @inline(__always) mutating func insert(_ number: UInt32, hash: UInt64, rehash: (UInt32) -> UInt64) {
    if former != nil { move(Self.share, rehash) }
    count += 1
    if count * 4 > (places.mask + 1) * 3 { grow(rehash) }
    places.enter(number, hash)
  }

  private mutating func grow(_ rehash: (UInt32) -> UInt64) {
    move(.max, rehash)
    former = places
    moved = 0
    places = Places(count: (places.mask + 1) * 2)
  }

  private mutating func move(_ most: Int, _ rehash: (UInt32) -> UInt64) {
    guard let former else { return }
    let end = min(former.mask + 1, most == .max ? .max : moved + most)
    while moved < end {
      // Odd: a number that is still there. Its place stays marked, so that others are found across it.
      if former.tags[moved] & 1 != 0 {
        places.enter(former.numbers[moved], rehash(former.numbers[moved]))
        former.tags[moved] = Self.gone
      }
      moved += 1
    }
    guard moved > former.mask else { return }
    former.deallocate()
    self.former = nil
  }

  /// Takes a number out, and closes the gap by moving back what would not be found across it (Knuth 6.4, R).
  ///
  /// - Precondition: It is there.
  mutating func remove(_ number: UInt32, hash: UInt64, rehash: (UInt32) -> UInt64) {
    count -= 1
    guard var gap = places.find(hash, { $0 == number }) else {
      guard let former, let place = former.find(hash, { $0 == number }) else {
        preconditionFailure("number \(number) is not in the table")
      }
      former.tags[place] = Self.gone
      return
    }
    let (numbers, tags, mask) = (places.numbers, places.tags, places.mask)
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
  }

  /// All numbers, in no order.
  var all: [UInt32] {
    var all: [UInt32] = []
    for places in [places, former].compactMap({ $0 }) {
      for place in 0...places.mask where places.tags[place] & 1 != 0 { all.append(places.numbers[place]) }
    }
    return all
  }
}
