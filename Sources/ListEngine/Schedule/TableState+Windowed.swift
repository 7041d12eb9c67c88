/// The part of a table whose source keeps the rows.
extension TableState {
  /// All that look at the table, or wait for rows to look at.
  var allSessions: [Session] { sessions + (windowed?.remainders.flatMap(\.sessions) ?? []) }

  /// How many rows the table has; of a windowed one as many as its source said.
  var rowCount: Int { windowed?.knownRows ?? table.count }

  /// Gives a session what its query asks for; a windowed table's source does as much of it as it can.
  ///
  /// - Throws: ``ClientError/remainderTooLarge(_:)`` when the engine has no room for what the source cannot, and
  ///   ``ClientError/tooManyViews(_:)`` when it has none for another view.
  func attach(_ session: Session, asking query: Query, at now: Instant) throws(QueryFault) {
    detach(session, at: now)
    try checkViews(for: query, of: session)
    guard let windowed else { return attach(session, to: query, at: now) }
    // A refusal that is about to be told answers what was asked before.
    refused.removeAll { $0.session === session }
    session.hasNewPrefetchTargets = true
    let split = QuerySplit(query, table.schema, windowed.capabilities)
    guard split.rest != nil else {
      attach(session, to: query, at: now)
      if let view = session.view as? WindowedView {
        view.expect(session.reader.first + session.reader.count)
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
      throw QueryFault(error, at: places(of: session.queryRequest))
    }
    residualQuery.attach(session, split, at: now)
  }

  /// Refuses a query that would need one view more than the table may have.
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
    // Fewer views than the share in all are fewer than the share of anyone.
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

  /// The number of queries that sessions look at; without what is left to the engine of a windowed source's.
  var watchedViews: Int { views.values.count { $0.viewers > 0 } }

  /// Looks whether it is known already that the engine cannot do what the source cannot do of a query, so that a client that asks again and again
  /// has the source asked once.
  func checkRest(of query: Query, _ request: QueryRequest, at now: Instant) throws(QueryFault) {
    guard let windowed else { return }
    let split = QuerySplit(query, table.schema, windowed.capabilities)
    guard split.rest != nil, let (count, isExact) = windowed.tooLarge(split.source, at: now) else { return }
    let reason = split.refusal(count, isExact: isExact, limit: table.limits.remainderRows)
    throw QueryFault(.remainderTooLarge(reason), at: places(of: request))
  }

  /// Where in a query, as a client wrote it, stands what the source cannot do.
  func places(of request: QueryRequest) -> [String] {
    windowed.map { QuerySplit.places(in: request, table.schema, $0.capabilities, table.limits) } ?? []
  }

  // MARK: The source

  /// A source gave rows.
  func take(_ request: PageRequestID, _ page: RowPage, at now: Instant) {
    if request.isForExport { return windowed?.exports.take(request, page, at: now) ?? () }
    noteAnswer(at: now)
    windowed.map { note($0.take(request, page, at: now), at: now) }
  }

  /// A source told its sections.
  func take(_ request: PageRequestID, _ sections: [SectionCount], at now: Instant) {
    if request.isForExport {
      let reason = "the source answered with sections where rows were asked for"
      return windowed?.exports.fail(request, reason, at: now) ?? ()
    }
    noteAnswer(at: now)
    windowed.map { note($0.take(request, sections, at: now), at: now) }
  }

  /// A source could not answer.
  func fail(_ request: PageRequestID, _ reason: String, at now: Instant) {
    if request.isForExport { return windowed?.exports.fail(request, reason, at: now) ?? () }
    windowed.map { note($0.fail(request, reason, at: now), at: now) }
  }

  /// Takes over what an answer changed.
  private func note(_ effect: WindowedTable.Effect, at now: Instant) {
    refused += effect.refused
    for session in effect.sessions { session.hasNewPrefetchTargets = true }
    for session in sessions where effect.view != nil && session.view === effect.view {
      session.hasNewPrefetchTargets = true
      // What was asked for because someone looks goes out at once, as after any scroll.
      guard session.showsPlaceholders else { continue }
      session.wantsFlush = true
      // No hold is to keep rows away that were never there.
      session.release()
    }
    noteRejections(at: now)
    noteChange(at: now)
    updateAll()
  }

  // MARK: Time

  /// Takes what was asked for again into sight, and has it asked for again when it is time.
  func turnWindowed(to now: Instant, limits: Limits, outputs: inout [Output]) {
    guard let windowed else { return }
    for view in windowed.turn(to: now, sessions: sessions) {
      for session in sessions where session.view === view {
        session.hasNewPrefetchTargets = true
        session.noteChange(at: now)
      }
    }
    for residualQuery in windowed.remainders {
      var own: [Output] = []
      residualQuery.state.advance(to: now, limits: limits, outputs: &own)
      // Pages are told how the source is, not how its rows got here.
      outputs += own.filter { if case .status = $0 { false } else { true } }
    }
  }

  /// Lets the queue know who looks where, and tells the source.
  func askForPages(at now: Instant, outputs: inout [Output]) {
    guard let windowed else { return }
    for session in allSessions where session.hasNewPrefetchTargets {
      windowed.follow(session, at: now)
      session.hasNewPrefetchTargets = false
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
  /// Whether its page holds a placeholder, or nothing.
  fileprivate var showsPlaceholders: Bool {
    guard let base else { return true }
    return base.items.contains { if case .row(let row) = $0 { row.absence != nil } else { false } }
  }
}
