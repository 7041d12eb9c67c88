/// The least of the values of many slots: a tree in which each node has the least of 64 values or
/// nodes below it.
///
/// Most changes reach no further than the lowest level, because few values are the least of their
/// 64. Nothing is hashed or sorted, and no memory grows with the number of changes.
final class LeastOfSlots {
  /// The value of each slot; ``none`` for a slot without one.
  private let values = Chunked<UInt64>(filler: LeastOfSlots.none)
  /// The least of each 64 values, then of each 64 of these, up to a single node.
  private var levels: [Chunked<UInt64>] = []
  private var slots = 0

  /// The value of a slot that has none. A slot may also have it as its value.
  static var none: UInt64 { .max }
  /// Levels grow by the nodes of this many slots, so that few insertions change them.
  private static var step: Int { 4_096 }

  deinit {
    values.deallocate()
    for level in levels { level.deallocate() }
  }

  /// The least value, or ``none``.
  var least: UInt64 { levels.last.map { $0[0] } ?? Self.none }

  /// Makes room for this many slots.
  ///
  /// - Complexity: O(slots / 4,096) once in 4,096 slots.
  @inline(__always) func grow(to count: Int) { if count > slots { makeRoom(for: count) } }

  private func makeRoom(for count: Int) {
    slots = (count + Self.step - 1) / Self.step * Self.step
    values.grow(to: slots)
    var (number, level) = (slots, 0)
    repeat {
      number = (number + 63) / 64
      if level == levels.count { levels.append(Chunked(filler: Self.none)) }
      levels[level].grow(to: number)
      level += 1
    } while number > 1
    // A level that is new has the least of those below, which were the roots before.
    for level in levels.indices.dropFirst() {
      for node in 0..<UInt32(levels[level].count) { levels[level][node] = least(of: node, in: levels[level - 1]) }
    }
  }

  /// Sets the value of a slot; ``none`` takes it away.
  ///
  /// - Complexity: O(log slots); constant for most values.
  func set(_ slot: UInt32, to value: UInt64) {
    var (place, before, now) = (slot, values[slot], value)
    guard before != now else { return }
    values[slot] = value
    var below = values
    for level in levels {
      place /= 64
      let present = level[place]
      if now < present {
        level[place] = now
      } else {
        guard before == present else { return }
        now = least(of: place, in: below)
        guard now != present else { return }
        level[place] = now
      }
      (before, below) = (present, level)
    }
  }

  /// Returns the least of the 64 values below a node.
  private func least(of node: UInt32, in values: Chunked<UInt64>) -> UInt64 {
    var least = Self.none
    for index in node * 64..<min(node * 64 + 64, UInt32(values.count)) { least = min(least, values[index]) }
    return least
  }

  /// Checks that each node has the least of those below.
  func checkInvariants() {
    #if CHECK_INVARIANTS
      for (place, level) in levels.enumerated() {
        let below = place == 0 ? values : levels[place - 1]
        for node in 0..<UInt32(level.count) {
          precondition(level[node] == least(of: node, in: below), "node \(node) of level \(place) is not the least")
        }
      }
      precondition(levels.isEmpty || levels[levels.count - 1].count == 1, "the tree has several roots")
    #endif
  }
}
