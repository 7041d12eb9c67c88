/// A pool of slots for section headers, so that a client reuses its header nodes.
///
/// It works like the reuse queue for header views of UIKit's `UITableView`. A header that appears
/// takes an idle slot of its kind before a new one is made, and returns it when it disappears. A
/// returned slot no longer refers to a section.
///
///     let slot = pool.dequeue("inPlace", for: section)
///     pool.enqueue(slot)
struct HeaderPool: Equatable {
  private struct Slot: Equatable {
    var identifier: String
    /// The section shown, or `nil` for an idle slot.
    var section: UInt32?
  }

  /// The maximum number of idle slots per reuse identifier.
  private let capacity: Int
  private var slots: [UInt32: Slot] = [:]
  private var idle: [String: [UInt32]] = [:]
  private var numbers: CircularNumber

  /// The number of slots created.
  private(set) var made = 0
  /// The number of times an idle slot was reused.
  private(set) var reused = 0
  /// The number of idle slots.
  var idleCount: Int { idle.values.reduce(0) { $0 + $1.count } }

  init(capacity: Int = 64, firstSlot: UInt32 = 0) {
    self.capacity = capacity
    numbers = CircularNumber(from: firstSlot)
  }

  /// Returns a slot for a section's header, an idle one if possible.
  mutating func dequeue(_ identifier: String, for section: UInt32) -> UInt32 {
    defer { checkInvariants() }
    if let slot = idle[identifier, default: []].popLast() {
      reused += 1
      slots[slot] = Slot(identifier: identifier, section: section)
      return slot
    }
    let slot = numbers.take { slots[$0] != nil }
    made += 1
    slots[slot] = Slot(identifier: identifier, section: section)
    return slot
  }

  /// Returns a slot to the pool, or deletes it if the pool has reached its capacity.
  ///
  /// - Precondition: The slot is in use.
  mutating func enqueue(_ slot: UInt32) {
    defer { checkInvariants() }
    guard let lent = slots[slot], lent.section != nil else { preconditionFailure("slot \(slot) is not lent") }
    guard idle[lent.identifier, default: []].count < capacity else {
      slots[slot] = nil
      return
    }
    slots[slot]?.section = nil
    idle[lent.identifier, default: []].append(slot)
  }

  /// Checks that idle slots are listed once under their identifier, show no section and respect the
  /// capacity.
  func checkInvariants() {
    #if CHECK_INVARIANTS
      for (identifier, waiting) in idle {
        precondition(
          waiting.count <= capacity, "\(waiting.count) \(identifier) slots wait")
        precondition(Set(waiting).count == waiting.count, "a \(identifier) slot waits twice")
        for slot in waiting {
          precondition(
            slots[slot] == Slot(identifier: identifier, section: nil),
            "slot \(slot) waits, but is \(slots[slot] as Any)")
        }
      }
      precondition(slots.values.count { $0.section == nil } == idleCount, "a free slot waits nowhere")
    #endif
  }
}
