import ListEngine

/// A whole run of the engine with a windowed source and several pages, all drawn from one seed: what the source can do, how late, wrongly
/// or not at all it answers, changes that it tells or does not, scrolls, queries, pages that come and go.
///
/// The judge is the ``PlainTable`` of the source's rows: when all has come to rest, what a page shows must be what that shows when it is
/// filtered and sorted afresh. Meanwhile a row that is read must stay where it is, and nothing may be asked for that the source cannot do.
///
///     try WindowedSimulation(seed: 42).run()
public struct WindowedSimulation {
  /// What a run has covered, so that a simulation that does nothing is noticed.
  public struct Coverage: Sendable {
    /// What the source was asked for.
    public var requests = 0
    /// What it was told to stop.
    public var cancels = 0
    /// What failed.
    public var failures = 0
    /// Placeholders that pages were sent.
    public var placeholders = 0
    /// Patches whose reader was looked after: a row in sight stayed where it was on the screen.
    public var anchored = 0
    /// Those of them whose reader had to follow.
    public var shifts = 0
    /// Patches to pages that held their order.
    public var holds = 0
    /// Pages that were refused.
    public var refusals = 0
    /// Pages that were right in the end: by their source alone, with headers, and with the engine's help.
    public var windows = 0
    /// See `windows`.
    public var grouped = 0
    /// See `windows`.
    public var remainders = 0

    /// Nothing yet.
    public init() {}

    /// Both together.
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
    /// Whether it shows what it last asked for.
    var isCurrent = false
    var awaitsWindow = true
    /// Whether its reader may hold the order, and what it held when that began to be felt.
    var mayHold = false
    var placed: Replica?
  }

  static let keyColumn = 3
  let seed: UInt64
  var random: SeededGenerator
  /// Draws what readers hold.
  var handling: SeededGenerator
  var clock = ManualClock()
  var source: ScriptedWindowedSource
  var pages: [Page] = []
  let limits: Limits
  /// What the run has covered so far.
  public internal(set) var coverage = Coverage()
  private var nextPage: UInt64 = 1
  private var nextKey: Int64 = 1
  private var step = 0
  /// Whether the source answers everything, and soon.
  private var isWell = false

  /// The run that belongs to this seed.
  public init(seed: UInt64) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    handling = SeededGenerator(seed: seed ^ 0x686F_6C64)
    var limits = Limits()
    limits.pageRows = random.pick([3, 10, 25])
    limits.cachedRows = random.pick([0, 40, 1_000])
    limits.cachedBytes = random.pick([500, 1 << 20])
    limits.remainderRows = random.pick([20, 60, 10_000])
    limits.remainderPageRows = random.pick([7, 1_000])
    limits.stepRows = random.pick([20, 1 << 16])
    limits.patchBytes = 1 << 20
    self.limits = limits
    source = ScriptedWindowedSource(Self.schema(&random))
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

  /// Runs to the end.
  ///
  /// - Throws: ``Simulation/Failure``.
  public mutating func run(steps: Int = 100) throws {
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

  // MARK: The source

  private mutating func answer(_ engine: inout Engine, _ table: TableID) {
    for input in source.answers(until: clock.now, table) { engine.handle(input, at: clock.now) }
    guard random.oneIn(50) else { return }
    // Answers to what nobody asked for.
    let id = PageRequestID(rawValue: UInt64(random.pick([0, 1, 1_000_000])))
    guard source.inFlight[id] == nil, !source.requests.contains(where: { $0.id == id }) else { return }
    engine.handle(.page(table, id, RowPage([(.integer(1), [])], hasMore: true)), at: clock.now)
    engine.handle(.sections(table, id, []), at: clock.now)
    engine.handle(.pageFailed(table, id, reason: "out of the blue"), at: clock.now)
  }

  // MARK: Pages

  private mutating func take(_ outputs: [Output]) throws {
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
      case .refuse(let id, let error):
        guard let page = pages.first(where: { $0.id == id }), case .remainderTooLarge = error else {
          throw failure("page \(id.rawValue) is refused: \(error)")
        }
        guard remains(page.query) else { throw failure("\(page.query) is refused: \(error)") }
        pages.removeAll { $0.id == id }
        coverage.refusals += 1
      case .load, .cancel, .ask, .cancelPages, .status, .tables, .waiting: continue
      }
    }
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
    pages[index].isCurrent = delivery.request == pages[index].request
    if pages[index].isCurrent {
      pages[index].awaitsWindow = false
      pages[index].viewport.first = max(0, pages[index].viewport.first + delivery.shift)
    }
    coverage.placeholders += pages[index].replica.absences.count
    engine.handle(.writable(id), at: clock.now)
    engine.handle(.acknowledge(id, sequence: delivery.sequence), at: clock.now)
  }

  // MARK: The end

  /// Lets everything come to rest, and looks whether every page shows what is true.
  private mutating func settle(_ engine: inout Engine, _ table: TableID) throws {
    step += 1
    isWell = true
    for index in pages.indices where pages[index].isHidden {
      pages[index].isHidden = false
      engine.handle(.visibility(pages[index].id, isHidden: false), at: clock.now)
    }
    try rest(&engine, table)
    // The last word, after which nothing changes any more.
    engine.handle(.sourceChanged(table), at: clock.now)
    try rest(&engine, table)
    // One that tells nothing is just being asked again, or not.
    guard isPolled || source.inFlight.isEmpty else { throw failure("\(source.inFlight.values) are still in flight") }
    for page in pages { try judge(page) }
  }

  private mutating func rest(_ engine: inout Engine, _ table: TableID) throws {
    // Longer than any pause after a failure.
    let end = clock.now.advanced(by: .seconds(400))
    for _ in 0..<20_000 {
      try take(engine.advance(to: clock.now))
      for index in pages.indices { try apply(&engine, index) }
      answer(&engine, table)
      let isResting = pages.allSatisfy(\.coming.isEmpty)
      guard isResting else { continue }
      guard let next = [engine.deadline, source.deadline].compactMap(\.self).min() else { return }
      // A source that tells nothing is asked for ever.
      if isPolled && next >= end { return }
      clock.advance(by: max(.zero, clock.now.duration(to: next)))
    }
    throw failure("it does not come to rest")
  }

  private var isPolled: Bool { !source.capabilities.tellsChanges && source.capabilities.refresh != nil }

  func failure(_ reason: String) -> Simulation.Failure {
    Simulation.Failure(seed: seed, step: step, reason: reason)
  }
}
