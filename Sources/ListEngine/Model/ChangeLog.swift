/// Which rows have changed since each view last looked, in the order in which it happened.
///
/// A view keeps a position in the log and catches up from there, so that changes that nobody looks at in between cost one entry each.
struct ChangeLog {
  /// A row that changed, and in which columns: bit c mod 64 for column c; all bits when it came, went or moved.
  struct Entry {
    var slot: UInt32
    var columns: UInt64
  }

  /// All columns, and the row's existence and place as well.
  static let everything = UInt64.max

  private(set) var entries: [Entry] = []
  /// The position of `entries[0]`.
  private(set) var start = 0
  /// The position after the last entry.
  var end: Int { start + entries.count }

  mutating func note(_ slot: UInt32, columns: UInt64) { entries.append(Entry(slot: slot, columns: columns)) }

  /// Rows came.
  mutating func note(_ slots: Range<UInt32>) {
    entries.append(contentsOf: slots.lazy.map { Entry(slot: $0, columns: Self.everything) })
  }

  /// The entries from this position on.
  func since(_ position: Int) -> ArraySlice<Entry> {
    precondition(position >= start, "the log from \(position) is gone; it begins at \(start)")
    return entries[(position - start)...]
  }

  /// Forgets what every reader has seen.
  mutating func trim(to position: Int) {
    guard position > start else { return }
    if position >= end {
      entries.removeAll(keepingCapacity: entries.capacity <= 1 << 16)
    } else {
      // Moving the rest costs its length: only when most of it goes.
      guard position - start > entries.count / 2 else { return }
      entries.removeFirst(position - start)
    }
    start = position
  }
}
