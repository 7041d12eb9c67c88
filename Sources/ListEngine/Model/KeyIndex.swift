/// Finds a row's slot by the source's key. The keys themselves are stored once, by slot.
final class KeyIndex {
  let type: KeyType
  private let hasher: BytesHash
  private let words = Chunked<Int64>(filler: 0)
  private let texts = Chunked<UInt32>(filler: TextPool.none)
  /// 1 for slots with a key.
  private let used = Chunked<UInt8>(filler: 0)
  private let pool: TextPool
  private var table = ProbeTable()

  init(_ type: KeyType, hasher: BytesHash, counter: ByteCounter) {
    self.type = type
    self.hasher = hasher
    pool = TextPool(hasher: hasher, counter: counter, sharesRepeats: false)
  }

  deinit {
    table.deallocate()
    words.deallocate()
    texts.deallocate()
    used.deallocate()
  }

  /// A key on its way into the index.
  enum Probe {
    case integer(Int64)
    case text(UnsafeRawBufferPointer)
  }

  /// How many keys there are.
  var count: Int { table.count }

  /// Makes room for this many slots.
  func grow(to count: Int) {
    if type == .integer { words.grow(to: count) } else { texts.grow(to: count) }
    used.grow(to: count)
  }

  /// The slot of the row with this key; fastest when it is the one that was guessed.
  ///
  /// - Complexity: O(1), expected.
  @inline(__always) func slot(of key: Probe, guess: UInt32 = .max) -> UInt32? {
    if guess < used.count, used[guess] != 0, matches(guess, key) { return guess }
    return table.find(hash(key)) { matches($0, key) }
  }

  /// Enters a key that is not there yet.
  ///
  /// - Complexity: O(1), amortized.
  func insert(_ key: Probe, slot: UInt32) {
    switch key {
    case .integer(let value): words[slot] = value
    case .text(let bytes): texts[slot] = pool.take(bytes)
    }
    used[slot] = 1
    table.insert(slot, hash: hash(key)) { hash(ofSlot: $0) }
  }

  /// Takes the key of this slot out.
  func remove(_ slot: UInt32) {
    table.remove(slot, hash: hash(ofSlot: slot)) { hash(ofSlot: $0) }
    used[slot] = 0
    if type == .text {
      pool.release(texts[slot])
      texts[slot] = TextPool.none
    }
  }

  /// The key of this slot, for people.
  func key(of slot: UInt32) -> RowKey {
    switch type {
    case .integer: .integer(words[slot])
    case .text: .text(String(decoding: pool[texts[slot]], as: UTF8.self))
    }
  }

  /// How many bytes of text the key of this slot has.
  func textBytes(_ slot: UInt32) -> Int { type == .text ? pool[texts[slot]].count : 0 }

  /// Every key leads to its slot.
  func checkInvariants() {
    #if CHECK_INVARIANTS
      let slots = table.all
      for slot in slots {
        let key: Probe = type == .integer ? .integer(words[slot]) : .text(pool[texts[slot]])
        precondition(self.slot(of: key) == slot && used[slot] == 1, "the key of slot \(slot) leads elsewhere")
      }
      precondition(slots.count == count, "\(slots.count) keys, counted as \(count)")
      pool.checkInvariants()
    #endif
  }

  @inline(__always) private func hash(_ key: Probe) -> UInt64 {
    switch key {
    case .integer(let value): hasher.hash(value)
    case .text(let bytes): hasher.hash(bytes)
    }
  }

  @inline(__always) private func hash(ofSlot slot: UInt32) -> UInt64 {
    type == .integer ? hasher.hash(words[slot]) : hasher.hash(pool[texts[slot]])
  }

  @inline(__always) private func matches(_ slot: UInt32, _ key: Probe) -> Bool {
    switch key {
    case .integer(let value): words[slot] == value
    case .text(let bytes): equal(pool[texts[slot]], bytes)
    }
  }
}
