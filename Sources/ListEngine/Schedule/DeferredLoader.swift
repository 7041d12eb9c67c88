/// Has the deferred cells of one table loaded where someone looks, and takes what comes back.
///
/// It joins the ``PrefetchQueue``, which decides what is asked for and when, with the table, which knows what is missing. A loader of
/// a windowed source's pages would stand in this place, with the same queue.
struct DeferredLoader {
  private let id: TableID
  private let table: Table
  private let deferred: DeferredCells
  private var queue: PrefetchQueue<DeferredItem>
  /// What the source was asked for and has not answered: both ways, because a row's key is gone before its load is cancelled.
  private var asked: [DeferredItem: DeferredCell] = [:]
  private var askedItems: [DeferredCell: DeferredItem] = [:]

  /// `nil` when the table has no deferred columns.
  init?(_ table: Table, id: TableID) {
    guard let deferred = table.deferred else { return nil }
    self.id = id
    self.table = table
    self.deferred = deferred
    queue = PrefetchQueue(table.schema.prefetch)
  }

  /// What became of its loads.
  var counters: PrefetchCounters { queue.counters }
  /// When to call ``advance(to:outputs:)`` again.
  var deadline: Instant? { queue.deadline }

  // MARK: Sessions

  /// Wants what the session's page holds and has no value, and nothing else that it wanted before.
  ///
  /// - Complexity: O(window), and O(log n) for each cell that is wanted, now or before.
  mutating func follow(_ session: Session, at now: Instant) {
    var wishes: [PrefetchQueue<DeferredItem>.Wish] = []
    for (row, zone, distance) in session.prefetchTargets {
      guard let slot = table.slot(of: row) else { continue }
      for column in deferred.columns {
        let item = DeferredItem(row: row, column: column)
        // What was loaded in time is named until it is seen, so that it counts.
        guard !deferred.isThere(slot, column) || (queue.isAnyReady && queue.isReady(item)) else { continue }
        wishes.append(.init(item, zone, distance))
      }
    }
    queue.want(wishes, by: session.id, at: now)
  }

  /// The session looks at nothing here any more.
  mutating func leave(_ session: Session, at now: Instant) { queue.leave(session.id, at: now) }

  // MARK: The source

  /// Takes over what the source's changes did to cells that are wanted: rows went, or values came with them.
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
      // The slot of a row that went is not used again before the log is trimmed.
      let row = table.id(of: change.slot)
      for column in deferred.columns { reconsider(DeferredItem(row: row, column: column), at: now) }
    }
  }

  private mutating func reconsider(_ item: DeferredItem, at now: Instant) {
    guard let slot = table.slot(of: item.row) else { return queue.drop(item, at: now) }
    switch (deferred.isThere(slot, item.column), queue.isReady(item)) {
    case (true, false): queue.drop(item, at: now)
    // The row went and came back under its id, without what had been loaded.
    case (false, true): queue.renew(item, at: now)
    default: break
    }
  }

  /// A value came. The result is whether the row shows something else now.
  mutating func load(_ cell: DeferredCell, _ value: Cell, at now: Instant) -> Bool {
    let askedItem = takeAsked(cell)
    let slot = deferred.isDeferred(cell.column) ? table.slot(of: cell.key) : nil
    let item = slot.map { DeferredItem(row: table.id(of: $0), column: cell.column) }
    // It may have been asked for a row that is gone, or has another one in its place.
    if let askedItem, askedItem != item { _ = queue.finish(askedItem, at: now) }
    guard let slot, let item else {
      if askedItem == nil { queue.noteUnasked() }
      return false
    }
    // A late answer is older than what is there.
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

  /// A cell could not be loaded. The result is whether the row shows something else now.
  mutating func fail(_ cell: DeferredCell, _ reason: String, at now: Instant) -> Bool {
    guard let item = takeAsked(cell) else { return false }
    _ = queue.fail(item, at: now)
    guard let slot = table.slot(of: cell.key) else { return false }
    return table.fail(slot, cell.column, String(reason.prefix(table.limits.reason)))
  }

  /// A value is not true any more. The result is whether the row shows something else now.
  mutating func forget(_ cell: DeferredCell, at now: Instant) -> Bool {
    guard deferred.isDeferred(cell.column), let slot = table.slot(of: cell.key) else { return false }
    queue.renew(DeferredItem(row: table.id(of: slot), column: cell.column), at: now)
    return table.forget(slot, cell.column)
  }

  /// What a cell was asked for as; it is answered with this.
  private mutating func takeAsked(_ cell: DeferredCell) -> DeferredItem? {
    guard let item = askedItems.removeValue(forKey: cell) else { return nil }
    asked[item] = nil
    return item
  }

  // MARK: Time

  /// Tells the source what to do. The result is whether a row shows something else now.
  mutating func advance(to now: Instant, outputs: inout [Output]) -> Bool {
    let commands = queue.advance(to: now)
    var hasChanged = false
    for item in commands.overdue {
      guard let slot = table.slot(of: item.row) else { continue }
      let reason = "no answer within \(table.schema.prefetch.patience)"
      hasChanged = table.fail(slot, item.column, reason) || hasChanged
    }
    let cancels = commands.cancels.compactMap { item in
      let cell = asked.removeValue(forKey: item)
      if let cell { askedItems[cell] = nil }
      return cell
    }
    if !cancels.isEmpty { outputs.append(.cancel(id, cancels)) }
    let loads = commands.loads.compactMap { item in
      let cell = table.slot(of: item.row).map { DeferredCell(table.keys.key(of: $0), column: item.column) }
      asked[item] = cell
      if let cell { askedItems[cell] = item }
      return cell
    }
    if !loads.isEmpty { outputs.append(.load(id, loads)) }
    return hasChanged
  }
}
