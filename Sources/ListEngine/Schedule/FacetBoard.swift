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
    var sentAt: Instant?
    var pendingReport = PendingReport.atOnce
  }

  /// The report that a client gets next.
  private enum PendingReport: Comparable {
    /// None, until a facet changes.
    case nothing
    /// One that follows the last one after the session's interval at the earliest.
    case inTime
    /// One that does not wait.
    case atOnce
  }

  /// A facet of a client: the one that it shares, or the reason for its refusal.
  private enum Entry {
    case shared(Facet)
    case refused(ClientError)

    /// Whether changes of the table are not counted yet.
    var lacksChanges: Bool { if case .shared(let facet) = self { !facet.isCurrent } else { false } }
  }

  private let table: Table
  /// All facets, in order of creation.
  private var facets: [Facet] = []
  private var watchers: [SessionID: Watcher] = [:]
  /// Whether the table has changed since the last turn.
  private var hasChanged = false
  /// The earliest time at which a client may get the next report, or `nil` without such clients.
  private var nextReport: Instant?
  /// Whether a facet has more changes or rows than the last turn had work for.
  private var isBehind = false

  /// The least distance of two reports to a client that accepts patches more often.
  private static let leastInterval: Duration = .milliseconds(100)
  /// The time for which a facet without clients is kept, for users who go back.
  private static let rest: Duration = .seconds(10)

  init(_ table: Table) { self.table = table }

  /// The number of facets that clients show, and of those kept for a while.
  var counts: (watched: Int, resting: Int) {
    let watched = facets.count { $0.watchers > 0 }
    return (watched, facets.count - watched)
  }

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
    release(watcher, at: now)
    watchers[session.id]?.query = query
    watchers[session.id]?.facets = entries(watcher.requestedFacets, of: query, for: session)
    watchers[session.id]?.isAwaited = Array(repeating: true, count: watcher.requestedFacets.count)
    refresh(session.id)
  }

  private func entries(_ requestedFacets: [RequestedFacet], of query: Query, for session: Session) -> [Entry] {
    let schema = session.isRestricted ? table.schema.restricted : table.schema
    var own = facetsOfOwner(session)
    var entries: [Entry] = []
    for (index, requestedFacet) in requestedFacets.enumerated() {
      do throws(ClientError) {
        let facet = try facet(requestedFacet, of: query, at: index, in: schema, own: own)
        own.insert(ObjectIdentifier(facet))
        facet.watchers += 1
        facet.unwatchedSince = nil
        entries.append(.shared(facet))
      } catch {
        entries.append(.refused(error))
      }
    }
    return entries
  }

  private func facet(
    _ requestedFacet: RequestedFacet, of query: Query, at index: Int, in schema: Schema, own: Set<ObjectIdentifier>
  ) throws(ClientError) -> Facet {
    switch requestedFacet {
    case .malformed(let error): throw error
    case .facet(let request):
      return try facet(FacetQuery(request, of: query, in: schema, place: "facets[\(index)]"), own: own)
    }
  }

  /// Returns the facet of a query, which may be a new one.
  ///
  /// - Parameter own: The facets of all clients with the same owner.
  /// - Throws: ``ClientError`` if the source keeps the rows, or if a limit is reached.
  private func facet(_ query: FacetQuery, own: Set<ObjectIdentifier>) throws(ClientError) -> Facet {
    if let facet = facets.first(where: { $0.query == query }) {
      if !own.contains(ObjectIdentifier(facet)) { try checkShare(own) }
      return facet
    }
    guard table.schema.windowed == nil else {
      throw .remainderTooLarge("the rows of this table stay at its source, so their values cannot be counted")
    }
    let limits = table.limits
    guard facets.count(where: { $0.watchers > 0 }) < limits.facets else {
      throw .tooManyViews("clients look at \(limits.facets) different facets of this table already: remove one")
    }
    try checkShare(own)
    guard table.count <= limits.viewBytes / 4 / (Facet.bytesPerRow * (facets.count + 1)) else {
      throw .tooManyViews("the facets of this table take all the memory that they may: remove one")
    }
    if facets.count >= limits.facets, let oldest = facets.firstIndex(where: { $0.watchers == 0 }) {
      facets.remove(at: oldest)
    }
    let facet = Facet(query, table: table)
    facets.append(facet)
    return facet
  }

  private func checkShare(_ own: Set<ObjectIdentifier>) throws(ClientError) {
    let share = table.limits.facetsPerOwner
    guard own.count < share else {
      throw .tooManyViews(
        "the clients of one token look at \(share) different facets of this table already: remove one")
    }
  }

  private func facetsOfOwner(_ session: Session) -> Set<ObjectIdentifier> {
    guard let owner = session.owner else { return [] }
    var own: Set<ObjectIdentifier> = []
    for watcher in watchers.values where watcher.session.owner == owner && watcher.session !== session {
      for case .shared(let facet) in watcher.facets { own.insert(ObjectIdentifier(facet)) }
    }
    return own
  }

  /// Removes a client that closes the table.
  func leave(_ session: SessionID, at now: Instant) {
    guard !watchers.isEmpty, let watcher = watchers.removeValue(forKey: session) else { return }
    release(watcher, at: now)
  }

  private func release(_ watcher: Watcher, at now: Instant) {
    for case .shared(let facet) in watcher.facets {
      facet.watchers -= 1
      if facet.watchers == 0 { facet.unwatchedSince = now }
    }
  }

  /// Schedules the report of a client that has become visible, has resumed or shows another query.
  func refresh(_ session: SessionID) {
    guard !watchers.isEmpty, watchers[session] != nil else { return }
    watchers[session]?.pendingReport = .atOnce
    nextReport = .zero
  }

  // MARK: Changes

  /// Records that the table has changed.
  func noteChange() {
    guard !facets.isEmpty else { return }
    hasChanged = true
    if table.log.entries.count > ViewSet.longestLog { shorten() }
  }

  /// The position of the first change that a facet still needs, or `nil` without facets.
  var logPosition: Int? { facets.lazy.map(\.position).min() }

  /// Whether every facet can take more changes.
  var hasRoom: Bool { backlog < table.limits.backlog }

  private var backlog: Int { facets.lazy.map(\.backlog).max() ?? 0 }

  /// Shortens the log: facets that are too far behind are dropped, or count all rows again.
  private func shorten() {
    facets.removeAll { $0.watchers == 0 && $0.backlog > 0 }
    for facet in facets where facet.backlog > max(ViewSet.longestLog, Int(table.slots)) {
      facet.restart()
      isBehind = true
    }
  }

  // MARK: Time

  /// Applies changes within the work limit of one turn, and reports what is due.
  func advance(to now: Instant, outputs: inout [Output]) {
    guard !facets.isEmpty || !watchers.isEmpty else { return }
    facets.removeAll { facet in
      facet.unwatchedSince.map { $0 > now || $0.duration(to: now) >= Self.rest } ?? false
    }
    for facet in facets where facet.watchers > 0 && facet.noteCrossing() { hasChanged = true }
    if hasChanged {
      schedule(.inTime) { _ in true }
      hasChanged = false
    }
    let due = watchers.keys.filter { isDue($0, at: now) }.sorted { $0.rawValue < $1.rawValue }
    if !due.isEmpty || isBehind || backlog * 2 >= table.limits.backlog {
      applyChanges()
      refreshFacets()
      for id in due { report(to: id, at: now, &outputs) }
    }
    nextReport = watchers.values.lazy.filter { $0.pendingReport != .nothing }.map { self.time(of: $0) }.min()
  }

  private func applyChanges() {
    // A facet under construction makes progress even if the others have all the work.
    var (work, scanWork) = (max(1, table.limits.stepRows / 4), max(1, table.limits.stepRows / 4))
    isBehind = false
    for facet in facets where !facet.catchUp(&work) { isBehind = true }
    for facet in facets where facet.isScanning && facet.isCurrent {
      if !facet.scan(&scanWork) { isBehind = true }
    }
  }

  private func refreshFacets() {
    for facet in facets where facet.isCurrent && !facet.isScanning {
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

  private func schedule(_ pendingReport: PendingReport, _ isConcerned: (Watcher) -> Bool) {
    for (id, watcher) in watchers where watcher.pendingReport < pendingReport && isConcerned(watcher) {
      watchers[id]?.pendingReport = pendingReport
    }
  }

  // MARK: Reports

  /// The time from which a report to a client is due.
  private func time(of watcher: Watcher) -> Instant {
    guard watcher.pendingReport != .atOnce, let sentAt = watcher.sentAt else { return .zero }
    return sentAt.advanced(by: max(Self.leastInterval, watcher.session.pacing.throttle.interval))
  }

  private func isDue(_ id: SessionID, at now: Instant) -> Bool {
    guard let watcher = watchers[id], watcher.pendingReport != .nothing else { return false }
    // After the clock has gone back, the last report was later than now.
    return time(of: watcher) <= now || watcher.sentAt.map { $0 > now } ?? false
  }

  /// Reports the changed facets to a client that is due, unless one of them lacks changes.
  private func report(to id: SessionID, at now: Instant, _ outputs: inout [Output]) {
    guard let watcher = watchers[id], !watcher.facets.contains(where: \.lacksChanges) else { return }
    // A hidden or paused client is owed a new report when that ends.
    let isFirst = watcher.sentAt == nil && !watcher.session.isHidden
    guard !watcher.session.isQuiet || isFirst else {
      watchers[id]?.pendingReport = .nothing
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
    watchers[id]?.pendingReport = .nothing
    guard !reports.facets.isEmpty else { return }
    watchers[id]?.sentAt = now
    outputs.append(.facets(id, reports))
  }

  /// The time of the next call to ``advance(to:outputs:)``, or `nil` if nothing is due.
  ///
  /// - Complexity: O(clients + facets).
  var deadline: Instant? {
    guard !facets.isEmpty || !watchers.isEmpty else { return nil }
    if isBehind || backlog * 2 >= table.limits.backlog { return .zero }
    let ends = facets.compactMap { $0.unwatchedSince?.advanced(by: Self.rest) }
    let change = hasChanged ? watchers.values.lazy.filter { !$0.session.isQuiet }.map { self.time(of: $0) }.min() : nil
    let crossings = facets.lazy.filter { $0.watchers > 0 }.compactMap(\.crossingDeadline)
    return ([nextReport, change, crossings.min()] + ends).compactMap(\.self).min()
  }
}
