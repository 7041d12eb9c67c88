/// Finds a row's slot by the source's key.
///
/// Open addressing with linear probing over slot numbers; the keys themselves are stored once, by slot.
final class KeyIndex {
  let type: KeyType
  private let hasher: BytesHash
  private let words = Chunked<Int64>(filler: 0)
  private let texts = Chunked<UInt32>(filler: TextPool.none)
  private let pool: TextPool
  private var buckets: UnsafeMutableBufferPointer<UInt32>
  /// How many keys there are.
  private(set) var count = 0

  private static var empty: UInt32 { .max }

  init(_ type: KeyType, hasher: BytesHash) {
    self.type = type
    self.hasher = hasher
    pool = TextPool(hasher: hasher, sharesRepeats: false)
    buckets = .allocate(capacity: 16)
    buckets.initialize(repeating: Self.empty)
  }

  deinit {
    buckets.deallocate()
    words.deallocate()
    texts.deallocate()
  }

  /// A key on its way into the index.
  enum Probe {
    case integer(Int64)
    case text(UnsafeRawBufferPointer)
  }

  /// Makes room for this many slots.
  func grow(to count: Int) {
    if type == .integer { words.grow(to: count) } else { texts.grow(to: count) }
  }

  /// The slot of the row with this key.
  ///
  /// - Complexity: O(1), expected.
  @inline(__always) func slot(of key: Probe) -> UInt32? {
    var bucket = home(of: key)
    while buckets[bucket] != Self.empty {
      if matches(buckets[bucket], key) { return buckets[bucket] }
      bucket = (bucket + 1) & (buckets.count - 1)
    }
    return nil
  }

  /// Enters a key that is not there yet.
  ///
  /// - Complexity: O(1), amortized.
  func insert(_ key: Probe, slot: UInt32) {
    switch key {
    case .integer(let value): words[slot] = value
    case .text(let bytes): texts[slot] = pool.take(bytes)
    }
    count += 1
    if count * 4 > buckets.count * 3 { growBuckets() }
    enter(slot)
  }

  /// Takes the key of this slot out.
  func remove(_ slot: UInt32) {
    let mask = buckets.count - 1
    var gap = home(ofSlot: slot)
    while buckets[gap] != slot { gap = (gap + 1) & mask }
    var next = (gap + 1) & mask
    while buckets[next] != Self.empty {
      let home = home(ofSlot: buckets[next])
      if (next &- home) & mask >= (next &- gap) & mask {
        buckets[gap] = buckets[next]
        gap = next
      }
      next = (next + 1) & mask
    }
    buckets[gap] = Self.empty
    count -= 1
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

  /// Every key leads to its slot.
  func checkInvariants() {
    #if CHECK_INVARIANTS
      var seen = 0
      for slot in buckets where slot != Self.empty {
        seen += 1
        let key: Probe = type == .integer ? .integer(words[slot]) : .text(pool[texts[slot]])
        precondition(self.slot(of: key) == slot, "the key of slot \(slot) leads elsewhere")
      }
      precondition(seen == count, "\(seen) keys, counted as \(count)")
      pool.checkInvariants()
    #endif
  }

  @inline(__always) private func home(of key: Probe) -> Int {
    switch key {
    case .integer(let value): Int(truncatingIfNeeded: hasher.hash(value)) & (buckets.count - 1)
    case .text(let bytes): Int(truncatingIfNeeded: hasher.hash(bytes)) & (buckets.count - 1)
    }
  }

  @inline(__always) private func home(ofSlot slot: UInt32) -> Int {
    type == .integer ? home(of: .integer(words[slot])) : home(of: .text(pool[texts[slot]]))
  }

  @inline(__always) private func matches(_ slot: UInt32, _ key: Probe) -> Bool {
    switch key {
    case .integer(let value): words[slot] == value
    case .text(let bytes): equal(pool[texts[slot]], bytes)
    }
  }

  private func enter(_ slot: UInt32) {
    var bucket = home(ofSlot: slot)
    while buckets[bucket] != Self.empty { bucket = (bucket + 1) & (buckets.count - 1) }
    buckets[bucket] = slot
  }

  private func growBuckets() {
    let old = buckets
    buckets = .allocate(capacity: old.count * 2)
    buckets.initialize(repeating: Self.empty)
    for slot in old where slot != Self.empty { enter(slot) }
    old.deallocate()
  }
}
