/// A table with all rows of a source query, on which the engine evaluates residual queries.
///
/// A windowed source answers the query, and the engine does the part that the source cannot do. The
/// rows are loaded block by block into a table of their own, which is sorted, searched and grouped
/// like any other. Sessions wait until all rows are loaded. After a change at the source the rows
/// are loaded again, and the difference is shown.
final class ResidualTable: TableBackend {
  /// A session that displays the rows or waits for them.
  private struct Subscription {
    let viewer: any Viewer
    let split: QuerySplit
    /// The position in the order of arrival.
    let arrival: Int
    var isWaiting = true
  }

  private enum Phase {
    /// The rows are being loaded for the first time, and sessions wait for them.
    case loading
    /// All rows are loaded.
    case loaded
    /// All rows are being loaded again.
    case reloading
    /// There are too many rows: the sessions are about to be refused, and none may join them.
    case refused(count: Int, isExact: Bool)
  }

  /// The rows loaded so far.
  private struct Progress {
    var blocks = 0
    var rows = 0
    var cursor: BlockCursor?
  }

  /// The query sent to the source.
  let query: Query
  let number: Int
  /// The lane of the table's row ids; see ``ResidualLanes``.
  let lane: Int
  private let table: Table
  private let capabilities: WindowedCapabilities
  private var views: ViewSet
  private var subscriptions: [SessionID: Subscription] = [:]
  private var arrivals = 0
  private var phase = Phase.loading
  private var progress = Progress()
  private var generation = 0
  /// Whether the source's data has changed since it was requested.
  var isStale = false

  /// Creates a table without rows.
  ///
  /// - Parameter table: A table for the rows, with the limits of the windowed table.
  init(_ query: Query, number: Int, lane: Int, table: Table, capabilities: WindowedCapabilities) {
    (self.query, self.number, self.lane, self.capabilities) = (query, number, lane, capabilities)
    self.table = table
    views = ViewSet(table)
  }

  var rowCount: Int { table.count }
  var viewCounts: (watched: Int, resting: Int) { views.counts }
  var wantedViews: Int {
    views.counts.watched + Set(subscriptions.values.lazy.filter(\.isWaiting).map(\.split.rest)).count
  }
  /// The newest generation of the row ids.
  var newestGeneration: UInt32 { table.newestGeneration }
  /// Whether no session uses the table.
  var isUnused: Bool { subscriptions.isEmpty }
  /// Whether all rows have been loaded, so that an older version of them is displayed.
  var isLoaded: Bool {
    switch phase {
    case .loaded, .reloading: true
    case .loading, .refused: false
    }
  }
  /// The number of rows, if it exceeds the limit.
  var tooLarge: (count: Int, isExact: Bool)? {
    if case .refused(let count, let isExact) = phase { (count, isExact) } else { nil }
  }
  /// The next block to load, or `nil` if there is none.
  var item: BlockItem? {
    switch phase {
    case .loading, .reloading: BlockItem(view: number, generation: generation, place: .next(progress.blocks))
    case .loaded, .refused: nil
    }
  }

  // MARK: Sessions

  func attach(_ viewer: any Viewer, to query: Query, at now: Instant) -> (any QueryView)? {
    let subscription = Subscription(
      viewer: viewer, split: QuerySplit(query, table.schema, capabilities), arrival: arrivals)
    arrivals += 1
    subscriptions[viewer.id] = subscription
    return isLoaded ? join(subscription) : nil
  }

  private func join(_ subscription: Subscription) -> ListView {
    guard let rest = subscription.split.rest else {
      preconditionFailure("nothing remains of \(subscription.split.source)")
    }
    subscriptions[subscription.viewer.id]?.isWaiting = false
    return views.enter(rest)
  }

  func detach(_ viewer: any Viewer, at now: Instant) {
    guard let subscription = subscriptions.removeValue(forKey: viewer.id), !subscription.isWaiting,
      let rest = subscription.split.rest
    else { return }
    views.leave(rest, at: now)
  }

  func shows(_ query: Query) -> Bool {
    guard let rest = QuerySplit(query, table.schema, capabilities).rest else { return false }
    return views[rest] != nil || subscriptions.values.contains { $0.isWaiting && $0.split.rest == rest }
  }

  /// The sessions in order of arrival.
  private var subscriptionsInOrder: [Subscription] { subscriptions.values.sorted { $0.arrival < $1.arrival } }

  private func notePrefetchTargets() {
    for subscription in subscriptions.values { subscription.viewer.notePrefetchTargets() }
  }

  // MARK: Rows

  func request(for item: BlockItem, id: BlockRequestID) -> BlockRequest? {
    guard item == self.item else { return nil }
    let skip = capabilities.paging == .offset ? progress.rows : 0
    return BlockRequest(
      id: id, query: query, section: [],
      what: .rows(after: progress.cursor, upTo: nil, skip: skip, count: greatestCount))
  }

  /// The number of rows to request, one above the limit at most, to detect that there are too many.
  private var greatestCount: Int {
    min(table.limits.remainderPageRows, table.limits.remainderRows + 1 - progress.rows)
  }

  /// Stores the rows of a block.
  func take(_ item: BlockItem, _ answer: RowBlock, at now: Instant) -> Result<BackendEffect, BlockFault> {
    notePrefetchTargets()
    guard item == self.item else { return .success(BackendEffect()) }
    guard answer.rows.count <= greatestCount else {
      return .failure(BlockFault(reason: "the source gave \(answer.rows.count) rows, more than were asked for"))
    }
    if answer.hasMore && (answer.rows.isEmpty || (capabilities.paging != .offset && answer.end == nil)) {
      return .failure(BlockFault(reason: "the source says that more rows follow, and not where"))
    }
    let limit = table.limits.remainderRows
    if capabilities.count == .exact, !answer.isCountEstimated, let count = answer.count, count > limit {
      return .success(refuse(count, isExact: true))
    }
    let total = progress.rows + answer.rows.count
    guard total <= limit, !(total == limit && answer.hasMore) else {
      return .success(refuse(limit, isExact: false))
    }
    var changes = Changeset()
    changes.beginsReload = progress.rows == 0 && progress.blocks == 0
    changes.endsReload = !answer.hasMore
    for (key, cells) in answer.rows { changes.upsert(key, cells) }
    var effect = apply(changes, at: now)
    progress = Progress(blocks: progress.blocks + 1, rows: total, cursor: answer.end)
    guard !answer.hasMore else { return .success(effect) }
    phase = .loaded
    effect.joined = subscriptionsInOrder.lazy.filter(\.isWaiting).map { ($0.viewer.id, self.join($0)) }
    return .success(effect)
  }

  func apply(_ changes: Changeset, at now: Instant) -> BackendEffect {
    let hasChanged = table.apply(changes, at: now)
    if hasChanged { trimLog(keeping: nil) }
    return BackendEffect(tables: hasChanged ? [table] : [])
  }

  private func refuse(_ count: Int, isExact: Bool) -> BackendEffect {
    phase = .refused(count: count, isExact: isExact)
    return BackendEffect(
      refused: subscriptionsInOrder.map {
        let reason = $0.split.refusal(count, isExact: isExact, limit: table.limits.remainderRows)
        return ($0.viewer.id, .remainderTooLarge(reason))
      })
  }

  // MARK: Time

  /// Starts to load all rows again after a change at the source, unless they are being loaded.
  func turn(to now: Instant, limits: Limits) -> BackendEffect {
    if isStale, case .loaded = phase {
      isStale = false
      generation += 1
      (progress, phase) = (Progress(), .reloading)
      notePrefetchTargets()
    }
    return BackendEffect(
      tables: table.evict(at: now) ? [table] : [], changed: views.takeCrossing(), completed: views.build(limits))
  }

  func catchUpInTime(_ work: inout Int) { views.catchUpInTime(&work) }

  func trimLog(keeping position: Int?) { views.trimLog(keeping: position) }

  func tidy(at now: Instant, keeping position: Int?) { views.tidy(at: now, keeping: position) }

  var deadline: Instant? { [views.deadline, table.evictionDeadline].compactMap(\.self).min() }
}
