/// The limits on the views of a table.
extension TableState {
  /// Checks that a query does not need more views than the table may have.
  func checkViews(for query: Query, of session: Session) throws(QueryFault) {
    guard !backend.shows(query) else { return }
    let (limits, wanted) = (table.limits, backend.wantedViews)
    guard wanted < limits.views else {
      throw QueryFault(
        .tooManyViews("clients look at \(wanted) different queries of this table already; it serves \(limits.views)"))
    }
    let share = limits.viewsPerOwner
    // If all views together are fewer than the share, so are those of each owner.
    if let owner = session.owner, wanted >= share {
      let own = Set(sessions.lazy.filter { $0.owner == owner }.compactMap { $0.view.map { ObjectIdentifier($0) } })
      guard own.count < share else {
        throw QueryFault(
          .tooManyViews(
            "the clients of one token look at \(own.count) different queries of this table already; it serves "
              + "\(share) to one token"))
      }
    }
    let bytes = backend.viewBytes
    guard bytes == 0 || table.count <= (limits.viewBytes - bytes) / ListView.bytesPerRow else {
      let size = limits.viewBytes >> 20
      throw QueryFault(.tooManyViews("the queries of this table take all the memory that they may, \(size) MiB"))
    }
  }

  /// Refuses a query whose residual query is already known to have too many rows.
  func checkRest(of query: Query, _ request: QueryRequest, at now: Instant) throws(QueryFault) {
    guard let error = backend.refusal(of: query, at: now) else { return }
    throw QueryFault(error, at: backend.places(of: request))
  }
}
