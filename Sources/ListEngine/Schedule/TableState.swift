/// A table with its source's state, its backend and its sessions.
final class TableState {
  let table: Table
  /// The schema that restricted sessions see.
  private let restrictedSchema: Schema
  /// The table's rows and views.
  let backend: any SourceBackend
  private var schedule: SessionSchedule
  /// The state of the source.
  private(set) var source: SourceRecord
  /// The running exports.
  var exports: TableExports
  /// The tiles that clients show.
  let tiles: TileBoard
  /// The facets that clients show.
  let facets: FacetBoard
  /// The rows that clients have pinned.
  let pins: PinBoard
  /// The sessions to close, with their errors; see ``takeRefused()``.
  private var refused: [(session: SessionID, error: ClientError)] = []
  /// The values that continue those of the replaced table.
  let origin: TableHandover

  init(_ table: Table, id: TableID, after previous: TableHandover = TableHandover(), at now: Instant) {
    self.table = table
    restrictedSchema = table.schema.restricted
    if let capabilities = table.schema.windowed {
      backend = RemoteTable(table, id: id, capabilities: capabilities, after: previous)
    } else {
      backend = ResidentTable(table, id: id)
    }
    schedule = SessionSchedule(listsTargets: backend.takesTargets, after: previous.departed, at: now)
    source = SourceRecord(after: previous.statusChanges, at: now)
    exports = TableExports(after: previous.lastExport)
    tiles = TileBoard(table)
    facets = FacetBoard(table)
    pins = PinBoard(table)
    origin = previous
  }

  /// The sessions in order of arrival.
  ///
  /// - Complexity: O(n log n); do not use it in frequent operations.
  var sessions: [Session] { schedule.sessions }
  /// The statistics of all present and former sessions.
  var counters: EngineCounters { schedule.counters }

  // MARK: The source

  func apply(_ changes: Changeset, at now: Instant) {
    let effect = backend.apply(changes, at: now)
    // The rows of a windowed table are loaded on request.
    guard table.schema.windowed == nil else { return }
    source.noteData(at: now)
    source.noteRejections(of: table, at: now)
    take(effect, at: now)
  }

  /// Stores a loaded deferred cell.
  func load(_ cell: DeferredCell, _ value: Cell, at now: Instant) {
    source.noteAnswer(at: now)
    if backend.load(cell, value, at: now) { noteChange(of: table, at: now) }
    source.noteRejections(of: table, at: now)
  }

  /// Records that a deferred cell failed to load.
  func fail(_ cell: DeferredCell, _ reason: String, at now: Instant) {
    if backend.fail(cell, reason, at: now) { noteChange(of: table, at: now) }
  }

  /// Invalidates the value of a deferred cell.
  func forget(_ cell: DeferredCell, at now: Instant) {
    if backend.forget(cell, at: now) { noteChange(of: table, at: now) }
  }

  /// Stores rows received from the source.
  func take(_ request: BlockRequestID, _ block: RowBlock, at now: Instant) {
    if !request.isForExport { source.noteData(at: now) }
    takeAnswer(backend.take(request, block, at: now), at: now)
  }

  /// Stores sections received from the source.
  func take(_ request: BlockRequestID, _ sections: [SectionCount], at now: Instant) {
    if !request.isForExport { source.noteData(at: now) }
    takeAnswer(backend.take(request, sections, at: now), at: now)
  }

  /// Records that the source failed to answer a request.
  func fail(_ request: BlockRequestID, _ reason: String, at now: Instant) {
    takeAnswer(backend.fail(request, reason, at: now), at: now)
  }

  private func takeAnswer(_ effect: BackendEffect, at now: Instant) {
    source.noteRejections(of: table, at: now)
    take(effect, at: now)
  }

  /// Sets the state that the source reports.
  func setSource(_ state: SourceState, _ message: String, retry: Duration? = nil, at now: Instant) {
    let isReturn = state == .live && source.state != .live
    source.set(state, message, retry: retry, at: now)
    if isReturn { backend.noteSourceReturn(at: now) }
  }

  func status(at now: Instant) -> SourceStatus { source.status(of: table, at: now) }

  // MARK: Effects

  private func noteChange(of table: Table, at now: Instant) {
    schedule.noteChange(of: table, at: now)
    if table === self.table {
      tiles.noteChange(at: now)
      facets.noteChange()
      pins.noteChange()
    }
    backend.trimLog(keeping: neededPosition)
  }

  /// The position of the first change that an export, a tile or a facet still needs, or `nil` if
  /// none does.
  private var neededPosition: Int? {
    [tiles.logPosition, facets.logPosition, exports.logPosition].compactMap(\.self).min()
  }

  /// Applies the consequences of an input or a turn to the sessions.
  private func take(_ effect: BackendEffect, at now: Instant) {
    refused += effect.refused
    if let view = effect.answered {
      schedule.change([view]) { session in
        // Requested rows are sent at once, as after a scroll.
        guard session.showsPlaceholders else { return }
        session.flushAtOnce()
        // A hold must not delay rows that were placeholders.
        session.release()
      }
    }
    for table in effect.tables { noteChange(of: table, at: now) }
    schedule.change(effect.changed) { $0.noteChange(at: now) }
    // The first items of a completed view were sent without aggregates, which are now available.
    schedule.change(effect.completed) { $0.flushAtOnce() }
    for (id, view) in effect.joined {
      guard let session = schedule[id] else { continue }
      session.adoptCollapsed(view.groups.map(\.type))
      session.show(view)
      schedule.update(session)
    }
    if effect.concernsAll { schedule.updateAll() }
  }

  /// Removes and returns the sessions to close because of the source's answers, with their errors.
  func takeRefused() -> [(session: SessionID, error: ClientError)] {
    defer { refused = [] }
    return refused
  }

  // MARK: Sessions

  /// Attaches a session to a view of its query.
  ///
  /// A windowed table's source does as much of the query as it can.
  ///
  /// - Throws: ``ClientError/remainderTooLarge(_:)`` if the residual query has too many rows, and
  ///   ``ClientError/tooManyViews(_:)`` if the limit on views is reached.
  func attach(_ session: Session, to query: Query, at now: Instant) throws(QueryFault) {
    detach(session, at: now)
    try checkViews(for: query, of: session)
    session.checkReport(generation: table.schema.windowed == nil ? origin.generation : nil)
    do throws(ClientError) {
      if let view = try backend.attach(session, to: query, at: now) { session.show(view) }
    } catch {
      throw QueryFault(error, at: backend.places(of: session.requested.query))
    }
    schedule.insert(session)
    facets.follow(session, query, at: now)
  }

  /// Replaces the facets of a session; their rows are those of its query.
  func watchFacets(_ session: Session, id: UInt64, _ requestedFacets: [RequestedFacet], at now: Instant) {
    facets.watch(session, id: id, requestedFacets, of: session.view?.query ?? Query(), at: now)
  }

  func detach(_ session: Session, at now: Instant) {
    // A refusal refers to the query that ends here.
    refused.removeAll { $0.session == session.id }
    guard schedule[session.id] === session else { return }
    backend.detach(session, at: now)
    schedule.remove(session)
  }

  /// Updates the session's deadline; call it after each event of the session.
  func update(_ session: Session) { schedule.update(session) }

  // MARK: Time

  func advance(to now: Instant, limits: Limits, outputs: inout [Output]) {
    schedule.follow(now)
    if source.takeFlush(at: now) { schedule.noteStatus() }
    take(backend.turn(to: now, limits: limits), at: now)
    exports.advance()
    var work = limits.turnRows
    deliver(at: now, limits: limits, work: &work, outputs: &outputs)
    backend.catchUpInTime(&work)
    tiles.advance(to: now, rows: backend.countedRows, outputs: &outputs)
    facets.advance(to: now, outputs: &outputs)
    for session in pins.advance(to: now, outputs: &outputs) {
      session.notePrefetchTargets()
      schedule.update(session)
    }
    take(backend.ask(for: schedule.takeListed(), pinned: pins.keys(of:), at: now, outputs: &outputs), at: now)
    backend.tidy(at: now, keeping: neededPosition)
  }

  /// Sends what is due, within the work limit of one turn; skipped sessions come first in the next.
  private func deliver(at now: Instant, limits: Limits, work: inout Int, outputs: inout [Output]) {
    var shared: [CutKey: Cutter.Result] = [:]
    var windows = SharedWindows()
    var served: [Session] = []
    var heldUp: [any QueryView] = []
    deliveries: while let session = schedule.firstDue(at: now) {
      sendStatus(session, at: now, outputs: &outputs)
      let mayBeDue = schedule.mayBeDue(session, at: now)
      if let view = session.view, mayBeDue || session.mayReportWaiting(at: now) {
        guard work > 0 else { break deliveries }
        switch heldUp.contains(where: { $0 === view }) ? .heldUpByFilter : view.catchUp(&work) {
        case .done: break
        case .outOfWork: break deliveries
        case .heldUpByFilter:
          // Other sessions do not wait for an expensive filter, which continues in the next turn.
          heldUp.append(view)
          schedule.take(session)
          served.append(session)
          continue
        }
      }
      schedule.take(session)
      served.append(session)
      if let waiting = session.takeWaiting(at: now) { outputs.append(.waiting(session.id, waiting)) }
      guard mayBeDue, schedule.takeDue(session, at: now), let table = session.view?.table else { continue }
      session.countChanges()
      session.limitWindow(to: greatestWindow(of: table))
      let cuts = shared.count
      guard let (patch, shift) = session.cut(at: now, limits: limits, shared: &shared, windows: &windows)
      else { continue }
      if shared.count > cuts { work -= patch.result.items.count }
      outputs.append(.deliver(session.id, delivery(of: patch, shift: shift, to: session)))
    }
    // Update last: a session that is due again at once must not prolong the turn.
    for session in served { schedule.update(session) }
  }

  private func delivery(of patch: Patch, shift: Int, to session: Session) -> Delivery {
    Delivery(
      sequence: session.flow.sequence, request: session.requested.request, interval: session.pacing.throttle.interval,
      shift: shift, base: session.flow.sequence - 1, schema: session.isRestricted ? restrictedSchema : table.schema,
      patch: patch, newer: session.newerRows(of: patch.result))
  }

  /// Returns the maximum number of items in a window of a table's rows, so that all windows fit
  /// into ``Limits/windowBytes``.
  ///
  /// It is at least ``leastWindow``.
  ///
  /// - Complexity: O(1).
  private func greatestWindow(of table: Table) -> Int {
    let row = Self.bytesPerItem + Self.bytesPerCell * table.schema.columns.count + table.bytes / max(1, table.count)
    let share = max(Self.leastWindow, table.limits.windowBytes / row / max(1, schedule.count))
    // Rounded down to a power of two, or each inserted row would move the edges of all windows.
    return 1 << (Int.bitWidth - 1 - share.leadingZeroBitCount)
  }

  /// The minimum of ``greatestWindow(of:)``.
  static let leastWindow = 128
  /// The size in bytes of a window's item and its row snapshot, without cells.
  private static let bytesPerItem = 256
  /// The size in bytes of a cell in a snapshot and its encoding, without text.
  private static let bytesPerCell = 48

  /// Sends the source's status to a session that does not have it, unless it gets no messages.
  private func sendStatus(_ session: Session, at now: Instant, outputs: inout [Output]) {
    guard session.takeStatus() else { return }
    outputs.append(.status(session.id, table: table.schema.name, status(at: now)))
  }

  /// Whether every displayed view, tile, facet and export can take more changes.
  var hasRoom: Bool { backend.hasRoom && tiles.hasRoom && facets.hasRoom && exports.hasRoom(table.limits.backlog * 4) }

  /// The time of the next call to ``advance(to:limits:outputs:)``, or `nil` if nothing is due.
  ///
  /// - Complexity: O(views + tiles + facets).
  var deadline: Instant? {
    if exports.isWaiting || !refused.isEmpty { return .zero }
    return [source.deadline, schedule.deadline, backend.deadline, tiles.deadline, facets.deadline, pins.deadline]
      .compactMap(\.self).min()
  }
}

extension Session {
  /// Whether the client holds a placeholder or no window.
  fileprivate var showsPlaceholders: Bool {
    guard let base else { return true }
    return base.items.contains { if case .row(let row) = $0 { row.absence != nil } else { false } }
  }
}
