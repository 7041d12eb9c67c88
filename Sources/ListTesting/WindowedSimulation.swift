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
    public var earlyScrolls = 0
    /// The number of clients with a correct final result from the source alone.
    public var windows = 0
    /// The number of clients with a correct final result with sections.
    public var grouped = 0
    /// The number of clients with a correct final result of a residual query.
    public var residuals = 0

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
      sum.earlyScrolls += b.earlyScrolls
      sum.windows += b.windows
      sum.grouped += b.grouped
      sum.residuals += b.residuals
      return sum
    }
  }

  struct SimulatedClient {
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
    var previous: [UInt64: Previous] = [:]
    /// The number of the last request; ``request`` is the one that the client expects to see.
    var requestCount: UInt64 = 1
    /// The number of the last answered request.
    var answered: UInt64 = 0
  }

  /// An earlier query of a client with its viewport.
  struct Previous {
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
  var earlyRequests: SeededGenerator
  /// The generator for the times at which an exact source estimates.
  private var counting: SeededGenerator
  /// The generator for ranges.
  private var ranging: SeededGenerator
  var clock = ManualClock()
  var source: ScriptedWindowedSource
  var clients: [SimulatedClient] = []
  let limits: Limits
  /// The counters of the run so far.
  public internal(set) var coverage = Coverage()
  private var nextClient: UInt64 = 1
  private var nextKey: Int64 = 1
  private var step = 0
  /// Whether the source answers all requests quickly.
  private var isWell = false

  /// Creates the run of a seed.
  public init(seed: UInt64) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    handling = SeededGenerator(seed: seed ^ 0x686F_6C64)
    earlyRequests = SeededGenerator(seed: seed ^ 0x6861_7374)
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
    var collations = SeededGenerator(seed: seed ^ 0x746F_6E67)
    for column in 1...2 {
      schema.columns[column].collation = collations.pick([.codeUnit, .natural, .locale("invented")])
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

  private func request(_ client: SimulatedClient) -> QueryRequest {
    func name(_ column: Int) -> String { source.schema.columns[column].name }
    var request = QueryRequest(
      sort: client.query.sort.map { (name($0.column), $0.isDescending) }, search: client.query.search,
      filter: client.query.filter.map { renamed($0, name) }, group: client.query.group.map(name))
    request.groupings = client.query.groupings.map {
      GroupingRequest(name($0.column), ranges: $0.ranges.map(Simulation.written))
    }
    request.aggregates = client.query.aggregates.map { AggregateRequest($0.function, of: name($0.column)) }
    request.sections = zip(client.query.group, client.query.sections).map { column, order in
      SectionOrderRequest(
        name(column), by: order.key == .count ? .count : .aggregate(request.aggregates[0]),
        descending: order.isDescending)
    }
    request.collapsed = client.collapsed.sorted { "\($0)" < "\($1)" }
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
    guard clients.count < 4 else { return }
    let stick: Viewport.Stick? = random.pick([nil, .top, .end])
    let viewport = Viewport(
      first: stick == .top ? 0 : random.number(0...60), count: random.number(1...15),
      ahead: random.pick([nil, 0, 5, 30]), behind: random.pick([nil, 0, 5]), stick: stick)
    var client = SimulatedClient(id: SessionID(rawValue: nextClient), viewport: viewport)
    nextClient += 1
    client.query = randomQuery()
    engine.handle(
      .open(
        client.id, table: "numbers", request: 1, query: request(client), viewport: viewport,
        interval: random.pick([nil, .zero])), at: clock.now)
    clients.append(client)
  }

  private mutating func close(_ engine: inout Engine) {
    guard random.oneIn(3), let index = anyClient() else { return }
    engine.handle(.close(clients.remove(at: index).id), at: clock.now)
  }

  private mutating func scroll(_ engine: inout Engine) {
    guard let index = anyClient(), !clients[index].awaitsWindow else { return }
    let client = clients[index]
    var viewport = client.viewport
    viewport.first = max(0, random.oneIn(3) ? random.number(0...200) : viewport.first + random.number(-12...12))
    viewport.stick = random.oneIn(4) ? random.pick([.top, .end]) : nil
    if viewport.stick == .top { viewport.first = 0 }
    viewport.anchor = nil
    if random.oneIn(2), case .row(let id, _, _)? = client.replica.items.randomElement(using: &random) {
      viewport.anchor = id
    }
    viewport.sequence = client.replica.sequence
    clients[index].viewport = viewport
    engine.handle(.viewport(client.id, viewport), at: clock.now)
  }

  private mutating func query(_ engine: inout Engine) {
    guard let index = anyClient() else { return }
    ask(randomQuery(), &engine, index)
  }

  private mutating func ask(_ query: Query, _ engine: inout Engine, _ index: Int) {
    let client = clients[index]
    clients[index].previous[client.request] = Previous(
      query: client.query, collapsed: client.collapsed, viewport: client.viewport, isCurrent: client.isCurrent,
      awaitsWindow: client.awaitsWindow)
    clients[index].requestCount += 1
    clients[index].request = clients[index].requestCount
    clients[index].query = query
    clients[index].collapsed = []
    (clients[index].isCurrent, clients[index].awaitsWindow) = (false, true)
    clients[index].viewport.first = 0
    (clients[index].viewport.stick, clients[index].viewport.anchor) = (.top, nil)
    engine.handle(
      .query(clients[index].id, request: clients[index].request, query: request(clients[index]), viewport: nil),
      at: clock.now
    )
  }

  private mutating func hide(_ engine: inout Engine) {
    guard let index = anyClient() else { return }
    clients[index].isHidden.toggle()
    engine.handle(.visibility(clients[index].id, isHidden: clients[index].isHidden), at: clock.now)
  }

  private mutating func collapse(_ engine: inout Engine) {
    guard let index = anyClient(), !clients[index].awaitsWindow else { return }
    let client = clients[index]
    guard let header = client.replica.headers.randomElement(using: &random), let path = client.replica.path(of: header)
    else {
      return
    }
    let isCollapsed = !client.collapsed.contains(path)
    if isCollapsed { clients[index].collapsed.insert(path) } else { clients[index].collapsed.remove(path) }
    engine.handle(.collapse(client.id, .path(path), isCollapsed: isCollapsed), at: clock.now)
  }

  private mutating func anyClient() -> Int? { clients.isEmpty ? nil : random.number(0...clients.count - 1) }

  // MARK: Source

  private mutating func answer(_ engine: inout Engine, _ table: TableID) {
    for input in source.answers(until: clock.now, table) { engine.handle(input, at: clock.now) }
    guard random.oneIn(50) else { return }
    // Answers to requests that the engine never sent.
    let id = BlockRequestID(rawValue: UInt64(random.pick([0, 1, 1_000_000])))
    guard source.inFlight[id] == nil, !source.requests.contains(where: { $0.id == id }) else { return }
    engine.handle(.page(table, id, RowBlock([(.integer(1), [])], hasMore: true)), at: clock.now)
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
        guard let index = clients.firstIndex(where: { $0.id == id }) else {
          throw failure("a closed page gets a patch")
        }
        guard clients[index].coming.isEmpty else {
          throw failure("two patches are on their way to page \(id.rawValue)")
        }
        guard !clients[index].isHidden else { throw failure("a hidden page gets a patch") }
        try judge(delivery, clients[index])
        clients[index].coming.append(delivery)
      case .refuse(let id, let refusal): try goBack(id, refusal, &engine)
      case .load, .cancel, .ask, .cancelBlocks, .status, .tables, .waiting, .tiles, .facets, .pins: continue
      }
    }
  }

  /// Handles a refusal: the client returns to the query that the engine names, or sends one that
  /// every source supports.
  private mutating func goBack(_ id: SessionID, _ refusal: Refusal, _ engine: inout Engine) throws {
    guard let index = clients.firstIndex(where: { $0.id == id }), case .remainderTooLarge = refusal.fault.error,
      !refusal.fault.at.isEmpty
    else { throw failure("client \(id.rawValue) is refused: \(refusal)") }
    let client = clients[index]
    coverage.refusals += 1
    // The client has sent another query since.
    guard refusal.request == client.request else { return }
    guard remains(client.query) else { throw failure("\(client.query) is refused: \(refusal)") }
    guard let shown = refusal.shown else { return ask(Query(), &engine, index) }
    guard let previous = client.previous[shown], shown >= client.answered else {
      throw failure("client \(id.rawValue) receives a refusal that names request \(shown)")
    }
    coverage.goneBack += 1
    (clients[index].request, clients[index].query, clients[index].collapsed) = (
      shown, previous.query, previous.collapsed
    )
    (clients[index].viewport, clients[index].isCurrent) = (previous.viewport, previous.isCurrent)
    clients[index].awaitsWindow = previous.awaitsWindow
  }

  /// Scrolls after the client has applied a delivery, but before the acknowledgement.
  private mutating func scrollEarly(_ engine: inout Engine, _ index: Int) {
    guard clients[index].isCurrent, earlyRequests.oneIn(3) else { return }
    var viewport = clients[index].viewport
    viewport.first = max(
      0, earlyRequests.oneIn(2) ? earlyRequests.number(0...200) : viewport.first + earlyRequests.number(-12...12))
    (viewport.stick, viewport.anchor, viewport.sequence) = (nil, nil, clients[index].replica.sequence)
    clients[index].viewport = viewport
    coverage.earlyScrolls += 1
    engine.handle(.viewport(clients[index].id, viewport), at: clock.now)
  }

  private mutating func receive(_ engine: inout Engine) {
    if let index = anyClient() { try? apply(&engine, index) }
  }

  private mutating func apply(_ engine: inout Engine, _ index: Int) throws {
    guard !clients[index].coming.isEmpty else { return }
    let delivery = clients[index].coming.removeFirst()
    let id = clients[index].id
    let before = clients[index].replica
    do throws(Replica.Mismatch) {
      try clients[index].replica.apply(delivery)
    } catch {
      clients[index].replica.spoil()
      throw failure("client \(id.rawValue) cannot apply a patch: \(error)")
    }
    clients[index].placed = delivery.patch.result.held == nil ? nil : clients[index].placed ?? before
    clients[index].answered = delivery.request
    clients[index].isCurrent = delivery.request == clients[index].request
    if var previous = clients[index].previous[delivery.request], !clients[index].isCurrent {
      (previous.isCurrent, previous.awaitsWindow) = (true, false)
      previous.viewport.first = max(0, previous.viewport.first + delivery.shift)
      clients[index].previous[delivery.request] = previous
    }
    if clients[index].isCurrent {
      clients[index].awaitsWindow = false
      clients[index].viewport.first = max(0, clients[index].viewport.first + delivery.shift)
    }
    coverage.placeholders += clients[index].replica.absences.count
    scrollEarly(&engine, index)
    engine.handle(.writable(id), at: clock.now)
    engine.handle(.acknowledge(id, sequence: delivery.sequence), at: clock.now)
  }

  // MARK: Final checks

  /// Runs until nothing is pending, and checks every client.
  private mutating func settle(_ engine: inout Engine, _ table: TableID) throws {
    step += 1
    isWell = true
    for index in clients.indices where clients[index].isHidden {
      clients[index].isHidden = false
      engine.handle(.visibility(clients[index].id, isHidden: false), at: clock.now)
    }
    try rest(&engine, table)
    source.isCounting = false
    // The last notification, after which nothing changes.
    engine.handle(.sourceChanged(table), at: clock.now)
    try rest(&engine, table)
    // A polled source may have a request in flight at any time.
    guard isPolled || source.inFlight.isEmpty else { throw failure("\(source.inFlight.values) are still in flight") }
    for client in clients { try judge(client) }
    for client in clients { engine.handle(.close(client.id), at: clock.now) }
    clients = []
    if let rest = engine.leftovers(&clock) { throw failure(rest) }
  }

  private mutating func rest(_ engine: inout Engine, _ table: TableID) throws {
    // Longer than any delay after a failure.
    let end = clock.now.advanced(by: .seconds(400))
    let latest = end.advanced(by: .seconds(60))
    for _ in 0..<20_000 {
      try take(engine.advance(to: clock.now), &engine)
      for index in clients.indices { try apply(&engine, index) }
      answer(&engine, table)
      let isResting = clients.allSatisfy(\.coming.isEmpty)
      guard isResting else { continue }
      guard let next = [engine.deadline, source.deadline].compactMap(\.self).min() else { return }
      // A polled source is requested forever, and visible rows may have gaps between two answers.
      let isWhole = clients.allSatisfy(\.replica.absences.isEmpty)
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
