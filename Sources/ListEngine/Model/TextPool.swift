/// The texts of one column: repeated ones are stored once, and go when the last row lets go.
///
/// A text is named by a number that may be used again after the text is gone. A column whose texts turn out to be nearly all
/// different stops looking for repetitions, and saves the table for it.
///
/// The bytes live in blocks; a block whose texts are mostly gone is emptied into another one and freed, so that churn does not
/// leave holes for ever.
final class TextPool {
  /// No text: what a null cell holds.
  static let none = UInt32.max

  /// At the start of each block; blocks are aligned to their size, so that a text's address leads to it.
  private struct BlockHeader {
    var live: Int
    var used: Int
  }

  private static var blockSize: Int { 1 << 18 }
  private static var blockHeaderSize: Int { 16 }
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
  private var freeNumbers: [UInt32] = []
  private var table = ProbeTable()
  private var current: UnsafeMutableRawPointer?
  private var blocks: Set<UnsafeMutableRawPointer> = []
  /// In which order the texts stand; `nil` for byte by byte.
  let collation: CollationKeys?
  private var repeats = 0
  private var firsts = 0

  /// Whether repeated texts are stored once; a pool of keys, which never repeat, does without.
  private(set) var sharesRepeats: Bool
  private let mayStopSharing: Bool
  /// How many different texts there are.
  private(set) var count = 0

  /// No texts. The bytes that holders hold, repeated ones as often as they are held, are counted by `counter`, if there is one.
  init(
    hasher: BytesHash, counter: ByteCounter? = nil, collation: CollationKeys? = nil, sharesRepeats: Bool = true,
    mayStopSharing: Bool = true
  ) {
    self.collation = collation
    self.hasher = hasher
    self.counter = counter
    self.mayStopSharing = mayStopSharing
    self.sharesRepeats = sharesRepeats
    generations = sharesRepeats ? Chunked(filler: 0) : nil
  }

  deinit {
    for block in blocks { block.deallocate() }
    addresses.deallocate()
    references.deallocate()
    generations?.deallocate()
    table.deallocate()
  }

  /// The bytes of a text. They stay where they are until the pool is changed.
  @inline(__always) subscript(_ number: UInt32) -> UnsafeRawBufferPointer {
    let address = UnsafeRawPointer(bitPattern: addresses[number]).unsafelyUnwrapped
    return UnsafeRawBufferPointer(start: address, count: Int((address - 4).loadUnaligned(as: UInt32.self)))
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
    if let number = table.find(hash, { equal(self[$0], bytes) }) {
      references[number] += 1
      repeats += 1
      return number
    }
    let number = add(bytes)
    firsts += 1
    if firsts >= 8192 && repeats < firsts / 4 && mayStopSharing {
      stopSharing()
      return number
    }
    if firsts >= 8192 { (firsts, repeats) = (0, 0) }
    table.insert(number, hash: hash) { hasher.hash(self[$0]) }
    return number
  }

  /// One holder of this text lets go.
  func release(_ number: UInt32) {
    counter?.add(-self[number].count)
    if number < references.count {
      references[number] -= 1
      guard references[number] == 0 else { return }
    }
    if sharesRepeats { table.remove(number, hash: hasher.hash(self[number])) { hasher.hash(self[$0]) } }
    collation?.forget(number)
    let bytes = self[number]
    addresses[number] = 0
    freeNumbers.append(number)
    count -= 1
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
    if let free = freeNumbers.popLast() {
      number = free
    } else {
      number = UInt32(addresses.count)
      addresses.grow(to: addresses.count + 1)
      if sharesRepeats { references.grow(to: addresses.count) }
    }
    count += 1
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
    table.deallocate()
    table = ProbeTable()
  }

  // MARK: Blocks

  private func store(_ bytes: UnsafeRawBufferPointer, number: UInt32) -> UInt {
    let size = Self.textHeaderSize + bytes.count
    precondition(size <= Self.blockSize - Self.blockHeaderSize, "a text of \(bytes.count) bytes fits no block")
    var block = current ?? newBlock()
    while header(of: block).pointee.used + size > Self.blockSize {
      let full = block
      block = newBlock()
      reclaim(full)
    }
    let place = block + header(of: block).pointee.used
    place.storeBytes(of: number, as: UInt32.self)
    (place + 4).storeBytes(of: UInt32(bytes.count), as: UInt32.self)
    if let source = bytes.baseAddress {
      (place + Self.textHeaderSize).copyMemory(from: source, byteCount: bytes.count)
    }
    header(of: block).pointee.used += size
    header(of: block).pointee.live += size
    return UInt(bitPattern: place + Self.textHeaderSize)
  }

  private func free(_ address: UnsafeRawPointer, length: Int) {
    let start = UInt(bitPattern: address) & ~UInt(Self.blockSize - 1)
    let block = UnsafeMutableRawPointer(bitPattern: start).unsafelyUnwrapped
    header(of: block).pointee.live -= Self.textHeaderSize + length
    reclaim(block)
  }

  /// Empties a block that is mostly holes into the current one, and frees it.
  ///
  /// - Complexity: O(block size), amortized over the texts that left it.
  private func reclaim(_ block: UnsafeMutableRawPointer) {
    guard block != current, header(of: block).pointee.live * 2 <= Self.blockSize else { return }
    // Out of the set first: storing below may fill the current block and come here again.
    guard blocks.remove(block) != nil else { return }
    var place = block + Self.blockHeaderSize
    let end = block + header(of: block).pointee.used
    while place < end {
      let number = place.loadUnaligned(as: UInt32.self)
      let length = Int((place + 4).loadUnaligned(as: UInt32.self))
      let text = place + Self.textHeaderSize
      // A hole's number may be in use again, for another text elsewhere.
      if addresses[number] == UInt(bitPattern: text) {
        addresses[number] = store(UnsafeRawBufferPointer(start: text, count: length), number: number)
      }
      place = text + length
    }
    block.deallocate()
  }

  private func newBlock() -> UnsafeMutableRawPointer {
    let block = UnsafeMutableRawPointer.allocate(byteCount: Self.blockSize, alignment: Self.blockSize)
    blocks.insert(block)
    header(of: block).initialize(to: BlockHeader(live: 0, used: Self.blockHeaderSize))
    current = block
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
      for block in blocks {
        let counted = live[UInt(bitPattern: block)] ?? 0
        precondition(
          header(of: block).pointee.live == counted, "a block counts \(header(of: block).pointee.live) of \(counted)")
      }
    #endif
  }
}
