/// The values of one column, typed and indexed by slot.
///
/// Integers, numbers, booleans and timestamps are 64-bit words. Texts, image keys and series are
/// numbers of entries in a ``TextPool``.
///
/// Like ``Chunked`` it is a plain pointer without reference counting. The table owns its columns,
/// and views must not outlive the table.
struct ColumnStore {
  let type: ColumnType
  /// The values of integers, numbers, booleans and timestamps; otherwise empty.
  let words: Chunked<UInt64>
  /// The pool numbers of texts, image keys and series; otherwise empty.
  let numbers: Chunked<UInt32>
  let texts: Unmanaged<TextPool>?
  /// The slots that store `Int64.min`, whose bit pattern also represents null.
  let leastValues: UnsafeMutablePointer<Set<UInt32>>

  /// The word that represents null, except in columns of numbers.
  ///
  /// In integer and timestamp columns it is also `Int64.min`.
  static var nullWord: UInt64 { 1 << 63 }
  /// The word that represents null in a column of numbers: a NaN, which is never stored as a value.
  static var nullNumber: UInt64 { 0x7FF8_0000_0000_0000 }

  init(_ type: ColumnType, hasher: BytesHash, counter: ByteCounter, collation: CollationKeys?) {
    self.type = type
    words = Chunked(filler: type == .number ? Self.nullNumber : Self.nullWord)
    numbers = Chunked(filler: TextPool.none)
    texts =
      Self.isText(type) ? Unmanaged.passRetained(TextPool(hasher: hasher, counter: counter, collation: collation)) : nil
    leastValues = .allocate(capacity: 1)
    leastValues.initialize(to: [])
  }

  /// Frees the memory.
  ///
  /// This store and all copies of it must not be used afterwards.
  func deallocate() {
    words.deallocate()
    numbers.deallocate()
    texts?.release()
    leastValues.deinitialize(count: 1)
    leastValues.deallocate()
  }

  private static func isText(_ type: ColumnType) -> Bool { type == .text || type == .image || type == .series }
  @inline(__always) var isText: Bool { texts != nil }

  /// The text pool, if the column stores texts, image keys or series.
  var pool: TextPool? { texts?.takeUnretainedValue() }

  /// Grows to at least `count` slots, with null in new ones.
  @inline(__always) func grow(to count: Int) {
    if isText { numbers.grow(to: count) } else { words.grow(to: count) }
  }

  /// Whether a cell of this kind fits the column's type.
  func accepts(_ kind: Changeset.Kind) -> Bool {
    switch (kind, type) {
    case (.null, _), (.integer, .integer), (.integer, .number), (.number, .number), (.boolean, .boolean),
      (.timestamp, .timestamp), (.text, .text), (.image, .image), (.series, .series):
      true
    default: false
    }
  }

  /// Stores a cell that ``accepts(_:)`` permits and returns whether the value changed.
  @inline(__always) func store(_ cell: Changeset.PackedCell, bytes: UnsafeRawBufferPointer, at slot: UInt32) -> Bool {
    if isText { return storeText(cell, bytes: bytes, at: slot) }
    let word = self.word(of: cell)
    if type == .integer || type == .timestamp { return storeWhole(word, isNull: cell.kind == .null, at: slot) }
    guard words[slot] != word else { return false }
    words[slot] = word
    return true
  }

  @inline(__always) func word(of cell: Changeset.PackedCell) -> UInt64 {
    switch (cell.kind, type) {
    case (.null, .number): Self.nullNumber
    case (.null, _): Self.nullWord
    case (.integer, .number): Double(Int64(bitPattern: cell.payload)).bitPattern
    // Normalize -0.0 to 0.0, so that equal numbers have equal words.
    case (.number, _): cell.payload == Self.nullWord ? 0 : cell.payload
    default: cell.payload
    }
  }

  @inline(__always) private func storeWhole(_ word: UInt64, isNull: Bool, at slot: UInt32) -> Bool {
    if word != Self.nullWord && words[slot] != Self.nullWord {
      guard words[slot] != word else { return false }
      words[slot] = word
      return true
    }
    let wasNull = self.isNull(slot)
    guard words[slot] != word || wasNull != isNull else { return false }
    leastValues.pointee.remove(slot)
    if word == Self.nullWord && !isNull { leastValues.pointee.insert(slot) }
    words[slot] = word
    return true
  }

  private func storeText(_ cell: Changeset.PackedCell, bytes: UnsafeRawBufferPointer, at slot: UInt32) -> Bool {
    let old = numbers[slot]
    let start = Int(cell.payload)
    let text = UnsafeRawBufferPointer(start: bytes.baseAddress.map { $0 + start }, count: Int(cell.length))
    return texts.unsafelyUnwrapped._withUnsafeGuaranteedRef { pool in
      if cell.kind == .null {
        guard old != TextPool.none else { return false }
        pool.release(old)
        numbers[slot] = TextPool.none
        return true
      }
      if old != TextPool.none {
        if equal(pool[old], text) { return false }
        pool.release(old)
      }
      numbers[slot] = pool.take(text)
      return true
    }
  }

  /// Clears the cell of a deleted row.
  func clear(_ slot: UInt32) {
    if !isText {
      if !leastValues.pointee.isEmpty { leastValues.pointee.remove(slot) }
      words[slot] = type == .number ? Self.nullNumber : Self.nullWord
    } else if numbers[slot] != TextPool.none {
      texts.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.release(numbers[slot]) }
      numbers[slot] = TextPool.none
    }
  }

  // MARK: Reading

  /// Whether the cell is null.
  @inline(__always) func isNull(_ slot: UInt32) -> Bool {
    if isText { return numbers[slot] == TextPool.none }
    if type == .number { return words[slot] == Self.nullNumber }
    return words[slot] == Self.nullWord && !leastValues.pointee.contains(slot)
  }

  /// Returns the bytes of a text, image key or series that is not null.
  @inline(__always) func bytes(_ slot: UInt32) -> UnsafeRawBufferPointer {
    texts.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0[numbers[slot]] }
  }

  /// Returns the size of the cell's text in bytes.
  @inline(__always) func textBytes(_ slot: UInt32) -> Int {
    isText && numbers[slot] != TextPool.none ? bytes(slot).count : 0
  }

  /// Returns the pool number of a text, or `TextPool.none` for null.
  ///
  /// Equal numbers mean equal texts.
  @inline(__always) func textNumber(_ slot: UInt32) -> UInt32 { numbers[slot] }

  /// The text numbers by slot, which rows with an equal text share, or `nil` if the pool does not
  /// share repeated texts.
  @inline(__always) var sharedTexts: Chunked<UInt32>? {
    guard let texts else { return nil }
    return texts._withUnsafeGuaranteedRef { $0.sharesRepeats } ? numbers : nil
  }

  /// The generations of text numbers, or `nil` if the pool does not share repeated texts.
  @inline(__always) var sharedGenerations: Chunked<UInt32>? {
    texts.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.generations }
  }

  /// Returns the generation of a text number, which distinguishes its successive texts.
  ///
  /// Returns `nil` if the pool does not share repeated texts. See ``TextPool/generation(of:)``.
  @inline(__always) func sharedGeneration(of text: UInt32) -> UInt32? {
    texts.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.sharesRepeats ? $0.generation(of: text) : nil }
  }

  /// Returns the value of a cell.
  func cell(_ slot: UInt32) -> Cell {
    if isNull(slot) { return .null }
    switch type {
    case .integer: return .integer(Int64(bitPattern: words[slot]))
    case .timestamp: return .timestamp(Int64(bitPattern: words[slot]))
    case .number: return .number(Double(bitPattern: words[slot]))
    case .boolean: return .boolean(words[slot] != 0)
    case .text: return .text(String(decoding: bytes(slot), as: UTF8.self))
    case .image: return .image(String(decoding: bytes(slot), as: UTF8.self))
    case .series:
      let raw = bytes(slot)
      return .series((0..<raw.count / 8).map { raw.loadUnaligned(fromByteOffset: $0 * 8, as: Double.self) })
    }
  }

  /// Returns the value of an integer or a number as a floating-point number; `nil` for null.
  @inline(__always) func double(_ slot: UInt32) -> Double? {
    if isNull(slot) { return nil }
    return type == .integer ? Double(Int64(bitPattern: words[slot])) : Double(bitPattern: words[slot])
  }

  // MARK: Order

  /// Returns the collation key of a text, or an empty key if the column orders by code unit.
  func collationKey(_ slot: UInt32) -> [UInt8] {
    guard let keys = pool?.collation, numbers[slot] != TextPool.none else { return [] }
    return Array(keys.key(of: numbers[slot], bytes(slot)))
  }

  /// Returns the collation key of a value that need not occur in the column.
  func collationKey(of value: Cell) -> [UInt8] { pool?.collation?.key(of: value) ?? [] }

  /// The number of collation keys computed so far; see ``CollationKeys``.
  var collationKeysMade: Int { pool?.collation?.made ?? 0 }

  /// Returns a number that orders like the values, nulls last.
  ///
  /// Different values can have equal sort keys.
  @inline(__always) func sortKey(_ slot: UInt32, descending: Bool) -> UInt64 {
    if isNull(slot) { return .max }
    let key: UInt64
    switch type {
    case .integer, .timestamp: key = Self.key(whole: words[slot])
    case .boolean: key = words[slot]
    case .number: key = Self.key(number: words[slot])
    case .text, .image, .series:
      let text = texts.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.sortBytes(numbers[slot]) }
      if text.count >= 8 {
        key = UInt64(bigEndian: text.loadUnaligned(as: UInt64.self))
      } else {
        var prefix: UInt64 = 0
        for (place, byte) in text.enumerated() { prefix |= UInt64(byte) << UInt64(56 - 8 * place) }
        key = prefix
      }
    }
    return descending ? ~key : key
  }

  /// Returns the integer or timestamp with this ascending sort key.
  @inline(__always) static func whole(_ key: UInt64) -> Int64 { Int64(bitPattern: key ^ nullWord) }

  @inline(__always) static func key(whole word: UInt64) -> UInt64 { word ^ nullWord }
  @inline(__always) static func key(number bits: UInt64) -> UInt64 {
    bits & nullWord == 0 ? bits | nullWord : ~bits
  }

  /// Returns the ``sortKey(_:descending:)`` of this value.
  ///
  /// Returns `nil` for null, texts, image keys and series, whose sort keys are not exact.
  static func sortKey(of value: Cell) -> UInt64? {
    switch value {
    case .integer(let whole), .timestamp(let whole): key(whole: UInt64(bitPattern: whole))
    case .number(let number): key(number: (number == 0 ? 0 : number).bitPattern)
    case .boolean(let flag): flag ? 1 : 0
    case .null, .text, .image, .series: nil
    }
  }

  /// Compares two rows by this column.
  ///
  /// The result is negative if `a` comes first and 0 if they tie. Nulls come last in both
  /// directions.
  func compare(_ a: UInt32, _ b: UInt32, descending: Bool) -> Int {
    switch (isNull(a), isNull(b)) {
    case (true, true): return 0
    case (true, false): return 1
    case (false, true): return -1
    case (false, false): break
    }
    let order: Int
    if !isText {
      let (x, y) = (sortKey(a, descending: false), sortKey(b, descending: false))
      order = x < y ? -1 : (x == y ? 0 : 1)
    } else {
      order = texts.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.compare(numbers[a], numbers[b]) }
    }
    return descending ? -order : order
  }
}

/// Whether two buffers are equal.
@inline(__always) func equal(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
  guard a.count == b.count else { return false }
  guard let x = a.baseAddress, let y = b.baseAddress else { return true }
  return areEqual(x, y, a.count)
}

/// Whether two memory regions of `count` bytes are equal.
///
/// - Complexity: O(bytes). It compares eight bytes at a time; the last eight can overlap the
///   previous ones.
@inline(__always) func areEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ count: Int) -> Bool {
  @inline(__always) func agree<Word: FixedWidthInteger & BitwiseCopyable>(_: Word.Type, at offset: Int) -> Bool {
    a.loadUnaligned(fromByteOffset: offset, as: Word.self) == b.loadUnaligned(fromByteOffset: offset, as: Word.self)
  }
  if count >= 8 {
    var offset = 0
    while offset < count - 8 {
      guard agree(UInt64.self, at: offset) else { return false }
      offset += 8
    }
    return agree(UInt64.self, at: count - 8)
  }
  if count >= 4 { return agree(UInt32.self, at: 0) && agree(UInt32.self, at: count - 4) }
  for offset in 0..<count where !agree(UInt8.self, at: offset) { return false }
  return true
}

/// Compares two buffers bytewise.
///
/// The result is negative if `a` comes first.
///
/// - Complexity: O(bytes), eight at a time.
@inline(__always) func compareBytes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
  let common = min(a.count, b.count)
  var offset = 0
  while offset + 8 <= common {
    let x = UInt64(bigEndian: a.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    let y = UInt64(bigEndian: b.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    if x != y { return x < y ? -1 : 1 }
    offset += 8
  }
  while offset < common {
    if a[offset] != b[offset] { return a[offset] < b[offset] ? -1 : 1 }
    offset += 1
  }
  return a.count < b.count ? -1 : (a.count == b.count ? 0 : 1)
}
