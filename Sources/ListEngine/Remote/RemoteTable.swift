/// A table whose rows stay at its source, which evaluates queries and returns blocks of rows.
///
/// It connects the ``PrefetchQueue``, which decides the order and time of requests, with the views,
/// which know the missing blocks. ``DeferredLoader`` does the same for deferred cells. Queries that
/// the source cannot evaluate are passed to ``ResidualTable``s.
final class RemoteTable: SourceBackend {
  /// A session, and the blocks it displays.
  private struct Subscription {
    enum Target {
      case view(WindowedView)
      case residual(ResidualTable)
    }

    let viewer: any Viewer
    let target: Target
    /// The position in the order of arrival.
    let arrival: Int
    var blocks: Set<WindowedViews.Place> = []
  }

  /// The numbers given out so far.
  private struct Numbers {
    var view = 0
    var failure = 2
    var arrival = 0
    var tick: UInt64 = 0

    mutating func takeView() -> Int {
      defer { view += 1 }
      return view
    }
  }

  private let id: TableID
  private let table: Table
  private let capabilities: WindowedCapabilities
  private var subscriptions: [SessionID: Subscription] = [:]
  private var views: WindowedViews
  private var residuals: ResidualTables
  private var queue: PrefetchQueue<BlockItem>
  private var requests: BlockRequests
  private let exports: WindowedExports
  private var refresh: SourceRefresh
  private var numbers = Numbers()
  /// Whether shown contents or requests may have changed since the last turn.
  private var needsTurn = false
  private(set) var countedRows: Int?

  init(_ table: Table, id: TableID, capabilities: WindowedCapabilities, after previous: TableHandover) {
    (self.table, self.id, self.capabilities) = (table, id, capabilities)
    views = WindowedViews(of: table, capabilities: capabilities)
    residuals = ResidualTables(of: table, capabilities: capabilities, after: previous.residualGenerations)
    requests = BlockRequests(from: previous.firstRequest)
    exports = WindowedExports(table, id: id, capabilities: capabilities, firstRequest: previous.firstExportRequest)
    var policy = table.schema.prefetch
    policy.prefersToFinish = policy.prefersToFinish || !capabilities.cancels
    queue = PrefetchQueue(policy)
    refresh = SourceRefresh(capabilities, limits: table.limits)
  }

  /// The number of rows of the whole table, or 0 until the source has reported it.
  var rowCount: Int { countedRows ?? 0 }
  var counters: PrefetchCounters { queue.counters }
  var takesTargets: Bool { true }
  /// Always true, because the engine asks for every row.
  var hasRoom: Bool { true }

  func handOver(to next: inout TableHandover) {
    (next.firstRequest, next.firstExportRequest) = (requests.next, exports.nextRequest)
    next.residualGenerations = residuals.generations
  }

  // MARK: Sessions

  func attach(_ viewer: any Viewer, to query: Query, at now: Instant) throws(ClientError) -> (any QueryView)? {
    viewer.notePrefetchTargets()
    let split = QuerySplit(query, table.schema, capabilities)
    guard split.rest == nil else {
      let residual = try residuals.table(of: split.source) { numbers.takeView() }
      subscribe(viewer, to: .residual(residual))
      return residual.attach(viewer, to: query, at: now)
    }
    let view = views.enter(query) { numbers.takeView() }
    view.expect(viewer.scrollAnchor.first + viewer.scrollAnchor.count)
    views.awaitRows(of: view, at: now)
    subscribe(viewer, to: .view(view))
    return view
  }

  private func subscribe(_ viewer: any Viewer, to target: Subscription.Target) {
    subscriptions[viewer.id] = Subscription(viewer: viewer, target: target, arrival: numbers.arrival)
    numbers.arrival += 1
  }

  /// Ends the session's use of its view, and withdraws its requests.
  func detach(_ viewer: any Viewer, at now: Instant) {
    needsTurn = true
    queue.leave(viewer.id, at: now)
    switch subscriptions.removeValue(forKey: viewer.id)?.target {
    case .view(let view): views.leave(view.query, at: now)
    case .residual(let residual): residual.detach(viewer, at: now)
    case nil: break
    }
  }

  /// The sessions that display a view.
  private func viewers(of view: WindowedView) -> [any Viewer] {
    subscriptions.values.compactMap { if case .view(let shown) = $0.target, shown === view { $0.viewer } else { nil } }
  }

  func shows(_ query: Query) -> Bool {
    let source = QuerySplit(query, table.schema, capabilities).source
    return views[query] != nil || residuals.all.contains { $0.query == source && $0.shows(query) }
  }

  var wantedViews: Int { residuals.all.reduce(views.counts.watched) { $0 + $1.wantedViews } }

  var viewCounts: (watched: Int, resting: Int) {
    residuals.all.reduce(into: views.counts) { sum, residual in
      sum.watched += residual.viewCounts.watched
      sum.resting += residual.viewCounts.resting
    }
  }

  /// Returns the error for a query whose residual query is already known to have too many rows.
  ///
  /// A client that repeats the query then causes only one request to the source.
  func refusal(of query: Query, at now: Instant) -> ClientError? {
    let split = QuerySplit(query, table.schema, capabilities)
    guard split.rest != nil, let (count, isExact) = residuals.tooLarge(split.source, at: now) else { return nil }
    return .remainderTooLarge(split.refusal(count, isExact: isExact, limit: table.limits.remainderRows))
  }

  func places(of request: QueryRequest) -> [String] {
    QuerySplit.places(in: request, table.schema, capabilities, table.limits)
  }

  /// Requests the missing blocks in and near the session's viewport and withdraws its other
  /// requests.
  ///
  /// - Complexity: O(window), plus O(log n) for each block requested now or before.
  private func follow(_ viewer: any Viewer, at now: Instant) {
    switch subscriptions[viewer.id]?.target {
    case .view(let view): follow(viewer, in: view, at: now)
    case .residual(let residual):
      let item = viewer.isHidden ? nil : residual.item
      let targets = item.map { [PrefetchQueue<BlockItem>.Target($0, .visible, 0, isAgain: residual.isLoaded)] }
      queue.want(targets ?? [], by: viewer.id, at: now)
    case nil: break
    }
  }

  private func follow(_ viewer: any Viewer, in view: WindowedView, at now: Instant) {
    numbers.tick += 1
    var prefetchTargets = PrefetchTargets(viewer, view)
    prefetchTargets.collect()
    var seen: Set<WindowedViews.Place> = []
    for home in prefetchTargets.homes {
      view.shown.noteUse(of: home, at: numbers.tick)
      seen.insert(.init(view: view.number, generation: view.shown.generation, leaf: home.leaf, block: home.block))
    }
    subscriptions[viewer.id]?.blocks = seen
    // The rows between two cursors are requested part by part: name only the first missing part.
    var named: Set<BlockItem> = []
    var targets: [PrefetchQueue<BlockItem>.Target] = []
    for target in prefetchTargets.targets where !named.contains(target.item.whole) {
      // Name loaded blocks until they become visible, so that the queue counts them as hits.
      guard target.isAbsent || (queue.isAnyReady && queue.isReady(target.item)) else { continue }
      named.insert(target.item.whole)
      targets.append(.init(target.item, target.zone, targets.count, isAgain: target.isAgain))
    }
    queue.want(targets, by: viewer.id, at: now)
    // Blocks that delay a reload may no longer be wanted.
    if view.awaitedBlocks != nil { needsTurn = true }
  }

  // MARK: The source

  /// Records changes of the source's data, whose rows are loaded on request.
  func apply(_ changes: Changeset, at now: Instant) -> BackendEffect {
    noteSourceChange(at: now)
    return BackendEffect()
  }

  func noteSourceChange(at now: Instant) {
    residuals.forgetTooLarge()
    refresh.noteChange(at: now)
  }

  func noteSourceReturn(at now: Instant) {
    queue.retryFailed(at: now)
    needsTurn = true
  }

  func take(_ request: BlockRequestID, _ block: RowBlock, at now: Instant) -> BackendEffect {
    if request.isForExport {
      exports.take(request, block, at: now)
      return BackendEffect()
    }
    needsTurn = true
    guard let item = requests.take(request) else { return unrequested() }
    var effect = BackendEffect()
    if let view = views[item.view] {
      effect.answered = view
      noteCount(block, of: view.query)
      switch view.take(item, block, at: numbers.tick) {
      case .success(let hasMoved):
        _ = queue.finish(item, at: now)
        // A row that appears in another place was moved without a notice from the source.
        if hasMoved { refresh.noteChange(at: now) }
      case .failure(let fault): fail(item, fault.reason, at: now)
      }
    } else if let residual = residuals[item.view] {
      noteCount(block, of: residual.query)
      switch residual.take(item, block, at: now) {
      case .success(let own):
        effect = own
        residuals.noteTooLarge(residual, at: now)
        _ = queue.finish(item, at: now)
      case .failure(let fault): fail(item, fault.reason, at: now)
      }
    } else {
      _ = queue.finish(item, at: now)
    }
    return answer(effect)
  }

  private func noteCount(_ block: RowBlock, of query: Query) {
    if query == Query(), let count = block.count { countedRows = count }
  }

  func take(_ request: BlockRequestID, _ sections: [SectionCount], at now: Instant) -> BackendEffect {
    let mismatch = "the source answered with sections where rows were asked for"
    if request.isForExport { return fail(request, mismatch, at: now) }
    needsTurn = true
    guard let item = requests.take(request) else { return unrequested() }
    let view = views[item.view]
    if item.place != .sections {
      fail(item, mismatch, at: now)
    } else if let fault = view?.take(item, sections) {
      fail(item, fault.reason, at: now)
    } else {
      _ = queue.finish(item, at: now)
    }
    return answer(BackendEffect(answered: view))
  }

  func fail(_ request: BlockRequestID, _ reason: String, at now: Instant) -> BackendEffect {
    if request.isForExport {
      exports.fail(request, reason, at: now)
      return BackendEffect()
    }
    guard let item = requests.fail(request) else { return unrequested() }
    needsTurn = true
    fail(item, String(reason.prefix(table.limits.reason)), at: now)
    return answer(BackendEffect(answered: views[item.view]))
  }

  private func fail(_ item: BlockItem, _ reason: String, at now: Instant) {
    _ = queue.fail(item, at: now)
    let failure = failure(reason)
    views[item.view]?.fail(item, failure)
  }

  private func failure(_ reason: String) -> BlockFailure {
    numbers.failure += 1
    return BlockFailure(reason: reason, number: numbers.failure)
  }

  private func unrequested() -> BackendEffect {
    queue.noteUnrequested()
    return answer(BackendEffect())
  }

  /// Completes the effect of an answer, after which any session may have something to show.
  private func answer(_ effect: BackendEffect) -> BackendEffect {
    var effect = effect
    for viewer in views.all.first(where: { $0 === effect.answered }).map(viewers) ?? [] { viewer.notePrefetchTargets() }
    effect.tables.append(table)
    effect.concernsAll = true
    return effect
  }

  // MARK: Exports

  func beginExport(_ number: UInt64, _ query: Query, _ wall: WallTime) -> any RowExport {
    exports.begin(number, query, wall)
  }
  func endExport(_ number: UInt64) { exports.end(number) }
  func exportNeedsRows(_ number: UInt64) -> Bool { exports.needsRows(number) }

  // MARK: Time

  /// Starts due reloads and shows reloaded contents.
  func turn(to now: Instant, limits: Limits) -> BackendEffect {
    var effect = BackendEffect(tables: table.evict(at: now) ? [table] : [], concernsAll: true)
    let overdue = views.takeOverdue(at: now)
    let isReloadDue = refresh.takeDue(at: now, isDisplayed: !views.all.isEmpty || !residuals.all.isEmpty)
    needsTurn = false
    for view in views.all {
      view.isStale = view.isStale || isReloadDue
      renewIfDue(view)
    }
    for residual in residuals.all {
      residual.isStale = residual.isStale || isReloadDue
      effect += residual.turn(to: now, limits: limits)
    }
    for view in overdue + views.all.filter(showNextIfLoaded) {
      for viewer in viewers(of: view) { viewer.notePrefetchTargets() }
      effect.changed.append(view)
    }
    return effect
  }

  /// Shows the reloaded content of a view if no visible client would lose rows, and returns whether
  /// it did.
  private func showNextIfLoaded(_ view: WindowedView) -> Bool {
    guard view.next != nil else { return false }
    let own = viewers(of: view).filter { !$0.isHidden }
    guard !own.isEmpty, own.allSatisfy({ PrefetchTargets.canShowNext($0, view) }) else { return false }
    view.showNext()
    return true
  }

  /// Reloads a view after a change at the source, if a client is visible and none waits for blocks.
  private func renewIfDue(_ view: WindowedView) {
    guard view.isStale, view.canRenew else { return }
    let own = viewers(of: view)
    guard view.viewers == 0 || own.contains(where: { !$0.isHidden }), !awaitsBlocks(view, for: own) else { return }
    view.renew()
    for viewer in own { viewer.notePrefetchTargets() }
  }

  /// Returns whether sessions still wait for blocks that they displayed as missing at the first
  /// call.
  ///
  /// Blocks that sessions scroll to later do not count, so that one busy session does not delay the
  /// others' reload.
  private func awaitsBlocks(_ view: WindowedView, for viewers: [any Viewer]) -> Bool {
    if let awaitedBlocks = view.awaitedBlocks {
      view.awaitedBlocks = awaitedBlocks.filter(queue.isAwaited)
    } else {
      view.awaitedBlocks = viewers.reduce(into: []) { awaitedBlocks, viewer in
        var prefetchTargets = PrefetchTargets(viewer, view)
        prefetchTargets.collect()
        awaitedBlocks.formUnion(prefetchTargets.targets.filter(\.isAbsent).map(\.item))
      }
      // The queue learns of these blocks in this turn; the next turn knows which ones are still
      // missing.
      needsTurn = view.awaitedBlocks?.isEmpty == false || needsTurn
    }
    return view.awaitedBlocks?.isEmpty == false
  }

  func ask(
    for viewers: [any Viewer], pinned: (SessionID) -> [RowKey], at now: Instant, outputs: inout [Output]
  ) -> BackendEffect {
    for viewer in viewers.sorted(by: { subscriptions[$0.id]?.arrival ?? 0 < subscriptions[$1.id]?.arrival ?? 0 }) {
      follow(viewer, at: now)
    }
    let commands = queue.advance(to: now)
    needsTurn = needsTurn || !commands.overdue.isEmpty
    var effect = BackendEffect(concernsAll: true)
    for item in commands.overdue {
      guard let view = views[item.view] else { continue }
      view.fail(item, failure("no answer within \(table.schema.prefetch.patience)"))
      effect.changed.append(view)
    }
    let cancels = requests.cancel(commands.cancels)
    if !cancels.isEmpty, capabilities.cancels { outputs.append(.cancelBlocks(id, cancels)) }
    exports.makeRoom(besides: queue.inFlight, of: queue.bound, outputs: &outputs)
    var requested: [BlockRequest] = []
    for item in commands.loads {
      let request = requests.ask(item) { id in
        views[item.view]?.request(for: item, id: id) ?? residuals[item.view]?.request(for: item, id: id)
      }
      if let request { requested.append(request) } else { queue.drop(item, at: now) }
    }
    if !requested.isEmpty { outputs.append(.ask(id, requested)) }
    exports.ask(besides: queue.inFlight, of: queue.bound, at: now, outputs: &outputs)
    views.evict { subscriptions.values.reduce(into: []) { $0.formUnion($1.blocks) } }
    return effect
  }

  func catchUpInTime(_ work: inout Int) { for residual in residuals.all { residual.catchUpInTime(&work) } }

  /// Discards all changes, because the views do not read them.
  func trimLog(keeping position: Int?) { table.forgetChanges(before: table.log.end) }

  func tidy(at now: Instant, keeping position: Int?) {
    views.tidy(at: now)
    for residual in residuals.all { residual.tidy(at: now, keeping: nil) }
    residuals.dropUnused()
    trimLog(keeping: position)
  }

  var deadline: Instant? {
    if needsTurn { return .zero }
    let own = [
      queue.deadline, refresh.deadline, views.deadline, exports.deadline(besides: queue.inFlight, of: queue.bound),
      table.evictionDeadline,
    ]
    return (own + residuals.all.map(\.deadline)).compactMap(\.self).min()
  }
}
