/// The views that the engine keeps in order itself: those of one table that holds all its rows.
///
///     let view = views.enter(query)               // one more session displays the query
///     views.build(limits)                         // once in each turn
///     views.catchUpInTime(&work)
///     views.tidy(at: now, keeping: nil)
///     views.deadline                              // the time of the next turn, or nil
struct ViewSet {
  private let table: Table
  private var cache = ViewCache<ListView>()
  /// The views in order of creation.
  private(set) var ordered: [ListView] = []
  private var discarded = DiscardedViews()
  /// The index of the first view to catch up in the next turn: the one that ran out of time in the
  /// last.
  private var firstView = 0
  /// The work left in this turn for building new views at once; see ``ViewBuild/spent``.
  private var workAtOnce: Int
  /// The number of turns so far.
  private var turns = 0

  /// The number of changes above which a view catches up even if no session is due, to bound the
  /// log.
  static let longestLog = 1 << 15
  /// The number of turns after which a view above its backlog limit is rebuilt.
  ///
  /// Its source waits no longer from then on.
  static let patientTurns = 32
  /// The number of changes per table row that are kept for a view under construction.
  private static let buildLog = 2

  init(_ table: Table) {
    self.table = table
    workAtOnce = Self.workAtOnce(table.limits)
  }

  private static func workAtOnce(_ limits: Limits) -> Int { limits.stepRows * ListView.workAtOnce }

  // MARK: Sessions

  /// Returns the view of a query, if there is one.
  subscript(_ query: Query) -> ListView? { cache[query] }
  /// The numbers of views with and without sessions.
  var counts: (watched: Int, resting: Int) { cache.counts }
  /// The approximate size in bytes of the views with sessions.
  var bytes: Int { ordered.reduce(0) { $0 + ($1.viewers > 0 ? $1.bytes : 0) } }

  /// Returns the view of a query for one more session, and makes it if needed.
  mutating func enter(_ query: Query) -> ListView {
    let view = cache[query] ?? makeView(query)
    cache.enter(view)
    return view
  }

  private mutating func makeView(_ query: Query) -> ListView {
    let made = ListView(query, table: table, atMost: workAtOnce)
    // An unfinished view is completed in later turns, which count their own work.
    workAtOnce = max(0, workAtOnce - made.buildWork)
    ordered.append(made)
    return made
  }

  /// Records that a session left the view of a query.
  mutating func leave(_ query: Query, at now: Instant) { if let view = cache.leave(query, at: now) { forget(view) } }

  private mutating func drop(_ view: ListView) { forget(cache.drop(view)) }

  private mutating func forget(_ view: ListView) {
    ordered.removeAll { $0 === view }
    // A small view is freed at once.
    if DiscardedViews.matter(in: table) || view.pool.chunks.count > DiscardedViews.turnCount / 8 { discarded.add(view) }
  }

  // MARK: Building

  /// The displayed views under construction, in order of creation.
  private var unfinished: some Sequence<ListView> { ordered.lazy.filter { $0.build != nil && $0.viewers > 0 } }

  /// Builds views within the work limit of a turn, and returns the completed ones with aggregates.
  ///
  /// Views that are still gathering rows go first, because clients have not seen any of them. Among
  /// those the one with the least work so far goes first, so that queries share the time fairly.
  /// Every other turn works on the oldest view, so that each one is completed.
  mutating func build(_ limits: Limits) -> [ListView] {
    turns += 1
    workAtOnce = Self.workAtOnce(limits)
    var left = limits.stepRows
    var completed: [ListView] = []
    while left > 0, let view = nextToBuild {
      let before = view.buildWork
      view.work()
      left -= max(1, view.buildWork - before)
      if view.build == nil, !view.query.aggregates.isEmpty { completed.append(view) }
    }
    return completed
  }

  private var nextToBuild: ListView? {
    func rank(_ view: ListView) -> (Int, Int) {
      (view.build?.isGathering == true ? 0 : 1, view.build?.spent ?? 0)
    }
    return turns % 2 == 0 ? unfinished.first { _ in true } : unfinished.min { rank($0) < rank($1) }
  }

  // MARK: Catching up

  /// Whether a displayed view has so large a backlog that it should catch up before a session is
  /// due.
  private func isBehind(_ view: ListView) -> Bool {
    view.viewers > 0 && view.build == nil && view.backlog * 2 >= table.limits.backlog
  }

  /// Catches up views that are far behind although no session is due, to keep room for changes.
  ///
  /// Rebuilds views that have been behind for long, so that their source no longer waits for them.
  mutating func catchUpInTime(_ work: inout Int) {
    catchUpBehind(&work)
    for view in ordered where view.viewers > 0 {
      guard view.build == nil, view.backlog >= table.limits.backlog else {
        view.turnsBehind = 0
        continue
      }
      view.turnsBehind += 1
      guard view.turnsBehind >= Self.patientTurns else { continue }
      view.turnsBehind = 0
      view.rebuild()
    }
  }

  private mutating func catchUpBehind(_ work: inout Int) {
    let start = firstView
    firstView = 0
    for offset in ordered.indices {
      let index = (start + offset) % ordered.count
      guard isBehind(ordered[index]) else { continue }
      switch ordered[index].catchUp(&work) {
      case .done: continue
      case .heldUpByFilter where work > 0: continue
      case .heldUpByFilter, .outOfWork:
        firstView = index
        return
      }
    }
  }

  /// Whether every displayed view can take more changes.
  ///
  /// Views under construction do not count, because no source waits for them.
  var hasRoom: Bool {
    ordered.allSatisfy { $0.viewers == 0 || $0.build != nil || $0.backlog < table.limits.backlog }
  }

  // MARK: Ages

  /// Returns the displayed views with rows that match or cease to match because time has passed.
  ///
  /// A view is returned once until it catches up.
  func takeCrossing() -> [ListView] { ordered.filter { $0.viewers > 0 && $0.noteCrossing() } }

  /// The time at which rows of a displayed view match or cease to match because time passes.
  private var crossingDeadline: Instant? {
    ordered.lazy.filter { $0.viewers > 0 }.compactMap(\.crossings.deadline).min()
  }

  // MARK: Tidying

  /// Drops views that rested for long enough, and discards changes as ``trimLog(keeping:)`` does.
  mutating func tidy(at now: Instant, keeping position: Int?) {
    for view in ordered { discarded.add(view.takeDiscarded()) }
    discarded.free()
    for view in cache.dropExpired(at: now) { forget(view) }
    trimLog(keeping: position)
  }

  /// Discards the changes before `position` that every view has applied.
  mutating func trimLog(keeping position: Int?) {
    if table.log.entries.count > Self.longestLog {
      for view in ordered {
        // Drop views without sessions instead of updating them.
        if view.viewers == 0 { drop(view) } else { shorten(view) }
      }
    }
    let needed = position ?? table.log.end
    table.forgetChanges(before: min(needed, ordered.map(\.logPosition).min() ?? table.log.end))
  }

  /// Shortens a view's backlog when the log is too long; a view that is too far behind is rebuilt.
  private func shorten(_ view: ListView) {
    guard view.build == nil else {
      let most = max(Self.longestLog, min(1 << 20, Int(table.slots) * Self.buildLog))
      if view.backlog > most { view.rebuild() }
      return
    }
    if view.backlog > Self.longestLog, !view.catchUp(atMost: table.limits.turnRows) { view.rebuild() }
  }

  /// The time of the next turn, or `nil` if nothing is due.
  ///
  /// - Complexity: O(views).
  var deadline: Instant? {
    if !discarded.isEmpty || unfinished.contains(where: { _ in true }) || ordered.contains(where: isBehind) {
      return .zero
    }
    return [cache.deadline, crossingDeadline].compactMap(\.self).min()
  }
}
