/// A table with its source's state, its views, and the sessions that look at it.
final class TableState {
  let id: TableID
  let table: Table
  /// The schema that restricted sessions see.
  private let restrictedSchema: Schema
  /// Has deferred cells loaded; `nil` without deferred columns.
  private(set) var loader: DeferredLoader?
  /// What a windowed table has besides; `nil` when the table is resident.
  let windowed: WindowedTable?
  private(set) var views: [Query: any QueryView] = [:]
  /// Those of `views` that the engine keeps in order itself, in the order in which they were made.
  private(set) var ordered: [ListView] = []
  /// By when each wants to be looked at.
  private var queue = SessionQueue()
  /// Those that look at it, in the order in which they came.
  ///
  /// - Complexity: O(n log n): not for what happens often.
  var sessions: [Session] { queue.all }
  private var ticks = Ticks()
  /// The last moment that was told: a clock that goes back changes everyone's deadline.
  private var lastMoment: Instant
  /// How often something has changed.
  private var changes: UInt64 = 0
  /// Those whose reader may see other rows than the loader knows.
  private var sessionsWithNewTargets: [Session] = []
  /// What is read from its first row to its last.
  var exports: TableExports
  /// What was done for sessions that have left.
  private var departed: EngineCounters
  private var state = SourceState.starting
  private var message = ""
  /// How often that has changed, also in the tables whose place it has taken.
  private(set) var statusChanges: UInt64
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
  /// Which view is the first to catch up in the next turn: the one for which there was no time left in the last one.
  private var firstView = 0
  /// The work that may still be done at once, before the next turn, for queries that no view shows yet; see ``ViewBuild/spent``.
  private var workAtOnce: Int
  /// The number of turns so far.
  private var turns = 0
  /// A view that lacks more changes than its limit after so many turns makes its source wait no longer: it is put together again.
  static let patientTurns = 32
  /// The changes that are kept for a view which is put together, for each row of its table.
  private static let buildLog = 2

  /// Where it goes on from the table whose place it has taken.
  let origin: TableHandover

  init(_ table: Table, id: TableID, after former: TableHandover = TableHandover(), at now: Instant) {
    self.table = table
    restrictedSchema = table.schema.restricted
    self.id = id
    workAtOnce = Self.workAtOnce(table.limits)
    origin = former
    exports = TableExports(after: former.lastExport)
    departed = former.departed
    statusChanges = former.statusChanges &+ 1
    loader = DeferredLoader(table, id: id)
    windowed = table.schema.windowed.map { WindowedTable(table, id: id, capabilities: $0, after: former) }
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
    let count = table.rejected &+ table.contradictions.total
    guard count != reported else { return }
    reported = count
    statusThrottle.noteChange(at: now)
  }

  func noteChange(at now: Instant) {
    follow(now)
    changes += 1
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
    if session.hasNewPrefetchTargets, loader != nil, !session.isListedForPrefetch {
      sessionsWithNewTargets.append(session)
      session.isListedForPrefetch = true
    }
    queue.update(
      session, deadline: session.deadline(inStepWith: ticks[session.throttle.interval]),
      awaitsChange: session.awaitsChange, at: lastMoment)
  }

  /// The same for all: a windowed source's answers concern whoever looks.
  func updateAll() { for session in sessions { update(session) } }

  /// When the clock goes back, nobody's deadline is what it was.
  private func follow(_ now: Instant) {
    let wentBack = now < lastMoment
    lastMoment = now
    guard wentBack else { return }
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
    statusChanges &+= 1
    statusThrottle.noteChange(at: now)
  }

  func status(at now: Instant) -> SourceStatus {
    var status = SourceStatus(
      state: state, message: message, rejected: table.rejected, lastRejection: table.lastRejection,
      age: max(.zero, lastChange.duration(to: now)), retry: retryAt.map { max(.zero, now.duration(to: $0)) })
    status.rejections = table.rejections.reasons
    status.contradictions = table.contradictions.total
    status.contradicted = table.contradictions.reasons
    return status
  }

  /// Lets go of rows that the table does not keep.
  private func evict(at now: Instant) {
    table.arrivals?.follow(now)
    let end = table.log.end
    guard table.evict(atMost: table.limits.evictions) else { return }
    loader?.noteChanges(since: end, at: now)
    noteChange(at: now)
  }

  private func drop(_ view: any QueryView) {
    views[view.query] = nil
    ordered.removeAll { $0 === view }
  }

  /// Forgets the changes that every view has seen.
  private func trimLog() {
    if table.log.entries.count > Self.longestLog {
      for view in views.values {
        // A view that nobody looks at is not worth the work.
        if view.viewers == 0 { drop(view) } else { shorten(view) }
      }
    }
    let needed = exports.logPosition ?? table.log.end
    table.forgetChanges(before: min(needed, views.values.map(\.logPosition).min() ?? table.log.end))
  }

  /// Has a view need less of a log that is too long. No change waits for a view: one that is too far behind begins again.
  private func shorten(_ view: any QueryView) {
    guard let view = view as? ListView else { return view.catchUp() }
    guard view.build == nil else {
      let most = max(Self.longestLog, min(1 << 20, Int(table.slots) * Self.buildLog))
      if view.backlog > most { view.rebuild() }
      return
    }
    if view.backlog > Self.longestLog, !view.catchUp(atMost: table.limits.turnRows) { view.rebuild() }
  }

  /// What was done for all that look at this table, or have.
  var counters: EngineCounters { sessions.reduce(into: departed) { $0 += $1.counters } }

  // MARK: Sessions

  func attach(_ session: Session, to query: Query, at now: Instant) {
    detach(session, at: now)
    let view = views[query] ?? makeView(query)
    view.viewers += 1
    view.unwatchedSince = nil
    session.view = view
    session.countedChanges = changes
    queue.insert(session)
    update(session)
  }

  private func makeView(_ query: Query) -> any QueryView {
    let view: any QueryView
    if let windowed {
      view = windowed.makeView(query)
    } else {
      let made = ListView(query, table: table, atMost: workAtOnce)
      // A view that was not finished at once is finished in later turns, which count their own work.
      workAtOnce = max(0, workAtOnce - made.buildWork)
      ordered.append(made)
      view = made
    }
    views[query] = view
    return view
  }

  func detach(_ session: Session, at now: Instant) {
    windowed?.leave(session, at: now)
    guard let view = session.view else { return }
    session.view = nil
    departed += session.counters
    session.counters = EngineCounters()
    loader?.leave(session, at: now)
    queue.remove(session)
    if session.isListedForPrefetch { sessionsWithNewTargets.removeAll { $0 === session } }
    session.isListedForPrefetch = false
    view.viewers -= 1
    guard view.viewers == 0 else { return }
    // A query typed letter by letter leaves its unfinished predecessors behind.
    guard view.isInOrder else { return drop(view) }
    view.unwatchedSince = now
    view.leaving = departures
    departures += 1
    let resting = views.values.filter { $0.viewers == 0 }
    if resting.count > Self.restingViews, let oldest = resting.min(by: { $0.leaving < $1.leaving }) {
      drop(oldest)
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
    buildViews(limits)
    if windowed != nil {
      // What the engine does of their query is another table's affair, which would tell how that one is.
      for session in allSessions { tellStatus(session, at: now, outputs: &outputs) }
      turnWindowed(to: now, limits: limits, outputs: &outputs)
      updateAll()
    }
    var work = limits.turnRows
    advanceExports()
    deliver(at: now, limits: limits, work: &work, outputs: &outputs)
    catchUpInTime(&work)
    giveUpLateViews()
    loadDeferred(at: now, outputs: &outputs)
    if windowed != nil {
      askForPages(at: now, outputs: &outputs)
      updateAll()
    }
    for view in views.values {
      if let since = view.unwatchedSince, since.duration(to: now) >= Self.viewRest { drop(view) }
    }
    windowed?.keep(only: views.values)
    trimLog()
  }

  private static func workAtOnce(_ limits: Limits) -> Int { limits.stepRows * ListView.workAtOnce }

  /// Puts views together, as far as one turn goes, so that they hold up nobody.
  ///
  /// A view of which no page has seen anything goes first; of these the one that has had the least work, so that a query waits for others only
  /// until each has had as much as itself. Every other turn the oldest is worked on, whatever it has had: so each is finished.
  private func buildViews(_ limits: Limits) {
    turns += 1
    workAtOnce = Self.workAtOnce(limits)
    var left = limits.stepRows
    while left > 0, let view = nextToBuild {
      let before = view.buildWork
      view.work()
      left -= max(1, view.buildWork - before)
      // Its first items were shown without aggregates: now there are some.
      guard view.build == nil, !view.query.aggregates.isEmpty else { continue }
      for session in sessions where session.view === view {
        session.wantsFlush = true
        update(session)
      }
    }
  }

  private var nextToBuild: ListView? {
    func rank(_ view: ListView) -> (Int, Int) {
      (view.build?.isGathering == true ? 0 : 1, view.build?.spent ?? 0)
    }
    return turns % 2 == 0 ? unfinished.first { _ in true } : unfinished.min { rank($0) < rank($1) }
  }

  /// Views that have been behind for long do not keep their source waiting: they are put together again meanwhile.
  private func giveUpLateViews() {
    for view in ordered where view.viewers > 0 {
      guard view.build == nil, view.backlog >= table.limits.backlog else {
        view.turnsBehind = 0
        continue
      }
      view.turnsBehind += 1
      guard view.turnsBehind >= Self.patientTurns else { continue }
      view.turnsBehind = 0
      view.rebuild()
    }
  }

  /// Sends to everyone what is due, as far as one turn goes: whoever does not get a turn has the first in the next one.
  private func deliver(at now: Instant, limits: Limits, work: inout Int, outputs: inout [Output]) {
    var shared: [CutKey: Cutter.Result] = [:]
    var windows = SharedWindows()
    var served: [Session] = []
    var heldUp: [ListView] = []
    let greatestWindow = greatestWindow
    while let session = queue.firstDue(at: now) {
      tellStatus(session, at: now, outputs: &outputs)
      let mayBeDue = session.mayBeDue(at: now, ticks)
      if mayBeDue || session.mayBeToldWaiting(at: now) {
        guard work > 0 else { break }
        if heldUp.contains(where: { $0 === session.view }) || !catchUp(session.view, &work) {
          guard let view = session.view as? ListView, view.isHeldUpByFilter else { break }
          // Others do not wait for an expensive filter: it goes on in the next turn.
          heldUp.append(view)
          queue.take(session)
          served.append(session)
          continue
        }
      }
      queue.take(session)
      served.append(session)
      if let waiting = session.takeWaiting(at: now) { outputs.append(.waiting(session.id, waiting)) }
      guard mayBeDue, session.takeDue(at: now, &ticks) else { continue }
      session.count(changes)
      session.reader.greatestWindow = greatestWindow
      let cuts = shared.count
      guard let (patch, shift) = session.cut(at: now, limits: limits, shared: &shared, windows: &windows)
      else { continue }
      if shared.count > cuts { work -= patch.result.items.count }
      outputs.append(
        .deliver(
          session.id,
          Delivery(
            sequence: session.sequence, request: session.request, interval: session.pace.interval, shift: shift,
            base: session.sequence - 1, schema: session.isRestricted ? restrictedSchema : table.schema, patch: patch,
            newer: session.newerRows(of: patch.result))))
    }
    // Not before: what is due again at once must not hold up the turn.
    for session in served { update(session) }
  }

  /// The number of items that each session's window may have, so that all together take ``Limits/windowBytes`` at most. At least
  /// ``leastWindow`` are always granted.
  ///
  /// - Complexity: O(1).
  var greatestWindow: Int {
    let row = Self.bytesPerItem + Self.bytesPerCell * table.schema.columns.count + table.bytes / max(1, table.count)
    let share = max(Self.leastWindow, table.limits.windowBytes / row / max(1, queue.count))
    // A power of two: otherwise every row that comes would move the edges of all windows.
    return 1 << (Int.bitWidth - 1 - share.leadingZeroBitCount)
  }

  /// The least that ``greatestWindow`` may be.
  static let leastWindow = 128
  /// The bytes of a window's item and of its row's snapshot, without cells.
  private static let bytesPerItem = 256
  /// The bytes of a cell in a snapshot and in its encoding, without texts.
  private static let bytesPerCell = 48

  /// Tells how the source is whoever does not know, but not those that are to get nothing.
  private func tellStatus(_ session: Session, at now: Instant, outputs: inout [Output]) {
    guard session.owesStatus, !session.isQuiet else { return }
    session.owesStatus = false
    outputs.append(.status(session.id, table: table.schema.name, status(at: now)))
  }

  /// Views whose pages are not due must not fall behind for ever: there is no room for changes that they could not take.
  private func catchUpInTime(_ work: inout Int) {
    let start = firstView
    firstView = 0
    for offset in ordered.indices {
      let index = (start + offset) % ordered.count
      guard isBehind(ordered[index]), !catchUp(ordered[index], &work) else { continue }
      if ordered[index].isHeldUpByFilter, work > 0 { continue }
      firstView = index
      return
    }
  }

  /// Whether a view that someone looks at lacks so many changes that it should catch up before its pages are due.
  private func isBehind(_ view: ListView) -> Bool {
    view.viewers > 0 && view.build == nil && view.backlog * 2 >= table.limits.backlog
  }

  /// Has a view catch up, as far as that may be done in one turn. The result is whether it has.
  private func catchUp(_ view: (any QueryView)?, _ work: inout Int) -> Bool {
    guard let view = view as? ListView, view.build == nil, view.backlog > 0 else { return true }
    guard work > 0 else { return false }
    let before = view.workDone
    defer { work -= view.workDone - before }
    return view.catchUp(atMost: work, filterRows: min(work, max(1, table.limits.turnRows / 2)))
  }

  /// Whether every view that a session looks at has taken over so much that it can take more. A view that is put together does not count:
  /// no source waits for that.
  var hasRoom: Bool {
    exports.hasRoom(table.limits.backlog * 4)
      && ordered.allSatisfy { $0.viewers == 0 || $0.build != nil || $0.backlog < table.limits.backlog }
  }

  /// Lets the loader know who looks where, and tells the source.
  private func loadDeferred(at now: Instant, outputs: inout [Output]) {
    guard loader != nil else { return }
    for session in sessionsWithNewTargets {
      loader?.follow(session, at: now)
      (session.hasNewPrefetchTargets, session.isListedForPrefetch) = (false, false)
    }
    sessionsWithNewTargets.removeAll(keepingCapacity: true)
    if loader?.advance(to: now, outputs: &outputs) == true { noteChange(at: now) }
  }

  /// The views that are being put together, in the order in which they were made.
  private var unfinished: some Sequence<ListView> { ordered.lazy.filter { $0.build != nil && $0.viewers > 0 } }

  /// When to advance again by itself.
  ///
  /// - Complexity: O(views).
  var deadline: Instant? {
    if exports.isWaiting || unfinished.contains(where: { _ in true }) { return .zero }
    if !sessionsWithNewTargets.isEmpty || ordered.contains(where: isBehind) { return .zero }
    var deadline = statusThrottle.deadline
    func consider(_ moment: Instant?) {
      guard let moment else { return }
      deadline = deadline.map { min($0, moment) } ?? moment
    }
    consider(queue.deadline.map { $0 <= lastMoment ? .zero : $0 })
    consider(loader?.deadline)
    consider(windowedDeadline)
    consider(table.evictionDeadline)
    for view in views.values { consider(view.unwatchedSince?.advanced(by: Self.viewRest)) }
    return deadline
  }
}
