/// A hash table of numbers with open addressing and linear probing.
///
/// The caller provides hashes and comparisons. Each entry has a one-byte tag taken from its hash,
/// as in SwissTable (Kulukundis, 2017). A comparison happens almost only on a real match, and an
/// unsuccessful lookup costs one cache line. The table grows incrementally: each insertion moves a
/// few entries, so no single one is slow.
///
/// It is a plain pointer without reference counting. Its owner calls ``deallocate()``.
struct ProbeTable: BitwiseCopyable {
  private struct Places {
    var numbers: UnsafeMutablePointer<UInt32>
    var tags: UnsafeMutablePointer<UInt8>
    var mask: Int

    init(count: Int) {
      mask = count - 1
      numbers = .allocate(capacity: count)
      tags = .allocate(capacity: count)
      tags.initialize(repeating: Tag.empty, count: count)
    }

    func deallocate() {
      numbers.deallocate()
      tags.deallocate()
    }

    @inline(__always) func find(_ hash: UInt64, _ matches: (UInt32) -> Bool) -> Int? {
      let tag = Tag.of(hash)
      var place = Int(truncatingIfNeeded: hash) & mask
      while tags[place] != Tag.empty {
        if tags[place] == tag && matches(numbers[place]) { return place }
        place = (place + 1) & mask
      }
      return nil
    }

    @inline(__always) func enter(_ number: UInt32, _ hash: UInt64) {
      var place = Int(truncatingIfNeeded: hash) & mask
      while tags[place] != Tag.empty { place = (place + 1) & mask }
      numbers[place] = number
      tags[place] = Tag.of(hash)
    }

    /// Empties a place and moves back entries that a lookup would no longer find across the gap
    /// (Knuth, TAOCP 6.4, algorithm R).
    func vacate(_ place: Int, rehash: (UInt32) -> UInt64) {
      // No entry of a cluster belongs before its start. The tag therefore usually determines an
      // entry's home place.
      var start = place
      while place &- start < Tag.homes, tags[(start - 1) & mask] != Tag.empty { start -= 1 }
      var (gap, next) = (place, place + 1)
      while tags[next & mask] != Tag.empty {
        let tag = tags[next & mask]
        let distance =
          next - start < Tag.homes
          ? (next - Tag.home(tag)) & (Tag.homes - 1)
          : (next - Int(truncatingIfNeeded: rehash(numbers[next & mask]))) & mask
        if distance >= next - gap {
          numbers[gap & mask] = numbers[next & mask]
          tags[gap & mask] = tag
          gap = next
        }
        next += 1
      }
      tags[gap & mask] = Tag.empty
    }
  }

  /// The tag of an entry: the last four bits of its hash, which are those of its home place, and
  /// the first four.
  private enum Tag {
    static var empty: UInt8 { 0 }
    /// A moved or deleted entry; occurs only in the former table.
    static var gone: UInt8 { 1 }
    static var homes: Int { 16 }

    @inline(__always) static func of(_ hash: UInt64) -> UInt8 {
      let tag = UInt8(truncatingIfNeeded: hash >> 56 & 0xF0 | hash & 0x0F)
      return tag > gone ? tag : tag | 0x10
    }

    /// Returns the last four bits of the home place.
    @inline(__always) static func home(_ tag: UInt8) -> Int { Int(tag & 0x0F) }
  }

  private struct State {
    var places = Places(count: 16)
    /// The table before it grew, while some of its entries are not moved yet.
    var previous: Places?
    var moved = 0
    var count = 0
    /// A sum without a meaning, for which ``ProbeTable/fetch(_:)`` reads places.
    var fetched: UInt32 = 0
  }

  /// The number of former places processed per insertion.
  ///
  /// Moving ends long before the next growth.
  private static var share: Int { 32 }

  private let state: UnsafeMutablePointer<State>

  /// Creates an empty table.
  init() {
    state = .allocate(capacity: 1)
    state.initialize(to: State())
  }

  /// Frees the memory.
  ///
  /// This table and all copies of it must not be used afterwards.
  func deallocate() {
    state.pointee.places.deallocate()
    state.pointee.previous?.deallocate()
    state.deallocate()
  }

  /// The number of entries.
  var count: Int { state.pointee.count }

  /// Returns the number with this hash that satisfies `matches`.
  ///
  /// - Complexity: Expected O(1).
  @inline(__always) func find(_ hash: UInt64, _ matches: (UInt32) -> Bool) -> UInt32? {
    let places = state.pointee.places
    if let place = places.find(hash, matches) { return places.numbers[place] }
    guard let previous = state.pointee.previous, let place = previous.find(hash, matches) else { return nil }
    return previous.numbers[place]
  }

  /// Reads the home place of a hash.
  ///
  /// Several calls wait for memory together, and the lookups that follow do not.
  @inline(__always) func fetch(_ hash: UInt64) {
    let places = state.pointee.places
    let place = Int(truncatingIfNeeded: hash) & places.mask
    if places.tags[place] != Tag.empty { state.pointee.fetched &+= places.numbers[place] }
  }

  /// Inserts a number that is not in the table.
  ///
  /// `rehash` returns the hash of a number in the table.
  ///
  /// - Complexity: Expected O(1).
  @inline(__always) func insert(_ number: UInt32, hash: UInt64, rehash: (UInt32) -> UInt64) {
    if state.pointee.previous != nil { move(Self.share, rehash) }
    state.pointee.count += 1
    if state.pointee.count * 4 > (state.pointee.places.mask + 1) * 3 { grow(rehash) }
    state.pointee.places.enter(number, hash)
  }

  /// Inserts a number unless the table has one that satisfies `matches`.
  ///
  /// Returns whether it was inserted.
  ///
  /// - Complexity: Expected O(1).
  @inline(__always) func insert(
    _ number: UInt32, hash: UInt64, unless matches: (UInt32) -> Bool, rehash: (UInt32) -> UInt64
  ) -> Bool {
    guard find(hash, matches) == nil else { return false }
    insert(number, hash: hash, rehash: rehash)
    return true
  }

  private func grow(_ rehash: (UInt32) -> UInt64) {
    move(.max, rehash)
    state.pointee.previous = state.pointee.places
    state.pointee.moved = 0
    state.pointee.places = Places(count: (state.pointee.places.mask + 1) * 2)
  }

  private func move(_ most: Int, _ rehash: (UInt32) -> UInt64) {
    guard let previous = state.pointee.previous else { return }
    let places = state.pointee.places
    var place = state.pointee.moved
    let end = min(previous.mask + 1, most == .max ? .max : place + most)
    while place < end {
      // Mark the place as gone rather than empty, so that lookups continue past it.
      if previous.tags[place] > Tag.gone {
        places.enter(previous.numbers[place], rehash(previous.numbers[place]))
        previous.tags[place] = Tag.gone
      }
      place += 1
    }
    state.pointee.moved = place
    guard place > previous.mask else { return }
    previous.deallocate()
    state.pointee.previous = nil
  }

  /// Removes a number.
  ///
  /// - Precondition: The number is in the table.
  /// - Complexity: Expected O(1).
  func remove(_ number: UInt32, hash: UInt64, rehash: (UInt32) -> UInt64) {
    state.pointee.count -= 1
    if let place = state.pointee.places.find(hash, { $0 == number }) {
      return state.pointee.places.vacate(place, rehash: rehash)
    }
    guard let previous = state.pointee.previous, let place = previous.find(hash, { $0 == number }) else {
      preconditionFailure("number \(number) is not in the table")
    }
    previous.tags[place] = Tag.gone
  }

  /// All numbers in unspecified order.
  var all: [UInt32] {
    var all: [UInt32] = []
    for places in [state.pointee.places, state.pointee.previous].compactMap({ $0 }) {
      for place in 0...places.mask where places.tags[place] > Tag.gone { all.append(places.numbers[place]) }
    }
    return all
  }
}
