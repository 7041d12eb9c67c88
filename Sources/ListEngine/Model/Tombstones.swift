/// The slots of removed rows, as long as some view may still show them: a row that comes back in that time keeps its id.
///
/// Their keys stay in the ``KeyIndex`` meanwhile; here it is known when they may go.
struct Tombstones {
  private struct Tombstone {
    var slot: UInt32
    /// The position in the log that every view must have passed.
    var position: Int
  }

  /// In the order of their positions.
  private var tombstones: [Tombstone] = []
  private var first = 0
  /// How many of a slot's tombstones were opened since, the oldest ones: they are passed over.
  private var opened: [UInt32: Int] = [:]

  /// A row went.
  mutating func dig(_ slot: UInt32, position: Int) { tombstones.append(Tombstone(slot: slot, position: position)) }

  /// A row comes back.
  ///
  /// - Precondition: It lies in one of them.
  mutating func open(_ slot: UInt32) { opened[slot, default: 0] += 1 }

  /// Gives up the slots of rows that no view shows any more.
  ///
  /// - Complexity: O(rows given up), amortized.
  mutating func close(before position: Int, _ release: (UInt32) -> Void) {
    while first < tombstones.count, tombstones[first].position <= position {
      let slot = tombstones[first].slot
      first += 1
      if !opened.isEmpty, let count = opened[slot] {
        opened[slot] = count > 1 ? count - 1 : nil
        continue
      }
      release(slot)
    }
    if first == tombstones.count {
      tombstones.removeAll(keepingCapacity: tombstones.capacity <= 1 << 12)
    } else {
      // Moving the rest costs its length: only when most of it goes.
      guard first > 64, first * 2 > tombstones.count else { return }
      tombstones.removeFirst(first)
    }
    first = 0
  }
}
