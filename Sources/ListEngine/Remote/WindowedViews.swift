/// The views of a windowed table, their cached blocks, and their patience.
struct WindowedViews {
  private let table: Table
  private let capabilities: WindowedCapabilities
  private let holds: RowHolds
  private var cache = ViewCache<WindowedView>()
  /// The views in order of creation, including those dropped in this turn.
  private(set) var all: [WindowedView] = []
  /// The views dropped in this turn, which answers may still reach.
  private var dropped: [WindowedView] = []
  /// The times at which views without rows start to show placeholders.
  private var patience: [(view: WindowedView, until: Instant)] = []
  /// The time that a client waits for its first rows before it gets placeholders.
  static let firstPatience: Duration = .milliseconds(200)

  init(of table: Table, capabilities: WindowedCapabilities) {
    (self.table, self.capabilities) = (table, capabilities)
    holds = RowHolds(table)
  }

  /// Returns the view with this number, if there is one.
  subscript(_ number: Int) -> WindowedView? { all.first { $0.number == number } }
  /// Returns the view of a query, if there is one.
  subscript(_ query: Query) -> WindowedView? { cache[query] }
  /// The numbers of views with and without sessions.
  var counts: (watched: Int, resting: Int) { cache.counts }

  // MARK: Sessions

  /// Returns the view of a query for one more session, and makes it with the next number if needed.
  mutating func enter(_ query: Query, number: () -> Int) -> WindowedView {
    let view = cache[query] ?? makeView(query, number: number())
    cache.enter(view)
    return view
  }

  private mutating func makeView(_ query: Query, number: Int) -> WindowedView {
    let view = WindowedView(query, number: number, table: table, capabilities: capabilities, holds: holds)
    all.append(view)
    return view
  }

  /// Records that a session left the view of a query.
  mutating func leave(_ query: Query, at now: Instant) { dropped += cache.leave(query, at: now).map { [$0] } ?? [] }

  /// Closes the views that were dropped or rested for long enough.
  mutating func tidy(at now: Instant) {
    dropped += cache.dropExpired(at: now)
    guard !dropped.isEmpty else { return }
    let gone = Set(dropped.map { ObjectIdentifier($0) })
    for view in all where gone.contains(ObjectIdentifier(view)) { view.close() }
    all.removeAll { gone.contains(ObjectIdentifier($0)) }
    patience.removeAll { gone.contains(ObjectIdentifier($0.view)) }
    dropped = []
  }

  // MARK: Patience

  /// Starts the time after which a view without rows shows placeholders.
  mutating func awaitRows(of view: WindowedView, at now: Instant) {
    guard view.awaitsSource, !patience.contains(where: { $0.view === view }) else { return }
    patience.append((view, now.advanced(by: Self.firstPatience)))
  }

  /// Returns the views that show placeholders from now on.
  mutating func takeOverdue(at now: Instant) -> [WindowedView] {
    var overdue: [WindowedView] = []
    for (view, until) in patience where until <= now && view.awaitsSource {
      view.showsPlaceholders = true
      overdue.append(view)
    }
    patience.removeAll { $0.until <= now || !$0.view.awaitsSource }
    return overdue
  }

  /// The earliest time at which a view is to show placeholders or to be dropped, or `nil` for none.
  var deadline: Instant? {
    [patience.lazy.filter { $0.view.awaitsSource }.map(\.until).min(), cache.deadline].compactMap(\.self).min()
  }

  // MARK: Cached blocks

  /// The identity of a loaded block, to find out which blocks are displayed.
  struct Place: Hashable {
    var view: Int
    var generation: Int
    var leaf: Int
    var block: Int
  }

  /// Whether the cached blocks exceed their limits.
  private var holdsTooMuch: Bool {
    var (rows, bytes) = (0, 0)
    for view in all {
      rows += view.shown.cachedRows + (view.next?.cachedRows ?? 0)
      bytes += view.shown.cachedBytes + (view.next?.cachedBytes ?? 0)
    }
    return rows > table.limits.cachedRows || bytes > table.limits.cachedBytes
  }

  /// Evicts the least recently used blocks until the cache is within its limits.
  ///
  /// Displayed blocks, which `seen` returns, are never evicted.
  func evict(except seen: () -> Set<Place>) {
    guard holdsTooMuch else { return }
    let seen = seen()
    var idle: [(used: UInt64, view: WindowedView, leaf: Int, block: Int)] = []
    for view in all {
      for (leaf, block, used) in view.shown.blocks {
        let place = Place(view: view.number, generation: view.shown.generation, leaf: leaf, block: block)
        if !seen.contains(place) { idle.append((used, view, leaf, block)) }
      }
    }
    idle.sort { ($0.used, $0.view.number, $0.leaf, $0.block) < ($1.used, $1.view.number, $1.leaf, $1.block) }
    for (_, view, leaf, block) in idle {
      guard holdsTooMuch else { return }
      view.evict(view.shown, leaf: leaf, block: block)
    }
  }
}
