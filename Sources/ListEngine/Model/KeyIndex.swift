/// A hash table from the source's keys to slots, with each key stored once, by slot.
///
/// The key of a deleted row can stay in the table as a tombstone. Lookups ignore it, and
/// ``reopen(_:)`` revives it.
final class KeyIndex {
  private enum Use {
    static var none: UInt8 { 0 }
    static var found: UInt8 { 1 }
    static var deleted: UInt8 { 2 }
  }

  let type: KeyType
  private let hasher: BytesHash
  /// The byte counter for live keys.
  private let counter: ByteCounter
  private let words = Chunked<Int64>(filler: 0)
  private let texts = Chunked<UInt32>(filler: TextPool.none)
  /// The state of each slot's key.
  private let used = Chunked<UInt8>(filler: Use.none)
  private let pool: TextPool
  private let table = ProbeTable()
  private var deleted = 0
  /// The significant bits of hashes.
  private let hashMask: UInt64
  /// The numbers of keys that have the hash of another key, by slot; `nil` if keys have no numbers.
  private var otherNumbers: [UInt32: UInt64]?

  // Guesses for the next lookup. Sources usually name rows in insertion order. After a jump, the
  // list usually continues after the new row, at the old position, or one past it.
  private var next: UInt32 = 0
  private var previous: UInt32 = 0

  /// Creates an empty index.
  ///
  /// - Parameter numberBits: The size of the numbers of ``number(of:)``; `nil` for no numbers.
  init(_ type: KeyType, hasher: BytesHash, counter: ByteCounter, numberBits: Int? = nil) {
    self.type = type
    hashMask = 1 << UInt64(numberBits ?? Self.numberBits) - 1
    otherNumbers = numberBits == nil ? nil : [:]
    self.hasher = hasher
    self.counter = counter
    pool = TextPool(hasher: hasher, sharesRepeats: false)
  }

  deinit {
    table.deallocate()
    words.deallocate()
    texts.deallocate()
    used.deallocate()
  }

  /// A key to look up.
  enum Probe {
    case integer(Int64)
    case text(UnsafeRawBufferPointer)
  }

  /// Whether any key is a tombstone.
  var hasDeleted: Bool { deleted > 0 }

  /// The number of live keys.
  var count: Int { table.count - deleted }

  /// Grows to at least `count` slots.
  func grow(to count: Int) {
    if type == .integer { words.grow(to: count) } else { texts.grow(to: count) }
    used.grow(to: count)
  }

  // MARK: Finding

  /// Returns the slot of the row with this key.
  ///
  /// - Complexity: Expected O(1).
  @inline(__always) func slot(of key: Probe) -> UInt32? { find(key, Use.found) }

  /// Returns the slot of the row with this key, fastest if the key follows the previous one.
  ///
  /// - Complexity: Expected O(1).
  @inline(__always) func nextSlot(of key: Probe) -> UInt32? {
    if let slot = guess(key) {
      next = slot &+ 1
      return slot
    }
    previous = next
    let slot = find(key, Use.found)
    if let slot { next = slot &+ 1 }
    return slot
  }

  /// Returns the slot of the row with this key if one of the guesses is right.
  @inline(__always) private func guess(_ key: Probe) -> UInt32? {
    if isKey(key, of: next) { return next }
    if isKey(key, of: previous) { return previous }
    return isKey(key, of: previous &+ 1) ? previous &+ 1 : nil
  }

  @inline(__always) private func isKey(_ key: Probe, of slot: UInt32) -> Bool {
    slot < used.count && used[slot] == Use.found && matches(slot, key)
  }

  @inline(__always) private func find(_ key: Probe, _ use: UInt8) -> UInt32? {
    table.find(hash(key)) { matches($0, key) }.flatMap { used[$0] == use ? $0 : nil }
  }

  /// Records that name rows in slot order, except for a few of them.
  struct Run {
    /// The slot of the first record's row.
    let first: UInt32
    /// The number of records.
    let count: Int
    /// The places of the records whose row is not in slot order, or new.
    let others: UInt64
  }

  /// Returns the first records that name existing rows in slot order.
  ///
  /// The run ends at the first record that is not a whole row of `width` cells. It also ends at the
  /// next slot that is a multiple of 64. A few records in a row may name other rows, but not the
  /// first and last ones. Returns `nil` if the guess for the first key fails. The caller passes the
  /// slot after those it takes to ``expect(_:)``.
  ///
  /// - Complexity: O(rows), a few words per row.
  @inline(__always) func run(of records: RecordRun, width: Int) -> Run? {
    guard let key = probe(records[0].key, bytes: records.bytes), let first = guess(key) else { return nil }
    let uses = used.pointer(first)
    let most = records.wholeRows(of: width, atMost: 64 - Int(first & 63))
    var others: UInt64 = 0
    var count = 0
    var place = 0
    if type == .integer {
      let keys = words.pointer(first)
      while place < most, place - count <= Self.mostOthers {
        if uses[place] == Use.found, records[place].key.kind == .integer,
          Int64(bitPattern: records[place].key.payload) == keys[place]
        {
          count = place + 1
        } else {
          others |= 1 << UInt64(place)
        }
        place += 1
      }
    } else {
      while place < most, place - count <= Self.mostOthers {
        if uses[place] == Use.found, let key = probe(records[place].key, bytes: records.bytes),
          matches(first + UInt32(place), key)
        {
          count = place + 1
        } else {
          others |= 1 << UInt64(place)
        }
        place += 1
      }
    }
    guard count > 0 else { return nil }
    return Run(first: first, count: count, others: others & .max >> UInt64(64 - count))
  }

  /// The maximum number of successive records in a run that do not name rows in slot order.
  private static var mostOthers: Int { 3 }

  /// Sets the slot that the next record is expected to name.
  @inline(__always) func expect(_ slot: UInt32) { next = slot }

  /// Reads where lookups of the keys of these records begin, so that they need not wait for memory
  /// one by one.
  func fetch(_ records: RecordRun, _ places: UInt64) {
    forEachBit(of: places) { place in
      if let key = probe(records[place].key, bytes: records.bytes) { table.fetch(hash(key)) }
    }
  }

  /// Returns the key of a record if it has the right type, at most `limit` bytes and valid UTF-8.
  @inline(__always) func probe(
    _ key: Changeset.PackedCell, bytes: UnsafeRawBufferPointer, limit: Int
  ) -> Probe? {
    guard let probe = probe(key, bytes: bytes) else { return nil }
    guard case .text(let text) = probe else { return probe }
    return text.count <= limit && isUTF8(text) ? probe : nil
  }

  /// Returns the key of a record if it has the right type.
  @inline(__always) func probe(_ key: Changeset.PackedCell, bytes: UnsafeRawBufferPointer) -> Probe? {
    switch (key.kind, type) {
    case (.integer, .integer): .integer(Int64(bitPattern: key.payload))
    case (.text, .text):
      .text(UnsafeRawBufferPointer(rebasing: bytes[Int(key.payload)..<Int(key.payload) + Int(key.length)]))
    default: nil
    }
  }

  // MARK: Changing

  /// Inserts a key that is neither live nor a tombstone.
  ///
  /// - Complexity: Amortized O(1).
  func insert(_ key: Probe, slot: UInt32) {
    table.insert(slot, hash: hash(key)) { hash(ofSlot: $0) }
    store(key, slot: slot)
    if otherNumbers != nil { giveNumber(slot) }
  }

  private func store(_ key: Probe, slot: UInt32) {
    switch key {
    case .integer(let value): words[slot] = value
    case .text(let bytes):
      texts[slot] = pool.take(bytes)
      counter.add(bytes.count)
    }
    used[slot] = Use.found
  }

  /// Inserts keys of consecutive records into the slots from `first` on, up to the first key that
  /// is invalid or not new.
  ///
  /// Returns the number of keys inserted.
  ///
  /// - Precondition: No key is a tombstone.
  /// - Complexity: Amortized O(1) per key.
  func insertNew(_ records: RecordRun, limit: Int, from first: UInt32) -> Int {
    for place in 0..<records.count {
      guard let key = probe(records[place].key, bytes: records.bytes, limit: limit) else { return place }
      let slot = first + UInt32(place)
      let isNew = table.insert(slot, hash: hash(key), unless: { matches($0, key) }, rehash: { hash(ofSlot: $0) })
      guard isNew else { return place }
      store(key, slot: slot)
      if otherNumbers != nil { giveNumber(slot) }
    }
    return records.count
  }

  /// Turns the key of this slot into a tombstone until ``remove(_:)``.
  func markDeleted(_ slot: UInt32) {
    counter.add(-textBytes(slot))
    used[slot] = Use.deleted
    deleted += 1
  }

  /// Turns the keys of slots into tombstones.
  ///
  /// `rows` has a bit for each slot from `first` on, a multiple of 64.
  func markDeleted(_ first: UInt32, _ rows: UInt64) {
    if type == .text {
      var bytes = 0
      forEachBit(of: rows) { bytes += textBytes(first + UInt32($0)) }
      counter.add(-bytes)
    }
    let uses = used.pointer(first)
    forEachBit(of: rows) { uses[$0] = Use.deleted }
    deleted += rows.nonzeroBitCount
  }

  /// Revives a tombstone and returns its slot.
  func reopen(_ key: Probe) -> UInt32? {
    guard deleted > 0, let slot = find(key, Use.deleted) else { return nil }
    used[slot] = Use.found
    deleted -= 1
    counter.add(textBytes(slot))
    return slot
  }

  /// Removes the tombstones of these slots.
  func remove(_ slots: [UInt32]) {
    for start in stride(from: 0, to: slots.count, by: 16) {
      let own = slots[start..<min(slots.count, start + 16)]
      for slot in own { table.fetch(hash(ofSlot: slot)) }
      for slot in own { remove(slot) }
    }
  }

  private func remove(_ slot: UInt32) {
    precondition(used[slot] == Use.deleted, "slot \(slot) holds no key that is buried")
    table.remove(slot, hash: hash(ofSlot: slot)) { hash(ofSlot: $0) }
    used[slot] = Use.none
    deleted -= 1
    if otherNumbers?.isEmpty == false { otherNumbers?[slot] = nil }
    if type == .text {
      pool.release(texts[slot])
      texts[slot] = TextPool.none
    }
  }

  /// Returns the key of this slot.
  func key(of slot: UInt32) -> RowKey {
    switch type {
    case .integer: .integer(words[slot])
    case .text: .text(String(decoding: pool[texts[slot]], as: UTF8.self))
    }
  }

  /// Returns the size of this slot's key in bytes, or 0 for an integer.
  @inline(__always) func textBytes(_ slot: UInt32) -> Int { type == .text ? pool[texts[slot]].count : 0 }

  // MARK: Numbers

  /// The size of ``number(of:)`` in bits, without the bit that marks the second key of a hash.
  static let numberBits = 52

  /// Returns a number below 2^53 that follows from the key of this slot: its hash.
  ///
  /// Keys with the hash of a present key, of which a table of 1M rows has one with a probability of
  /// 1 in 9,000, have numbers from 2^52 on. Returns `nil` if keys have no numbers, or the slot has
  /// no key.
  @inline(__always) func number(of slot: UInt32) -> UInt64? {
    guard let otherNumbers, slot < used.count, used[slot] != Use.none else { return nil }
    if !otherNumbers.isEmpty, let number = otherNumbers[slot] { return number }
    return hash(ofSlot: slot) & hashMask
  }

  /// Returns the slot of the row whose key has this number.
  ///
  /// - Complexity: Expected O(1).
  func slot(numbered number: UInt64) -> UInt32? {
    guard let otherNumbers else { return nil }
    let slot: UInt32? =
      if number <= hashMask {
        table.find(hash(number)) { hash(ofSlot: $0) & hashMask == number && otherNumbers[$0] == nil }
      } else {
        otherNumbers.first { $0.value == number }?.key
      }
    return slot.flatMap { used[$0] == Use.found ? $0 : nil }
  }

  /// Gives a new key another number than its hash if a key with this hash is present.
  private func giveNumber(_ slot: UInt32) {
    let hash = hash(ofSlot: slot)
    guard table.find(hash, { $0 != slot && self.hash(ofSlot: $0) == hash }) != nil else { return }
    let second = BytesHash(seed: ~hasher.seed)
    var number = type == .integer ? second.hash(words[slot]) : second.hash(pool[texts[slot]])
    let marked: UInt64 = 1 << UInt64(Self.numberBits)
    repeat { number = (number &+ 1) & (marked - 1) | marked } while otherNumbers?.values.contains(number) == true
    otherNumbers?[slot] = number
  }

  /// Checks that a lookup of each key returns its slot.
  func checkInvariants() {
    #if CHECK_INVARIANTS
      let slots = table.all
      var counted = 0
      for slot in slots {
        let key: Probe = type == .integer ? .integer(words[slot]) : .text(pool[texts[slot]])
        precondition(find(key, used[slot]) == slot && used[slot] != Use.none, "the key of slot \(slot) leads elsewhere")
        counted += used[slot] == Use.deleted ? 1 : 0
        guard let number = number(of: slot), used[slot] == Use.found else { continue }
        precondition(self.slot(numbered: number) == slot, "the number \(number) of slot \(slot) leads elsewhere")
      }
      precondition(slots.count == count + deleted, "\(slots.count) keys, counted as \(count) and \(deleted)")
      precondition(counted == deleted, "\(counted) keys are buried, counted as \(deleted)")
      pool.checkInvariants()
    #endif
  }

  @inline(__always) private func hash(_ key: Probe) -> UInt64 {
    switch key {
    case .integer(let value): hash(hasher.hash(value))
    case .text(let bytes): hash(hasher.hash(bytes))
    }
  }

  @inline(__always) private func hash(ofSlot slot: UInt32) -> UInt64 {
    hash(type == .integer ? hasher.hash(words[slot]) : hasher.hash(pool[texts[slot]]))
  }

  /// Returns a hash that its significant bits determine.
  ///
  /// The table takes its tags from the highest bits.
  @inline(__always) private func hash(_ hash: UInt64) -> UInt64 { hash & hashMask | ((hash & hashMask) >> 48) << 60 }

  @inline(__always) private func matches(_ slot: UInt32, _ key: Probe) -> Bool {
    switch key {
    case .integer(let value): words[slot] == value
    case .text(let bytes): pool.isText(texts[slot], bytes)
    }
  }
}
