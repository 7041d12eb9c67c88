/// A log of changed rows in order of change.
///
/// Each view keeps its position in the log and catches up from there. A change costs one entry
/// until a view needs it.
struct ChangeLog {
  /// A changed row and its changed columns.
  ///
  /// Column *c* sets bit *c* mod 64; an insertion, deletion or move sets all bits.
  struct Entry {
    var slot: UInt32
    var columns: UInt64
  }

  /// All columns, and the row's existence and position.
  static let everything = UInt64.max

  private(set) var entries: [Entry] = []
  /// The position of `entries[0]`.
  private(set) var start = 0
  /// The position after the last entry.
  var end: Int { start + entries.count }

  mutating func note(_ slot: UInt32, columns: UInt64) { entries.append(Entry(slot: slot, columns: columns)) }

  /// Notes inserted rows.
  mutating func note(_ slots: Range<UInt32>) {
    entries.append(contentsOf: slots.lazy.map { Entry(slot: $0, columns: Self.everything) })
  }

  /// Notes rows that were inserted, at these places of `slots`.
  mutating func note(_ places: UInt64, at slots: UnsafePointer<UInt32>) {
    forEachBit(of: places) { entries.append(Entry(slot: slots[$0], columns: Self.everything)) }
  }

  /// Notes rows that were deleted: a bit for each slot from `first` on.
  mutating func note(_ first: UInt32, _ rows: UInt64) {
    forEachBit(of: rows) { entries.append(Entry(slot: first + UInt32($0), columns: Self.everything)) }
  }

  /// Returns the entries from this position on.
  func since(_ position: Int) -> ArraySlice<Entry> {
    precondition(position >= start, "the log from \(position) is gone; it begins at \(start)")
    return entries[(position - start)...]
  }

  /// Removes the entries that all views have processed.
  mutating func trim(to position: Int) {
    guard position > start else { return }
    if position >= end {
      entries.removeAll(keepingCapacity: entries.capacity <= 1 << 16)
    } else {
      // Shifting the remaining entries is linear: do it only if most entries go.
      guard position - start > entries.count / 2 else { return }
      entries.removeFirst(position - start)
    }
    start = position
  }
}
