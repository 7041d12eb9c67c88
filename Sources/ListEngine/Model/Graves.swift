/// The slots of removed rows, as long as some view may still show them: a row that comes back in that time keeps its id.
///
/// Their keys stay in the ``KeyIndex`` meanwhile; here it is known when they may go.
struct Graves {
  private struct Grave {
    var slot: UInt32
    /// The position in the log that every view must have passed.
    var position: Int
  }

  /// In the order of their positions.
  private var graves: [Grave] = []
  private var first = 0
  /// How many of a slot's graves were opened since, the oldest ones: they are passed over.
  private var opened: [UInt32: Int] = [:]

  /// A row went.
  mutating func dig(_ slot: UInt32, position: Int) { graves.append(Grave(slot: slot, position: position)) }

  /// A row comes back.
  ///
  /// - Precondition: It lies in one of them.
  mutating func open(_ slot: UInt32) { opened[slot, default: 0] += 1 }

  /// Gives up the slots of rows that no view shows any more.
  ///
  /// - Complexity: O(rows given up), amortized.
  mutating func close(before position: Int, _ release: (UInt32) -> Void) {
    while first < graves.count, graves[first].position <= position {
      let slot = graves[first].slot
      first += 1
      if !opened.isEmpty, let count = opened[slot] {
        opened[slot] = count > 1 ? count - 1 : nil
        continue
      }
      release(slot)
    }
    if first == graves.count {
      graves.removeAll(keepingCapacity: graves.capacity <= 1 << 12)
    } else {
      // Moving the rest costs its length: only when most of it goes.
      guard first > 64, first * 2 > graves.count else { return }
      graves.removeFirst(first)
    }
    first = 0
  }
}
