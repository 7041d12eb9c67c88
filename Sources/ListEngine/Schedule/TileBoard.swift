/// The tiles of a table and the clients that show them.
///
/// Clients receive all their tiles at most once a second, and only if one has changed. The first
/// report after an input of the client does not wait. A paused or hidden client receives it when it
/// resumes.
final class TileBoard {
  /// The tiles of one client.
  private struct Watcher {
    let session: Session
    let id: UInt64
    let tiles: [CountPool<Tile>.Entry]
    /// The last report, or `nil` before the first.
    var sent: TileReports?
    var pace = ReportPace()
  }

  private let table: Table
  /// A tile without clients is kept, so that a reloaded page finds its history.
  private let pool = CountPool<Tile>(rest: .seconds(10))
  private var watchers: [SessionID: Watcher] = [:]
  private var throttle = Throttle(interval: TileBoard.interval)
  /// Whether a client is owed a report in this turn.
  private var hasPendingReports = false
  /// The time of the next report to a client whose last one was less than a second ago.
  private var nextReport: Instant?
  /// Whether a tile has more changes or rows than the last turn had work for.
  private var isBehind = false

  /// The least distance of two reports to a client.
  private static let interval: Duration = .seconds(1)

  init(_ table: Table) { self.table = table }

  /// The number of tiles that clients show, and of those kept for a while.
  var counts: (watched: Int, resting: Int) { pool.numbers }

  // MARK: Clients

  /// Replaces the tiles of a client; no tiles end its reports.
  func watch(_ session: Session, id: UInt64, _ requestedTiles: [RequestedTile], at now: Instant) {
    // Tiles that the client keeps rest until they are found again below.
    leave(session.id, at: now)
    guard !requestedTiles.isEmpty else { return }
    let schema = session.isRestricted ? table.schema.restricted : table.schema
    let requestedTiles = requestedTiles.prefix(table.limits.tilesPerSession)
    let tiles = pool.entries(requestedTiles, own: tilesOfOwner(session)) { requested, index, own throws(ClientError) in
      switch requested {
      case .malformed(let error): throw error
      case .tile(let request, let written):
        let place = "tiles[\(index)]"
        let query = try TileQuery(request, written: written, in: schema, limits: table.limits, place: place)
        return try tile(query, own: own)
      }
    }
    watchers[session.id] = Watcher(session: session, id: id, tiles: tiles)
    hasPendingReports = true
  }

  /// Returns the tile of a query, which may be a new one.
  ///
  /// - Throws: ``ClientError`` if the source keeps the rows, or if a limit is reached.
  private func tile(_ query: TileQuery, own: Set<ObjectIdentifier>) throws(ClientError) -> Tile {
    guard table.schema.windowed == nil || query.isRowCount else {
      throw .remainderTooLarge("the rows of this table stay at its source, which gives only their number")
    }
    let limits = table.limits
    return try pool.take(
      { $0.query == query }, own: own, share: limits.tilesPerOwner, most: limits.tiles
    ) { () throws(ClientError) in
      let bytes = pool.counts.reduce(query.bytesPerRow) { $0 + $1.query.bytesPerRow }
      guard query.isRowCount || table.count <= limits.viewBytes / 4 / bytes else {
        throw CountPool<Tile>.takesTooMuch
      }
      return Tile(query, table: table)
    }
  }

  private func tilesOfOwner(_ session: Session) -> Set<ObjectIdentifier> {
    guard let owner = session.owner else { return [] }
    return CountPool<Tile>.identities(watchers.values.lazy.filter { $0.session.owner == owner }.flatMap(\.tiles))
  }

  /// Removes a client that closes the table.
  func leave(_ session: SessionID, at now: Instant) {
    if let watcher = watchers.removeValue(forKey: session) { pool.release(watcher.tiles, at: now) }
  }

  /// Schedules the report of a client that has become visible or has resumed.
  func refresh(_ session: SessionID) {
    guard watchers[session] != nil else { return }
    watchers[session]?.pace.schedule(.atOnce)
    hasPendingReports = true
  }

  // MARK: Changes

  /// Records that the table has changed.
  func noteChange(at now: Instant) {
    guard !pool.counts.isEmpty else { return }
    throttle.noteChange(at: now)
    guard table.log.entries.count > ViewSet.longestLog else { return }
    if pool.shorten(longest: max(ViewSet.longestLog, Int(table.slots))) { isBehind = true }
  }

  /// The position of the first change that a tile still needs, or `nil` without tiles.
  var logPosition: Int? { pool.counts.lazy.filter { !$0.query.isRowCount }.map(\.position).min() }

  /// Whether every tile can take more changes.
  var hasRoom: Bool { pool.backlog < table.limits.backlog }

  // MARK: Time

  /// Applies changes within the work limit of one turn, and reports what is due.
  ///
  /// - Parameter rows: The number of rows of the table, or `nil` if unknown.
  func advance(to now: Instant, rows: Int?, outputs: inout [Output]) {
    throttle.follow(now)
    pool.removeRested(at: now)
    guard !pool.counts.isEmpty || hasPendingReports else { return }
    for tile in pool.counts where tile.noteCrossing() { throttle.noteChange(at: now) }
    if throttle.takeFlush(at: now) { schedule(.inTime) { _ in true } }
    if let nextReport, nextReport <= now || nextReport > now.advanced(by: Self.interval) { hasPendingReports = true }
    guard hasPendingReports || isBehind || pool.backlog * 2 >= table.limits.backlog else { return }
    applyChanges()
    guard hasPendingReports else { return }
    var isSteady = true
    for tile in pool.counts where tile.isCurrent && !tile.isScanning {
      tile.checkInvariants()
      tile.refresh(rows: rows, at: now)
      isSteady = isSteady && tile.isSteady
    }
    // A course moves on although no row changes.
    if !isSteady { throttle.noteChange(at: now) }
    hasPendingReports = !report(at: now, &outputs)
  }

  private func applyChanges() {
    // A tile under construction makes progress even if the others have all the work.
    var (work, scanWork) = (max(1, table.limits.stepRows / 4), max(1, table.limits.stepRows / 4))
    isBehind = false
    for tile in pool.counts where !tile.catchUp(&work) { isBehind = true }
    for tile in pool.counts where tile.isScanning && tile.isCurrent {
      if tile.scan(&scanWork) {
        schedule(.atOnce) { $0.sent?.tiles.contains(.pending) == true }
      } else {
        isBehind = true
      }
    }
  }

  private func schedule(_ report: ReportPace.Pending, _ isConcerned: (Watcher) -> Bool) {
    for (id, watcher) in watchers where isConcerned(watcher) { watchers[id]?.pace.schedule(report) }
    hasPendingReports = true
  }

  /// Reports to the clients whose tiles have changed, and returns whether all could be served that
  /// are due.
  private func report(at now: Instant, _ outputs: inout [Output]) -> Bool {
    var isComplete = true
    nextReport = nil
    for id in watchers.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      guard let watcher = watchers[id], watcher.pace.pending != .nothing else { continue }
      guard watcher.pace.isDue(after: Self.interval, at: now) else {
        let due = watcher.pace.time(after: Self.interval)
        nextReport = min(nextReport ?? due, due)
        continue
      }
      // A hidden or paused client is owed a new report when that ends.
      guard !watcher.session.isQuiet || (watcher.sent == nil && !watcher.session.isHidden) else {
        watchers[id]?.pace.settle()
        continue
      }
      var outcomes: [TileOutcome] = []
      for entry in watcher.tiles {
        switch entry {
        case .refused(let error): outcomes.append(.refused(error))
        case .shared(let tile) where !tile.isCurrent: break
        case .shared(let tile): outcomes.append(tile.isScanning ? .pending : .value(tile.report))
        }
      }
      guard outcomes.count == watcher.tiles.count else {
        isComplete = false
        continue
      }
      let reports = TileReports(id: watcher.id, tiles: outcomes)
      watchers[id]?.pace.settle(sentAt: reports == watcher.sent ? nil : now)
      guard reports != watcher.sent else { continue }
      watchers[id]?.sent = reports
      outputs.append(.tiles(id, reports))
    }
    return isComplete
  }

  /// The time of the next call to ``advance(to:rows:outputs:)``, or `nil` if nothing is due.
  ///
  /// - Complexity: O(tiles).
  var deadline: Instant? {
    guard !pool.counts.isEmpty else { return hasPendingReports ? .zero : nil }
    if hasPendingReports || isBehind || pool.backlog * 2 >= table.limits.backlog { return .zero }
    let crossing = pool.counts.lazy.compactMap(\.crossingDeadline).min()
    return [throttle.deadline, nextReport, crossing, pool.nextRemoval].compactMap(\.self).min()
  }
}
