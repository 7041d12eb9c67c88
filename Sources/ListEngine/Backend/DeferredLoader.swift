/// Loads the deferred cells of one table that clients see or are about to see.
///
/// Connects the ``PrefetchQueue``, which decides the order and time of loads, with the table, which
/// knows the missing cells. The same queue serves the blocks of windowed sources.
struct DeferredLoader {
  private let id: TableID
  private let table: Table
  private let deferred: DeferredCells
  private var queue: PrefetchQueue<DeferredItem>
  /// The unanswered loads, indexed both ways because a row's key is gone before its load is
  /// cancelled.
  private var pending: [DeferredItem: DeferredCell] = [:]
  private var pendingItems: [DeferredCell: DeferredItem] = [:]

  /// Creates a loader, or returns `nil` if the table has no deferred columns.
  init?(_ table: Table, id: TableID) {
    guard let deferred = table.deferred else { return nil }
    self.id = id
    self.table = table
    self.deferred = deferred
    queue = PrefetchQueue(table.schema.prefetch)
  }

  /// The statistics of the loads.
  var counters: PrefetchCounters { queue.counters }
  /// The time of the next call to ``advance(to:outputs:)``.
  var deadline: Instant? { queue.deadline }

  // MARK: Sessions

  /// Requests the missing cells in the session's window and in its pinned rows, which are always
  /// visible, and withdraws its other requests.
  ///
  /// - Complexity: O(window), plus O(log n) for each cell requested now or before.
  mutating func follow(_ viewer: any Viewer, pinned: [RowKey], at now: Instant) {
    var targets: [PrefetchQueue<DeferredItem>.Target] = []
    let pinned = viewer.isHidden ? [] : pinned.compactMap { table.slot(of: $0).map(table.id(of:)) }
    let others = viewer.prefetchTargets.filter { !pinned.contains($0.row) }
    for (row, zone, distance) in pinned.map({ ($0, .visible, 0) }) + others {
      guard let slot = table.slot(of: row) else { continue }
      for column in deferred.columns {
        let item = DeferredItem(row: row, column: column)
        // Name loaded cells until they become visible, so that the queue counts them as hits.
        guard !deferred.isThere(slot, column) || (queue.isAnyReady && queue.isReady(item)) else { continue }
        targets.append(.init(item, zone, distance))
      }
    }
    queue.want(targets, by: viewer.id, at: now)
  }

  /// Withdraws all requests of the session.
  mutating func leave(_ session: SessionID, at now: Instant) { queue.leave(session, at: now) }

  // MARK: The source

  /// Updates the queue after changes from the source that deleted rows or delivered values.
  ///
  /// - Complexity: O(min(changes, cells known to the queue)).
  mutating func noteChanges(since position: Int, at now: Instant) {
    guard !queue.isEmpty else { return }
    let changes = table.log.since(position)
    guard changes.count < queue.count else {
      for item in Array(queue.items) { reconsider(item, at: now) }
      return
    }
    for change in changes {
      // The slot of a deleted row is not reused before the log is trimmed.
      let row = table.id(of: change.slot)
      for column in deferred.columns { reconsider(DeferredItem(row: row, column: column), at: now) }
    }
  }

  private mutating func reconsider(_ item: DeferredItem, at now: Instant) {
    guard let slot = table.slot(of: item.row) else { return queue.drop(item, at: now) }
    switch (deferred.isThere(slot, item.column), queue.isReady(item)) {
    case (true, false): queue.drop(item, at: now)
    // The row was deleted and inserted again under the same id, without its loaded values.
    case (false, true): queue.renew(item, at: now)
    default: break
    }
  }

  /// Stores a loaded value and returns whether the displayed row changes.
  mutating func load(_ cell: DeferredCell, _ value: Cell, at now: Instant) -> Bool {
    let pendingItem = takePending(cell)
    let slot = deferred.isDeferred(cell.column) ? table.slot(of: cell.key) : nil
    let item = slot.map { DeferredItem(row: table.id(of: $0), column: cell.column) }
    // The requested row may be gone or may have been replaced by another one under the same key.
    if let pendingItem, pendingItem != item { _ = queue.finish(pendingItem, at: now) }
    guard let slot, let item else {
      if pendingItem == nil { queue.noteUnrequested() }
      return false
    }
    // A late answer is older than the present value.
    guard !deferred.isThere(slot, cell.column) else {
      _ = queue.finish(item, at: now)
      return false
    }
    if let reason = table.load(cell.key, cell.column, value) {
      return queue.fail(item, at: now) && table.fail(slot, cell.column, String(reason.prefix(table.limits.reason)))
    }
    _ = queue.finish(item, at: now)
    return true
  }

  /// Records a failed load and returns whether the displayed row changes.
  mutating func fail(_ cell: DeferredCell, _ reason: String, at now: Instant) -> Bool {
    guard let item = takePending(cell) else { return false }
    _ = queue.fail(item, at: now)
    guard let slot = table.slot(of: cell.key) else { return false }
    return table.fail(slot, cell.column, String(reason.prefix(table.limits.reason)))
  }

  /// Invalidates a value and returns whether the displayed row changes.
  mutating func forget(_ cell: DeferredCell, at now: Instant) -> Bool {
    guard deferred.isDeferred(cell.column), let slot = table.slot(of: cell.key) else { return false }
    queue.renew(DeferredItem(row: table.id(of: slot), column: cell.column), at: now)
    return table.forget(slot, cell.column)
  }

  /// Retries all failed loads at once.
  mutating func retryFailed(at now: Instant) { queue.retryFailed(at: now) }

  /// Removes the unanswered load of a cell and returns its item.
  private mutating func takePending(_ cell: DeferredCell) -> DeferredItem? {
    guard let item = pendingItems.removeValue(forKey: cell) else { return nil }
    pending[item] = nil
    return item
  }

  // MARK: Time

  /// Appends the loads and cancels for the source, and returns whether a displayed row changes.
  mutating func advance(to now: Instant, outputs: inout [Output]) -> Bool {
    let commands = queue.advance(to: now)
    var hasChanged = false
    for item in commands.overdue {
      guard let slot = table.slot(of: item.row) else { continue }
      let reason = "no answer within \(table.schema.prefetch.patience)"
      hasChanged = table.fail(slot, item.column, reason) || hasChanged
    }
    let cancels = commands.cancels.compactMap { item in
      let cell = pending.removeValue(forKey: item)
      if let cell { pendingItems[cell] = nil }
      return cell
    }
    if !cancels.isEmpty { outputs.append(.cancel(id, cancels)) }
    let loads = commands.loads.compactMap { item in
      let cell = table.slot(of: item.row).map { DeferredCell(table.keys.key(of: $0), column: item.column) }
      pending[item] = cell
      if let cell { pendingItems[cell] = item }
      return cell
    }
    if !loads.isEmpty { outputs.append(.load(id, loads)) }
    return hasChanged
  }
}
