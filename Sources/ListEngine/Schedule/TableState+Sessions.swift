/// The operations on a windowed table.
extension TableState {
  /// The sessions on the table, including those on tables of residual queries.
  var allSessions: [Session] { sessions + (windowed?.remainders.flatMap(\.sessions) ?? []) }

  /// The number of rows; for a windowed table, the number reported by its source.
  var rowCount: Int { windowed?.knownRows ?? table.count }

  /// Attaches a session to a view of its query.
  ///
  /// A windowed table's source does as much of the query as it can.
  ///
  /// - Throws: ``ClientError/remainderTooLarge(_:)`` if the residual query has too many rows, and
  ///   ``ClientError/tooManyViews(_:)`` if the limit on views is reached.
  func attach(_ session: Session, asking query: Query, at now: Instant) throws(QueryFault) {
    detach(session, at: now)
    try checkViews(for: query, of: session)
    guard let windowed else { return attach(session, to: query, at: now) }
    // A pending refusal refers to the previous query.
    refused.removeAll { $0.session === session }
    session.notePrefetchTargets()
    let split = QuerySplit(query, table.schema, windowed.capabilities)
    guard split.rest != nil else {
      attach(session, to: query, at: now)
      if let view = session.view as? WindowedView {
        view.expect(session.scrollAnchor.first + session.scrollAnchor.count)
        windowed.awaitRows(of: view, at: now)
      }
      return
    }
    let residualQuery: ResidualQuery
    do throws(ClientError) {
      residualQuery = try windowed.residualQuery(split.source) { ids in
        var schema = table.schema
        schema.windowed = nil
        return TableState(table.another(schema, ids: ids), id: id, at: now)
      }
    } catch {
      throw QueryFault(error, at: places(of: session.asked.query))
    }
    residualQuery.attach(session, split, at: now)
  }

  /// Checks that a query does not need more views than the table may have.
  private func checkViews(for query: Query, of session: Session) throws(QueryFault) {
    var known = views[query] != nil
    var others = watchedViews
    if let windowed {
      let split = QuerySplit(query, table.schema, windowed.capabilities)
      for residualQuery in windowed.remainders {
        others += residualQuery.viewCount
        if let rest = split.rest, residualQuery.query == split.source { known = known || residualQuery.shows(rest) }
      }
    }
    guard !known else { return }
    let limits = table.limits
    guard others < limits.views else {
      throw QueryFault(
        .tooManyViews("clients look at \(others) different queries of this table already; it serves \(limits.views)"))
    }
    let share = limits.viewsPerOwner
    // If all views together are fewer than the share, so are those of each owner.
    if let owner = session.owner, others >= share {
      let own = Set(allSessions.lazy.filter { $0.owner == owner }.compactMap { $0.view.map { ObjectIdentifier($0) } })
      guard own.count < share else {
        throw QueryFault(
          .tooManyViews(
            "the clients of one token look at \(own.count) different queries of this table already; it serves "
              + "\(share) to one token"))
      }
    }
    let bytes = ordered.reduce(0) { $0 + ($1.viewers > 0 ? $1.bytes : 0) }
    guard bytes == 0 || table.count <= (limits.viewBytes - bytes) / ListView.bytesPerRow else {
      let size = limits.viewBytes >> 20
      throw QueryFault(.tooManyViews("the queries of this table take all the memory that they may, \(size) MiB"))
    }
  }

  /// The number of views with sessions, not counting residual queries.
  var watchedViews: Int { views.values.count { $0.viewers > 0 } }

  /// Refuses a query whose residual query is already known to have too many rows.
  ///
  /// A client that repeats the query then causes only one request to the source.
  func checkRest(of query: Query, _ request: QueryRequest, at now: Instant) throws(QueryFault) {
    guard let windowed else { return }
    let split = QuerySplit(query, table.schema, windowed.capabilities)
    guard split.rest != nil, let (count, isExact) = windowed.tooLarge(split.source, at: now) else { return }
    let reason = split.refusal(count, isExact: isExact, limit: table.limits.remainderRows)
    throw QueryFault(.remainderTooLarge(reason), at: places(of: request))
  }

  /// Returns the places in a client's query that the source cannot evaluate.
  func places(of request: QueryRequest) -> [String] {
    windowed.map { QuerySplit.places(in: request, table.schema, $0.capabilities, table.limits) } ?? []
  }

  // MARK: The source

  /// Stores rows received from the source.
  func take(_ request: PageRequestID, _ page: RowPage, at now: Instant) {
    if request.isForExport { return windowed?.exports.take(request, page, at: now) ?? () }
    noteAnswer(at: now)
    windowed.map { note($0.take(request, page, at: now), at: now) }
  }

  /// Stores sections received from the source.
  func take(_ request: PageRequestID, _ sections: [SectionCount], at now: Instant) {
    if request.isForExport {
      let reason = "the source answered with sections where rows were asked for"
      return windowed?.exports.fail(request, reason, at: now) ?? ()
    }
    noteAnswer(at: now)
    windowed.map { note($0.take(request, sections, at: now), at: now) }
  }

  /// Records that the source failed to answer a request.
  func fail(_ request: PageRequestID, _ reason: String, at now: Instant) {
    if request.isForExport { return windowed?.exports.fail(request, reason, at: now) ?? () }
    windowed.map { note($0.fail(request, reason, at: now), at: now) }
  }

  /// Applies the effects of an answer to the sessions.
  private func note(_ effect: WindowedTable.Effect, at now: Instant) {
    refused += effect.refused
    for session in effect.sessions { session.notePrefetchTargets() }
    for session in sessions where effect.view != nil && session.view === effect.view {
      session.notePrefetchTargets()
      // Requested rows are sent at once, as after a scroll.
      guard session.showsPlaceholders else { continue }
      session.flushAtOnce()
      // A hold must not delay rows that were placeholders.
      session.release()
    }
    noteRejections(at: now)
    noteChange(at: now)
    updateAll()
  }

  // MARK: Time

  /// Shows reloaded contents and starts the reloads that are due.
  func turnWindowed(to now: Instant, limits: Limits, outputs: inout [Output]) {
    guard let windowed else { return }
    for view in windowed.turn(to: now, sessions: sessions) {
      for session in sessions where session.view === view {
        session.notePrefetchTargets()
        session.noteChange(at: now)
      }
    }
    for residualQuery in windowed.remainders {
      var own: [Output] = []
      residualQuery.state.advance(to: now, limits: limits, outputs: &own)
      // Clients get the status of the source, not that of the internal table.
      outputs += own.filter { if case .status = $0 { false } else { true } }
    }
  }

  /// Updates the queue with the sessions' prefetch targets and appends the requests for the source.
  func askForPages(at now: Instant, outputs: inout [Output]) {
    guard let windowed else { return }
    for session in allSessions where session.hasNewPrefetchTargets {
      windowed.follow(session, at: now)
      session.clearPrefetchTargets()
    }
    for view in windowed.ask(at: now, outputs: &outputs) {
      for session in sessions where session.view === view { session.noteChange(at: now) }
    }
  }

  var windowedDeadline: Instant? {
    guard let windowed else { return nil }
    if !refused.isEmpty || allSessions.contains(where: \.hasNewPrefetchTargets) { return .zero }
    return (windowed.remainders.map(\.state.deadline) + [windowed.deadline]).compactMap(\.self).min()
  }
}

extension Session {
  /// Whether the client holds a placeholder or no window.
  fileprivate var showsPlaceholders: Bool {
    guard let base else { return true }
    return base.items.contains { if case .row(let row) = $0 { row.absence != nil } else { false } }
  }
}
