/// A table whose source sends all rows; the engine evaluates the queries.
final class ResidentTable: SourceBackend {
  private let table: Table
  private var views: ViewSet
  /// The loader of deferred cells, or `nil` without deferred columns.
  private var loader: DeferredLoader?

  init(_ table: Table, id: TableID) {
    self.table = table
    views = ViewSet(table)
    loader = DeferredLoader(table, id: id)
  }

  var rowCount: Int { table.count }
  var counters: PrefetchCounters { loader?.counters ?? PrefetchCounters() }
  var takesTargets: Bool { loader != nil }
  var hasRoom: Bool { views.hasRoom }
  var wantedViews: Int { views.counts.watched }
  var viewCounts: (watched: Int, resting: Int) { views.counts }
  var viewBytes: Int { views.bytes }

  // MARK: Sessions

  func attach(_ viewer: any Viewer, to query: Query, at now: Instant) -> (any QueryView)? { views.enter(query) }

  func detach(_ viewer: any Viewer, at now: Instant) {
    loader?.leave(viewer.id, at: now)
    if let view = viewer.view { views.leave(view.query, at: now) }
  }

  func shows(_ query: Query) -> Bool { views[query] != nil }

  // MARK: The source

  func apply(_ changes: Changeset, at now: Instant) -> BackendEffect {
    let end = table.log.end
    return effect(of: table.apply(changes, at: now), since: end, at: now)
  }

  /// Returns the effect of changes after a position of the log.
  private func effect(of hasChanged: Bool, since position: Int, at now: Instant) -> BackendEffect {
    guard hasChanged else { return BackendEffect() }
    loader?.noteChanges(since: position, at: now)
    return BackendEffect(tables: [table])
  }

  func load(_ cell: DeferredCell, _ value: Cell, at now: Instant) -> Bool {
    loader?.load(cell, value, at: now) ?? false
  }

  func fail(_ cell: DeferredCell, _ reason: String, at now: Instant) -> Bool {
    loader?.fail(cell, reason, at: now) ?? false
  }

  func noteSourceReturn(at now: Instant) { loader?.retryFailed(at: now) }

  func forget(_ cell: DeferredCell, at now: Instant) -> Bool { loader?.forget(cell, at: now) ?? false }

  func beginExport(_ number: UInt64, _ query: Query, _ wall: WallTime) -> any RowExport {
    TableExport(number, of: table, query: query, wall: wall)
  }

  // MARK: Time

  func turn(to now: Instant, limits: Limits) -> BackendEffect {
    let end = table.log.end
    var effect = effect(of: table.evict(at: now), since: end, at: now)
    effect.changed = views.takeCrossing()
    effect.completed = views.build(limits)
    return effect
  }

  func catchUpInTime(_ work: inout Int) { views.catchUpInTime(&work) }

  func ask(
    for viewers: [any Viewer], pinned: (SessionID) -> [RowKey], at now: Instant, outputs: inout [Output]
  ) -> BackendEffect {
    for viewer in viewers { loader?.follow(viewer, pinned: pinned(viewer.id), at: now) }
    return BackendEffect(tables: loader?.advance(to: now, outputs: &outputs) == true ? [table] : [])
  }

  func trimLog(keeping position: Int?) { views.trimLog(keeping: position) }

  func tidy(at now: Instant, keeping position: Int?) { views.tidy(at: now, keeping: position) }

  var deadline: Instant? {
    [views.deadline, loader?.deadline, table.evictionDeadline].compactMap(\.self).min()
  }
}
