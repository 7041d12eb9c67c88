/// The sessions of a table, and the times at which they are due.
struct SessionSchedule {
  private var queue = SessionQueue()
  private var ticks = Ticks()
  /// The latest time given by the caller; if the clock goes back, all deadlines are updated.
  private var lastMoment: Instant
  /// Whether the table's backend asks for the rows that sessions display.
  private let listsTargets: Bool
  /// The sessions whose displayed rows may have changed since the backend asked for rows.
  private var listed: [Session] = []
  /// The statistics of sessions that have left.
  private var departed: EngineCounters

  /// Creates an empty schedule; statistics continue those of `departed` sessions.
  init(listsTargets: Bool, after departed: EngineCounters, at now: Instant) {
    self.listsTargets = listsTargets
    self.departed = departed
    lastMoment = now
  }

  // MARK: Sessions

  /// The sessions in order of arrival.
  ///
  /// - Complexity: O(n log n); do not use it in frequent operations.
  var sessions: [Session] { queue.all }
  /// The number of sessions.
  var count: Int { queue.count }
  /// Returns the session with this id, if it is on the table.
  subscript(_ id: SessionID) -> Session? { queue[id] }
  /// The statistics of all present and former sessions.
  var counters: EngineCounters { sessions.reduce(into: departed) { $0 += $1.counters } }

  /// Adds a session.
  mutating func insert(_ session: Session) {
    queue.insert(session)
    update(session)
  }

  /// Removes a session, which leaves its view.
  mutating func remove(_ session: Session) {
    queue.remove(session)
    if session.isListedForPrefetch { listed.removeAll { $0 === session } }
    departed += session.leaveView()
  }

  /// Updates the session's deadline; call it after each event of the session.
  mutating func update(_ session: Session) {
    guard queue[session.id] === session else { return }
    if listsTargets, session.takeListing() { listed.append(session) }
    queue.update(
      session, deadline: session.deadline(inStepWith: ticks[session.pacing.throttle.interval]),
      awaitsChange: session.awaitsChange, at: lastMoment)
  }

  /// Updates the deadlines of all sessions.
  mutating func updateAll() { for session in sessions { update(session) } }

  /// Updates all deadlines if the clock has gone back.
  mutating func follow(_ now: Instant) {
    let wentBack = now < lastMoment
    lastMoment = now
    guard wentBack else { return }
    for session in sessions {
      session.follow(now)
      update(session)
    }
  }

  /// Notifies the sessions that display rows of a table of a change.
  mutating func noteChange(of table: Table, at now: Instant) {
    follow(now)
    table.noticedChanges += 1
    for session in queue.takeAwaitingChange(of: table) {
      session.noteChange(at: now)
      update(session)
    }
  }

  /// Applies a change to each session that displays one of these views.
  mutating func change(_ views: [any QueryView], _ body: (Session) -> Void) {
    guard !views.isEmpty else { return }
    for session in sessions where views.contains(where: { $0 === session.view }) {
      body(session)
      update(session)
    }
  }

  /// Schedules a changed status for all sessions.
  mutating func noteStatus() {
    for session in sessions {
      session.noteStatus()
      update(session)
    }
  }

  /// Removes and returns the sessions whose displayed rows may have changed.
  mutating func takeListed() -> [Session] {
    for session in listed { session.clearPrefetchTargets() }
    defer { listed.removeAll(keepingCapacity: true) }
    return listed
  }

  // MARK: Turns

  /// Returns the session that has been due for longest, or `nil` if none is due.
  func firstDue(at now: Instant) -> Session? { queue.firstDue(at: now) }

  /// Removes a session's deadline until its next update.
  ///
  /// - Complexity: O(log n).
  mutating func take(_ session: Session) { queue.take(session) }

  /// Returns whether a flush of a session may be due, judged before its view has caught up.
  func mayBeDue(_ session: Session, at now: Instant) -> Bool { session.mayBeDue(at: now, ticks) }

  /// Takes a flush from a session's throttle and returns whether a patch is due.
  mutating func takeDue(_ session: Session, at now: Instant) -> Bool { session.takeDue(at: now, &ticks) }

  /// The time at which the next session is due, or `nil` if there is none.
  var deadline: Instant? { listed.isEmpty ? queue.deadline.map { $0 <= lastMoment ? .zero : $0 } : .zero }
}
