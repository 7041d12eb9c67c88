/// Removed rows by key, as long as some view may still show them: one that comes back in that time keeps its id.
struct Graves {
  private struct Grave {
    var slot: UInt32
    /// The position in the log that every view must have passed.
    var position: Int
  }

  private var graves: [RowKey: Grave] = [:]
  /// In the order of their positions; one whose grave was opened since is passed over.
  private var order: [(key: RowKey, position: Int)] = []
  private var first = 0

  /// Whether there are none.
  var isEmpty: Bool { graves.isEmpty }

  /// A row went.
  mutating func dig(_ key: RowKey, slot: UInt32, position: Int) {
    graves[key] = Grave(slot: slot, position: position)
    order.append((key, position))
  }

  /// The slot of the row with this key, if it comes back.
  mutating func reopen(_ key: RowKey) -> UInt32? { graves.removeValue(forKey: key)?.slot }

  /// Gives up the slots of rows that no view shows any more.
  ///
  /// - Complexity: O(rows given up), amortized.
  mutating func close(before position: Int, _ release: (UInt32) -> Void) {
    while first < order.count, order[first].position <= position {
      let (key, dug) = order[first]
      first += 1
      guard let grave = graves[key], grave.position == dug else { continue }
      graves[key] = nil
      release(grave.slot)
    }
    guard first > 64, first * 2 > order.count else { return }
    order.removeFirst(first)
    first = 0
  }
}
