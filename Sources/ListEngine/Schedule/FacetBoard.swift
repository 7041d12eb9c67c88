/// The facets of a table and the clients that show them.
///
/// Clients receive the facets that have changed, at most once per interval of their session. The
/// first report after an input of the client does not wait. A paused or hidden client receives it
/// when it resumes.
final class FacetBoard {
  /// The facets of one client.
  private struct Watcher {
    let session: Session
    let id: UInt64
    let requestedFacets: [RequestedFacet]
    /// The query whose rows count.
    var query: Query
    var facets: [Entry]
    /// Whether each facet has not been reported since the last input of the client.
    var isAwaited: [Bool]
    /// The last outcome reported of each facet, or `nil` before the first.
    var sent: [FacetOutcome?]
    var pace = ReportPace()

    /// The least distance of two reports.
    var interval: Duration { max(FacetBoard.leastInterval, session.pacing.throttle.interval) }
    /// The time from which a report is due.
    var nextReport: Instant { pace.time(after: interval) }
    /// Whether changes of the table are not counted yet.
    var lacksChanges: Bool {
      facets.contains { if case .shared(let facet) = $0 { !facet.isCurrent } else { false } }
    }
  }

  private typealias Entry = CountPool<Facet>.Entry

  private let table: Table
  private let pool = CountPool<Facet>(rest: .seconds(10))
  private var watchers: [SessionID: Watcher] = [:]
  /// Whether the table has changed since the last turn.
  private var hasChanged = false
  /// The earliest time at which a client may get the next report, or `nil` without such clients.
  private var nextReport: Instant?
  /// Whether a facet has more changes or rows than the last turn had work for.
  private var isBehind = false

  /// The least distance of two reports to a client that accepts patches more often.
  private static let leastInterval: Duration = .milliseconds(100)

  init(_ table: Table) { self.table = table }

  /// The number of facets that clients show, and of those kept for users who go back.
  var counts: (watched: Int, resting: Int) { pool.numbers }

  // MARK: Clients

  /// Replaces the facets of a client; no facets end its reports.
  func watch(_ session: Session, id: UInt64, _ requestedFacets: [RequestedFacet], of query: Query, at now: Instant) {
    leave(session.id, at: now)
    guard !requestedFacets.isEmpty else { return }
    let requestedFacets = Array(requestedFacets.prefix(table.limits.facetsPerSession))
    watchers[session.id] = Watcher(
      session: session, id: id, requestedFacets: requestedFacets, query: query,
      facets: entries(requestedFacets, of: query, for: session),
      isAwaited: Array(repeating: true, count: requestedFacets.count),
      sent: Array(repeating: nil, count: requestedFacets.count))
    nextReport = .zero
  }

  /// Counts the rows of another query for a client, if it shows facets.
  func follow(_ session: Session, _ query: Query, at now: Instant) {
    guard !watchers.isEmpty, let watcher = watchers[session.id], watcher.query != query else { return }
    pool.release(watcher.facets, at: now)
    watchers[session.id]?.query = query
    watchers[session.id]?.facets = entries(watcher.requestedFacets, of: query, for: session)
    watchers[session.id]?.isAwaited = Array(repeating: true, count: watcher.requestedFacets.count)
    refresh(session.id)
  }

  private func entries(_ requestedFacets: [RequestedFacet], of query: Query, for session: Session) -> [Entry] {
    let schema = session.isRestricted ? table.schema.restricted : table.schema
    return pool.entries(requestedFacets, own: facetsOfOwner(session)) { requested, index, own throws(ClientError) in
      switch requested {
      case .malformed(let error): throw error
      case .facet(let request):
        return try facet(FacetQuery(request, of: query, in: schema, place: "facets[\(index)]"), own: own)
      }
    }
  }

  /// Returns the facet of a query, which may be a new one.
  ///
  /// - Throws: ``ClientError`` if the source keeps the rows, or if a limit is reached.
  private func facet(_ query: FacetQuery, own: Set<ObjectIdentifier>) throws(ClientError) -> Facet {
    guard table.schema.windowed == nil else {
      throw .remainderTooLarge("the rows of this table stay at its source, so their values cannot be counted")
    }
    let limits = table.limits
    return try pool.take(
      { $0.query == query }, own: own, share: limits.facetsPerOwner, most: limits.facets
    ) { () throws(ClientError) in
      guard table.count <= limits.viewBytes / 4 / (Facet.bytesPerRow * (pool.counts.count + 1)) else {
        throw CountPool<Facet>.takesTooMuch
      }
      return Facet(query, table: table)
    }
  }

  private func facetsOfOwner(_ session: Session) -> Set<ObjectIdentifier> {
    guard let owner = session.owner else { return [] }
    let others = watchers.values.lazy.filter { $0.session.owner == owner && $0.session !== session }
    return CountPool<Facet>.identities(others.flatMap(\.facets))
  }

  /// Removes a client that closes the table.
  func leave(_ session: SessionID, at now: Instant) {
    guard !watchers.isEmpty, let watcher = watchers.removeValue(forKey: session) else { return }
    pool.release(watcher.facets, at: now)
  }

  /// Schedules the report of a client that has become visible, has resumed or shows another query.
  func refresh(_ session: SessionID) {
    guard !watchers.isEmpty, watchers[session] != nil else { return }
    watchers[session]?.pace.schedule(.atOnce)
    nextReport = .zero
  }

  // MARK: Changes

  /// Records that the table has changed.
  func noteChange() {
    guard !pool.counts.isEmpty else { return }
    hasChanged = true
    guard table.log.entries.count > ViewSet.longestLog else { return }
    if pool.shorten(longest: max(ViewSet.longestLog, Int(table.slots))) { isBehind = true }
  }

  /// The position of the first change that a facet still needs, or `nil` without facets.
  var logPosition: Int? { pool.counts.lazy.map(\.position).min() }

  /// Whether every facet can take more changes.
  var hasRoom: Bool { pool.backlog < table.limits.backlog }

  // MARK: Time

  /// Applies changes within the work limit of one turn, and reports what is due.
  func advance(to now: Instant, outputs: inout [Output]) {
    guard !pool.counts.isEmpty || !watchers.isEmpty else { return }
    pool.removeRested(at: now)
    for facet in pool.counts where facet.watchers > 0 && facet.noteCrossing() { hasChanged = true }
    if hasChanged {
      schedule(.inTime) { _ in true }
      hasChanged = false
    }
    let due = watchers.lazy.filter { $0.value.pace.isDue(after: $0.value.interval, at: now) }.map(\.key)
      .sorted { $0.rawValue < $1.rawValue }
    if !due.isEmpty || isBehind || pool.backlog * 2 >= table.limits.backlog {
      applyChanges()
      refreshFacets()
      for id in due { report(to: id, at: now, &outputs) }
    }
    nextReport = watchers.values.lazy.filter { $0.pace.pending != .nothing }.map(\.nextReport).min()
  }

  private func applyChanges() {
    // A facet under construction makes progress even if the others have all the work.
    var (work, scanWork) = (max(1, table.limits.stepRows / 4), max(1, table.limits.stepRows / 4))
    isBehind = false
    for facet in pool.counts where !facet.catchUp(&work) { isBehind = true }
    for facet in pool.counts where facet.isScanning && facet.isCurrent {
      if !facet.scan(&scanWork) { isBehind = true }
    }
  }

  private func refreshFacets() {
    for facet in pool.counts where facet.isCurrent && !facet.isScanning {
      facet.checkInvariants()
      let wasPending = facet.outcome == .pending
      if facet.refresh() {
        isBehind = true
      } else if wasPending {
        schedule(.atOnce) { watcher in
          zip(watcher.facets, watcher.isAwaited).contains {
            if case .shared(let other) = $0 { $1 && other === facet } else { false }
          }
        }
        schedule(.inTime) { _ in true }
      }
    }
  }

  private func schedule(_ report: ReportPace.Pending, _ isConcerned: (Watcher) -> Bool) {
    for (id, watcher) in watchers where watcher.pace.pending < report && isConcerned(watcher) {
      watchers[id]?.pace.schedule(report)
    }
  }

  // MARK: Reports

  /// Reports the changed facets to a client that is due, unless one of them lacks changes.
  private func report(to id: SessionID, at now: Instant, _ outputs: inout [Output]) {
    guard let watcher = watchers[id], !watcher.lacksChanges else { return }
    // A hidden or paused client is owed a new report when that ends.
    let isFirst = watcher.pace.sentAt == nil && !watcher.session.isHidden
    guard !watcher.session.isQuiet || isFirst else {
      watchers[id]?.pace.settle()
      return
    }
    var reports = FacetReports(id: watcher.id, facets: [])
    for (place, entry) in watcher.facets.enumerated() {
      let outcome: FacetOutcome
      switch entry {
      case .refused(let error): outcome = .refused(error)
      case .shared(let facet): outcome = facet.outcome
      }
      if outcome != .pending { watchers[id]?.isAwaited[place] = false }
      // The client keeps the former counts while the rows are counted again.
      guard outcome != watcher.sent[place], outcome != .pending || watcher.sent[place] == nil else { continue }
      watchers[id]?.sent[place] = outcome
      reports.facets.append(FacetReports.Entry(place, outcome))
    }
    watchers[id]?.pace.settle(sentAt: reports.facets.isEmpty ? nil : now)
    guard !reports.facets.isEmpty else { return }
    outputs.append(.facets(id, reports))
  }

  /// The time of the next call to ``advance(to:outputs:)``, or `nil` if nothing is due.
  ///
  /// - Complexity: O(clients + facets).
  var deadline: Instant? {
    guard !pool.counts.isEmpty || !watchers.isEmpty else { return nil }
    if isBehind || pool.backlog * 2 >= table.limits.backlog { return .zero }
    let change = hasChanged ? watchers.values.lazy.filter { !$0.session.isQuiet }.map(\.nextReport).min() : nil
    let crossings = pool.counts.lazy.filter { $0.watchers > 0 }.compactMap(\.crossingDeadline)
    return [nextReport, change, crossings.min(), pool.nextRemoval].compactMap(\.self).min()
  }
}
