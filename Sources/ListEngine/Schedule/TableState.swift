/// A table with its source's state, its views and its sessions.
final class TableState {
  let id: TableID
  let table: Table
  /// The schema that restricted sessions see.
  private let restrictedSchema: Schema
  /// The loader of deferred cells, or `nil` without deferred columns.
  private(set) var loader: DeferredLoader?
  /// The state of a windowed table, or `nil` if the table is resident.
  let windowed: WindowedTable?
  private(set) var views: [Query: any QueryView] = [:]
  /// The views that the engine sorts itself, in order of creation.
  private(set) var ordered: [ListView] = []
  /// The sessions ordered by deadline.
  private var queue = SessionQueue()
  /// The sessions in order of arrival.
  ///
  /// - Complexity: O(n log n); do not use it in frequent operations.
  var sessions: [Session] { queue.all }
  private var ticks = Ticks()
  /// The latest time given by the caller; if the clock goes back, all deadlines are updated.
  private var lastMoment: Instant
  /// The number of changes.
  private var changes: UInt64 = 0
  /// The sessions whose displayed rows may have changed since the loader was updated.
  private var sessionsWithNewTargets: [Session] = []
  /// The running exports.
  var exports: TableExports
  /// The tiles that clients show.
  let tiles: TileBoard
  /// The statistics of sessions that have left.
  private var departed: EngineCounters
  private var state = SourceState.starting
  private var message = ""
  /// The number of status changes, including those of replaced tables.
  private(set) var statusChanges: UInt64
  /// The time at which the source is tried again.
  private var retryAt: Instant?
  private(set) var lastChange: Instant
  /// The throttle that limits status messages to one per second.
  private var statusThrottle = Throttle(interval: .seconds(1))
  private var reported: UInt64 = 0
  /// The sessions to close, with their errors; see ``takeRefused()``.
  var refused: [(session: Session, error: ClientError)] = []

  /// The time for which a view without sessions is kept.
  static let viewRest: Duration = .seconds(10)
  /// The maximum number of views kept without sessions.
  static let restingViews = 4
  /// The number of changes above which a view catches up even if no session is due, to bound the
  /// log.
  static let longestLog = 1 << 15
  /// The index of the first view to catch up in the next turn: the one that ran out of time in the
  /// last.
  private var firstView = 0
  /// The work left in this turn for building new views at once; see ``ViewBuild/spent``.
  private var workAtOnce: Int
  /// The number of turns so far.
  private var turns = 0
  /// The number of turns after which a view above its backlog limit is rebuilt.
  ///
  /// Its source waits no longer from then on.
  static let patientTurns = 32
  /// The number of changes per table row that are kept for a view under construction.
  private static let buildLog = 2

  /// The values that continue those of the replaced table.
  let origin: TableHandover

  init(_ table: Table, id: TableID, after former: TableHandover = TableHandover(), at now: Instant) {
    self.table = table
    restrictedSchema = table.schema.restricted
    self.id = id
    workAtOnce = Self.workAtOnce(table.limits)
    origin = former
    exports = TableExports(after: former.lastExport)
    tiles = TileBoard(table)
    departed = former.departed
    statusChanges = former.statusChanges &+ 1
    loader = DeferredLoader(table, id: id)
    windowed = table.schema.windowed.map { WindowedTable(table, id: id, capabilities: $0, after: former) }
    lastChange = now
    lastMoment = now
  }

  // MARK: The source

  func apply(_ changes: Changeset, at now: Instant) {
    // The rows of a windowed table are loaded on request.
    if let windowed { return windowed.noteChange(at: now) }
    let end = table.log.end
    let count = table.count
    table.arrivals?.follow(now)
    table.apply(changes)
    if state == .starting { setSource(.live, "", at: now) }
    lastChange = now
    noteRejections(at: now)
    // A reload of identical rows changes nothing.
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
    tiles.noteChange(at: now)
    for session in queue.takeAwaitingChange() {
      session.noteChange(at: now)
      update(session)
    }
    trimLog()
  }

  /// Updates the session's deadline; call it after each event of the session.
  func update(_ session: Session) {
    // Sessions on residual queries belong to other tables.
    if !queue.contains(session), let windowed { return windowed.remainders.forEach { $0.state.update(session) } }
    if loader != nil, session.takeListing() { sessionsWithNewTargets.append(session) }
    queue.update(
      session, deadline: session.deadline(inStepWith: ticks[session.pacing.throttle.interval]),
      awaitsChange: session.awaitsChange, at: lastMoment)
  }

  /// Updates the deadlines of all sessions.
  func updateAll() { for session in sessions { update(session) } }

  /// Updates all deadlines if the clock has gone back.
  private func follow(_ now: Instant) {
    let wentBack = now < lastMoment
    lastMoment = now
    guard wentBack else { return }
    for session in sessions {
      session.follow(now)
      update(session)
    }
  }

  /// Stores a loaded deferred cell.
  func load(_ cell: DeferredCell, _ value: Cell, at now: Instant) {
    lastChange = now
    if loader?.load(cell, value, at: now) == true { noteChange(at: now) }
    noteRejections(at: now)
  }

  /// Records that a deferred cell failed to load.
  func fail(_ cell: DeferredCell, _ reason: String, at now: Instant) {
    if loader?.fail(cell, reason, at: now) == true { noteChange(at: now) }
  }

  /// Invalidates the value of a deferred cell.
  func forget(_ cell: DeferredCell, at now: Instant) {
    if loader?.forget(cell, at: now) == true { noteChange(at: now) }
  }

  /// Records that a windowed source has answered.
  func noteAnswer(at now: Instant) {
    if state == .starting { setSource(.live, "", at: now) }
    lastChange = now
  }

  /// Removes and returns the sessions to close because of the source's answers, with their errors.
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

  /// Deletes rows that exceed the table's retention.
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

  /// Discards the changes that every view has applied.
  private func trimLog() {
    if table.log.entries.count > Self.longestLog {
      for view in views.values {
        // Drop views without sessions instead of updating them.
        if view.viewers == 0 { drop(view) } else { shorten(view) }
      }
      tiles.shorten()
    }
    let needed = [exports.logPosition, tiles.logPosition, views.values.map(\.logPosition).min()]
    table.forgetChanges(before: needed.compactMap(\.self).min() ?? table.log.end)
  }

  /// Shortens a view's backlog when the log is too long; a view that is too far behind is rebuilt.
  private func shorten(_ view: any QueryView) {
    guard let view = view as? ListView else { return view.catchUp() }
    guard view.build == nil else {
      let most = max(Self.longestLog, min(1 << 20, Int(table.slots) * Self.buildLog))
      if view.backlog > most { view.rebuild() }
      return
    }
    if view.backlog > Self.longestLog, !view.catchUp(atMost: table.limits.turnRows) { view.rebuild() }
  }

  /// The statistics of all present and former sessions.
  var counters: EngineCounters { sessions.reduce(into: departed) { $0 += $1.counters } }

  // MARK: Sessions

  func attach(_ session: Session, to query: Query, at now: Instant) {
    detach(session, at: now)
    let view = views[query] ?? makeView(query)
    view.viewers += 1
    view.unwatchedSince = nil
    session.show(view, changes: changes)
    queue.insert(session)
    update(session)
  }

  private func makeView(_ query: Query) -> any QueryView {
    let view: any QueryView
    if let windowed {
      view = windowed.makeView(query)
    } else {
      let made = ListView(query, table: table, atMost: workAtOnce)
      // An unfinished view is completed in later turns, which count their own work.
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
    if session.isListedForPrefetch { sessionsWithNewTargets.removeAll { $0 === session } }
    departed += session.leaveView()
    loader?.leave(session, at: now)
    queue.remove(session)
    view.viewers -= 1
    guard view.viewers == 0 else { return }
    // A query typed letter by letter would otherwise leave its unfinished predecessors behind.
    guard view.isInOrder else { return drop(view) }
    view.unwatchedSince = now
    view.leaving = departures
    departures += 1
    let resting = views.values.filter { $0.viewers == 0 }
    if resting.count > Self.restingViews, let oldest = resting.min(by: { $0.leaving < $1.leaving }) {
      drop(oldest)
    }
  }

  /// The number of times a view lost its last session; it orders evictions deterministically.
  private var departures = 0

  // MARK: Time

  func advance(to now: Instant, limits: Limits, outputs: inout [Output]) {
    evict(at: now)
    follow(now)
    if statusThrottle.takeFlush(at: now) {
      for session in allSessions {
        session.noteStatus()
        update(session)
      }
    }
    buildViews(limits)
    if windowed != nil {
      // Sessions on residual queries belong to another table, which has its own status.
      for session in allSessions { tellStatus(session, at: now, outputs: &outputs) }
      turnWindowed(to: now, limits: limits, outputs: &outputs)
      updateAll()
    }
    var work = limits.turnRows
    advanceExports()
    deliver(at: now, limits: limits, work: &work, outputs: &outputs)
    catchUpInTime(&work)
    tiles.advance(to: now, rows: windowed.map(\.countedRows) ?? table.count, outputs: &outputs)
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

  /// Builds views within the work limit of one turn.
  ///
  /// Views that are still gathering rows go first, because clients have not seen any of them. Among
  /// those the one with the least work so far goes first, so that queries share the time fairly.
  /// Every other turn works on the oldest view, so that each one is completed.
  private func buildViews(_ limits: Limits) {
    turns += 1
    workAtOnce = Self.workAtOnce(limits)
    var left = limits.stepRows
    while left > 0, let view = nextToBuild {
      let before = view.buildWork
      view.work()
      left -= max(1, view.buildWork - before)
      // Its first items were sent without aggregates, which are now available.
      guard view.build == nil, !view.query.aggregates.isEmpty else { continue }
      for session in sessions where session.view === view {
        session.flushAtOnce()
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

  /// Rebuilds views that have been behind for long, so that their source no longer waits for them.
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

  /// Sends what is due, within the work limit of one turn; skipped sessions come first in the next.
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
          // Other sessions do not wait for an expensive filter, which continues in the next turn.
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
      session.limitWindow(to: greatestWindow)
      let cuts = shared.count
      guard let (patch, shift) = session.cut(at: now, limits: limits, shared: &shared, windows: &windows)
      else { continue }
      if shared.count > cuts { work -= patch.result.items.count }
      outputs.append(
        .deliver(
          session.id,
          Delivery(
            sequence: session.flow.sequence, request: session.asked.request, interval: session.pacing.throttle.interval,
            shift: shift,
            base: session.flow.sequence - 1, schema: session.isRestricted ? restrictedSchema : table.schema,
            patch: patch,
            newer: session.newerRows(of: patch.result))))
    }
    // Update last: a session that is due again at once must not prolong the turn.
    for session in served { update(session) }
  }

  /// The maximum number of items in a window, so that all windows fit into ``Limits/windowBytes``.
  ///
  /// It is at least ``leastWindow``.
  ///
  /// - Complexity: O(1).
  var greatestWindow: Int {
    let row = Self.bytesPerItem + Self.bytesPerCell * table.schema.columns.count + table.bytes / max(1, table.count)
    let share = max(Self.leastWindow, table.limits.windowBytes / row / max(1, queue.count))
    // Rounded down to a power of two, or each inserted row would move the edges of all windows.
    return 1 << (Int.bitWidth - 1 - share.leadingZeroBitCount)
  }

  /// The minimum of ``greatestWindow``.
  static let leastWindow = 128
  /// The size in bytes of a window's item and its row snapshot, without cells.
  private static let bytesPerItem = 256
  /// The size in bytes of a cell in a snapshot and its encoding, without text.
  private static let bytesPerCell = 48

  /// Sends the source's status to a session that does not have it, unless it gets no messages.
  private func tellStatus(_ session: Session, at now: Instant, outputs: inout [Output]) {
    guard session.takeStatus() else { return }
    outputs.append(.status(session.id, table: table.schema.name, status(at: now)))
  }

  /// Catches up views that are far behind although no session is due, to keep room for changes.
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

  /// Whether a displayed view has so large a backlog that it should catch up before a session is
  /// due.
  private func isBehind(_ view: ListView) -> Bool {
    view.viewers > 0 && view.build == nil && view.backlog * 2 >= table.limits.backlog
  }

  /// Catches up a view within the work limit, and returns whether it is up to date.
  private func catchUp(_ view: (any QueryView)?, _ work: inout Int) -> Bool {
    guard let view = view as? ListView, view.build == nil, view.backlog > 0 else { return true }
    guard work > 0 else { return false }
    let before = view.workDone
    defer { work -= view.workDone - before }
    return view.catchUp(atMost: work, filterRows: min(work, max(1, table.limits.turnRows / 2)))
  }

  /// Whether every displayed view, tile and export can take more changes.
  ///
  /// Views under construction do not count, because no source waits for them.
  var hasRoom: Bool {
    exports.hasRoom(table.limits.backlog * 4) && tiles.hasRoom
      && ordered.allSatisfy { $0.viewers == 0 || $0.build != nil || $0.backlog < table.limits.backlog }
  }

  /// Updates the loader with the sessions' displayed rows and appends the requests for the source.
  private func loadDeferred(at now: Instant, outputs: inout [Output]) {
    guard loader != nil else { return }
    for session in sessionsWithNewTargets {
      loader?.follow(session, at: now)
      session.clearPrefetchTargets()
    }
    sessionsWithNewTargets.removeAll(keepingCapacity: true)
    if loader?.advance(to: now, outputs: &outputs) == true { noteChange(at: now) }
  }

  /// The displayed views under construction, in order of creation.
  private var unfinished: some Sequence<ListView> { ordered.lazy.filter { $0.build != nil && $0.viewers > 0 } }

  /// The time of the next call to ``advance(to:limits:outputs:)``, or `nil` if nothing is due.
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
    consider(tiles.deadline)
    consider(table.evictionDeadline)
    for view in views.values { consider(view.unwatchedSince?.advanced(by: Self.viewRest)) }
    return deadline
  }
}
