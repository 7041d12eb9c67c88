/// Finds numbers by a hash of what they stand for: open addressing with linear probing.
///
/// Beside each number lies a byte of its hash, so that a search looks at what a number stands for only when it is almost surely the
/// right one: a search in vain costs one cache line. (The idea of tags is that of SwissTable, Kulukundis 2017.) It grows bit by bit,
/// a few places with each insertion, so that no insertion pays for all.
///
/// It is a bare reference, like ``Chunked``: its owner calls ``deallocate()`` at its end.
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

    /// Empties a place, and moves back what would not be found across the gap (Knuth 6.4, R).
    func vacate(_ place: Int, rehash: (UInt32) -> UInt64) {
      // What lies in one row of occupied places belongs nowhere before its start: mostly that and the tag tell where it belongs.
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

  /// What lies beside a number: the last four bits of its hash, which are those of the place where it belongs, and the first four.
  private enum Tag {
    static var empty: UInt8 { 0 }
    /// Something was here and went; only in a table that has grown.
    static var gone: UInt8 { 1 }
    static var homes: Int { 16 }

    @inline(__always) static func of(_ hash: UInt64) -> UInt8 {
      let tag = UInt8(truncatingIfNeeded: hash >> 56 & 0xF0 | hash & 0x0F)
      return tag > gone ? tag : tag | 0x10
    }

    /// The last bits of the place where it belongs.
    @inline(__always) static func home(_ tag: UInt8) -> Int { Int(tag & 0x0F) }
  }

  private struct State {
    var places = Places(count: 16)
    /// The table before it grew, as far as it has not been moved.
    var former: Places?
    var moved = 0
    var count = 0
  }

  /// How many places of the former table are looked at with each insertion: all of them long before the next growth.
  private static var share: Int { 32 }

  private let state: UnsafeMutablePointer<State>

  /// No numbers.
  init() {
    state = .allocate(capacity: 1)
    state.initialize(to: State())
  }

  /// Gives the memory back. Nobody may use it, or a copy of it, afterwards.
  func deallocate() {
    state.pointee.places.deallocate()
    state.pointee.former?.deallocate()
    state.deallocate()
  }

  /// How many numbers there are.
  var count: Int { state.pointee.count }

  /// The number with this hash for which `matches` says yes.
  ///
  /// - Complexity: O(1), expected.
  @inline(__always) func find(_ hash: UInt64, _ matches: (UInt32) -> Bool) -> UInt32? {
    let places = state.pointee.places
    if let place = places.find(hash, matches) { return places.numbers[place] }
    guard let former = state.pointee.former, let place = former.find(hash, matches) else { return nil }
    return former.numbers[place]
  }

  /// Enters a number that is not there yet. `rehash` tells the hash of any number that is.
  ///
  /// - Complexity: O(1), expected.
  @inline(__always) func insert(_ number: UInt32, hash: UInt64, rehash: (UInt32) -> UInt64) {
    if state.pointee.former != nil { move(Self.share, rehash) }
    state.pointee.count += 1
    if state.pointee.count * 4 > (state.pointee.places.mask + 1) * 3 { grow(rehash) }
    state.pointee.places.enter(number, hash)
  }

  /// Enters a number unless one is there for which `matches` says yes. The result is whether it was entered.
  ///
  /// - Complexity: O(1), expected.
  @inline(__always) func insert(
    _ number: UInt32, hash: UInt64, unless matches: (UInt32) -> Bool, rehash: (UInt32) -> UInt64
  ) -> Bool {
    guard find(hash, matches) == nil else { return false }
    insert(number, hash: hash, rehash: rehash)
    return true
  }

  private func grow(_ rehash: (UInt32) -> UInt64) {
    move(.max, rehash)
    state.pointee.former = state.pointee.places
    state.pointee.moved = 0
    state.pointee.places = Places(count: (state.pointee.places.mask + 1) * 2)
  }

  private func move(_ most: Int, _ rehash: (UInt32) -> UInt64) {
    guard let former = state.pointee.former else { return }
    let places = state.pointee.places
    var place = state.pointee.moved
    let end = min(former.mask + 1, most == .max ? .max : place + most)
    while place < end {
      // A number that is still there. Its place stays marked, so that others are found across it.
      if former.tags[place] > Tag.gone {
        places.enter(former.numbers[place], rehash(former.numbers[place]))
        former.tags[place] = Tag.gone
      }
      place += 1
    }
    state.pointee.moved = place
    guard place > former.mask else { return }
    former.deallocate()
    state.pointee.former = nil
  }

  /// Takes a number out.
  ///
  /// - Precondition: It is there.
  /// - Complexity: O(1), expected.
  func remove(_ number: UInt32, hash: UInt64, rehash: (UInt32) -> UInt64) {
    state.pointee.count -= 1
    if let place = state.pointee.places.find(hash, { $0 == number }) {
      return state.pointee.places.vacate(place, rehash: rehash)
    }
    guard let former = state.pointee.former, let place = former.find(hash, { $0 == number }) else {
      preconditionFailure("number \(number) is not in the table")
    }
    former.tags[place] = Tag.gone
  }

  /// All numbers, in no order.
  var all: [UInt32] {
    var all: [UInt32] = []
    for places in [state.pointee.places, state.pointee.former].compactMap({ $0 }) {
      for place in 0...places.mask where places.tags[place] > Tag.gone { all.append(places.numbers[place]) }
    }
    return all
  }
}
