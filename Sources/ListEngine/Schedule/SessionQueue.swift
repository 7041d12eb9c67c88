/// The sessions of a table: in the order in which they came, and by when each wants to be looked at.
///
/// A wake-up costs time for those that are due, a change for those that have not heard of one since their last flush: never for all.
///
///     queue.insert(session)
///     queue.update(session, deadline: .zero)     // after everything that happens to it
///     queue.takeDue(at: now)                     // in the order in which they came; each is updated again afterwards
struct SessionQueue {
  private struct Entry {
    let session: Session
    /// Greater is later.
    let arrival: UInt64
    var isAwaitingChange = false
  }

  private var entries: [Entry?] = []
  private var free: [Int] = []
  private var numbers: [ObjectIdentifier: Int] = [:]
  private var heap = IndexedHeap<Instant>()
  /// Those that have not heard of a change since they were last looked at.
  private var awaitingChange: [Int] = []
  private var arrivals: UInt64 = 0

  /// When the first is due; `nil` when nobody waits for anything.
  var deadline: Instant? { heap.first?.priority }

  /// All of them, in order.
  ///
  /// - Complexity: O(n log n).
  var all: [Session] { ordered(entries.compactMap(\.self)) }

  private func ordered(_ entries: [Entry]) -> [Session] {
    entries.sorted { $0.arrival < $1.arrival }.map(\.session)
  }

  /// Whether the session is one of them.
  func contains(_ session: Session) -> Bool { numbers[ObjectIdentifier(session)] != nil }

  /// Adds a session, behind all others.
  mutating func insert(_ session: Session) {
    arrivals += 1
    let entry = Entry(session: session, arrival: arrivals)
    let number = free.popLast() ?? entries.count
    if number == entries.count { entries.append(entry) } else { entries[number] = entry }
    numbers[ObjectIdentifier(session)] = number
  }

  /// Takes a session out, if it is in.
  mutating func remove(_ session: Session) {
    guard let number = numbers.removeValue(forKey: ObjectIdentifier(session)) else { return }
    heap.remove(number)
    if entries[number]?.isAwaitingChange == true { awaitingChange.removeAll { $0 == number } }
    entries[number] = nil
    free.append(number)
  }

  /// A session is due then, or `nil` for never; and it may want to hear of the next change.
  mutating func update(_ session: Session, deadline: Instant?, awaitsChange: Bool) {
    guard let number = numbers[ObjectIdentifier(session)] else { return }
    if let deadline { heap.set(number, to: deadline) } else { heap.remove(number) }
    guard awaitsChange, entries[number]?.isAwaitingChange == false else { return }
    entries[number]?.isAwaitingChange = true
    awaitingChange.append(number)
  }

  /// Takes out everyone who waits to hear of a change.
  mutating func takeAwaitingChange() -> [Session] {
    defer { awaitingChange.removeAll(keepingCapacity: true) }
    return awaitingChange.compactMap { number in
      entries[number]?.isAwaitingChange = false
      return entries[number]?.session
    }
  }

  /// Takes everyone who is due.
  ///
  /// - Complexity: O(d log n) for d that are.
  mutating func takeDue(at now: Instant) -> [Session] {
    var due: [Entry] = []
    while let (number, deadline) = heap.first, deadline <= now {
      heap.remove(number)
      if let entry = entries[number] { due.append(entry) }
    }
    return ordered(due)
  }
}
