import DequeModule
import ListEngine

/// The pending and recent action requests of all sessions; each request runs at most once.
///
///     switch book.standing(of: 17, from: session) {
///     case .new: let number = book.begin(17, from: session, on: table, until: now + patience)
///     case .answered(let outcome): ...   // send the same answer again
///     }
///     book.finish(number, .done("..."))  // the entry to answer; nil if too late
///     for number in book.overdue(at: now) { ... }
///
/// It keeps the last answers of each session, and the entries of the last sessions that have ended.
struct ActionBook {
  /// The number of answers kept per session.
  static let remembered = 64
  /// The maximum number of pending requests per session.
  static let greatestForSession = 16
  /// The maximum number of pending requests per table.
  static let greatestForTable = 64

  /// The state of a request.
  enum Standing: Equatable {
    /// The request is unknown.
    case new
    /// The request is pending, and its answer will follow.
    case running
    /// The request was answered.
    case answered(ActionOutcome)
    /// The request may have run, but its answer is not known any more.
    case forgotten
  }

  /// A pending request.
  struct Entry {
    /// The session's number for the request.
    var id: UInt64
    /// The session that sent the request first.
    var origin: SessionID
    var table: TableID
    var deadline: Instant
    /// The session that receives the answer, and the first session's token as the receiver sent it.
    var recipient: SessionID
    var token: String?
  }

  private struct SessionRecord {
    var greatest: UInt64?
    var running: [UInt64: UInt64] = [:]
    var answers: Deque<(id: UInt64, outcome: ActionOutcome)> = []
  }

  private let limit: Int
  private var sessions: [SessionID: SessionRecord] = [:]
  private var gone: Deque<SessionID> = []
  private var entries: [UInt64: Entry] = [:]
  private var last: UInt64 = 0

  /// Creates a book that keeps the answers of at most `limit` ended sessions.
  init(limit: Int) { self.limit = limit }

  /// The earliest deadline of the pending requests.
  var deadline: Instant? { entries.values.map(\.deadline).min() }

  /// Returns the number of pending requests of a session.
  func count(for session: SessionID) -> Int { sessions[session]?.running.count ?? 0 }

  /// Returns the number of pending requests of a table's source.
  func count(for table: TableID) -> Int { entries.values.count { $0.table == table } }

  /// Returns the state of a request.
  ///
  /// - Parameter isForeign: Whether a session other than `session` asks.
  func standing(of id: UInt64, from session: SessionID, isForeign: Bool = false) -> Standing {
    guard let known = sessions[session] else { return isForeign ? .forgotten : .new }
    if known.running[id] != nil { return .running }
    if let answer = known.answers.last(where: { $0.id == id }) { return .answered(answer.outcome) }
    if isForeign { return .forgotten }
    return known.greatest.map { id > $0 } ?? true ? .new : .forgotten
  }

  /// Redirects the answer of a pending request to another session.
  mutating func redirect(_ id: UInt64, from session: SessionID, to recipient: SessionID, token: String?) {
    guard let number = sessions[session]?.running[id] else { return }
    entries[number]?.recipient = recipient
    entries[number]?.token = token
  }

  /// Records a new request, and returns its unique number in this book.
  mutating func begin(
    _ id: UInt64, from session: SessionID, on table: TableID, token: String?, until deadline: Instant
  ) -> UInt64 {
    last += 1
    sessions[session, default: SessionRecord()].greatest = id
    sessions[session]?.running[id] = last
    entries[last] = Entry(id: id, origin: session, table: table, deadline: deadline, recipient: session, token: token)
    return last
  }

  /// Records that a new request was refused.
  mutating func refuse(_ id: UInt64, from session: SessionID, _ outcome: ActionOutcome) {
    sessions[session, default: SessionRecord()].greatest = id
    note(id, outcome, of: session)
  }

  /// Records the outcome of a request; returns `nil` if it has ended already.
  mutating func finish(_ number: UInt64, _ outcome: ActionOutcome) -> Entry? {
    guard let entry = entries.removeValue(forKey: number) else { return nil }
    sessions[entry.origin]?.running[entry.id] = nil
    note(entry.id, outcome, of: entry.origin)
    return entry
  }

  private mutating func note(_ id: UInt64, _ outcome: ActionOutcome, of session: SessionID) {
    // Do not create an entry for a session that was evicted.
    guard var known = sessions.removeValue(forKey: session) else { return }
    known.answers.append((id, outcome))
    if known.answers.count > Self.remembered { known.answers.removeFirst() }
    sessions[session] = known
  }

  /// Returns the requests whose deadline has passed.
  func overdue(at now: Instant) -> [UInt64] {
    entries.filter { $0.value.deadline <= now }.map(\.key).sorted()
  }

  /// Records that a session has ended; its answers stay until they are evicted.
  mutating func leave(_ session: SessionID) {
    guard sessions[session] != nil else { return }
    gone.append(session)
    if gone.count > limit { sessions[gone.removeFirst()] = nil }
  }
}
