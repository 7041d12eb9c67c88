/// One column's values, typed, by slot.
///
/// Numbers of every kind are a 64-bit word; texts, image keys and series are a number in a ``TextPool``.
final class ColumnStore {
  let type: ColumnType
  private let words: Chunked<UInt64>?
  private let numbers: Chunked<UInt32>?
  let pool: TextPool?

  /// The word of a null. In an integer or timestamp column it is also the least number; rows that really hold that are in `leastValues`.
  private static let nullWord = UInt64(1) << 63
  /// In a number column null is a NaN: no stored number is one.
  private static let nullNumber = Double.nan.bitPattern
  private var leastValues: Set<UInt32> = []

  init(_ type: ColumnType, hasher: BytesHash) {
    self.type = type
    switch type {
    case .integer, .timestamp, .boolean:
      (words, numbers, pool) = (Chunked(filler: Self.nullWord), nil, nil)
    case .number:
      (words, numbers, pool) = (Chunked(filler: Self.nullNumber), nil, nil)
    case .text, .image, .series:
      (words, numbers, pool) = (nil, Chunked(filler: TextPool.none), TextPool(hasher: hasher))
    }
  }

  /// Makes room for this many slots; new ones are null.
  func grow(to count: Int) {
    words?.grow(to: count)
    numbers?.grow(to: count)
  }

  /// Whether a packed cell fits this column's type.
  func accepts(_ kind: Changeset.Kind) -> Bool {
    switch (kind, type) {
    case (.null, _), (.integer, .integer), (.integer, .number), (.number, .number), (.boolean, .boolean),
      (.timestamp, .timestamp), (.text, .text), (.image, .image), (.series, .series):
      true
    default: false
    }
  }

  /// Stores a cell that ``accepts(_:)`` took, and says whether it differs from what was there.
  @inline(__always) func store(_ cell: Changeset.PackedCell, bytes: UnsafeRawBufferPointer, at slot: UInt32) -> Bool {
    if let words {
      let word = self.word(of: cell, at: slot)
      if type == .integer || type == .timestamp { return storeWhole(word, isNull: cell.kind == .null, at: slot) }
      guard words[slot] != word else { return false }
      words[slot] = word
      return true
    }
    return storeText(cell, bytes: bytes, at: slot)
  }

  @inline(__always) private func word(of cell: Changeset.PackedCell, at slot: UInt32) -> UInt64 {
    switch (cell.kind, type) {
    case (.null, .number): Self.nullNumber
    case (.null, _): Self.nullWord
    case (.integer, .number): Double(Int64(bitPattern: cell.payload)).bitPattern
    // Minus zero and zero are one value: they show alike and sort alike.
    case (.number, _): cell.payload == Self.nullWord ? 0 : cell.payload
    default: cell.payload
    }
  }

  @inline(__always) private func storeWhole(_ word: UInt64, isNull: Bool, at slot: UInt32) -> Bool {
    guard let words else { return false }
    if word != Self.nullWord && words[slot] != Self.nullWord {
      guard words[slot] != word else { return false }
      words[slot] = word
      return true
    }
    let wasNull = self.isNull(slot)
    guard words[slot] != word || wasNull != isNull else { return false }
    leastValues.remove(slot)
    if word == Self.nullWord && !isNull { leastValues.insert(slot) }
    words[slot] = word
    return true
  }

  private func storeText(_ cell: Changeset.PackedCell, bytes: UnsafeRawBufferPointer, at slot: UInt32) -> Bool {
    guard let numbers, let pool else { return false }
    let old = numbers[slot]
    if cell.kind == .null {
      guard old != TextPool.none else { return false }
      pool.release(old)
      numbers[slot] = TextPool.none
      return true
    }
    let start = Int(cell.payload)
    let text = UnsafeRawBufferPointer(rebasing: bytes[start..<start + Int(cell.length)])
    if old != TextPool.none {
      if equal(pool[old], text) { return false }
      // Taken before the old one is let go: the pool may move texts, but `text` is not one of its own.
      pool.release(old)
    }
    numbers[slot] = pool.take(text)
    return true
  }

  /// Lets go of what a removed row held.
  func clear(_ slot: UInt32) {
    if let words {
      leastValues.remove(slot)
      words[slot] = type == .number ? Self.nullNumber : Self.nullWord
    } else if let numbers, numbers[slot] != TextPool.none {
      pool?.release(numbers[slot])
      numbers[slot] = TextPool.none
    }
  }

  // MARK: Reading

  /// Whether the cell is empty.
  @inline(__always) func isNull(_ slot: UInt32) -> Bool {
    if let words {
      if type == .number { return words[slot] == Self.nullNumber }
      return words[slot] == Self.nullWord && (leastValues.isEmpty || !leastValues.contains(slot))
    }
    return numbers?[slot] == TextPool.none
  }

  /// The bytes of a text, image key or series that is not null.
  @inline(__always) func bytes(_ slot: UInt32) -> UnsafeRawBufferPointer {
    pool.unsafelyUnwrapped[numbers.unsafelyUnwrapped[slot]]
  }

  /// The pool's number of a text: equal numbers are equal texts. `TextPool.none` when null.
  @inline(__always) func textNumber(_ slot: UInt32) -> UInt32 { numbers.unsafelyUnwrapped[slot] }

  /// A number that all rows with an equal text have in common, if the column's pool shares repeated texts.
  @inline(__always) func sharedText(_ slot: UInt32) -> UInt32? {
    guard let numbers, let pool, pool.sharesRepeats, numbers[slot] != TextPool.none else { return nil }
    return numbers[slot]
  }

  /// The value, for a page.
  func cell(_ slot: UInt32) -> Cell {
    if isNull(slot) { return .null }
    switch type {
    case .integer: return .integer(Int64(bitPattern: words.unsafelyUnwrapped[slot]))
    case .timestamp: return .timestamp(Int64(bitPattern: words.unsafelyUnwrapped[slot]))
    case .number: return .number(Double(bitPattern: words.unsafelyUnwrapped[slot]))
    case .boolean: return .boolean(words.unsafelyUnwrapped[slot] != 0)
    case .text: return .text(String(decoding: bytes(slot), as: UTF8.self))
    case .image: return .image(String(decoding: bytes(slot), as: UTF8.self))
    case .series:
      let raw = bytes(slot)
      return .series((0..<raw.count / 8).map { raw.loadUnaligned(fromByteOffset: $0 * 8, as: Double.self) })
    }
  }

  // MARK: Order

  /// A number that orders as the values do, nulls last; equal numbers may still be different values.
  @inline(__always) func sortKey(_ slot: UInt32, descending: Bool) -> UInt64 {
    if isNull(slot) { return .max }
    let key: UInt64
    switch type {
    case .integer, .timestamp: key = words.unsafelyUnwrapped[slot] ^ Self.nullWord
    case .boolean: key = words.unsafelyUnwrapped[slot]
    case .number:
      let bits = words.unsafelyUnwrapped[slot]
      key = bits & Self.nullWord == 0 ? bits | Self.nullWord : ~bits
    case .text, .image, .series:
      let text = bytes(slot)
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

  /// Which of two rows comes first by this column: negative when `a`, 0 when they tie. Nulls come last either way.
  func compare(_ a: UInt32, _ b: UInt32, descending: Bool) -> Int {
    switch (isNull(a), isNull(b)) {
    case (true, true): return 0
    case (true, false): return 1
    case (false, true): return -1
    case (false, false): break
    }
    let order: Int
    if words != nil {
      let (x, y) = (sortKey(a, descending: false), sortKey(b, descending: false))
      order = x < y ? -1 : (x == y ? 0 : 1)
    } else {
      order = textNumber(a) == textNumber(b) ? 0 : compareBytes(bytes(a), bytes(b))
    }
    return descending ? -order : order
  }
}

/// Whether two runs of bytes are equal.
@inline(__always) func equal(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
  a.count == b.count && compareBytes(a, b) == 0
}

/// Compares by code unit: negative when `a` comes first.
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
