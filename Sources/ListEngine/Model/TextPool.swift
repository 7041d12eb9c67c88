/// The texts of one column: repeated ones are stored once, and go when the last row lets go.
///
/// A text is named by a number that may be used again after the text is gone. A column whose texts turn out to be nearly all
/// different stops looking for repetitions, and saves the table for it.
///
/// The bytes live in blocks; when there are many holes in them, those with the most are emptied and freed, so that churn does not leave
/// holes for ever.
final class TextPool {
  /// No text: what a null cell holds.
  static let none = UInt32.max

  /// At the start of each block; blocks are aligned to their size, so that a text's address leads to it.
  private struct BlockHeader {
    var live: Int
    var used: Int
  }

  /// What changes with each text, behind a pointer: a class's own variables are watched at run time for overlapping accesses, which costs
  /// more than what is done with them here.
  private struct State {
    /// How many different texts there are.
    var count = 0
    var freeNumbers: [UInt32] = []
    var table = ProbeTable()
    var current: UnsafeMutableRawPointer?
    /// How many bytes of all blocks texts have taken, and how many of them texts have left.
    var used = 0
    var holes = 0
    var blocks: Set<UnsafeMutableRawPointer> = []
    /// Blocks that were emptied, for the next ones: churn takes and gives them back all the time, and the gaps that aligned memory leaves
    /// behind are of no use for the next one.
    var spares: [UnsafeMutableRawPointer] = []
    /// How many texts were there already, of those that came since they were last counted, and how many were not.
    var repeats = 0
    var firsts = 0
  }

  private static var blockSize: Int { 1 << 18 }
  private static var blockHeaderSize: Int { 16 }
  private static var mostSpares: Int { 2 }
  /// Before each text in a block stand its number and its length, 32 bits each, so that a block can be emptied.
  private static var textHeaderSize: Int { 8 }

  private let hasher: BytesHash
  private let counter: ByteCounter?
  /// Where each text's bytes are; 0 when the number is free.
  private let addresses = Chunked<UInt>(filler: 0)
  /// How many rows hold each text; a text whose number lies beyond came when nothing was shared any more, and has one holder.
  private let references = Chunked<UInt32>(filler: 0)
  /// How often each number has been given to a text; only while repeats are shared.
  private var generations: Chunked<UInt32>?
  private let state: UnsafeMutablePointer<State>
  /// In which order the texts stand; `nil` for byte by byte.
  let collation: CollationKeys?

  /// Whether repeated texts are stored once; a pool of keys, which never repeat, does without.
  private(set) var sharesRepeats: Bool
  private let mayStopSharing: Bool

  /// No texts. The bytes that holders hold, repeated ones as often as they are held, are counted by `counter`, if there is one.
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

  /// How many different texts there are.
  var count: Int { state.pointee.count }

  /// The bytes of a text. They stay where they are until the pool is changed.
  @inline(__always) subscript(_ number: UInt32) -> UnsafeRawBufferPointer {
    let address = UnsafeRawPointer(bitPattern: addresses[number]).unsafelyUnwrapped
    return UnsafeRawBufferPointer(start: address, count: Int((address - 4).loadUnaligned(as: UInt32.self)))
  }

  /// Whether the text with this number has these bytes.
  @inline(__always) func isText(_ number: UInt32, _ bytes: UnsafeRawPointer, _ count: Int) -> Bool {
    let text = self[number]
    return text.count == count && areEqual(text.baseAddress.unsafelyUnwrapped, bytes, count)
  }

  /// Whether the text with this number has these bytes.
  @inline(__always) func isText(_ number: UInt32, _ bytes: UnsafeRawBufferPointer) -> Bool {
    equal(self[number], bytes)
  }

  /// Tells the texts apart that have had this number, one after the other, so that what was found out about one is not believed of
  /// the next; never 0. Starts anew after 2^32 texts.
  ///
  /// - Precondition: The pool shares repeats.
  @inline(__always) func generation(of number: UInt32) -> UInt32 { generations.unsafelyUnwrapped[number] }

  /// The number of this text, for one more holder.
  ///
  /// - Complexity: O(bytes), amortized.
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

  /// One holder of this text lets go.
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

  /// What the text is ordered by: its key, or its own bytes. It stays where it is until the pool is changed, or another key is asked for.
  @inline(__always) func sortBytes(_ number: UInt32) -> UnsafeRawBufferPointer {
    guard let collation else { return self[number] }
    return collation.key(of: number, self[number])
  }

  /// Which of two texts comes first: negative when `a`, 0 only when they are equal.
  func compare(_ a: UInt32, _ b: UInt32) -> Int {
    guard a != b else { return 0 }
    guard let collation else { return compareBytes(self[a], self[b]) }
    // First both are made: one that is made may move another one.
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

  /// How many bytes of a block texts have left that are gone.
  private func holes(in block: UnsafeMutableRawPointer) -> Int {
    header(of: block).pointee.used - Self.blockHeaderSize - header(of: block).pointee.live
  }

  /// Empties the block with the most holes into the current one, when more than a quarter of all is holes: less than three times as
  /// many bytes are moved as texts have left. Where texts go in the order in which they came, nothing is: their blocks run empty before.
  ///
  /// - Complexity: O(block size + blocks), amortized over the texts that left.
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
      // A hole's number may be in use again, for another text elsewhere.
      if addresses[number] == UInt(bitPattern: text) {
        addresses[number] = store(UnsafeRawBufferPointer(start: text, count: length), number: number)
        header(of: block).pointee.live -= Self.textHeaderSize + length
        state.pointee.holes += Self.textHeaderSize + length
      }
      place = text + length
    }
    discard(block)
  }

  /// Gives back a block without texts; the current one begins anew.
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
  /// Every text is found where its number says, and the blocks count what lives in them.
  func checkInvariants() {
    #if CHECK_INVARIANTS
      var live: [UInt: Int] = [:]
      var used = 0
      for number in 0..<UInt32(addresses.count) where addresses[number] != 0 {
        used += 1
        precondition(
          number >= references.count || references[number] > 0, "text \(number) is stored, but nobody holds it")
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
