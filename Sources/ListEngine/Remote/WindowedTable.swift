/// The state of a windowed table without its sessions: views, requests, answers and cached blocks.
///
/// It connects the ``PrefetchQueue``, which decides the order and time of requests, with the views,
/// which know the missing blocks. ``DeferredLoader`` does the same for deferred cells.
final class WindowedTable {
  /// The identity of a loaded block, to find out which blocks are displayed.
  private struct Place: Hashable {
    var view: Int
    var generation: Int
    var leaf: Int
    var page: Int
  }

  private let id: TableID
  private let table: Table
  let capabilities: WindowedCapabilities
  private let holds: RowHolds
  private var queue: PrefetchQueue<PageItem>
  private(set) var views: [WindowedView] = []
  private(set) var remainders: [ResidualQuery] = []
  private var lanes: ResidualLanes
  /// The exports of the table.
  let exports: WindowedExports
  private var nextView = 0
  private var nextRequest: UInt64
  private var nextFailure = 2
  /// The unanswered requests, indexed both ways.
  private var asked: [PageItem: PageRequestID] = [:]
  private var askedItems: [PageRequestID: PageItem] = [:]
  /// The cancelled requests that may still be answered, oldest first.
  private var cancelled: [(id: PageRequestID, item: PageItem)] = []
  private static let rememberedCancels = 256
  /// The source queries with too many rows for the engine, oldest first.
  private var tooLarge: [(query: Query, count: Int, isExact: Bool, since: Instant)] = []
  private static let rememberedCounts = 8
  /// The blocks that each session displays.
  private var looks: [SessionID: Set<Place>] = [:]
  private var tick: UInt64 = 0
  /// Whether shown contents or requests may have changed since the last turn.
  private var isTouched = false
  /// The throttle for reloading all contents after changes at the source.
  private var changes: Throttle
  /// The time at which a source that does not report changes is polled again.
  private var refreshAt: Instant?
  /// The times at which views without rows start to show placeholders.
  private var patience: [(view: WindowedView, until: Instant)] = []
  /// The time that a client waits for its first rows before it gets placeholders.
  static let firstPatience: Duration = .milliseconds(200)
  /// The number of rows of the whole table, or `nil` if the source has not reported it.
  private(set) var countedRows: Int?
  /// The number of rows of the whole table, or 0 if the source has not reported it.
  var knownRows: Int { countedRows ?? 0 }

  init(_ table: Table, id: TableID, capabilities: WindowedCapabilities, after former: TableHandover) {
    (self.table, self.id, self.capabilities) = (table, id, capabilities)
    holds = RowHolds(table)
    nextRequest = former.firstRequest
    lanes = ResidualLanes(for: table.limits.remainders, after: former.remainderGenerations)
    exports = WindowedExports(table, id: id, capabilities: capabilities, firstRequest: former.firstExportRequest)
    var policy = table.schema.prefetch
    policy.prefersToFinish = policy.prefersToFinish || !capabilities.cancels
    queue = PrefetchQueue(policy)
    let reported = capabilities.tellsChanges ? capabilities.refresh : nil
    changes = Throttle(interval: reported ?? table.limits.refreshInterval)
  }

  /// The ids of the next requests: of sessions, and of exports.
  var nextRequests: (UInt64, UInt64) { (nextRequest, exports.nextRequest) }
  /// The statistics of the requests.
  var counters: PrefetchCounters { queue.counters }

  // MARK: Views

  func makeView(_ query: Query) -> WindowedView {
    let view = WindowedView(query, number: takeNumber(), table: table, capabilities: capabilities, holds: holds)
    views.append(view)
    return view
  }

  /// Starts the time after which a view without rows shows placeholders.
  func awaitRows(of view: WindowedView, at now: Instant) {
    guard view.awaitsSource, !patience.contains(where: { $0.view === view }) else { return }
    patience.append((view, now.advanced(by: Self.firstPatience)))
  }

  /// Returns the row count of a query known to have too many rows.
  ///
  /// The result is `nil` if the query was not refused within the last ``Limits/refreshInterval``.
  func tooLarge(_ query: Query, at now: Instant) -> (count: Int, isExact: Bool)? {
    tooLarge.first { $0.query == query && $0.since.duration(to: now) < table.limits.refreshInterval && $0.since <= now }
      .map { ($0.count, $0.isExact) }
  }

  private func noteTooLarge(_ residualQuery: ResidualQuery, at now: Instant) {
    guard let (count, isExact) = residualQuery.tooLarge else { return }
    tooLarge.removeAll { $0.query == residualQuery.query }
    if tooLarge.count >= Self.rememberedCounts { tooLarge.removeFirst() }
    tooLarge.append((residualQuery.query, count, isExact, now))
  }

  /// Returns the table of residual queries for a source query, and creates it if needed.
  ///
  /// - Throws: ``ClientError/remainderTooLarge(_:)`` if the limit on such tables is reached.
  func residualQuery(
    _ query: Query, makeState: (RowIDOrigin) -> TableState
  ) throws(ClientError) -> ResidualQuery {
    if let known = remainders.first(where: { $0.query == query && !$0.isRefused }) { return known }
    dropUnusedResidualQueries()
    guard remainders.count(where: { !$0.isRefused }) < table.limits.remainders, let (lane, ids) = lanes.take() else {
      throw .remainderTooLarge(
        "the engine does what a source cannot for \(table.limits.remainders) queries of one table at most")
    }
    let made = ResidualQuery(
      query, number: takeNumber(), lane: lane, state: makeState(ids), capabilities: capabilities, limits: table.limits)
    remainders.append(made)
    return made
  }

  private func dropUnusedResidualQueries() {
    for residualQuery in remainders where residualQuery.isUnused {
      lanes.leave(residualQuery.lane, newest: residualQuery.state.table.newestGeneration)
    }
    remainders.removeAll(where: \.isUnused)
  }

  /// The first generations of row ids for the residual queries of a replacement table.
  var remainderGenerations: [UInt32] {
    var generations = lanes.generations
    for residualQuery in remainders { generations[residualQuery.lane] = residualQuery.state.table.newestGeneration + 1 }
    return generations
  }

  private func takeNumber() -> Int {
    nextView += 1
    return nextView - 1
  }

  /// Closes all views except these, and drops unused tables of residual queries.
  func keep(only kept: some Sequence<any QueryView>) {
    let kept = Set(kept.map { ObjectIdentifier($0) })
    for view in views where !kept.contains(ObjectIdentifier(view)) { view.close() }
    views.removeAll { !kept.contains(ObjectIdentifier($0)) }
    patience.removeAll { !kept.contains(ObjectIdentifier($0.view)) }
    dropUnusedResidualQueries()
  }

  // MARK: Sessions

  /// Requests the missing blocks in and near the session's viewport and withdraws its other
  /// requests.
  ///
  /// - Complexity: O(window), plus O(log n) for each block requested now or before.
  func follow(_ session: Session, at now: Instant) {
    if let residualQuery = remainders.first(where: { $0.sessions.contains { $0 === session } }) {
      let item = session.isHidden ? nil : residualQuery.item
      let wishes = item.map { [PrefetchQueue<PageItem>.Wish($0, .visible, 0, isAgain: residualQuery.isLoaded)] }
      return queue.want(wishes ?? [], by: session.id, at: now)
    }
    guard let view = session.view as? WindowedView else { return }
    tick += 1
    var prefetchTargets = PrefetchTargets(session, view)
    prefetchTargets.look()
    var seen: Set<Place> = []
    for home in prefetchTargets.homes {
      view.shown.touch(home, at: tick)
      seen.insert(Place(view: view.number, generation: view.shown.generation, leaf: home.leaf, page: home.page))
    }
    looks[session.id] = seen
    // The rows between two cursors are requested part by part: name only the first missing part.
    var named: Set<PageItem> = []
    var wishes: [PrefetchQueue<PageItem>.Wish] = []
    for wish in prefetchTargets.wishes where !named.contains(wish.item.whole) {
      // Name loaded blocks until they become visible, so that the queue counts them as hits.
      guard wish.isAbsent || (queue.isAnyReady && queue.isReady(wish.item)) else { continue }
      named.insert(wish.item.whole)
      wishes.append(.init(wish.item, wish.zone, wishes.count, isAgain: wish.isAgain))
    }
    queue.want(wishes, by: session.id, at: now)
    // Blocks that delay a reload may no longer be wanted.
    if view.owed != nil { isTouched = true }
  }

  /// Withdraws all requests of the session.
  func leave(_ session: Session, at now: Instant) {
    for residualQuery in remainders { residualQuery.detach(session, at: now) }
    isTouched = true
    looks[session.id] = nil
    queue.leave(session.id, at: now)
  }

  // MARK: The source

  /// The effects of a source's answer.
  struct Effect {
    /// The sessions whose prefetch targets must be updated.
    var sessions: [Session] = []
    var view: WindowedView?
    var refused: [(session: Session, error: ClientError)] = []
  }

  func take(_ id: PageRequestID, _ page: RowPage, at now: Instant) -> Effect {
    guard let item = takeAsked(id) else { return unasked() }
    var effect = Effect()
    if let view = views.first(where: { $0.number == item.view }) {
      effect.view = view
      if view.query == Query(), let count = page.count { countedRows = count }
      switch view.take(item, page, at: tick) {
      case .success(let hasMoved):
        _ = queue.finish(item, at: now)
        // A row that appears in another place was moved without a notice from the source.
        if hasMoved { changes.noteChange(at: now) }
      case .failure(let fault): fail(item, fault.reason, at: now)
      }
    } else if let residualQuery = remainders.first(where: { $0.number == item.view }) {
      effect.sessions = residualQuery.sessions
      if residualQuery.query == Query(), let count = page.count { countedRows = count }
      switch residualQuery.take(item, page, at: now) {
      case .success(let refused):
        effect.refused = refused
        noteTooLarge(residualQuery, at: now)
        _ = queue.finish(item, at: now)
      case .failure(let fault): fail(item, fault.reason, at: now)
      }
    } else {
      _ = queue.finish(item, at: now)
    }
    return effect
  }

  func take(_ id: PageRequestID, _ sections: [SectionCount], at now: Instant) -> Effect {
    guard let item = takeAsked(id) else { return unasked() }
    let view = views.first { $0.number == item.view }
    if item.place != .sections {
      fail(item, "the source answered with sections where rows were asked for", at: now)
    } else if let fault = view?.take(item, sections) {
      fail(item, fault.reason, at: now)
    } else {
      _ = queue.finish(item, at: now)
    }
    return Effect(view: view)
  }

  /// Records that the source failed to answer.
  func fail(_ id: PageRequestID, _ reason: String, at now: Instant) -> Effect {
    guard let item = askedItems.removeValue(forKey: id) else { return unasked() }
    isTouched = true
    asked[item] = nil
    fail(item, String(reason.prefix(table.limits.reason)), at: now)
    return Effect(view: views.first { $0.number == item.view })
  }

  private func fail(_ item: PageItem, _ reason: String, at now: Instant) {
    _ = queue.fail(item, at: now)
    nextFailure += 1
    views.first { $0.number == item.view }?.fail(item, PageFailure(reason: reason, number: nextFailure))
  }

  private func unasked() -> Effect {
    queue.noteUnasked()
    return Effect()
  }

  /// Removes and returns the item of a request, including one that was cancelled.
  ///
  /// A late answer may still be useful.
  private func takeAsked(_ id: PageRequestID) -> PageItem? {
    isTouched = true
    if let item = askedItems.removeValue(forKey: id) {
      asked[item] = nil
      return item
    }
    guard let late = cancelled.firstIndex(where: { $0.id == id }) else { return nil }
    let item = cancelled.remove(at: late).item
    // The item may have been requested again since.
    return asked[item] == nil ? item : nil
  }

  /// Records a change in the source's data.
  func noteChange(at now: Instant) {
    tooLarge = []
    changes.noteChange(at: now)
  }

  // MARK: Time

  /// Starts due reloads and shows reloaded contents, and returns the views that changed.
  func turn(to now: Instant, sessions: [Session]) -> [WindowedView] {
    var changed: [WindowedView] = []
    for (view, until) in patience where until <= now && view.awaitsSource {
      view.isOutOfPatience = true
      changed.append(view)
    }
    patience.removeAll { $0.until <= now || !$0.view.awaitsSource }
    if let interval = capabilities.tellsChanges ? nil : capabilities.refresh, !views.isEmpty || !remainders.isEmpty {
      if refreshAt.map({ $0 <= now }) ?? false { changes.noteChange(at: now) }
      if refreshAt.map({ $0 <= now }) ?? true { refreshAt = now.advanced(by: interval) }
    } else {
      refreshAt = nil
    }
    isTouched = false
    if changes.takeFlush(at: now) {
      for view in views { view.isStale = true }
      for residualQuery in remainders { residualQuery.isStale = true }
    }
    for view in views where view.isStale && view.canRenew {
      // Reload only when a client is visible.
      guard view.viewers == 0 || sessions.contains(where: { $0.view === view && !$0.isHidden }) else { continue }
      guard !owesAnything(view, sessions) else { continue }
      view.renew()
      for session in sessions where session.view === view { session.notePrefetchTargets() }
    }
    for residualQuery in remainders where residualQuery.isStale && residualQuery.item == nil {
      residualQuery.renew()
      for session in residualQuery.sessions { session.notePrefetchTargets() }
    }
    for view in views where view.next != nil {
      let own = sessions.filter { $0.view === view && !$0.isHidden }
      guard !own.isEmpty, own.allSatisfy({ PrefetchTargets.canShowNext($0, view) }) else { continue }
      view.showNext()
      changed.append(view)
    }
    return changed
  }

  /// Returns whether sessions still wait for blocks that they displayed as missing at the first
  /// call.
  ///
  /// Blocks that sessions scroll to later do not count, so that one busy session does not delay the
  /// others' reload.
  private func owesAnything(_ view: WindowedView, _ sessions: [Session]) -> Bool {
    if let owed = view.owed {
      view.owed = owed.filter(queue.isAwaited)
    } else {
      let own = sessions.filter { $0.view === view }
      view.owed = own.reduce(into: []) { owed, session in
        var prefetchTargets = PrefetchTargets(session, view)
        prefetchTargets.look()
        owed.formUnion(prefetchTargets.wishes.filter(\.isAbsent).map(\.item))
      }
      // The queue learns of these blocks in this turn; the next turn knows which ones are still
      // missing.
      isTouched = view.owed?.isEmpty == false || isTouched
    }
    return view.owed?.isEmpty == false
  }

  /// Appends the requests and cancels for the source, and returns the views that changed.
  func ask(at now: Instant, outputs: inout [Output]) -> [WindowedView] {
    let commands = queue.advance(to: now)
    var changed: [WindowedView] = []
    isTouched = isTouched || !commands.overdue.isEmpty
    for item in commands.overdue {
      guard let view = views.first(where: { $0.number == item.view }) else { continue }
      nextFailure += 1
      let reason = "no answer within \(table.schema.prefetch.patience)"
      view.fail(item, PageFailure(reason: reason, number: nextFailure))
      changed.append(view)
    }
    let cancels = commands.cancels.compactMap { item -> PageRequestID? in
      guard let id = asked.removeValue(forKey: item) else { return nil }
      askedItems[id] = nil
      cancelled.append((id, item))
      return id
    }
    cancelled.removeFirst(max(0, cancelled.count - Self.rememberedCancels))
    if !cancels.isEmpty, capabilities.cancels { outputs.append(.cancelPages(id, cancels)) }
    exports.makeRoom(besides: queue.inFlight, of: queue.bound, outputs: &outputs)
    var requests: [PageRequest] = []
    for item in commands.loads {
      guard let request = request(for: item) else {
        queue.drop(item, at: now)
        continue
      }
      asked[item] = request.id
      askedItems[request.id] = item
      requests.append(request)
    }
    if !requests.isEmpty { outputs.append(.ask(id, requests)) }
    exports.ask(besides: queue.inFlight, of: queue.bound, at: now, outputs: &outputs)
    forget()
    return changed
  }

  private func request(for item: PageItem) -> PageRequest? {
    let id = PageRequestID(rawValue: nextRequest)
    let request =
      views.first { $0.number == item.view }?.request(for: item, id: id)
      ?? remainders.first { $0.number == item.view }?.request(for: item, id: id)
    if request != nil { nextRequest += 1 }
    return request
  }

  /// Evicts the least recently used blocks until the cache is within its limits.
  ///
  /// Displayed blocks are never evicted.
  private func forget() {
    func isTooMuch() -> Bool {
      var (rows, bytes) = (0, 0)
      for view in views {
        rows += view.shown.keptRows + (view.next?.keptRows ?? 0)
        bytes += view.shown.keptBytes + (view.next?.keptBytes ?? 0)
      }
      return rows > table.limits.cachedRows || bytes > table.limits.cachedBytes
    }
    guard isTooMuch() else { return }
    let seen = looks.values.reduce(into: Set<Place>()) { $0.formUnion($1) }
    var idle: [(used: UInt64, view: WindowedView, leaf: Int, page: Int)] = []
    for view in views {
      for (leaf, page, used) in view.shown.pages {
        let place = Place(view: view.number, generation: view.shown.generation, leaf: leaf, page: page)
        if !seen.contains(place) { idle.append((used, view, leaf, page)) }
      }
    }
    idle.sort { ($0.used, $0.view.number, $0.leaf, $0.page) < ($1.used, $1.view.number, $1.leaf, $1.page) }
    for (_, view, leaf, page) in idle {
      guard isTooMuch() else { return }
      view.evict(view.shown, leaf: leaf, page: page)
    }
  }

  /// The time of the next call to ``turn(to:sessions:)``.
  var deadline: Instant? {
    if isTouched { return .zero }
    let moments = [
      queue.deadline, refreshAt, changes.deadline, patience.lazy.filter { $0.view.awaitsSource }.map(\.until).min(),
      exports.deadline(besides: queue.inFlight, of: queue.bound),
    ]
    return moments.compactMap(\.self).min()
  }
}
