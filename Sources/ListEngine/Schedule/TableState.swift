/// A table with its source's state, its views, and the sessions that look at it.
final class TableState {
  let id: TableID
  let table: Table
  /// Has deferred cells loaded; `nil` without deferred columns.
  private(set) var loader: DeferredLoader?
  /// What a windowed table has besides; `nil` when the table is resident.
  let windowed: WindowedTable?
  private var views: [Query: any QueryView] = [:]
  /// What is sent in one turn is sent in the order in which they came.
  private var queue = SessionQueue()
  /// Those that look at it, in the order in which they came.
  ///
  /// - Complexity: O(n log n): not for what happens often.
  var sessions: [Session] { queue.all }
  private var ticks = Ticks()
  /// The last moment that was told: a clock that goes back changes everyone's deadline.
  private var lastMoment: Instant
  /// Those whose reader may see other rows than the loader knows.
  private var newOutlooks: [Session] = []
  /// Counts views: those that are put together take turns in the order in which they were made.
  private var madeViews = 0
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
  static let longestLog = 1 << 13

  init(_ table: Table, id: TableID, at now: Instant) {
    self.table = table
    self.id = id
    loader = DeferredLoader(table, id: id)
    windowed = table.schema.windowed.map { WindowedTable(table, id: id, capabilities: $0) }
    lastChange = now
    lastMoment = now
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
    follow(now)
    for session in queue.takeAwaitingChange() {
      session.noteChange(at: now)
      update(session)
    }
    trimLog()
  }

  /// After everything that happens to a session: when it is due.
  func update(_ session: Session) {
    // One that looks at what the engine does of a query that its source cannot.
    if !queue.contains(session), let windowed { return windowed.remainders.forEach { $0.state.update(session) } }
    if session.hasNewOutlook, loader != nil, !session.isOutlookListed {
      newOutlooks.append(session)
      session.isOutlookListed = true
    }
    queue.update(
      session, deadline: session.deadline(inStepWith: ticks[session.throttle.interval]),
      awaitsChange: session.awaitsChange)
  }

  /// The same for all: a windowed source's answers concern whoever looks.
  func updateAll() { for session in sessions { update(session) } }

  /// When the clock goes back, nobody's deadline is what it was.
  private func follow(_ now: Instant) {
    defer { lastMoment = now }
    guard now < lastMoment else { return }
    for session in sessions {
      session.follow(now)
      update(session)
    }
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
    table.forgetChanges(before: views.values.map(\.logPosition).min() ?? table.log.end)
  }

  // MARK: Sessions

  func attach(_ session: Session, to query: Query, at now: Instant) {
    detach(session, at: now)
    let view = views[query] ?? windowed?.makeView(query) ?? ListView(query, table: table)
    if views[query] == nil, let view = view as? ListView {
      madeViews += 1
      view.number = madeViews
    }
    views[query] = view
    view.viewers += 1
    view.unwatchedSince = nil
    session.view = view
    queue.insert(session)
    update(session)
  }

  func detach(_ session: Session, at now: Instant) {
    windowed?.leave(session, at: now)
    guard let view = session.view else { return }
    session.view = nil
    loader?.leave(session, at: now)
    queue.remove(session)
    if session.isOutlookListed { newOutlooks.removeAll { $0 === session } }
    session.isOutlookListed = false
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
    follow(now)
    if statusThrottle.takeFlush(at: now) {
      for session in allSessions {
        session.owesStatus = true
        update(session)
      }
    }
    // One step a turn, so that a view that is put together holds up nobody; what no page has seen of at all goes first.
    if let view = unfinished.first(where: { $0.build?.canSelect == false }) ?? unfinished.first {
      view.work()
      // Its first items were shown without aggregates: now there are some.
      if view.build == nil, !view.query.aggregates.isEmpty {
        for session in sessions where session.view === view {
          session.wantsFlush = true
          update(session)
        }
      }
    }
    if windowed != nil {
      // What the engine does of their query is another table's affair, which would tell how that one is.
      tellStatus(allSessions, at: now, outputs: &outputs)
      turnWindowed(to: now, limits: limits, outputs: &outputs)
      updateAll()
    }
    let due = queue.takeDue(at: now)
    tellStatus(due, at: now, outputs: &outputs)
    for session in due {
      if let waiting = session.takeWaiting(at: now) { outputs.append(.waiting(session.id, waiting)) }
    }
    var shared: [CutKey: Cutter.Result] = [:]
    var windows = SharedWindows()
    for session in due where session.takeDue(at: now, &ticks) {
      guard let (patch, shift) = session.cut(at: now, limits: limits, shared: &shared, windows: &windows)
      else { continue }
      outputs.append(
        .deliver(
          session.id,
          Delivery(
            sequence: session.sequence, request: session.request, interval: session.pace.interval, shift: shift,
            base: session.sequence - 1, schema: table.schema, patch: patch)))
    }
    for session in due { update(session) }
    loadDeferred(at: now, outputs: &outputs)
    if windowed != nil {
      askForPages(at: now, outputs: &outputs)
      updateAll()
    }
    for view in views.values {
      if let since = view.unwatchedSince, since.duration(to: now) >= Self.viewRest { views[view.query] = nil }
    }
    windowed?.keep(only: views.values)
    trimLog()
  }

  /// Tells how the source is whoever of these does not know, but those that are to get nothing.
  private func tellStatus(_ sessions: [Session], at now: Instant, outputs: inout [Output]) {
    for session in sessions where session.owesStatus && !session.isQuiet {
      session.owesStatus = false
      outputs.append(.status(session.id, table: table.schema.name, status(at: now)))
    }
  }

  /// Lets the loader know who looks where, and tells the source.
  private func loadDeferred(at now: Instant, outputs: inout [Output]) {
    guard loader != nil else { return }
    for session in newOutlooks {
      loader?.follow(session, at: now)
      (session.hasNewOutlook, session.isOutlookListed) = (false, false)
    }
    newOutlooks.removeAll(keepingCapacity: true)
    if loader?.advance(to: now, outputs: &outputs) == true { noteChange(at: now) }
  }

  /// The views that are being put together, in the order in which they were made.
  private var unfinished: [ListView] {
    views.values.compactMap { $0 as? ListView }.filter { $0.build != nil && $0.viewers > 0 }
      .sorted { $0.number < $1.number }
  }

  /// When to advance again by itself.
  ///
  /// - Complexity: O(views).
  var deadline: Instant? {
    if !unfinished.isEmpty { return .zero }
    if !newOutlooks.isEmpty { return .zero }
    var deadline = statusThrottle.deadline
    func consider(_ moment: Instant?) {
      guard let moment else { return }
      deadline = deadline.map { min($0, moment) } ?? moment
    }
    consider(queue.deadline)
    consider(loader?.deadline)
    consider(windowedDeadline)
    consider(table.evictionDeadline)
    for view in views.values { consider(view.unwatchedSince?.advanced(by: Self.viewRest)) }
    return deadline
  }
}
