/// All rows of a query that a windowed source can answer, for what it cannot do with them: loaded page by page into a table of their own,
/// which is sorted, searched and grouped like any other.
///
/// Its sessions wait until all rows are there; when the source's data changes they are loaded again, and the difference is shown.
final class ResidualQuery {
  /// What the source is asked.
  let query: Query
  let number: Int
  /// Where its rows' ids are; see ``ResidualLanes``.
  let lane: Int
  /// The rows, and the sessions that look at them.
  let state: TableState
  private let capabilities: WindowedCapabilities
  private let limit: Int
  private let pageRows: Int
  /// Sessions whose rows are not there yet, and what they ask of them.
  private var waiting: [(session: Session, split: QuerySplit)] = []
  /// What the sessions that look at it ask.
  private var splits: [SessionID: QuerySplit] = [:]
  private var generation = 0
  private var page = 0
  private var loaded = 0
  private var cursor: PageCursor?
  private var isLoading = true
  private(set) var isLoaded = false
  /// Whether there are too many rows: those that wait for it are about to be told, and nobody else is to join them.
  private(set) var isRefused = false
  /// How many rows there are when these are too many.
  private(set) var tooLarge: (count: Int, isExact: Bool)?

  init(_ query: Query, number: Int, lane: Int, state: TableState, capabilities: WindowedCapabilities, limits: Limits) {
    (self.query, self.number, self.lane, self.state, self.capabilities) = (query, number, lane, state, capabilities)
    (limit, pageRows) = (limits.remainderRows, limits.remainderPageRows)
  }

  /// Whether no session needs it.
  var isUnused: Bool { waiting.isEmpty && splits.isEmpty }
  /// All that need it, in an order that depends on nothing but what happened.
  var sessions: [Session] { state.sessions + waiting.map(\.session) }
  /// The number of different queries that its sessions ask, and whether this is one of them.
  var viewCount: Int { state.watchedViews + Set(waiting.compactMap(\.split.rest)).count }
  func shows(_ rest: Query) -> Bool { state.views[rest] != nil || waiting.contains { $0.split.rest == rest } }
  /// What is to be loaded next; `nil` when all is there.
  var item: PageItem? {
    isLoading ? PageItem(view: number, generation: generation, place: .next(page)) : nil
  }

  /// Whether the source's data has changed since it was asked.
  var isStale = false

  // MARK: Sessions

  func attach(_ session: Session, _ split: QuerySplit, at now: Instant) {
    if isLoaded { join(session, split, at: now) } else { waiting.append((session, split)) }
  }

  private func join(_ session: Session, _ split: QuerySplit, at now: Instant) {
    guard let rest = split.rest else { preconditionFailure("nothing remains of \(split.source)") }
    splits[session.id] = split
    let columns = rest.group.map { state.table.schema.columns[$0].type }
    session.collapsed = Set(session.queryRequest.collapsed.compactMap { sectionPath($0, of: columns) })
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

  /// Takes rows. The result is which sessions are refused, because there are too many rows.
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

  /// The source's data has changed: everything is loaded again.
  func renew() {
    isStale = false
    generation += 1
    (page, loaded, cursor, isLoading) = (0, 0, nil, true)
  }
}
