/// The sessions of a table, in order of arrival and in a priority queue ordered by deadline.
///
/// A wake-up costs time only for the sessions that are due. A change costs time only for those that
/// have not been notified since their last flush.
///
///     queue.insert(session)
///     // After each event of the session:
///     queue.update(session, deadline: .zero, awaitsChange: false, at: now)
///     queue.firstDue(at: now)      // the session that has been due for longest
///     queue.take(session)          // not due until its next update
struct SessionQueue {
  /// The position of a session in the queue: by deadline, then by the order in which deadlines were
  /// set.
  private struct Turn: Comparable {
    let deadline: Instant
    let ticket: UInt64

    static func < (a: Turn, b: Turn) -> Bool {
      a.deadline == b.deadline ? a.ticket < b.ticket : a.deadline < b.deadline
    }
  }

  private struct Entry {
    let session: Session
    /// The position in the order of arrival.
    let arrival: UInt64
    /// Whether the session is notified of the next change of its view's table.
    var isAwaitingChange = false
  }

  private var entries: [Entry?] = []
  private var free: [Int] = []
  private var numbers: [SessionID: Int] = [:]
  private var heap = IndexedHeap<Turn>()
  /// The sessions to notify of the next change, by the table of their view.
  private var awaitingChange: [ObjectIdentifier?: [Int]] = [:]
  private var arrivals: UInt64 = 0
  private var tickets: UInt64 = 0

  /// The earliest deadline, or `nil` if no session has one.
  var deadline: Instant? { heap.first?.priority.deadline }

  /// The number of sessions.
  var count: Int { numbers.count }

  /// The sessions in order of arrival.
  ///
  /// - Complexity: O(n log n).
  var all: [Session] { ordered(entries.compactMap(\.self)) }

  private func ordered(_ entries: [Entry]) -> [Session] {
    entries.sorted { $0.arrival < $1.arrival }.map(\.session)
  }

  /// Returns the session with this id, if it is in the queue.
  subscript(_ id: SessionID) -> Session? { numbers[id].flatMap { entries[$0]?.session } }

  /// Appends a session.
  mutating func insert(_ session: Session) {
    arrivals += 1
    let entry = Entry(session: session, arrival: arrivals)
    let number = free.popLast() ?? entries.count
    if number == entries.count { entries.append(entry) } else { entries[number] = entry }
    numbers[session.id] = number
  }

  /// Removes a session if it is present, which must still refer to its view.
  mutating func remove(_ session: Session) {
    guard let number = numbers.removeValue(forKey: session.id) else { return }
    heap.remove(number)
    if entries[number]?.isAwaitingChange == true {
      let table = Self.table(of: session)
      awaitingChange[table]?.removeAll { $0 == number }
      // Tables of residual queries come and go.
      if awaitingChange[table]?.isEmpty == true { awaitingChange[table] = nil }
    }
    entries[number] = nil
    free.append(number)
  }

  private static func table(of session: Session) -> ObjectIdentifier? {
    session.view.map { ObjectIdentifier($0.table) }
  }

  /// Sets a session's deadline, or `nil` for none, and whether it is notified of the next change.
  ///
  /// A session that is already due keeps its turn, whatever happens to it meanwhile.
  ///
  /// - Complexity: O(log n).
  mutating func update(_ session: Session, deadline: Instant?, awaitsChange: Bool, at now: Instant) {
    guard let number = numbers[session.id], let entry = entries[number] else { return }
    if let deadline {
      let previous = heap.priority(of: number)
      let keepsTurn = previous.map { $0.deadline == deadline || max($0.deadline, deadline) <= now } ?? false
      if !keepsTurn {
        tickets += 1
        heap.set(number, to: Turn(deadline: max(deadline, now), ticket: tickets))
      }
    } else {
      heap.remove(number)
    }
    guard awaitsChange, !entry.isAwaitingChange else { return }
    entries[number]?.isAwaitingChange = true
    awaitingChange[Self.table(of: session), default: []].append(number)
  }

  /// Removes and returns the sessions to notify of a change of a table.
  mutating func takeAwaitingChange(of table: Table?) -> [Session] {
    let numbers = awaitingChange.removeValue(forKey: table.map { ObjectIdentifier($0) }) ?? []
    return numbers.compactMap { number in
      entries[number]?.isAwaitingChange = false
      return entries[number]?.session
    }
  }

  /// Returns the session that has been due for longest, or `nil` if none is due.
  func firstDue(at now: Instant) -> Session? {
    guard let (number, turn) = heap.first, turn.deadline <= now else { return nil }
    return entries[number]?.session
  }

  /// Removes a session's deadline until its next update.
  ///
  /// - Complexity: O(log n).
  mutating func take(_ session: Session) { if let number = numbers[session.id] { heap.remove(number) } }
}
