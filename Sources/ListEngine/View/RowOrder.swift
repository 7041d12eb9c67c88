/// A chunk of a view's order.
///
/// An entry has a compressed sort key in its upper half and a slot in its lower half.
final class Chunk {
  static let capacity = 512

  var entries: UnsafeMutablePointer<UInt64>
  var count = 0
  private var allocated: Int
  /// The index of the chunk in the ``ChunkPool``.
  let number: UInt32
  /// The index of the chunk in its ``RowOrder``.
  var place = 0
  /// The section of the rows, which outlives its chunks.
  unowned(unsafe) let section: Section

  init(number: UInt32, section: Section) {
    self.number = number
    self.section = section
    allocated = 8
    entries = .allocate(capacity: allocated)
  }

  deinit { entries.deallocate() }

  func insert(_ entry: UInt64, at index: Int) {
    if count == allocated { reserve(count + 1) }
    (entries + index + 1).update(from: entries + index, count: count - index)
    entries[index] = entry
    count += 1
  }

  func remove(at index: Int) {
    (entries + index).update(from: entries + index + 1, count: count - index - 1)
    count -= 1
  }

  func append(_ source: UnsafePointer<UInt64>, count added: Int) {
    reserve(count + added)
    (entries + count).update(from: source, count: added)
    count += added
  }

  func truncate(to count: Int) { self.count = count }

  /// Returns the index of a slot's entry.
  ///
  /// - Complexity: O(capacity).
  func index(of slot: UInt32) -> Int {
    var index = 0
    while index < count {
      if UInt32(truncatingIfNeeded: entries[index]) == slot { return index }
      index += 1
    }
    preconditionFailure("slot \(slot) is not in chunk \(number), which says it has it")
  }

  private func reserve(_ wanted: Int) {
    guard wanted > allocated else { return }
    allocated = min(Self.capacity, max(wanted, allocated * 2))
    let wider = UnsafeMutablePointer<UInt64>.allocate(capacity: allocated)
    wider.update(from: entries, count: count)
    entries.deallocate()
    entries = wider
  }
}

/// The chunks of a view, and the chunk of each slot.
final class ChunkPool: Discardable {
  private(set) var chunks: [Chunk?] = []
  private var freeNumbers: [UInt32] = []
  /// The number of the chunk of each slot in the view.
  let home = Chunked<UInt32>(filler: ChunkPool.none)

  static var none: UInt32 { .max }

  deinit { home.deallocate() }

  func make(for section: Section) -> Chunk {
    let number = freeNumbers.popLast() ?? UInt32(chunks.count)
    let chunk = Chunk(number: number, section: section)
    if Int(number) == chunks.count { chunks.append(chunk) } else { chunks[Int(number)] = chunk }
    return chunk
  }

  func drop(_ chunk: Chunk) {
    chunks[Int(chunk.number)] = nil
    freeNumbers.append(chunk.number)
  }

  /// Frees up to `count` chunks of rows and of the index, and returns how many.
  ///
  /// The pool must not be used otherwise afterwards.
  func free(atMost count: Int) -> Int {
    let dropped = min(count, chunks.count)
    chunks.removeLast(dropped)
    return dropped + home.shrink(atMost: count - dropped)
  }

  /// Returns whether the view contains this slot.
  @inline(__always) func has(_ slot: UInt32) -> Bool { slot < home.count && home[slot] != Self.none }

  /// Returns the chunk of a slot, or `nil` if the view does not contain it.
  @inline(__always) func chunk(of slot: UInt32) -> Chunk? {
    guard slot < home.count else { return nil }
    let number = home[slot]
    return number == Self.none ? nil : chunks[Int(number)].unsafelyUnwrapped
  }
}

/// A sorted list of rows with rank queries in logarithmic time.
///
/// It consists of chunks of up to 512 entries and a ``Fenwick`` tree of their sizes. An insertion
/// or removal moves at most the entries of one chunk (4 KiB). The directory of chunks changes only
/// when a chunk is created or dropped.
struct RowOrder {
  private var chunks: [Chunk] = []
  /// The first entry of each chunk, stored contiguously for binary search.
  private var firsts: [UInt64] = []
  private var ranks = Fenwick()

  /// The number of rows.
  var count: Int { ranks.total }

  /// The first row, or `nil` if there are none.
  var first: UInt32? { firsts.first.map { UInt32(truncatingIfNeeded: $0) } }
  /// The last row, or `nil` if there are none.
  var last: UInt32? { chunks.last.map { UInt32(truncatingIfNeeded: $0.entries[$0.count - 1]) } }

  /// Returns the rank of a row.
  func rank(of slot: UInt32, in chunk: Chunk) -> Int { ranks.sum(before: chunk.place) + chunk.index(of: slot) }

  /// Calls a closure with at most `count` slots, starting at `rank`.
  func forEach(from rank: Int, count: Int, _ body: (UInt32) -> Void) {
    guard count > 0, rank < self.count else { return }
    var (place, index) = ranks.find(rank)
    var left = min(count, self.count - rank)
    while left > 0 {
      let chunk = chunks[place]
      while index < chunk.count && left > 0 {
        body(UInt32(truncatingIfNeeded: chunk.entries[index]))
        index += 1
        left -= 1
      }
      place += 1
      index = 0
    }
  }

  /// Inserts a row at its position.
  ///
  /// - Precondition: The row is not in the order, and all other rows are in order.
  /// - Complexity: O(log rows) comparisons.
  mutating func insert(
    _ slot: UInt32, key: UInt32, section: Section, pool: ChunkPool, comparator: RowComparator
  ) {
    let entry = UInt64(key) << 32 | UInt64(slot)
    guard !chunks.isEmpty else {
      let chunk = pool.make(for: section)
      chunk.insert(entry, at: 0)
      pool.home[slot] = chunk.number
      chunks = [chunk]
      rebuildDirectory()
      return
    }
    // The last chunk whose first row precedes this one.
    let place = max(0, partition(0..<chunks.count) { precedes(firsts[$0], entry, comparator) } - 1)
    var chunk = chunks[place]
    let index = index(for: entry, in: chunk, at: place, comparator)
    if chunk.count == Chunk.capacity {
      let isAppend = place == chunks.count - 1 && index == chunk.count
      let next = pool.make(for: section)
      if !isAppend { split(chunk, into: next, pool: pool) }
      chunks.insert(next, at: place + 1)
      if isAppend || index > chunk.count {
        let rest = index - chunk.count
        chunk = next
        chunk.insert(entry, at: rest)
      } else {
        chunk.insert(entry, at: index)
      }
      pool.home[slot] = chunk.number
      rebuildDirectory()
      return
    }
    chunk.insert(entry, at: index)
    if index == 0 { firsts[place] = entry }
    pool.home[slot] = chunk.number
    ranks.add(1, at: place)
  }

  /// Removes a row.
  mutating func remove(_ slot: UInt32, from chunk: Chunk, pool: ChunkPool) {
    let index = chunk.index(of: slot)
    let place = chunk.place
    chunk.remove(at: index)
    pool.home[slot] = ChunkPool.none
    if chunk.count == 0 {
      pool.drop(chunk)
      chunks.remove(at: place)
      rebuildDirectory()
      return
    }
    if index == 0 { firsts[place] = chunk.entries[0] }
    ranks.add(-1, at: place)
    guard chunk.count < Chunk.capacity / 4 else { return }
    if place + 1 < chunks.count { merge(place, pool: pool) } else if place > 0 { merge(place - 1, pool: pool) }
  }

  /// Appends rows during a build, as the entries of a ``Chunk``; call ``finish()`` afterwards.
  ///
  /// - Precondition: The entries are sorted and follow all present ones.
  mutating func append(_ entries: UnsafeBufferPointer<UInt64>, section: Section, pool: ChunkPool) {
    let capacity = Self.appendedRows
    var place = 0
    while place < entries.count {
      if chunks.last.map({ $0.count >= capacity }) ?? true {
        let chunk = pool.make(for: section)
        chunk.place = chunks.count
        chunks.append(chunk)
        firsts.append(entries[place])
      }
      let chunk = chunks[chunks.count - 1]
      let added = min(entries.count - place, capacity - chunk.count)
      chunk.append(entries.baseAddress.unsafelyUnwrapped + place, count: added)
      for entry in entries[place..<place + added] { pool.home[UInt32(truncatingIfNeeded: entry)] = chunk.number }
      place += added
    }
  }

  /// The number of rows that a build appends to a chunk.
  ///
  /// It is not filled completely, so that the first insertions do not split it.
  private static var appendedRows: Int { Chunk.capacity * 7 / 8 }

  /// Completes the appends of ``append(_:section:pool:)``.
  ///
  /// It reads the last chunk only, because to read all of millions of rows takes longer than a turn
  /// may.
  ///
  /// - Complexity: O(chunks).
  mutating func finish() {
    guard let last = chunks.last else { return }
    let (full, rest) = (chunks.count - 1, last.count)
    ranks = Fenwick((0...full).lazy.map { $0 < full ? Self.appendedRows : rest })
  }

  private func split(_ chunk: Chunk, into next: Chunk, pool: ChunkPool) {
    let half = chunk.count / 2
    next.append(chunk.entries + half, count: chunk.count - half)
    chunk.truncate(to: half)
    for index in 0..<next.count { pool.home[UInt32(truncatingIfNeeded: next.entries[index])] = next.number }
  }

  /// Merges a chunk with its successor if the result has room.
  private mutating func merge(_ place: Int, pool: ChunkPool) {
    let (chunk, next) = (chunks[place], chunks[place + 1])
    guard chunk.count + next.count <= Chunk.capacity * 3 / 4 else { return }
    for index in 0..<next.count { pool.home[UInt32(truncatingIfNeeded: next.entries[index])] = chunk.number }
    chunk.append(next.entries, count: next.count)
    pool.drop(next)
    chunks.remove(at: place + 1)
    rebuildDirectory()
  }

  private mutating func rebuildDirectory() {
    firsts.removeAll(keepingCapacity: true)
    for (place, chunk) in chunks.enumerated() {
      chunk.place = place
      firsts.append(chunk.entries[0])
    }
    ranks = Fenwick(chunks.lazy.map(\.count))
  }

  @inline(__always) private func precedes(_ a: UInt64, _ b: UInt64, _ comparator: RowComparator) -> Bool {
    if a >> 32 != b >> 32 { return a < b }
    return comparator.precedes(UInt32(truncatingIfNeeded: a), UInt32(truncatingIfNeeded: b))
  }

  /// Returns the index at which an entry belongs in a chunk.
  ///
  /// Each step of a binary search would wait for another cache line. The search therefore starts at
  /// the interpolated position, assuming evenly spread keys, and continues in doubling steps. See
  /// interpolation search (Bentley and Yao, 1976). An entry after all others, as in a log, is found
  /// at once.
  ///
  /// - Complexity: O(log capacity) comparisons for any keys.
  @inline(__always) private func index(
    for entry: UInt64, in chunk: Chunk, at place: Int, _ comparator: RowComparator
  ) -> Int {
    let count = chunk.count
    let entries = chunk.entries
    let first = firsts[place] >> 32
    let next = (place + 1 < firsts.count ? firsts[place + 1] : entries[count - 1]) >> 32
    let ahead = max(entry >> 32, first) - first
    let guess = min(count - 1, Int(ahead * UInt64(count) / max(1, next - first)))
    var range = 0..<count
    var step = 8  // The entries of a cache line.
    if precedes(entries[guess], entry, comparator) {
      range = guess + 1..<count
      while step < range.count {
        let probe = range.lowerBound + step
        guard precedes(entries[probe], entry, comparator) else {
          range = range.lowerBound..<probe
          break
        }
        range = probe + 1..<count
        step *= 2
      }
    } else {
      range = 0..<guess
      while step < range.count {
        let probe = range.upperBound - step
        if precedes(entries[probe], entry, comparator) {
          range = probe + 1..<range.upperBound
          break
        }
        range = 0..<probe
        step *= 2
      }
    }
    return partition(range) { precedes(entries[$0], entry, comparator) }
  }

  /// Returns the first index in a partitioned range at which `isBefore` is false, or the range's
  /// end.
  @inline(__always) private func partition(_ range: Range<Int>, _ isBefore: (Int) -> Bool) -> Int {
    var low = range.lowerBound
    var high = range.upperBound
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Checks that all rows are in order and in the chunks that the pool assigns to them.
  func checkInvariants(pool: ChunkPool, comparator: RowComparator) {
    #if CHECK_INVARIANTS
      var previous: UInt64?
      for (place, chunk) in chunks.enumerated() {
        precondition(chunk.place == place && chunk.count > 0, "chunk \(chunk.number) is misplaced or empty")
        precondition(firsts[place] == chunk.entries[0], "the directory has another first row for chunk \(chunk.number)")
        precondition(
          ranks.sum(before: place + 1) - ranks.sum(before: place) == chunk.count, "chunk \(chunk.number) is miscounted")
        for index in 0..<chunk.count {
          let entry = chunk.entries[index]
          let slot = UInt32(truncatingIfNeeded: entry)
          precondition(pool.home[slot] == chunk.number, "slot \(slot) is looked for elsewhere")
          if let previous { precondition(precedes(previous, entry, comparator), "slot \(slot) is out of order") }
          previous = entry
        }
      }
    #endif
  }
}
