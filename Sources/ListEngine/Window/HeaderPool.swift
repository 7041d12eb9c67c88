/// Lends places for section headers, so that a page reuses its header nodes instead of making new ones.
///
/// After the reuse queue of UITableView's header views: a header that comes into sight takes a free place of its kind before a new
/// one is made, and gives it back when it leaves. A place on its way out of the pool has forgotten what it showed.
///
///     let slot = pool.dequeue("inPlace", for: section)
///     pool.enqueue(slot)
struct HeaderPool: Equatable {
  private struct Slot: Equatable {
    var identifier: String
    /// What it shows; `nil` while it waits.
    var section: UInt32?
  }

  /// How many free places are kept for each identifier; further ones are given up.
  private var capacities: [String: Int] = [:]
  private let standardCapacity: Int
  private var slots: [UInt32: Slot] = [:]
  private var idle: [String: [UInt32]] = [:]
  private var numbers: CircularNumber

  /// How many places were ever made.
  private(set) var made = 0
  /// How often a place was used again.
  private(set) var reused = 0
  /// How many places wait.
  var idleCount: Int { idle.values.reduce(0) { $0 + $1.count } }
  /// How many places are lent.
  var lentCount: Int { slots.values.count { $0.section != nil } }

  init(standardCapacity: Int = 64, firstSlot: UInt32 = 0) {
    self.standardCapacity = standardCapacity
    numbers = CircularNumber(from: firstSlot)
  }

  /// Keeps at most this many free places of a kind.
  mutating func setCapacity(_ capacity: Int, for identifier: String) {
    precondition(capacity >= 0, "a capacity of \(capacity)")
    capacities[identifier] = capacity
    while idle[identifier, default: []].count > capacity { dropIdle(identifier) }
    checkInvariants()
  }

  /// A place for the header of this section: a free one of its kind, or a new one.
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

  /// Takes a place back, to be lent again; or gives it up when enough of its kind wait.
  ///
  /// - Precondition: It is lent.
  mutating func enqueue(_ slot: UInt32) {
    defer { checkInvariants() }
    guard let lent = slots[slot], lent.section != nil else { preconditionFailure("slot \(slot) is not lent") }
    guard idle[lent.identifier, default: []].count < capacities[lent.identifier] ?? standardCapacity else {
      slots[slot] = nil
      return
    }
    slots[slot]?.section = nil
    idle[lent.identifier, default: []].append(slot)
  }

  /// Gives a place up, lent or not: its node is gone.
  mutating func remove(_ slot: UInt32) {
    defer { checkInvariants() }
    guard let gone = slots.removeValue(forKey: slot) else { return }
    idle[gone.identifier]?.removeAll { $0 == slot }
  }

  /// Gives all free places up.
  mutating func clear() {
    for slot in idle.values.joined() { slots[slot] = nil }
    idle = [:]
    checkInvariants()
  }

  /// What a place shows; `nil` while it waits in the pool.
  func section(in slot: UInt32) -> UInt32? { slots[slot]?.section }

  private mutating func dropIdle(_ identifier: String) {
    guard let slot = idle[identifier]?.removeFirst() else { return }
    slots[slot] = nil
  }

  /// Every free place waits under its own kind, shows nothing, and there are no more of them than may be.
  func checkInvariants() {
    #if CHECK_INVARIANTS
      for (identifier, waiting) in idle {
        precondition(
          waiting.count <= capacities[identifier] ?? standardCapacity, "\(waiting.count) \(identifier) slots wait")
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
