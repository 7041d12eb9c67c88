/// The sessions of a table: in the order in which they came, and by when each wants to be looked at.
///
/// A wake-up costs time for those that are due, a change for those that have not heard of one since their last flush: never for all.
///
///     queue.insert(session)
///     queue.update(session, deadline: .zero, awaitsChange: false, at: now)     // after everything that happens to it
///     queue.firstDue(at: now)                                                  // whoever has been due for longest
///     queue.take(session)                                                      // until it is updated again
struct SessionQueue {
  /// Who is due first is looked at first; of those that are due at the same moment, whose deadline was known first.
  private struct Turn: Comparable {
    let deadline: Instant
    let ticket: UInt64

    static func < (a: Turn, b: Turn) -> Bool {
      a.deadline == b.deadline ? a.ticket < b.ticket : a.deadline < b.deadline
    }
  }

  private struct Entry {
    let session: Session
    /// Greater is later.
    let arrival: UInt64
    var isAwaitingChange = false
  }

  private var entries: [Entry?] = []
  private var free: [Int] = []
  private var numbers: [ObjectIdentifier: Int] = [:]
  private var heap = IndexedHeap<Turn>()
  /// Those that have not heard of a change since they were last looked at.
  private var awaitingChange: [Int] = []
  private var arrivals: UInt64 = 0
  private var tickets: UInt64 = 0

  /// When the first is due; `nil` when nobody waits for anything.
  var deadline: Instant? { heap.first?.priority.deadline }

  /// The number of sessions.
  var count: Int { numbers.count }

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

  /// A session is due then, or `nil` for never; and it may want to hear of the next change. Whoever is due already keeps its turn: what
  /// happens to it meanwhile puts it neither before others nor behind them.
  ///
  /// - Complexity: O(log n).
  mutating func update(_ session: Session, deadline: Instant?, awaitsChange: Bool, at now: Instant) {
    guard let number = numbers[ObjectIdentifier(session)], let entry = entries[number] else { return }
    if let deadline {
      let former = heap.priority(of: number)
      let keepsTurn = former.map { $0.deadline == deadline || max($0.deadline, deadline) <= now } ?? false
      if !keepsTurn {
        tickets += 1
        heap.set(number, to: Turn(deadline: max(deadline, now), ticket: tickets))
      }
    } else {
      heap.remove(number)
    }
    guard awaitsChange, !entry.isAwaitingChange else { return }
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

  /// Who has been due for longest.
  func firstDue(at now: Instant) -> Session? {
    guard let (number, turn) = heap.first, turn.deadline <= now else { return nil }
    return entries[number]?.session
  }

  /// It gets its turn: it is not due before it is updated again.
  ///
  /// - Complexity: O(log n).
  mutating func take(_ session: Session) { if let number = numbers[ObjectIdentifier(session)] { heap.remove(number) } }
}
