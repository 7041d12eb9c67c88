/// A multiset of the values of a text or boolean column.
///
/// Values are counted by numbers: the numbers of a ``TextPool``, or 0 and 1 for booleans.
final class FacetValues {
  private let column: ColumnStore
  /// The texts, because a text may be gone from its column before it is removed here.
  private let texts: TextPool?
  /// The number of rows of each value.
  private let rows = Chunked<UInt32>(filler: 0)
  /// The number of different values, and the size of their texts in bytes.
  private(set) var distinct = 0
  private(set) var bytes = 0

  /// The greatest size in bytes of a text that a report names, as a filter may have it.
  static var longestText: Int { 1_000 }
  /// The greatest size in bytes of all texts of a report.
  static var reportBytes: Int { 16_384 }

  init(_ column: ColumnStore, hasher: BytesHash) {
    self.column = column
    texts = column.isText ? TextPool(hasher: hasher, mayStopSharing: false) : nil
    rows.grow(to: 2)
  }

  deinit { rows.deallocate() }

  /// Adds the value of a row, and returns its number.
  ///
  /// - Precondition: The cell is not null.
  /// - Complexity: Amortized O(bytes).
  func add(_ slot: UInt32) -> UInt32 {
    let number = texts?.take(column.bytes(slot)) ?? (column.words[slot] == 0 ? 0 : 1)
    rows.grow(to: Int(number) + 1)
    if rows[number] == 0 {
      distinct += 1
      bytes += size(of: number)
    }
    rows[number] += 1
    return number
  }

  /// Removes a value that was added with this number.
  func remove(_ number: UInt32) {
    rows[number] -= 1
    if rows[number] == 0 {
      distinct -= 1
      bytes -= size(of: number)
    }
    texts?.release(number)
  }

  private func size(of number: UInt32) -> Int { texts?[number].count ?? 0 }

  private func value(of number: UInt32) -> Cell {
    texts.map { .text(String(decoding: $0[number], as: UTF8.self)) } ?? .boolean(number == 1)
  }

  /// Returns the most frequent values that a report may name, and the numbers of the others.
  ///
  /// - Complexity: O(values + `limit`²).
  func parts(atMost limit: Int) -> FacetCounts.Parts {
    var best: [UInt32] = []
    var (others, otherRows) = (0, 0)
    for number in 0..<UInt32(rows.count) where rows[number] > 0 {
      (others, otherRows) = (others + 1, otherRows + Int(rows[number]))
      guard size(of: number) <= Self.longestText else { continue }
      guard best.count < limit || best.last.map({ precedes(number, $0) }) ?? false else { continue }
      if best.count == limit { best.removeLast() }
      best.insert(number, at: best.firstIndex { precedes(number, $0) } ?? best.count)
    }
    var values: [FacetValue] = []
    var left = Self.reportBytes
    for number in best where size(of: number) <= left {
      left -= size(of: number)
      values.append(FacetValue(value(of: number), rows: Int(rows[number])))
      (others, otherRows) = (others - 1, otherRows - Int(rows[number]))
    }
    return .values(values, others: others, otherRows: otherRows)
  }

  private func precedes(_ one: UInt32, _ other: UInt32) -> Bool {
    guard rows[one] == rows[other] else { return rows[one] > rows[other] }
    return texts.map { compareBytes($0[one], $0[other]) < 0 } ?? (one < other)
  }

  /// The number of rows of all values.
  var count: Int { (0..<UInt32(rows.count)).reduce(0) { $0 + Int(rows[$1]) } }

  /// Whether a row's value was added with this number.
  func isValue(_ number: UInt32, of slot: UInt32) -> Bool {
    texts.map { $0.isText(number, column.bytes(slot)) } ?? (number == (column.words[slot] == 0 ? 0 : 1))
  }
}
