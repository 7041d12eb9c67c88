/// A doubly linked list of slots.
///
///     list.append(7)
///     list.insert(3, before: 7)
///     list.previous(7)      // 3
final class SlotList {
  private static var none: UInt32 { .max }

  private let following = Chunked<UInt32>(filler: SlotList.none)
  private let preceding = Chunked<UInt32>(filler: SlotList.none)
  private var head = SlotList.none
  private var tail = SlotList.none
  private(set) var count = 0

  deinit {
    following.deallocate()
    preceding.deallocate()
  }

  /// The first slot.
  var first: UInt32? { head == Self.none ? nil : head }

  /// Returns the predecessor of a listed slot.
  func previous(_ slot: UInt32) -> UInt32? {
    let before = preceding[slot]
    return before == Self.none ? nil : before
  }

  /// Returns the successor of a listed slot.
  func next(_ slot: UInt32) -> UInt32? {
    let after = following[slot]
    return after == Self.none ? nil : after
  }

  /// Makes room for slots below `count`.
  func grow(to count: Int) {
    following.grow(to: count)
    preceding.grow(to: count)
  }

  /// Appends a slot.
  ///
  /// - Precondition: The slot is not listed.
  func append(_ slot: UInt32) { link(slot, between: tail, and: Self.none) }

  /// Inserts a slot directly before another one.
  ///
  /// - Precondition: Only the other slot is listed.
  func insert(_ slot: UInt32, before other: UInt32) { link(slot, between: preceding[other], and: other) }

  /// Removes a slot.
  ///
  /// - Precondition: The slot is listed.
  func remove(_ slot: UInt32) {
    join(preceding[slot], following[slot])
    count -= 1
  }

  private func link(_ slot: UInt32, between before: UInt32, and after: UInt32) {
    join(before, slot)
    join(slot, after)
    count += 1
  }

  private func join(_ before: UInt32, _ after: UInt32) {
    if before == Self.none { head = after } else { following[before] = after }
    if after == Self.none { tail = before } else { preceding[after] = before }
  }

  /// Checks that every slot is listed once and that links are symmetric.
  func checkInvariants() {
    #if CHECK_INVARIANTS
      var listed = 0
      var before = Self.none
      var slot = head
      while slot != Self.none {
        precondition(preceding[slot] == before, "slot \(slot) hangs elsewhere")
        precondition(listed < count, "more slots are listed than \(count)")
        listed += 1
        (before, slot) = (slot, following[slot])
      }
      precondition(before == tail && listed == count, "\(listed) slots are listed, counted as \(count)")
    #endif
  }
}
