/// A table with its source's state, its views, and the sessions that look at it.
final class TableState {
  let id: TableID
  let table: Table
  /// Has deferred cells loaded; `nil` without deferred columns.
  private(set) var loader: DeferredLoader?
  /// What a windowed table has besides; `nil` when the table is resident.
  let windowed: WindowedTable?
  private var views: [Query: any QueryView] = [:]
  /// In the order in which they came; what is sent in one turn is sent in this order.
  private(set) var sessions: [Session] = []
  /// What is read from its first row to its last.
  var exports = TableExports()
  /// What was done for sessions that have left.
  private var departed = EngineCounters()
  private var state = SourceState.starting
  private var message = ""
  /// When the source is tried again.
  private var retryAt: Instant?
  private(set) var lastChange: Instant
  /// What pages were last told of the source, so that they are told once a second at most, and only news.
  private var statusThrottle = Throttle(interval: .seconds(1))
  private var reported: UInt64 = 0
  /// Sessions that are to be closed, and why; see ``takeRefused()``.
  var refused: [(session: Session, error: ClientError)] = []

  /// How long a view is kept that nobody looks at.
  static let viewRest: Duration = .seconds(10)
  /// How many views are kept that nobody looks at.
  static let restingViews = 4
  /// Views that lag behind by more changes than this catch up though no session is due, so that the log is bounded.
  static let longestLog = 1 << 15
  /// Where the next turn begins among the sessions: with the first for which there was no time left in the last one.
  private var firstSession = 0

  init(_ table: Table, id: TableID, at now: Instant) {
    self.table = table
    self.id = id
    loader = DeferredLoader(table, id: id)
    windowed = table.schema.windowed.map { WindowedTable(table, id: id, capabilities: $0) }
    lastChange = now
  }

  // MARK: The source

  func apply(_ changes: Changeset, at now: Instant) {
    // The rows of a windowed table come when they are asked for.
    if let windowed { return windowed.noteChange(at: now) }
    let end = table.log.end
    let count = table.count
    table.arrivals?.follow(now)
    table.apply(changes)
    if state == .starting { setSource(.live, "", at: now) }
    lastChange = now
    noteRejections(at: now)
    // Nothing changed for a list that was loaded again as it was.
    guard table.log.end != end || table.count != count else { return }
    loader?.noteChanges(since: end, at: now)
    noteChange(at: now)
  }

  func noteRejections(at now: Instant) {
    guard table.rejected != reported else { return }
    reported = table.rejected
    statusThrottle.noteChange(at: now)
  }

  func noteChange(at now: Instant) {
    for session in sessions { session.noteChange(at: now) }
    trimLog()
  }

  /// A deferred cell was loaded.
  func load(_ cell: DeferredCell, _ value: Cell, at now: Instant) {
    lastChange = now
    if loader?.load(cell, value, at: now) == true { noteChange(at: now) }
    noteRejections(at: now)
  }

  /// A deferred cell could not be loaded.
  func fail(_ cell: DeferredCell, _ reason: String, at now: Instant) {
    if loader?.fail(cell, reason, at: now) == true { noteChange(at: now) }
  }

  /// A deferred cell's value is not true any more.
  func forget(_ cell: DeferredCell, at now: Instant) {
    if loader?.forget(cell, at: now) == true { noteChange(at: now) }
  }

  /// A windowed source has answered.
  func noteAnswer(at now: Instant) {
    if state == .starting { setSource(.live, "", at: now) }
    lastChange = now
  }

  /// Sessions that are to be closed because of what their source answered, and why.
  func takeRefused() -> [(session: Session, error: ClientError)] {
    defer { refused = [] }
    return refused
  }

  func setSource(_ state: SourceState, _ message: String, retry: Duration? = nil, at now: Instant) {
    let retryAt = retry.map { now.advanced(by: $0) }
    guard state != self.state || message != self.message || retryAt != self.retryAt else { return }
    self.state = state
    self.message = message
    self.retryAt = retryAt
    statusThrottle.noteChange(at: now)
  }

  func status(at now: Instant) -> SourceStatus {
    SourceStatus(
      state: state, message: message, rejected: table.rejected, lastRejection: table.lastRejection,
      age: max(.zero, lastChange.duration(to: now)), retry: retryAt.map { max(.zero, now.duration(to: $0)) })
  }

  /// Lets go of rows that the table does not keep.
  private func evict(at now: Instant) {
    table.arrivals?.follow(now)
    let end = table.log.end
    guard table.evict(atMost: table.limits.evictions) else { return }
    loader?.noteChanges(since: end, at: now)
    noteChange(at: now)
  }

  /// Forgets the changes that every view has seen.
  private func trimLog() {
    if table.log.entries.count > Self.longestLog {
      for view in views.values {
        // A view that nobody looks at is not worth the work.
        if view.viewers == 0 { views[view.query] = nil } else { view.catchUp() }
      }
    }
    let needed = [views.values.map(\.logPosition).min(), exports.logPosition].compactMap(\.self).min()
    table.forgetChanges(before: needed ?? table.log.end)
  }

  /// What was done for all that look at this table, or have.
  var counters: EngineCounters { sessions.reduce(into: departed) { $0 += $1.counters } }

  // MARK: Sessions

  func attach(_ session: Session, to query: Query, at now: Instant) {
    detach(session, at: now)
    let view = views[query] ?? windowed?.makeView(query) ?? ListView(query, table: table)
    views[query] = view
    view.viewers += 1
    view.unwatchedSince = nil
    session.view = view
    sessions.append(session)
  }

  func detach(_ session: Session, at now: Instant) {
    windowed?.leave(session, at: now)
    guard let view = session.view else { return }
    session.view = nil
    departed += session.counters
    session.counters = EngineCounters()
    loader?.leave(session, at: now)
    sessions.removeAll { $0 === session }
    view.viewers -= 1
    guard view.viewers == 0 else { return }
    // A query typed letter by letter leaves its unfinished predecessors behind.
    guard view.isInOrder else {
      views[view.query] = nil
      return
    }
    view.unwatchedSince = now
    view.leaving = departures
    departures += 1
    let resting = views.values.filter { $0.viewers == 0 }
    if resting.count > Self.restingViews, let oldest = resting.min(by: { $0.leaving < $1.leaving }) {
      views[oldest.query] = nil
    }
  }

  /// Counts views that lost their last session: which one is the oldest must not depend on a dictionary's order.
  private var departures = 0

  // MARK: Time

  func advance(to now: Instant, limits: Limits, outputs: inout [Output]) {
    evict(at: now)
    if statusThrottle.takeFlush(at: now) { for session in allSessions { session.owesStatus = true } }
    for session in allSessions where session.owesStatus && !session.isQuiet {
      session.owesStatus = false
      outputs.append(.status(session.id, table: table.schema.name, status(at: now)))
    }
    // One step a turn, so that a view that is put together holds up nobody; what no page has seen of at all goes first.
    if let view = unfinished.first(where: { $0.build?.canSelect == false }) ?? unfinished.first {
      view.work()
      // Its first items were shown without aggregates: now there are some.
      if view.build == nil, !view.query.aggregates.isEmpty {
        for session in sessions where session.view === view { session.wantsFlush = true }
      }
    }
    turnWindowed(to: now, limits: limits, outputs: &outputs)
    var work = limits.turnRows
    for session in sessions where session.mayBeToldWaiting(at: now) && catchUp(session, &work) {
      if let waiting = session.takeWaiting(at: now) { outputs.append(.waiting(session.id, waiting)) }
    }
    advanceExports()
    deliver(at: now, limits: limits, work: &work, outputs: &outputs)
    // Views whose pages are not due must not fall behind for ever: there is no room for changes that they could not take.
    for session in sessions where backlog(of: session) * 2 >= limits.backlog { _ = catchUp(session, &work) }
    loadDeferred(at: now, outputs: &outputs)
    askForPages(at: now, outputs: &outputs)
    for view in views.values {
      if let since = view.unwatchedSince, since.duration(to: now) >= Self.viewRest { views[view.query] = nil }
    }
    windowed?.keep(only: views.values)
    trimLog()
  }

  /// Sends to every session what is due, as far as one turn goes.
  private func deliver(at now: Instant, limits: Limits, work: inout Int, outputs: inout [Output]) {
    var shared: [CutKey: Cutter.Result] = [:]
    let (first, count) = (firstSession, sessions.count)
    firstSession = 0
    for offset in 0..<count {
      let index = (first + offset) % count
      let session = sessions[index]
      guard session.mayBeDue(at: now) else { continue }
      guard work > 0, catchUp(session, &work) else {
        firstSession = index
        return
      }
      guard session.takeDue(at: now) else { continue }
      let cuts = shared.count
      guard let (patch, shift) = session.cut(at: now, limits: limits, shared: &shared) else { continue }
      if shared.count > cuts { work -= patch.result.items.count }
      outputs.append(
        .deliver(
          session.id,
          Delivery(
            sequence: session.sequence, request: session.request, interval: session.pace.interval, shift: shift,
            base: session.sequence - 1, schema: table.schema, patch: patch)))
    }
  }

  /// Has a session's view catch up, if what may be done in one turn is not used up. The result is whether it has.
  private func catchUp(_ session: Session, _ work: inout Int) -> Bool {
    guard let view = session.view as? ListView, view.build == nil, view.backlog > 0 else { return true }
    guard work > 0 else { return false }
    let before = view.workDone
    view.catchUp()
    work -= view.workDone - before
    return true
  }

  /// How many changes a session's view has not taken over.
  private func backlog(of session: Session) -> Int { (session.view as? ListView)?.backlog ?? 0 }

  /// Whether every view that someone looks at has taken over so much that it can take more.
  var hasRoom: Bool {
    exports.hasRoom(table.limits.backlog * 4)
      && sessions.allSatisfy { session in
        let factor = session.view?.isInOrder == false ? 4 : 1
        return backlog(of: session) < table.limits.backlog * factor
      }
  }

  /// Lets the loader know who looks where, and tells the source.
  private func loadDeferred(at now: Instant, outputs: inout [Output]) {
    guard loader != nil else { return }
    for session in sessions where session.hasNewOutlook {
      loader?.follow(session, at: now)
      session.hasNewOutlook = false
    }
    if loader?.advance(to: now, outputs: &outputs) == true { noteChange(at: now) }
  }

  /// The views that are being put together, in the order in which their sessions came.
  private var unfinished: [ListView] {
    sessions.compactMap { session in (session.view as? ListView).flatMap { $0.build == nil ? nil : $0 } }
  }

  var deadline: Instant? {
    if !unfinished.isEmpty || exports.isWaiting { return .zero }
    if loader != nil, sessions.contains(where: \.hasNewOutlook) { return .zero }
    if sessions.contains(where: { backlog(of: $0) * 2 >= table.limits.backlog }) { return .zero }
    var deadline = statusThrottle.deadline
    func consider(_ moment: Instant?) {
      guard let moment else { return }
      deadline = deadline.map { min($0, moment) } ?? moment
    }
    for session in sessions { consider(session.isReady && session.wantsFlush ? .zero : session.deadline) }
    consider(loader?.deadline)
    consider(windowedDeadline)
    consider(table.evictionDeadline)
    for view in views.values { consider(view.unwatchedSince?.advanced(by: Self.viewRest)) }
    return deadline
  }
}
