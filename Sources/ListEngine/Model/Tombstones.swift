/// Tombstones: the slots of deleted rows that a view may still show.
///
/// A row that is inserted again in the meantime keeps its identifier. The keys of the deleted rows
/// stay in the ``KeyIndex`` until their tombstones are released.
struct Tombstones {
  private struct Tombstone {
    var slot: UInt32
    /// The log position that all views must pass before the slot is released.
    var position: Int
  }

  /// The tombstones, ordered by log position.
  private var tombstones: [Tombstone] = []
  private var first = 0
  /// For each revived slot, the number of its oldest tombstones to skip.
  private var opened: [UInt32: Int] = [:]

  /// Adds a tombstone for a deleted row.
  mutating func add(_ slot: UInt32, position: Int) { tombstones.append(Tombstone(slot: slot, position: position)) }

  /// Adds tombstones for deleted rows, the first one at this position.
  mutating func add(_ first: UInt32, _ rows: UInt64, position: Int) {
    var position = position
    forEachBit(of: rows) { place in
      tombstones.append(Tombstone(slot: first + UInt32(place), position: position))
      position += 1
    }
  }

  /// Revives a deleted row.
  ///
  /// - Precondition: The slot has a tombstone.
  mutating func open(_ slot: UInt32) { opened[slot, default: 0] += 1 }

  /// Releases the slots of rows that no view shows any more.
  ///
  /// - Complexity: Amortized O(rows released).
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
      // Shifting the remaining entries is linear: do it only if most entries go.
      guard first > 64, first * 2 > tombstones.count else { return }
      tombstones.removeFirst(first)
    }
    first = 0
  }
}
