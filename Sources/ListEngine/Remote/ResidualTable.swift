/// A table with all rows of a source query, on which the engine evaluates a residual query.
///
/// A windowed source answers the query, and the engine does the part that the source cannot do. The
/// rows are loaded block by block into a table of their own, which is sorted, searched and grouped
/// like any other. Sessions wait until all rows are loaded. After a change at the source the rows
/// are loaded again, and the difference is shown.
final class ResidualQuery {
  /// The query sent to the source.
  let query: Query
  let number: Int
  /// The lane of the table's row ids; see ``ResidualLanes``.
  let lane: Int
  /// The loaded rows, and the sessions that display them.
  let state: TableState
  private let capabilities: WindowedCapabilities
  private let limit: Int
  private let pageRows: Int
  /// The sessions that wait for the rows, with their queries.
  private var waiting: [(session: Session, split: QuerySplit)] = []
  /// The queries of the sessions that display the rows.
  private var splits: [SessionID: QuerySplit] = [:]
  private var generation = 0
  private var page = 0
  private var loaded = 0
  private var cursor: PageCursor?
  private var isLoading = true
  private(set) var isLoaded = false
  /// Whether the query was refused because it has too many rows.
  ///
  /// The waiting sessions are about to be refused, and no session may join them.
  private(set) var isRefused = false
  /// The number of rows, if it exceeds the limit.
  private(set) var tooLarge: (count: Int, isExact: Bool)?

  init(_ query: Query, number: Int, lane: Int, state: TableState, capabilities: WindowedCapabilities, limits: Limits) {
    (self.query, self.number, self.lane, self.state, self.capabilities) = (query, number, lane, state, capabilities)
    (limit, pageRows) = (limits.remainderRows, limits.remainderPageRows)
  }

  /// Whether no session uses the table.
  var isUnused: Bool { waiting.isEmpty && splits.isEmpty }
  /// The sessions that use the table, in a deterministic order.
  var sessions: [Session] { state.sessions + waiting.map(\.session) }
  /// The number of different queries that the sessions display or wait for.
  var viewCount: Int { state.watchedViews + Set(waiting.compactMap(\.split.rest)).count }
  func shows(_ rest: Query) -> Bool { state.views[rest] != nil || waiting.contains { $0.split.rest == rest } }
  /// The next block to load, or `nil` if all rows are loaded.
  var item: PageItem? {
    isLoading ? PageItem(view: number, generation: generation, place: .next(page)) : nil
  }

  /// Whether the source's data has changed since it was requested.
  var isStale = false

  // MARK: Sessions

  func attach(_ session: Session, _ split: QuerySplit, at now: Instant) {
    if isLoaded { join(session, split, at: now) } else { waiting.append((session, split)) }
  }

  private func join(_ session: Session, _ split: QuerySplit, at now: Instant) {
    guard let rest = split.rest else { preconditionFailure("nothing remains of \(split.source)") }
    splits[session.id] = split
    let columns = rest.group.map { state.table.schema.columns[$0].type }
    session.adoptCollapsed(columns)
    state.attach(session, to: rest, at: now)
  }

  func detach(_ session: Session, at now: Instant) {
    waiting.removeAll { $0.session === session }
    if splits.removeValue(forKey: session.id) != nil { state.detach(session, at: now) }
  }

  // MARK: Rows

  func request(for item: PageItem, id: PageRequestID) -> PageRequest? {
    guard item == self.item else { return nil }
    let count = min(pageRows, limit + 1 - loaded)
    let skip = capabilities.paging == .offset ? loaded : 0
    return PageRequest(
      id: id, query: query, section: [], what: .rows(after: cursor, upTo: nil, skip: skip, count: count))
  }

  /// Stores the rows of a block.
  ///
  /// Returns the sessions to refuse because there are too many rows.
  func take(
    _ item: PageItem, _ answer: RowPage, at now: Instant
  ) -> Result<[(session: Session, error: ClientError)], PageFault> {
    guard item == self.item else { return .success([]) }
    guard answer.rows.count <= min(pageRows, limit + 1 - loaded) else {
      return .failure(PageFault(reason: "the source gave \(answer.rows.count) rows, more than were asked for"))
    }
    if answer.hasMore && (answer.rows.isEmpty || (capabilities.paging != .offset && answer.end == nil)) {
      return .failure(PageFault(reason: "the source says that more rows follow, and not where"))
    }
    if capabilities.count == .exact, let count = answer.count, count > limit {
      return .success(refuse(count, isExact: true))
    }
    let total = loaded + answer.rows.count
    guard total <= limit, !(total == limit && answer.hasMore) else {
      return .success(refuse(limit, isExact: false))
    }
    var changes = Changeset()
    changes.beginsReload = loaded == 0 && page == 0
    changes.endsReload = !answer.hasMore
    for (key, cells) in answer.rows { changes.upsert(key, cells) }
    state.apply(changes, at: now)
    (loaded, page, cursor) = (total, page + 1, answer.end)
    guard !answer.hasMore else { return .success([]) }
    (isLoading, isLoaded) = (false, true)
    for (session, split) in waiting { join(session, split, at: now) }
    waiting = []
    return .success([])
  }

  private func refuse(_ count: Int, isExact: Bool) -> [(session: Session, error: ClientError)] {
    (isLoading, isRefused) = (false, true)
    tooLarge = (count, isExact)
    return sessions.compactMap { session in
      let split = splits[session.id] ?? waiting.first { $0.session === session }?.split
      return split.map {
        (session, .remainderTooLarge($0.refusal(count, isExact: isExact, limit: limit)))
      }
    }
  }

  /// Starts to load all rows again after a change at the source.
  func renew() {
    isStale = false
    generation += 1
    (page, loaded, cursor, isLoading) = (0, 0, nil, true)
  }
}
