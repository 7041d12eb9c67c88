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
    let tiles: [Entry]
    /// The last report, or `nil` before the first.
    var sent: TileReports?
    var sentAt: Instant?
    var pendingReport = PendingReport.atOnce
  }

  /// The report that a client gets next.
  private enum PendingReport: Comparable {
    /// None, until a tile changes.
    case nothing
    /// One that follows the last one after a second at the earliest.
    case inTime
    /// One that does not wait.
    case atOnce
  }

  /// A tile of a client: the one that it shares, or the reason for its refusal.
  private enum Entry {
    case shared(Tile)
    case refused(ClientError)
  }

  private let table: Table
  /// All tiles, in order of creation.
  private var tiles: [Tile] = []
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
  /// The time for which a tile without clients is kept, so that a reloaded page finds its history.
  private static let rest: Duration = .seconds(10)

  init(_ table: Table) { self.table = table }

  /// The number of tiles that clients show, and of those kept for a while.
  var counts: (watched: Int, resting: Int) {
    let watched = tiles.count { $0.watchers > 0 }
    return (watched, tiles.count - watched)
  }

  // MARK: Clients

  /// Replaces the tiles of a client; no tiles end its reports.
  func watch(_ session: Session, id: UInt64, _ requestedTiles: [RequestedTile], at now: Instant) {
    // Tiles that the client keeps rest until they are found again below.
    leave(session.id, at: now)
    guard !requestedTiles.isEmpty else { return }
    let schema = session.isRestricted ? table.schema.restricted : table.schema
    var own = tilesOfOwner(session)
    var entries: [Entry] = []
    for (index, requestedTile) in requestedTiles.prefix(table.limits.tilesPerSession).enumerated() {
      do throws(ClientError) {
        let tile = try tile(requestedTile, at: index, in: schema, own: own)
        own.insert(ObjectIdentifier(tile))
        tile.watchers += 1
        tile.unwatchedSince = nil
        entries.append(.shared(tile))
      } catch {
        entries.append(.refused(error))
      }
    }
    watchers[session.id] = Watcher(session: session, id: id, tiles: entries)
    hasPendingReports = true
  }

  private func tile(
    _ requestedTile: RequestedTile, at index: Int, in schema: Schema, own: Set<ObjectIdentifier>
  ) throws(ClientError) -> Tile {
    switch requestedTile {
    case .malformed(let error): throw error
    case .tile(let request, let written):
      let query = try TileQuery(
        request, written: written, in: schema, limits: table.limits, place: "tiles[\(index)]")
      return try tile(query, own: own)
    }
  }

  /// Returns the tile of a query, which may be a new one.
  ///
  /// - Parameter own: The tiles of all clients with the same owner.
  /// - Throws: ``ClientError`` if the source keeps the rows, or if a limit is reached.
  private func tile(_ query: TileQuery, own: Set<ObjectIdentifier>) throws(ClientError) -> Tile {
    if let tile = tiles.first(where: { $0.query == query }) {
      if !own.contains(ObjectIdentifier(tile)) { try checkShare(own) }
      return tile
    }
    guard table.schema.windowed == nil || query.isRowCount else {
      throw .remainderTooLarge("the rows of this table stay at its source, which gives only their number")
    }
    let limits = table.limits
    guard tiles.count(where: { $0.watchers > 0 }) < limits.tiles else {
      throw .tooManyViews("clients look at \(limits.tiles) different tiles of this table already: remove one")
    }
    try checkShare(own)
    let bytes = tiles.reduce(query.bytesPerRow) { $0 + $1.query.bytesPerRow }
    guard query.isRowCount || table.count <= limits.viewBytes / 4 / bytes else {
      throw .tooManyViews("the tiles of this table take all the memory that they may: remove one")
    }
    if tiles.count >= limits.tiles, let oldest = tiles.firstIndex(where: { $0.watchers == 0 }) {
      tiles.remove(at: oldest)
    }
    let tile = Tile(query, table: table)
    tiles.append(tile)
    return tile
  }

  private func checkShare(_ own: Set<ObjectIdentifier>) throws(ClientError) {
    let share = table.limits.tilesPerOwner
    guard own.count < share else {
      throw .tooManyViews("the clients of one token look at \(share) different tiles of this table already: remove one")
    }
  }

  private func tilesOfOwner(_ session: Session) -> Set<ObjectIdentifier> {
    guard let owner = session.owner else { return [] }
    var own: Set<ObjectIdentifier> = []
    for watcher in watchers.values where watcher.session.owner == owner {
      for case .shared(let tile) in watcher.tiles { own.insert(ObjectIdentifier(tile)) }
    }
    return own
  }

  /// Removes a client that closes the table.
  func leave(_ session: SessionID, at now: Instant) {
    if let watcher = watchers.removeValue(forKey: session) { release(watcher, at: now) }
  }

  private func release(_ watcher: Watcher, at now: Instant) {
    for case .shared(let tile) in watcher.tiles {
      tile.watchers -= 1
      if tile.watchers == 0 { tile.unwatchedSince = now }
    }
  }

  /// Schedules the report of a client that has become visible or has resumed.
  func refresh(_ session: SessionID) {
    guard watchers[session] != nil else { return }
    watchers[session]?.pendingReport = .atOnce
    hasPendingReports = true
  }

  // MARK: Changes

  /// Records that the table has changed.
  func noteChange(at now: Instant) {
    guard !tiles.isEmpty else { return }
    throttle.noteChange(at: now)
    if table.log.entries.count > ViewSet.longestLog { shorten() }
  }

  /// The position of the first change that a tile still needs, or `nil` without tiles.
  var logPosition: Int? { tiles.lazy.filter { !$0.query.isRowCount }.map(\.position).min() }

  /// Whether every tile can take more changes.
  var hasRoom: Bool { backlog < table.limits.backlog }

  private var backlog: Int { tiles.lazy.map(\.backlog).max() ?? 0 }

  /// Shortens the log: tiles that are too far behind are dropped, or count all rows again.
  private func shorten() {
    tiles.removeAll { $0.watchers == 0 && $0.backlog > 0 }
    for tile in tiles where tile.backlog > max(ViewSet.longestLog, Int(table.slots)) {
      tile.restart()
      isBehind = true
    }
  }

  // MARK: Time

  /// Applies changes within the work limit of one turn, and reports what is due.
  ///
  /// - Parameter rows: The number of rows of the table, or `nil` if unknown.
  func advance(to now: Instant, rows: Int?, outputs: inout [Output]) {
    throttle.follow(now)
    tiles.removeAll { tile in tile.unwatchedSince.map { $0 > now || $0.duration(to: now) >= Self.rest } ?? false }
    guard !tiles.isEmpty || hasPendingReports else { return }
    for tile in tiles where tile.noteCrossing() { throttle.noteChange(at: now) }
    if throttle.takeFlush(at: now) { schedule(.inTime) { _ in true } }
    if let nextReport, nextReport <= now || nextReport > now.advanced(by: Self.interval) { hasPendingReports = true }
    guard hasPendingReports || isBehind || backlog * 2 >= table.limits.backlog else { return }
    applyChanges()
    guard hasPendingReports else { return }
    var isSteady = true
    for tile in tiles where tile.isCurrent && !tile.isScanning {
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
    for tile in tiles where !tile.catchUp(&work) { isBehind = true }
    for tile in tiles where tile.isScanning && tile.isCurrent {
      if tile.scan(&scanWork) {
        schedule(.atOnce) { $0.sent?.tiles.contains(.pending) == true }
      } else {
        isBehind = true
      }
    }
  }

  private func schedule(_ pendingReport: PendingReport, _ isConcerned: (Watcher) -> Bool) {
    for (id, watcher) in watchers where isConcerned(watcher) {
      watchers[id]?.pendingReport = max(watcher.pendingReport, pendingReport)
    }
    hasPendingReports = true
  }

  /// Reports to the clients whose tiles have changed, and returns whether all could be served that
  /// are due.
  private func report(at now: Instant, _ outputs: inout [Output]) -> Bool {
    var isComplete = true
    nextReport = nil
    for id in watchers.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      guard let watcher = watchers[id], watcher.pendingReport != .nothing else { continue }
      // After the clock has gone back, the last report was later than now.
      if watcher.pendingReport == .inTime, let sentAt = watcher.sentAt, sentAt <= now,
        sentAt.duration(to: now) < Self.interval
      {
        let due = sentAt.advanced(by: Self.interval)
        nextReport = min(nextReport ?? due, due)
        continue
      }
      // A hidden or paused client is owed a new report when that ends.
      guard !watcher.session.isQuiet || (watcher.sent == nil && !watcher.session.isHidden) else {
        watchers[id]?.pendingReport = .nothing
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
      watchers[id]?.pendingReport = .nothing
      let reports = TileReports(id: watcher.id, tiles: outcomes)
      guard reports != watcher.sent else { continue }
      watchers[id]?.sent = reports
      watchers[id]?.sentAt = now
      outputs.append(.tiles(id, reports))
    }
    return isComplete
  }

  /// The time of the next call to ``advance(to:rows:outputs:)``, or `nil` if nothing is due.
  ///
  /// - Complexity: O(tiles).
  var deadline: Instant? {
    guard !tiles.isEmpty else { return hasPendingReports ? .zero : nil }
    if hasPendingReports || isBehind || backlog * 2 >= table.limits.backlog { return .zero }
    let ends = tiles.compactMap { $0.unwatchedSince?.advanced(by: Self.rest) }
    return ([throttle.deadline, nextReport] + ends + tiles.map(\.crossingDeadline)).compactMap(\.self).min()
  }
}
