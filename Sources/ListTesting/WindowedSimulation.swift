import ListEngine

/// A simulation of the engine with a windowed source and several clients, determined by a seed:
/// query capabilities, late, wrong and missing answers, reported and unreported changes, scrolls,
/// queries, and clients that come and go.
///
/// The reference is the ``PlainTable`` of the source's rows, which a client must match when nothing
/// is pending. Before that, the scroll anchor must stay in place, and the engine must only send
/// requests that the source supports.
///
///     try WindowedSimulation(seed: 42).run()
public struct WindowedSimulation {
  /// Counters of the covered behavior, so that tests notice a simulation that does nothing.
  public struct Coverage: Sendable {
    /// The number of requests to the source.
    public var requests = 0
    /// The number of cancelled requests.
    public var cancels = 0
    /// The number of failed requests.
    public var failures = 0
    /// The number of placeholders that clients received.
    public var placeholders = 0
    /// The number of patches that kept the scroll anchor at its place on the screen.
    public var anchored = 0
    /// The number of these patches that moved the viewport.
    public var shifts = 0
    /// The number of patches to clients that held the order.
    public var holds = 0
    /// The number of refused queries.
    public var refusals = 0
    /// The number of refused queries after which a client returned to the previous query.
    public var goneBack = 0
    /// The number of scrolls before the acknowledgement of a window.
    public var hastyScrolls = 0
    /// The number of clients with a correct final result from the source alone.
    public var windows = 0
    /// The number of clients with a correct final result with sections.
    public var grouped = 0
    /// The number of clients with a correct final result of a residual query.
    public var remainders = 0

    /// Creates counters that are all 0.
    public init() {}

    /// Returns the sums of both counters.
    public static func + (a: Coverage, b: Coverage) -> Coverage {
      var sum = a
      sum.requests += b.requests
      sum.cancels += b.cancels
      sum.failures += b.failures
      sum.placeholders += b.placeholders
      sum.anchored += b.anchored
      sum.shifts += b.shifts
      sum.holds += b.holds
      sum.refusals += b.refusals
      sum.goneBack += b.goneBack
      sum.hastyScrolls += b.hastyScrolls
      sum.windows += b.windows
      sum.grouped += b.grouped
      sum.remainders += b.remainders
      return sum
    }
  }

  struct Page {
    let id: SessionID
    var replica = Replica()
    var query = Query()
    var collapsed: Set<[Cell]> = []
    var request: UInt64 = 1
    var viewport: Viewport
    var coming: [Delivery] = []
    var isHidden = false
    /// Whether the client shows its last query's result.
    var isCurrent = false
    var awaitsWindow = true
    /// Whether the client may hold the order, and its copy from before the hold.
    var mayHold = false
    var placed: Replica?
    /// The queries that the client may return to, by request.
    var former: [UInt64: Former] = [:]
    /// The number of the last request; ``request`` is the one that the client expects to see.
    var asked: UInt64 = 1
    /// The number of the last answered request.
    var answered: UInt64 = 0
  }

  /// An earlier query of a client with its viewport.
  struct Former {
    var query: Query
    var collapsed: Set<[Cell]>
    var viewport: Viewport
    var isCurrent: Bool
    var awaitsWindow: Bool
  }

  static let keyColumn = 3
  let seed: UInt64
  var random: SeededGenerator
  /// The generator for holds.
  var handling: SeededGenerator
  /// The generator for early scrolls.
  var haste: SeededGenerator
  /// The generator for the times at which an exact source estimates.
  private var counting: SeededGenerator
  /// The generator for ranges.
  private var ranging: SeededGenerator
  var clock = ManualClock()
  var source: ScriptedWindowedSource
  var pages: [Page] = []
  let limits: Limits
  /// The counters of the run so far.
  public internal(set) var coverage = Coverage()
  private var nextPage: UInt64 = 1
  private var nextKey: Int64 = 1
  private var step = 0
  /// Whether the source answers all requests quickly.
  private var isWell = false

  /// Creates the run of a seed.
  public init(seed: UInt64) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    handling = SeededGenerator(seed: seed ^ 0x686F_6C64)
    haste = SeededGenerator(seed: seed ^ 0x6861_7374)
    counting = SeededGenerator(seed: seed ^ 0x636F_756E)
    ranging = SeededGenerator(seed: seed ^ 0x7261_6E67)
    var limits = Limits()
    limits.pageRows = random.pick([3, 10, 25])
    limits.cachedRows = random.pick([0, 40, 1_000])
    limits.cachedBytes = random.pick([500, 1 << 20])
    limits.remainderRows = random.pick([20, 60, 10_000])
    limits.remainderPageRows = random.pick([7, 1_000])
    limits.stepRows = random.pick([20, 1 << 16])
    limits.patchBytes = 1 << 20
    self.limits = limits
    var schema = Self.schema(&random)
    // A separate generator, so that other random choices do not change.
    var tongues = SeededGenerator(seed: seed ^ 0x746F_6E67)
    for column in 1...2 {
      schema.columns[column].collation = tongues.pick([.codeUnit, .natural, .locale("invented")])
    }
    source = ScriptedWindowedSource(schema)
    source.estimate = random.pick([10, 90, 100, 300, 5_000])
    for _ in 0..<random.pick([0, 5, 40, 40, 200]) { addRow() }
  }

  private static func schema(_ random: inout SeededGenerator) -> Schema {
    var capabilities = WindowedCapabilities(
      sort: random.pick([[], [0], [0, 1, 2, 3]]), searches: random.oneIn(2), group: random.pick([[], [2], [0, 2]]),
      count: random.pick([.exact, .exact, .estimated, .unknown]),
      paging: random.pick([.offset, .offset, .keyset, .keysetAndOffset]), cancels: !random.oneIn(4))
    for power in WindowedCapabilities.FilterOperator.allCases where random.oneIn(2) {
      capabilities.filters.insert(power)
    }
    if random.oneIn(3) { capabilities.filterColumns = [0, 3] }
    if random.oneIn(4) {
      capabilities.tellsChanges = false
      capabilities.refresh = .seconds(random.pick([1, 7]))
    }
    return Schema(
      name: "numbers", key: .integer,
      columns: [Column("a", .integer), Column("b", .text), Column("c", .text), Column("key", .integer)],
      prefetch: PrefetchPolicy(
        inFlight: random.pick([1, 3, 8]), prefersToFinish: random.oneIn(4), patience: .seconds(random.pick([5, 60]))),
      windowed: capabilities)
  }

  /// Runs all steps and the final checks.
  ///
  /// - Throws: ``Simulation/Failure``.
  public mutating func run(steps: Int = 100) throws {
    var engine = Engine(epoch: "seed \(seed)", limits: limits, collators: InventedLanguage.find)
    let table = try engine.addTable(source.schema, at: clock.now)
    _ = engine.advance(to: clock.now)
    for step in 1...steps {
      self.step = step
      act(&engine, table)
      hold(&engine)
      answer(&engine, table)
      if !random.oneIn(4) { try take(engine.advance(to: clock.now), &engine) }
    }
    try settle(&engine, table)
    let counters = engine.prefetch(of: table)
    (coverage.requests, coverage.cancels, coverage.failures) = (counters.loads, counters.cancels, counters.failures)
  }

  // MARK: Actions

  private mutating func act(_ engine: inout Engine, _ table: TableID) {
    switch random.number(1...24) {
    case 1...5: clock.advance(by: .milliseconds(random.pick([0, 1, 20, 300, 1_000, 4_000])))
    case 6...9: change(&engine, table)
    case 10: open(&engine)
    case 11: close(&engine)
    case 12...16: scroll(&engine)
    case 17: query(&engine)
    case 18: hide(&engine)
    case 19: collapse(&engine)
    default: receive(&engine)
    }
  }

  private mutating func cells(_ key: Int64) -> [Cell] {
    [
      random.oneIn(8) ? .null : .integer(Int64(random.number(-4...4))), .text("text \(random.number(0...30))"),
      random.oneIn(9) ? .null : .text(random.pick(["red", "green", "blue"])), .integer(key),
    ]
  }

  private mutating func addRow(at place: Int? = nil) {
    source.upsert(.integer(nextKey), cells(nextKey), at: place)
    nextKey += 1
  }

  private mutating func change(_ engine: inout Engine, _ table: TableID) {
    for _ in 1...random.pick([1, 1, 3, 12]) {
      let place = source.count == 0 ? 0 : random.number(0...source.count - 1)
      switch random.number(1...10) {
      case 1...4: addRow(at: random.pick([nil, 0, place]))
      case 5...7:
        guard source.count > 0, case .integer(let key) = source.keys[place] else { continue }
        source.upsert(.integer(key), cells(key))
      default: if source.count > 0 { source.delete(source.keys[place]) }
      }
    }
    if random.oneIn(60) { source.deleteAll() }
    if counting.oneIn(3) { source.isCounting.toggle() }
    if source.capabilities.tellsChanges { engine.handle(.sourceChanged(table), at: clock.now) }
  }

  private mutating func randomQuery() -> Query {
    var query = Query()
    for _ in 0..<random.pick([0, 0, 1, 1, 2]) {
      query.sort.append(SortTerm(random.number(0...3), descending: random.oneIn(2)))
    }
    if random.oneIn(5) { query.search = random.pick(["1", "RED", "nowhere"]) }
    if random.oneIn(3) { query.group = random.pick([[2], [0], [2, 0]]) }
    for index in query.groupings.indices where query.groupings[index].column == 0 && ranging.oneIn(2) {
      query.groupings[index].ranges = .integers(width: ranging.pick([2, 3, 100]))
    }
    if random.oneIn(12) {
      query.aggregates = [Aggregate(.sum, of: 0)]
      query.sections = query.group.map { SectionOrder(by: $0 == 0 ? .count : .aggregate(0), descending: true) }
    }
    guard random.oneIn(3) else { return query }
    let parts: [Filter<Int>] = (0..<random.pick([1, 1, 2])).map { _ in
      switch random.number(1...7) {
      case 1: .compare(0, random.pick(Comparison.allCases), .integer(Int64(random.number(-3...3))))
      case 2: .range(0, from: .integer(-2), through: .integer(3))
      case 3: .contains(1, ExactText(random.pick(["1", "text 2"])))
      case 4: .oneOf(0, [.integer(1), .integer(2), .integer(3)])
      case 5: .not(.isEmpty(2))
      case 6: .any([.compare(0, .greater, .integer(0)), .isEmpty(0)])
      default: .compare(3, .less, .integer(Int64(random.number(1...100))))
      }
    }
    query.filter = parts.count == 1 ? parts[0] : .all(parts)
    return query
  }

  private func request(_ page: Page) -> QueryRequest {
    func name(_ column: Int) -> String { source.schema.columns[column].name }
    var request = QueryRequest(
      sort: page.query.sort.map { (name($0.column), $0.isDescending) }, search: page.query.search,
      filter: page.query.filter.map { renamed($0, name) }, group: page.query.group.map(name))
    request.groupings = page.query.groupings.map {
      GroupingRequest(name($0.column), ranges: $0.ranges.map(Simulation.written))
    }
    request.aggregates = page.query.aggregates.map { AggregateRequest($0.function, of: name($0.column)) }
    request.sections = zip(page.query.group, page.query.sections).map { column, order in
      SectionOrderRequest(
        name(column), by: order.key == .count ? .count : .aggregate(request.aggregates[0]),
        descending: order.isDescending)
    }
    request.collapsed = page.collapsed.sorted { "\($0)" < "\($1)" }
    return request
  }

  private func renamed(_ filter: Filter<Int>, _ name: (Int) -> String) -> Filter<String> {
    switch filter {
    case .all(let parts): .all(parts.map { renamed($0, name) })
    case .any(let parts): .any(parts.map { renamed($0, name) })
    case .not(let part): .not(renamed(part, name))
    case .compare(let column, let comparison, let value): .compare(name(column), comparison, value)
    case .range(let column, let from, let through): .range(name(column), from: from, through: through)
    case .contains(let column, let text): .contains(name(column), text)
    case .startsWith(let column, let text): .startsWith(name(column), text)
    case .matches(let column, let text, let ignoringCase): .matches(name(column), text, ignoringCase: ignoringCase)
    case .oneOf(let column, let values): .oneOf(name(column), values)
    case .age(let column, let comparison, let duration): .age(name(column), comparison, duration)
    case .isEmpty(let column): .isEmpty(name(column))
    }
  }

  private mutating func open(_ engine: inout Engine) {
    guard pages.count < 4 else { return }
    let stick: Viewport.Stick? = random.pick([nil, .top, .end])
    let viewport = Viewport(
      first: stick == .top ? 0 : random.number(0...60), count: random.number(1...15),
      ahead: random.pick([nil, 0, 5, 30]), behind: random.pick([nil, 0, 5]), stick: stick)
    var page = Page(id: SessionID(rawValue: nextPage), viewport: viewport)
    nextPage += 1
    page.query = randomQuery()
    engine.handle(
      .open(
        page.id, table: "numbers", request: 1, query: request(page), viewport: viewport,
        interval: random.pick([nil, .zero])), at: clock.now)
    pages.append(page)
  }

  private mutating func close(_ engine: inout Engine) {
    guard random.oneIn(3), let index = anyPage() else { return }
    engine.handle(.close(pages.remove(at: index).id), at: clock.now)
  }

  private mutating func scroll(_ engine: inout Engine) {
    guard let index = anyPage(), !pages[index].awaitsWindow else { return }
    let page = pages[index]
    var viewport = page.viewport
    viewport.first = max(0, random.oneIn(3) ? random.number(0...200) : viewport.first + random.number(-12...12))
    viewport.stick = random.oneIn(4) ? random.pick([.top, .end]) : nil
    if viewport.stick == .top { viewport.first = 0 }
    viewport.anchor = nil
    if random.oneIn(2), case .row(let id, _, _)? = page.replica.items.randomElement(using: &random) {
      viewport.anchor = id
    }
    viewport.sequence = page.replica.sequence
    pages[index].viewport = viewport
    engine.handle(.viewport(page.id, viewport), at: clock.now)
  }

  private mutating func query(_ engine: inout Engine) {
    guard let index = anyPage() else { return }
    ask(randomQuery(), &engine, index)
  }

  private mutating func ask(_ query: Query, _ engine: inout Engine, _ index: Int) {
    let page = pages[index]
    pages[index].former[page.request] = Former(
      query: page.query, collapsed: page.collapsed, viewport: page.viewport, isCurrent: page.isCurrent,
      awaitsWindow: page.awaitsWindow)
    pages[index].asked += 1
    pages[index].request = pages[index].asked
    pages[index].query = query
    pages[index].collapsed = []
    (pages[index].isCurrent, pages[index].awaitsWindow) = (false, true)
    pages[index].viewport.first = 0
    (pages[index].viewport.stick, pages[index].viewport.anchor) = (.top, nil)
    engine.handle(
      .query(pages[index].id, request: pages[index].request, query: request(pages[index]), viewport: nil), at: clock.now
    )
  }

  private mutating func hide(_ engine: inout Engine) {
    guard let index = anyPage() else { return }
    pages[index].isHidden.toggle()
    engine.handle(.visibility(pages[index].id, isHidden: pages[index].isHidden), at: clock.now)
  }

  private mutating func collapse(_ engine: inout Engine) {
    guard let index = anyPage(), !pages[index].awaitsWindow else { return }
    let page = pages[index]
    guard let header = page.replica.headers.randomElement(using: &random), let path = page.replica.path(of: header)
    else {
      return
    }
    let isCollapsed = !page.collapsed.contains(path)
    if isCollapsed { pages[index].collapsed.insert(path) } else { pages[index].collapsed.remove(path) }
    engine.handle(.collapse(page.id, .path(path), isCollapsed: isCollapsed), at: clock.now)
  }

  private mutating func anyPage() -> Int? { pages.isEmpty ? nil : random.number(0...pages.count - 1) }

  // MARK: Source

  private mutating func answer(_ engine: inout Engine, _ table: TableID) {
    for input in source.answers(until: clock.now, table) { engine.handle(input, at: clock.now) }
    guard random.oneIn(50) else { return }
    // Answers to requests that the engine never sent.
    let id = PageRequestID(rawValue: UInt64(random.pick([0, 1, 1_000_000])))
    guard source.inFlight[id] == nil, !source.requests.contains(where: { $0.id == id }) else { return }
    engine.handle(.page(table, id, RowPage([(.integer(1), [])], hasMore: true)), at: clock.now)
    engine.handle(.sections(table, id, []), at: clock.now)
    engine.handle(.pageFailed(table, id, reason: "out of the blue"), at: clock.now)
  }

  // MARK: Clients

  private mutating func take(_ outputs: [Output], _ engine: inout Engine) throws {
    for output in outputs {
      var random = random
      let isWell = isWell
      source.take(output, at: clock.now) { _ in
        let end: ScriptedWindowedSource.End =
          isWell
          ? .answers
          : random.oneIn(9) ? .fails("failure \(random.number(0...2))") : random.oneIn(15) ? .isForgotten : .answers
        return .init(
          after: .milliseconds(random.pick([0, 1, 30, 400, 3_000])), end, answersAfterCancel: random.oneIn(2))
      }
      self.random = random
      if let mistake = source.mistakes.first { throw failure(mistake) }
      switch output {
      case .deliver(let id, let delivery):
        guard let index = pages.firstIndex(where: { $0.id == id }) else { throw failure("a closed page gets a patch") }
        guard pages[index].coming.isEmpty else { throw failure("two patches are on their way to page \(id.rawValue)") }
        guard !pages[index].isHidden else { throw failure("a hidden page gets a patch") }
        try judge(delivery, pages[index])
        pages[index].coming.append(delivery)
      case .refuse(let id, let refusal): try goBack(id, refusal, &engine)
      case .load, .cancel, .ask, .cancelPages, .status, .tables, .waiting, .tiles, .facets: continue
      }
    }
  }

  /// Handles a refusal: the client returns to the query that the engine names, or sends one that
  /// every source supports.
  private mutating func goBack(_ id: SessionID, _ refusal: Refusal, _ engine: inout Engine) throws {
    guard let index = pages.firstIndex(where: { $0.id == id }), case .remainderTooLarge = refusal.fault.error,
      !refusal.fault.at.isEmpty
    else { throw failure("page \(id.rawValue) is refused: \(refusal)") }
    let page = pages[index]
    coverage.refusals += 1
    // The client has sent another query since.
    guard refusal.request == page.request else { return }
    guard remains(page.query) else { throw failure("\(page.query) is refused: \(refusal)") }
    guard let shown = refusal.shown else { return ask(Query(), &engine, index) }
    guard let former = page.former[shown], shown >= page.answered else {
      throw failure("page \(id.rawValue) receives a refusal that names request \(shown)")
    }
    coverage.goneBack += 1
    (pages[index].request, pages[index].query, pages[index].collapsed) = (shown, former.query, former.collapsed)
    (pages[index].viewport, pages[index].isCurrent) = (former.viewport, former.isCurrent)
    pages[index].awaitsWindow = former.awaitsWindow
  }

  /// Scrolls after the client has applied a delivery, but before the acknowledgement.
  private mutating func scrollHastily(_ engine: inout Engine, _ index: Int) {
    guard pages[index].isCurrent, haste.oneIn(3) else { return }
    var viewport = pages[index].viewport
    viewport.first = max(0, haste.oneIn(2) ? haste.number(0...200) : viewport.first + haste.number(-12...12))
    (viewport.stick, viewport.anchor, viewport.sequence) = (nil, nil, pages[index].replica.sequence)
    pages[index].viewport = viewport
    coverage.hastyScrolls += 1
    engine.handle(.viewport(pages[index].id, viewport), at: clock.now)
  }

  private mutating func receive(_ engine: inout Engine) {
    if let index = anyPage() { try? apply(&engine, index) }
  }

  private mutating func apply(_ engine: inout Engine, _ index: Int) throws {
    guard !pages[index].coming.isEmpty else { return }
    let delivery = pages[index].coming.removeFirst()
    let id = pages[index].id
    let before = pages[index].replica
    do throws(Replica.Mismatch) {
      try pages[index].replica.apply(delivery)
    } catch {
      pages[index].replica.spoil()
      throw failure("page \(id.rawValue) cannot apply a patch: \(error)")
    }
    pages[index].placed = delivery.patch.result.held == nil ? nil : pages[index].placed ?? before
    pages[index].answered = delivery.request
    pages[index].isCurrent = delivery.request == pages[index].request
    if var former = pages[index].former[delivery.request], !pages[index].isCurrent {
      (former.isCurrent, former.awaitsWindow) = (true, false)
      former.viewport.first = max(0, former.viewport.first + delivery.shift)
      pages[index].former[delivery.request] = former
    }
    if pages[index].isCurrent {
      pages[index].awaitsWindow = false
      pages[index].viewport.first = max(0, pages[index].viewport.first + delivery.shift)
    }
    coverage.placeholders += pages[index].replica.absences.count
    scrollHastily(&engine, index)
    engine.handle(.writable(id), at: clock.now)
    engine.handle(.acknowledge(id, sequence: delivery.sequence), at: clock.now)
  }

  // MARK: Final checks

  /// Runs until nothing is pending, and checks every client.
  private mutating func settle(_ engine: inout Engine, _ table: TableID) throws {
    step += 1
    isWell = true
    for index in pages.indices where pages[index].isHidden {
      pages[index].isHidden = false
      engine.handle(.visibility(pages[index].id, isHidden: false), at: clock.now)
    }
    try rest(&engine, table)
    source.isCounting = false
    // The last notification, after which nothing changes.
    engine.handle(.sourceChanged(table), at: clock.now)
    try rest(&engine, table)
    // A polled source may have a request in flight at any time.
    guard isPolled || source.inFlight.isEmpty else { throw failure("\(source.inFlight.values) are still in flight") }
    for page in pages { try judge(page) }
    for page in pages { engine.handle(.close(page.id), at: clock.now) }
    pages = []
    if let rest = engine.leftovers(&clock) { throw failure(rest) }
  }

  private mutating func rest(_ engine: inout Engine, _ table: TableID) throws {
    // Longer than any delay after a failure.
    let end = clock.now.advanced(by: .seconds(400))
    let latest = end.advanced(by: .seconds(60))
    for _ in 0..<20_000 {
      try take(engine.advance(to: clock.now), &engine)
      for index in pages.indices { try apply(&engine, index) }
      answer(&engine, table)
      let isResting = pages.allSatisfy(\.coming.isEmpty)
      guard isResting else { continue }
      guard let next = [engine.deadline, source.deadline].compactMap(\.self).min() else { return }
      // A polled source is requested forever, and visible rows may have gaps between two answers.
      let isWhole = pages.allSatisfy(\.replica.absences.isEmpty)
      if isPolled && (next >= end && isWhole || next >= latest) { return }
      clock.advance(by: max(.zero, clock.now.duration(to: next)))
    }
    throw failure("it does not come to rest")
  }

  private var isPolled: Bool { !source.capabilities.tellsChanges && source.capabilities.refresh != nil }

  func failure(_ reason: String) -> Simulation.Failure {
    Simulation.Failure(seed: seed, step: step, reason: reason)
  }
}
