/// A 64-bit key by which rows are compared that tie in all earlier keys of an order.
///
/// The keys of a sort term are its sort key, whether it is null, and for texts eight bytes at a
/// time and the length. A collated text has the bytes of its collation key first and then its own.
/// The last key of all is the source's order, in which no rows tie. A radix sort by these keys
/// gives the order of ``RowComparator/precedes(_:_:)``.
struct TieKey {
  enum Part {
    /// The sort key, which is exact except for texts and the greatest key.
    case value
    /// 1 for null, which shares the greatest sort key with a value.
    case isNull
    /// Eight bytes of the text or its collation key, filled up with zeros.
    case sortBytes
    /// The length of the text or its collation key.
    case sortLength
    /// Eight bytes of a collated text, filled up with zeros.
    case bytes
    /// The length of a collated text.
    case length
  }

  /// The index of the sort term; the number of terms stands for the source's order.
  var term = 0
  var part = Part.value
  /// The index of the first byte.
  var offset = 0
}

/// The common properties of the keys of some rows.
struct TieKeySummary {
  var least = UInt64.max
  var greatest = UInt64(0)
  /// The number of rows.
  var rows = 0
  /// The key of the last row.
  var last = UInt64(0)
  /// Whether each key is greater than the one before.
  var isAscending = true
  /// Whether some text goes on after the bytes of its key.
  var goesOn = false
  /// The text number that all rows share, if the pool stores equal texts once.
  var text: UInt32?
  /// Whether two rows have different texts, as far as the numbers tell.
  var hasTexts = false
}

extension RowComparator {
  /// Whether rows are compared by the source's order.
  func isLast(_ key: TieKey) -> Bool { key.term == termCount }

  /// Returns the key that decides between rows with an equal key.
  ///
  /// - Parameters:
  ///   - value: The key that the rows share.
  ///   - summary: What is known of the rows' texts.
  func next(after key: TieKey, value: UInt64, _ summary: TieKeySummary) -> TieKey {
    let following = TieKey(term: key.term + 1)
    guard let term = term(key.term) else { return following }
    let isText = term.column.isText
    // Rows with the same text need no further comparison of it.
    if isText, key.part != .value, key.part != .isNull, summary.text != nil { return following }
    switch key.part {
    case .value where value == .max: return TieKey(term: key.term, part: .isNull)
    case .value: return isText ? TieKey(term: key.term, part: .sortBytes, offset: 8) : following
    case .isNull where value == 1 || !isText: return following
    case .isNull: return TieKey(term: key.term, part: .sortBytes, offset: 8)
    case .sortBytes where summary.goesOn: return TieKey(term: key.term, part: .sortBytes, offset: key.offset + 8)
    case .sortBytes: return TieKey(term: key.term, part: .sortLength)
    case .sortLength where term.column.pool?.collation != nil: return TieKey(term: key.term, part: .bytes)
    case .bytes where summary.goesOn: return TieKey(term: key.term, part: .bytes, offset: key.offset + 8)
    case .bytes: return TieKey(term: key.term, part: .length)
    case .sortLength, .length: return following
    }
  }

  /// Writes the keys of rows, given by the lower halves of the entries, and summarizes them.
  ///
  /// Rows that changed get the key of the row before, because their values may be gone.
  ///
  /// - Complexity: O(rows).
  func keys(
    _ key: TieKey, of entries: UnsafePointer<UInt64>, count: Int, except changed: ChangedRows,
    into keys: UnsafeMutablePointer<UInt64>, _ summary: inout TieKeySummary
  ) {
    let (term, hasChanges) = (term(key.term), !changed.isEmpty)
    var last = summary.last
    for index in 0..<count {
      let slot = UInt32(truncatingIfNeeded: entries[index])
      if hasChanges, changed.contains(slot) {
        keys[index] = last
      } else if let term {
        keys[index] = value(key, of: slot, term, &summary)
      } else {
        keys[index] = label(slot)
      }
      if keys[index] <= last && (index > 0 || summary.rows > 0) { summary.isAscending = false }
      last = keys[index]
      summary.least = min(summary.least, last)
      summary.greatest = max(summary.greatest, last)
    }
    (summary.last, summary.rows) = (last, summary.rows + count)
  }

  @inline(__always)
  private func value(_ key: TieKey, of slot: UInt32, _ term: Term, _ summary: inout TieKeySummary) -> UInt64 {
    switch key.part {
    case .value: return term.column.sortKey(slot, descending: term.isDescending)
    case .isNull: return term.column.isNull(slot) ? 1 : 0
    case .sortBytes, .sortLength, .bytes, .length: return textValue(key, of: slot, term, &summary)
    }
  }

  private func textValue(_ key: TieKey, of slot: UInt32, _ term: Term, _ summary: inout TieKeySummary) -> UInt64 {
    // Nulls tie with nulls only by now.
    guard let pool = term.column.pool, !term.column.isNull(slot) else { return 0 }
    let number = term.column.textNumber(slot)
    if !summary.hasTexts { (summary.hasTexts, summary.text) = (true, number) }
    if number != summary.text { summary.text = nil }
    let bytes = key.part == .sortBytes || key.part == .sortLength ? pool.sortBytes(number) : pool[number]
    var value = UInt64(bytes.count)
    if key.part == .sortBytes || key.part == .bytes {
      if bytes.count > key.offset + 8 { summary.goesOn = true }
      value = bytes.word(at: key.offset)
    }
    return term.isDescending ? ~value : value
  }
}

extension UnsafeRawBufferPointer {
  /// Returns eight bytes as a number that orders like them, with zeros beyond the end.
  @inline(__always) func word(at offset: Int) -> UInt64 {
    if offset + 8 <= count { return UInt64(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
    var word: UInt64 = 0
    var shift: UInt64 = 56
    var index = offset
    while index < count {
      word |= UInt64(self[index]) << shift
      shift -= 8
      index += 1
    }
    return word
  }
}
