/// A pool of the texts of one column, deduplicated and reference-counted.
///
/// A text is identified by a number that is reused after the text is freed. If almost all texts of
/// a column differ, the pool stops deduplicating and frees its hash table.
///
/// The bytes are stored in blocks. Fragmented blocks are compacted and freed, so that churn does
/// not leave permanent holes.
final class TextPool {
  /// The number that represents no text, stored for a null cell.
  static let none = UInt32.max

  /// The header of a block.
  ///
  /// Blocks are aligned to their size, so that a text's address determines its block.
  private struct BlockHeader {
    var live: Int
    var used: Int
  }

  /// The mutable state.
  ///
  /// It is behind a pointer because the exclusivity checks of class properties would cost more than
  /// the operations themselves.
  private struct State {
    /// The number of different texts.
    var count = 0
    var freeNumbers: [UInt32] = []
    var table = ProbeTable()
    var current: UnsafeMutableRawPointer?
    /// The bytes of all blocks that texts have taken, and those of them that freed texts left
    /// behind.
    var used = 0
    var holes = 0
    var blocks: Set<UnsafeMutableRawPointer> = []
    /// Emptied blocks kept for reuse.
    ///
    /// Churn allocates and frees blocks constantly, and aligned allocation fragments the heap.
    var spares: [UnsafeMutableRawPointer] = []
    /// The numbers of repeated and of new texts since the counters were last reset.
    var repeats = 0
    var firsts = 0
  }

  private static var blockSize: Int { 1 << 18 }
  private static var blockHeaderSize: Int { 16 }
  private static var mostSpares: Int { 2 }
  /// The size of a text's header in a block: its number and its length, 32 bits each, which
  /// compaction needs.
  private static var textHeaderSize: Int { 8 }

  private let hasher: BytesHash
  private let counter: ByteCounter?
  /// The address of each text's bytes; 0 for a free number.
  private let addresses = Chunked<UInt>(filler: 0)
  /// The number of rows that hold each text.
  ///
  /// Texts beyond the end were added after deduplication stopped and have one holder.
  private let references = Chunked<UInt32>(filler: 0)
  /// The number of times each number was assigned; only while the pool deduplicates.
  private(set) var generations: Chunked<UInt32>?
  private let state: UnsafeMutablePointer<State>
  /// The collation keys of the texts; `nil` if texts are ordered bytewise.
  let collation: CollationKeys?

  /// Whether repeated texts are stored once.
  ///
  /// Pools of keys do not need this, because keys are unique.
  private(set) var sharesRepeats: Bool
  private let mayStopSharing: Bool

  /// Creates an empty pool.
  ///
  /// `counter`, if any, counts the bytes of all holders' texts, repeated ones repeatedly.
  init(
    hasher: BytesHash, counter: ByteCounter? = nil, collation: CollationKeys? = nil, sharesRepeats: Bool = true,
    mayStopSharing: Bool = true
  ) {
    self.collation = collation
    self.hasher = hasher
    self.counter = counter
    self.mayStopSharing = mayStopSharing
    state = .allocate(capacity: 1)
    state.initialize(to: State())
    self.sharesRepeats = sharesRepeats
    generations = sharesRepeats ? Chunked(filler: 0) : nil
  }

  deinit {
    for block in state.pointee.blocks { block.deallocate() }
    for block in state.pointee.spares { block.deallocate() }
    addresses.deallocate()
    references.deallocate()
    generations?.deallocate()
    state.pointee.table.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// The number of different texts.
  var count: Int { state.pointee.count }

  /// Returns the bytes of a text, valid until the pool changes.
  @inline(__always) subscript(_ number: UInt32) -> UnsafeRawBufferPointer {
    let address = UnsafeRawPointer(bitPattern: addresses[number]).unsafelyUnwrapped
    return UnsafeRawBufferPointer(start: address, count: Int((address - 4).loadUnaligned(as: UInt32.self)))
  }

  /// Whether the text with this number equals `count` bytes, which follow `start` others.
  @inline(__always) func isText(_ number: UInt32, _ bytes: UnsafeRawPointer, after start: Int, _ count: Int) -> Bool {
    let text = self[number]
    guard text.count == count else { return false }
    let own = text.baseAddress.unsafelyUnwrapped
    guard count < 8, start + count >= 8 else { return areEqual(own, bytes + start, count) }
    // Compare the eight bytes that end with both texts, without those before the texts. In this
    // pool, a header precedes each text.
    func ending(_ text: UnsafeRawPointer) -> UInt64 {
      UInt64(littleEndian: text.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)) >> UInt64(64 - 8 * count)
    }
    return ending(own) == ending(bytes + start)
  }

  /// Whether the text with this number equals these bytes.
  @inline(__always) func isText(_ number: UInt32, _ bytes: UnsafeRawBufferPointer) -> Bool {
    equal(self[number], bytes)
  }

  /// Returns a counter that distinguishes successive texts with the same number, so that cached
  /// results are not applied to another text.
  ///
  /// It is never 0 and wraps around after 2^32 texts.
  ///
  /// - Precondition: The pool deduplicates.
  @inline(__always) func generation(of number: UInt32) -> UInt32 { generations.unsafelyUnwrapped[number] }

  /// Adds a holder of a text and returns the text's number.
  ///
  /// - Complexity: Amortized O(bytes).
  func take(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    counter?.add(bytes.count)
    guard sharesRepeats else { return add(bytes) }
    let hash = hasher.hash(bytes)
    if let number = state.pointee.table.find(hash, { equal(self[$0], bytes) }) {
      references[number] += 1
      state.pointee.repeats += 1
      return number
    }
    let number = add(bytes)
    state.pointee.firsts += 1
    if state.pointee.firsts >= 8192 && state.pointee.repeats < state.pointee.firsts / 4 && mayStopSharing {
      stopSharing()
      return number
    }
    if state.pointee.firsts >= 8192 { (state.pointee.firsts, state.pointee.repeats) = (0, 0) }
    state.pointee.table.insert(number, hash: hash) { hasher.hash(self[$0]) }
    return number
  }

  /// Removes a holder of a text.
  func release(_ number: UInt32) {
    counter?.add(-self[number].count)
    if number < references.count {
      references[number] -= 1
      guard references[number] == 0 else { return }
    }
    if sharesRepeats { state.pointee.table.remove(number, hash: hasher.hash(self[number])) { hasher.hash(self[$0]) } }
    collation?.forget(number)
    let bytes = self[number]
    addresses[number] = 0
    state.pointee.freeNumbers.append(number)
    state.pointee.count -= 1
    free(UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped), length: bytes.count)
  }

  // MARK: Order

  /// Returns the collation key of a text, or its bytes without collation.
  ///
  /// The buffer is valid until the pool changes or another key is requested.
  @inline(__always) func sortBytes(_ number: UInt32) -> UnsafeRawBufferPointer {
    guard let collation else { return self[number] }
    return collation.key(of: number, self[number])
  }

  /// Compares two texts.
  ///
  /// The result is negative if `a` comes first, and 0 only if they are equal.
  func compare(_ a: UInt32, _ b: UInt32) -> Int {
    guard a != b else { return 0 }
    guard let collation else { return compareBytes(self[a], self[b]) }
    // Compute both keys first, because computing one may move the other.
    _ = collation.key(of: a, self[a])
    let key = collation.key(of: b, self[b])
    let order = compareBytes(collation.key(of: a, self[a]), key)
    return order == 0 ? compareBytes(self[a], self[b]) : order
  }

  // MARK: Numbers

  private func add(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    let number: UInt32
    if let free = state.pointee.freeNumbers.popLast() {
      number = free
    } else {
      number = UInt32(addresses.count)
      addresses.grow(to: addresses.count + 1)
      if sharesRepeats { references.grow(to: addresses.count) }
    }
    state.pointee.count += 1
    addresses[number] = store(bytes, number: number)
    if number < references.count { references[number] = 1 }
    if let generations {
      generations.grow(to: addresses.count)
      generations[number] = generations[number] == .max ? 1 : generations[number] + 1
    }
    return number
  }

  private func stopSharing() {
    sharesRepeats = false
    generations?.deallocate()
    generations = nil
    state.pointee.table.deallocate()
    state.pointee.table = ProbeTable()
  }

  // MARK: Blocks

  private func store(_ bytes: UnsafeRawBufferPointer, number: UInt32) -> UInt {
    let size = Self.textHeaderSize + bytes.count
    precondition(size <= Self.blockSize - Self.blockHeaderSize, "a text of \(bytes.count) bytes fits no block")
    var block = state.pointee.current ?? newBlock()
    if header(of: block).pointee.used + size > Self.blockSize { block = newBlock() }
    let place = block + header(of: block).pointee.used
    place.storeBytes(of: number, as: UInt32.self)
    (place + 4).storeBytes(of: UInt32(bytes.count), as: UInt32.self)
    if let source = bytes.baseAddress {
      (place + Self.textHeaderSize).copyMemory(from: source, byteCount: bytes.count)
    }
    header(of: block).pointee.used += size
    header(of: block).pointee.live += size
    state.pointee.used += size
    return UInt(bitPattern: place + Self.textHeaderSize)
  }

  private func free(_ address: UnsafeRawPointer, length: Int) {
    let start = UInt(bitPattern: address) & ~UInt(Self.blockSize - 1)
    let block = UnsafeMutableRawPointer(bitPattern: start).unsafelyUnwrapped
    header(of: block).pointee.live -= Self.textHeaderSize + length
    state.pointee.holes += Self.textHeaderSize + length
    if header(of: block).pointee.live == 0 { discard(block) } else { compact() }
  }

  /// Returns the number of bytes that freed texts left behind in a block.
  private func holes(in block: UnsafeMutableRawPointer) -> Int {
    header(of: block).pointee.used - Self.blockHeaderSize - header(of: block).pointee.live
  }

  /// Moves the texts of the block with the most holes to the current block, once holes exceed a
  /// quarter of all bytes.
  ///
  /// Fewer than three bytes move per byte freed. Blocks whose texts are freed in order of insertion
  /// become empty without any copying.
  ///
  /// - Complexity: O(block size + blocks), amortized over the texts freed.
  private func compact() {
    let current = state.pointee.current
    let holes = state.pointee.holes - (current.map { self.holes(in: $0) } ?? 0)
    guard holes > max(Self.blockSize, state.pointee.used / 4) else { return }
    let others = state.pointee.blocks.lazy.filter { $0 != current }
    guard let block = others.max(by: { self.holes(in: $0) < self.holes(in: $1) }) else { return }
    var place = block + Self.blockHeaderSize
    let end = block + header(of: block).pointee.used
    while place < end {
      let number = place.loadUnaligned(as: UInt32.self)
      let length = Int((place + 4).loadUnaligned(as: UInt32.self))
      let text = place + Self.textHeaderSize
      // The number of a freed text may be in use again elsewhere.
      if addresses[number] == UInt(bitPattern: text) {
        addresses[number] = store(UnsafeRawBufferPointer(start: text, count: length), number: number)
        header(of: block).pointee.live -= Self.textHeaderSize + length
        state.pointee.holes += Self.textHeaderSize + length
      }
      place = text + length
    }
    discard(block)
  }

  /// Frees an empty block, or resets it if it is the current one.
  private func discard(_ block: UnsafeMutableRawPointer) {
    precondition(
      header(of: block).pointee.live == 0, "a block with \(header(of: block).pointee.live) bytes is discarded")
    state.pointee.holes -= holes(in: block)
    state.pointee.used -= header(of: block).pointee.used - Self.blockHeaderSize
    header(of: block).pointee.used = Self.blockHeaderSize
    guard block != state.pointee.current else { return }
    state.pointee.blocks.remove(block)
    if state.pointee.spares.count < Self.mostSpares { state.pointee.spares.append(block) } else { block.deallocate() }
  }

  private func newBlock() -> UnsafeMutableRawPointer {
    let block =
      state.pointee.spares.popLast()
      ?? UnsafeMutableRawPointer.allocate(byteCount: Self.blockSize, alignment: Self.blockSize)
    state.pointee.blocks.insert(block)
    header(of: block).initialize(to: BlockHeader(live: 0, used: Self.blockHeaderSize))
    state.pointee.current = block
    return block
  }

  private func header(of block: UnsafeMutableRawPointer) -> UnsafeMutablePointer<BlockHeader> {
    block.assumingMemoryBound(to: BlockHeader.self)
  }
}

extension TextPool {
  /// Checks that every text is stored under its number, and that block counters are correct.
  func checkInvariants() {
    #if CHECK_INVARIANTS
      var live: [UInt: Int] = [:]
      var used = 0
      for number in 0..<UInt32(addresses.count) where addresses[number] != 0 {
        used += 1
        precondition(
          number >= references.count || references[number] > 0, "text \(number) is stored, but has no owner")
        live[addresses[number] & ~UInt(Self.blockSize - 1), default: 0] += Self.textHeaderSize + self[number].count
      }
      precondition(used == count, "\(used) texts, counted as \(count)")
      precondition(collation?.count ?? 0 <= count, "\(collation?.count ?? 0) sort keys for \(count) texts")
      var (taken, holes) = (0, 0)
      for block in state.pointee.blocks {
        taken += header(of: block).pointee.used - Self.blockHeaderSize
        holes += self.holes(in: block)
        let counted = live[UInt(bitPattern: block)] ?? 0
        precondition(
          header(of: block).pointee.live == counted, "a block counts \(header(of: block).pointee.live) of \(counted)")
      }
      precondition(taken == state.pointee.used, "\(taken) bytes are taken, counted as \(state.pointee.used)")
      precondition(holes == state.pointee.holes, "\(holes) bytes are holes, counted as \(state.pointee.holes)")
    #endif
  }
}
