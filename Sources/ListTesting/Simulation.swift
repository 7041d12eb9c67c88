import ListEngine

/// A simulation of the engine with a source and several clients, determined by a seed: changes,
/// scrolls, queries, late and lost acknowledgements, dropped connections, faulty clients, and
/// clocks that jump.
///
/// A ``PlainTable`` is the reference: a client must show the same rows in the same order.
///
///     try Simulation(seed: 42).run()
public struct Simulation {
  /// A failed check, with its step.
  public struct Failure: Error, CustomStringConvertible {
    /// The seed that reproduces the failure.
    public let seed: UInt64
    /// The step at which the failure was detected.
    public let step: Int
    /// The description of the failure.
    public let reason: String

    /// The message with the command that reproduces the failure.
    public var description: String {
      "seed \(seed), step \(step): \(reason)\n  again: make simulate SEED=\(seed)"
    }
  }

  /// Counters of the covered behavior, so that tests notice a simulation that does nothing.
  public struct Coverage: Sendable {
    /// The number of windows that clients applied.
    public var windows = 0
    /// The number of patches that clients applied.
    public var patches = 0
    /// The number of items that patches moved.
    public var moves = 0
    /// The number of rows whose cells patches changed.
    public var updates = 0
    /// The number of patches that moved a client's viewport.
    public var shifts = 0
    /// The number of corrupted copies that recovered.
    public var resyncs = 0
    /// The number of windows with collapsed sections.
    public var folds = 0
    /// The number of windows with section headers.
    public var headers = 0
    /// The number of patches that were too large for one message.
    public var partial = 0
    /// The number of requests for deferred cells.
    public var loads = 0
    /// The number of cancelled requests for deferred cells.
    public var cancels = 0
    /// The number of failed requests for deferred cells.
    public var failures = 0
    /// The number of deferred cells that were loaded before they were visible.
    public var hits = 0
    /// The number of reports of pending changes to paused clients.
    public var waits = 0
    /// The number of patches to paused clients that had scrolled.
    public var looks = 0
    /// The number of clients that resumed on another connection and received a patch.
    public var resumes = 0
    /// The number of tables opened by unchecked clients.
    public var uncheckedClients = 0
    /// The number of patches to clients that held the order.
    public var holds = 0
    /// The number of rows that retention removed.
    public var evictions = 0
    /// The number of reloads with more rows than the table's limit.
    public var bounded = 0
    /// The number of replaced tables.
    public var exchanges = 0
    /// The number of replaced tables that clients opened.
    public var reopened = 0
    /// The number of refused queries.
    public var refusals = 0
    /// The number of scrolls before the acknowledgement of a window.
    public var earlyScrolls = 0
    /// The number of rows that matched or ceased to match a client's filter because time passed.
    public var crossings = 0
    /// The number of patches that kept the scroll anchor at its place on the screen.
    public var anchored = 0
    /// The number of tiles that were compared with the rows.
    public var tiles = 0
    /// The number of facets that were compared with the rows.
    public var facets = 0
    /// The number of pinned rows that were compared with the rows.
    public var pins = 0
    /// The headers of ranges in windows.
    public var ranges = 0

    /// Creates counters that are all 0.
    public init() {}
  }

  /// A client: its copy, query and viewport.
  struct SimulatedClient {
    let id: SessionID
    var replica = Replica()
    var query = Query()
    /// The collapsed sections, by their values.
    var collapsed: Set<[Cell]> = []
    var request: UInt64 = 1
    var viewport: Viewport
    /// The deliveries in flight to the client.
    var coming: [Delivery] = []
    var isOpen = true
    var isHidden = false
    /// Whether the client shows its last query's result and has not been corrupted since.
    var isCurrent = false
    /// Whether the window of the last query has not arrived; the user still sees the old one.
    var awaitsWindow = false
    /// Whether it awaits the window because it sent another query.
    var isAwaitingAnswer = false
    /// Whether its socket is writable.
    var isWritable = true
    var lastSent: Instant?
    /// The rows that the source moved since the last delivery to the client.
    var moved: Set<Int64> = []
    /// Whether a reload has happened since then.
    var isReordered = false
    /// Whether the client has resumed and received no answer yet.
    var isResuming = false
    /// The row that the client asked to be placed by if it receives a window.
    var sought = Sought.nothing
    /// The view at the start of the pause, while the client pauses.
    var pause: PausedView?
    /// Whether the client may hold the order, and since when it certainly does.
    var mayHold = false
    var heldAt: Instant? { didSet { if heldAt == nil { awaitsItems = true } } }
    /// Whether a request for other items may be unanswered; it is answered before a hold starts.
    var awaitsItems = true
    /// The copy from before the hold, which determines the places of rows.
    var placed: Replica?
    /// The tiles of the client's summary strip, if it has one.
    var tiles: Tiles?
    /// The client's facets, if it has some.
    var facets: Facets?
    /// The client's pinned rows, if it has some.
    var pins: Pins?
  }

  /// The table's schema, in some runs with two deferred columns at the end.
  var schema: Schema
  static let keyColumn = 6
  let seed: UInt64
  var random: SeededGenerator
  var clock = ManualClock()
  var plain: PlainTable
  /// The source's loader of deferred cells, and the version numbers of their true values.
  var loader: ScriptedLoader
  var truths: [DeferredCell: Int] = [:]
  /// The generator for replaced tables, separate so that other random choices do not change.
  var exchanges: SeededGenerator
  /// The generator for invalid queries and early scrolls, separate for the same reason.
  var earlyRequests: SeededGenerator
  /// The requests that clients with refused queries continue to show.
  var refusalsToCome: [SessionID: [UInt64]] = [:]
  /// The generator for unchecked clients.
  var uncheckedClients: SeededGenerator
  /// The generator for tiles, and the number of the last request for some.
  var tiling: SeededGenerator
  /// The random numbers of section orders, apart from the others so that seeds keep their course.
  var ordering: SeededGenerator
  var nextTiles: UInt64 = 0
  /// The generator for ranges, apart from the others for the same reason.
  var ranging: SeededGenerator
  /// The generator for times of day and filters by age.
  var moments: SeededGenerator
  /// The generator for facets, and the number of the last request for some.
  var faceting: SeededGenerator
  var nextFacets: UInt64 = 0
  /// The generator for pinned rows, and the number of the last request for some.
  var pinning: SeededGenerator
  var nextPins: UInt64 = 0
  /// The rows of replaced tables.
  var previousRows: Set<RowID> = []
  var clients: [SimulatedClient] = []
  private var nextClient: UInt64 = 1
  private(set) var hasClockGoneBack = false
  var step = 0
  let isExact: Bool
  /// Whether row ids follow from keys, which is so in every fifth run.
  var sharesRowIDs: Bool { seed % 5 == 0 }
  let keys: Int
  let limits: Limits
  /// The counters of the run so far.
  public internal(set) var coverage = Coverage()

  /// Creates the run of a seed.
  public init(seed: UInt64) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    exchanges = SeededGenerator(seed: seed ^ 0x6578_6368)
    earlyRequests = SeededGenerator(seed: seed ^ 0x6861_7374)
    uncheckedClients = SeededGenerator(seed: seed ^ 0x7374_7261)
    tiling = SeededGenerator(seed: seed ^ 0x7469_6C65)
    moments = SeededGenerator(seed: seed ^ 0x6D6F_6D65)
    ordering = SeededGenerator(seed: seed ^ 0x6F72_6465)
    ranging = SeededGenerator(seed: seed ^ 0x7261_6E67)
    faceting = SeededGenerator(seed: seed ^ 0x6661_6365)
    pinning = SeededGenerator(seed: seed ^ 0x7069_6E73)
    // In every third run, patches are so small that changes need several of them. A client is then
    // only correct after the last one.
    isExact = seed % 3 != 0
    var limits = Limits()
    limits.patchBytes = isExact ? 1 << 20 : 300
    limits.cellBytes = 100
    limits.stepRows = random.pick([4, 20, 100, 1 << 16])
    limits.evictions = random.pick([1, 5, 4096])
    limits.turnRows = random.pick([1, 40, 8192])
    limits.backlog = random.pick([4, 30, 4096])
    self.limits = limits
    let keys = random.pick([5, 30, 30, 120, 700])
    self.keys = keys
    var schema = Self.schema(isDeferred: seed % 4 == 2, &random)
    Self.bound(&schema, keys: keys, &random)
    schema.columns[2].collation = random.pick([.codeUnit, .natural, .locale("invented")])
    schema.columns[3].collation = random.pick([.codeUnit, .natural, .locale("invented")])
    if seed % 4 == 1 { schema = schema.deriving(histories: ["a": 3, "b": 5], changeTime: "changed") }
    self.schema = schema
    plain = PlainTable(schema, limits: limits)
    loader = ScriptedLoader(bound: schema.prefetch.inFlight)
  }

  /// Runs all steps and the final checks.
  ///
  /// - Throws: ``Failure``.
  public mutating func run(steps: Int = 120) throws {
    var engine = Engine(
      epoch: "seed \(seed)", limits: limits, sharesRowIDs: sharesRowIDs, collators: InventedLanguage.find)
    setWall(&engine, 0)
    let table = try engine.addTable(schema, at: clock.now)
    _ = engine.advance(to: clock.now)
    for step in 1...steps {
      self.step = step
      act(&engine, table)
      sendInvalidQuery(&engine)
      scrollWhileWaiting(&engine)
      runUncheckedClients(&engine)
      choose(&engine)
      chooseFacets(&engine)
      choosePins(&engine)
      if exchanges.oneIn(100) { try exchange(&engine, table) }
      answer(&engine, table)
      let state = engine.tables(at: clock.now)[0]
      guard state.rows == plain.rows.count else {
        throw failure(
          "the table has \(state.rows) rows of \(plain.rows.count); last rejected: \(state.source.lastRejection)")
      }
      if !random.oneIn(4) { try advance(&engine) }
    }
    try settle(&engine, table)
    count(engine.prefetch(of: table))
    try leave(&engine)
  }

  // MARK: Actions

  private mutating func act(_ engine: inout Engine, _ table: TableID) {
    switch random.number(1...(isDeferred ? 26 : 24)) {
    case 1...6: change(&engine, table)
    case 7: reload(&engine, table)
    case 8...9: pass(.milliseconds(random.pick([0, 1, 16, 100, 300, 1000, 20_000])), &engine)
    case 10:
      guard random.oneIn(3) else { return }
      pass(.milliseconds(random.pick([-1, -500, -3_600_000])), &engine)
      hasClockGoneBack = true
    case 11: openClient(&engine)
    case 12: random.oneIn(2) ? closeClient(&engine) : drop(&engine)
    case 13...14: scroll(&engine)
    case 15: query(&engine)
    case 16...20: receive(&engine)
    case 21: hide(&engine)
    case 22: collapse(&engine)
    case 24: random.oneIn(2) ? pause(&engine) : hold(&engine)
    case 25...26: changeTruth(&engine, table)
    default: spoil()
    }
  }

  mutating func key() -> RowKey { .integer(Int64(random.number(1...keys))) }

  mutating func cell(_ column: Int) -> Cell {
    if random.oneIn(8) { return .null }
    switch column {
    case 0: return .integer(random.oneIn(30) ? random.pick([.min, .max]) : Int64(random.number(-5...5)))
    case 1:
      return random.oneIn(10) ? .integer(Int64(random.number(0...3))) : .number(Double(random.number(-400...400)) / 8)
    case 2: return .text(random.pick(["red", "green", "blue", "", "Grün", "RED", "grüN", "red 10", "Red 9"]))
    case 3:
      let number = random.number(0...500)
      return .text((number % 5 == 0 ? "Text-0\(number)" : "text-\(number)") + (random.oneIn(9) ? "ÄÖ" : ""))
    case 4: return .boolean(random.oneIn(2))
    default: return distant(moment(Int64(random.number(0...40)) * 250_000))
    }
  }

  /// Returns random cells of a row; the key column identifies the row in checks.
  private mutating func cells(_ key: RowKey) -> [Cell] {
    guard case .integer(let number) = key else { preconditionFailure("\(key) is not a number") }
    return (0..<Self.keyColumn).map { cell($0) } + [.integer(number)] + deferredCells(key)
  }

  private mutating func change(_ engine: inout Engine, _ table: TableID) {
    var changes = Changeset()
    plain.follow(clock.now)
    for _ in 1...random.pick([1, 1, 3, 10, keys]) {
      let key = key()
      switch random.number(1...20) {
      case 1...8:
        let cells = cells(key)
        changes.upsert(key, cells)
        upsert(key, cells)
      case 9...15:
        let some = (0..<Self.keyColumn).map { random.oneIn(3) ? cell($0) : nil } + [nil] + deferredUpdate(key)
        changes.update(key, some)
        plain.update(key, some)
      case 16...17:
        changes.delete(key)
        plain.delete(key)
        noteMove(key)  // an inserted row with this key is placed at the end
      case 18...19:
        let other: RowKey? = random.oneIn(3) ? nil : self.key()
        changes.move(key, before: other)
        if key != other, other.map(plain.contains) ?? true { noteMove(key) }
        plain.move(key, before: other)
      default: reject(&changes, key)
      }
    }
    engine.handle(.changes(table, changes), at: clock.now)
  }

  mutating func noteMove(_ key: RowKey) {
    guard case .integer(let number) = key else { return }
    for index in clients.indices { clients[index].moved.insert(number) }
  }

  /// Sends a row that does not fit the table.
  private mutating func reject(_ changes: inout Changeset, _ key: RowKey) {
    var cells = cells(key)
    switch random.number(1...4) {
    case 1: cells.removeLast()
    case 2: cells[0] = .text("no number")
    case 3: cells[3] = .text(String(repeating: "x", count: 101))
    default:
      let bad: [UInt8] = [0x61, 0xC3, 0x28]
      changes.beginRow(.upsert, key: 3)
      for column in cells.indices where column != 3 { changes.append(cells[column]) }
      bad.withUnsafeBytes { changes.append(text: $0) }
      return
    }
    changes.upsert(key, cells)
    upsert(key, cells)
  }

  private mutating func reload(_ engine: inout Engine, _ table: TableID) {
    var list = plain.rows.map { ($0.key, $0.cells) }
    list.removeAll { _ in random.oneIn(7) }
    for _ in 0..<random.number(0...5) {
      let key = key()
      list.insert((key, cells(key)), at: random.number(0...list.count))
    }
    forgetDeferred(&list)
    if random.oneIn(3) { list.insert((key(), [.text("does not fit")]), at: random.number(0...list.count)) }
    if list.count > 1 {
      for _ in 0..<random.pick([0, 0, 1, 3]) {
        list.swapAt(random.number(0...list.count - 1), random.number(0...list.count - 1))
      }
    }
    plain.follow(clock.now)
    plain.reload(list)
    let isFull = plain.rows.count == schema.limits.rows ?? limits.rows
    coverage.bounded += isFull && Set(list.map(\.0)).count > plain.rows.count + 1 ? 1 : 0
    for index in clients.indices { clients[index].isReordered = true }
    let cut = random.number(0...list.count)
    var head = Changeset.reload(Array(list[..<cut]))
    var tail = Changeset.reload(Array(list[cut...]))
    head.endsReload = false
    tail.beginsReload = false
    engine.handle(.changes(table, head), at: clock.now)
    engine.handle(.changes(table, tail), at: clock.now)
  }

  private mutating func openClient(_ engine: inout Engine) {
    guard clients.count < 5 else { return }
    let stick: Viewport.Stick? = random.pick([nil, .top, .end])
    let viewport = Viewport(
      first: stick == .top ? 0 : random.number(0...30), count: random.number(1...20),
      ahead: random.pick([nil, 0, 5, 40]),
      behind: random.pick([nil, 0, 5, 40]), stick: stick)
    var client = SimulatedClient(id: newClientID(), viewport: viewport)
    client.query = randomQuery()
    client.collapsed = randomPaths(client.query)
    engine.handle(
      .open(
        client.id, table: "numbers", request: client.request, query: request(client), viewport: viewport,
        interval: random.pick([nil, .zero, .milliseconds(100), .seconds(2)])), at: clock.now)
    clients.append(client)
  }

  mutating func newClientID() -> SessionID {
    defer { nextClient += 1 }
    return SessionID(rawValue: nextClient)
  }

  private mutating func closeClient(_ engine: inout Engine) {
    guard random.oneIn(3), !clients.isEmpty else { return }
    let client = clients.remove(at: random.number(0...clients.count - 1))
    engine.handle(.close(client.id), at: clock.now)
  }

  private mutating func scroll(_ engine: inout Engine) {
    guard let index = anyClient(), !clients[index].awaitsWindow else { return }
    let client = clients[index]
    var viewport = client.viewport
    viewport.first = max(0, random.oneIn(4) ? random.number(0...keys) : viewport.first + random.number(-15...15))
    viewport.count = random.oneIn(5) ? random.number(1...25) : viewport.count
    viewport.stick = random.oneIn(3) ? random.pick([.top, .end]) : nil
    if viewport.stick == .top { viewport.first = 0 }
    viewport.anchor = nil
    if random.oneIn(2), let item = client.replica.items.randomElement(using: &random), case .row(let id, _, _) = item {
      viewport.anchor = id
    }
    viewport.sequence = client.replica.sequence
    clients[index].sought.scroll(by: viewport.first - client.viewport.first)
    clients[index].viewport = viewport
    clients[index].heldAt = nil
    clients[index].pause?.hasScrolled = true
    engine.handle(.viewport(client.id, viewport), at: clock.now)
  }

  private mutating func query(_ engine: inout Engine) {
    guard let index = anyClient() else { return }
    clients[index].request += 1
    clients[index].tiles?.mayReportEarly = true
    allowEarlyFacets(index)
    clients[index].query = randomQuery()
    clients[index].collapsed = randomPaths(clients[index].query)
    clients[index].isCurrent = false
    (clients[index].awaitsWindow, clients[index].isAwaitingAnswer) = (true, true)
    clients[index].pause = nil
    (clients[index].mayHold, clients[index].heldAt) = (false, nil)
    let viewport = random.oneIn(2) ? Viewport(first: 0, count: clients[index].viewport.count) : nil
    clients[index].viewport.first = 0
    (clients[index].viewport.stick, clients[index].viewport.anchor) = (.top, nil)
    engine.handle(
      .query(clients[index].id, request: clients[index].request, query: request(clients[index]), viewport: viewport),
      at: clock.now)
  }

  private mutating func hide(_ engine: inout Engine) {
    guard let index = anyClient() else { return }
    clients[index].isHidden.toggle()
    clients[index].tiles?.mayReportEarly = true
    allowEarlyFacets(index)
    (clients[index].mayHold, clients[index].heldAt) = (false, nil)
    engine.handle(.visibility(clients[index].id, isHidden: clients[index].isHidden), at: clock.now)
  }

  private mutating func spoil() {
    guard random.oneIn(3), let index = anyClient(), clients[index].replica.sequence > 0 else { return }
    clients[index].replica.spoil()
    clients[index].isCurrent = false
  }

  mutating func anyClient() -> Int? { clients.isEmpty ? nil : random.number(0...clients.count - 1) }

  // MARK: Clients

  /// Processes the engine's outputs.
  mutating func take(_ outputs: [Output]) throws {
    for output in outputs where !isForUncheckedClient(output) {
      switch output {
      case .deliver(let id, let delivery):
        guard let index = clients.firstIndex(where: { $0.id == id }) else {
          throw failure("a closed page gets a patch")
        }
        guard clients[index].coming.isEmpty else {
          throw failure("two patches are on their way to page \(id.rawValue)")
        }
        guard !clients[index].isHidden else { throw failure("a hidden page gets a patch") }
        try judgePaused(delivery, index)
        guard clients[index].isWritable else { throw failure("a page gets a patch that its socket cannot take") }
        try judgeRows(delivery)
        clients[index].isWritable = false
        clients[index].coming.append(delivery)
        if clients[index].isResuming, delivery.patch.base != nil { coverage.resumes += 1 }
        defer { (clients[index].isResuming, clients[index].sought) = (false, .nothing) }
        if let held = delivery.patch.result.held {
          try judgeHeld(delivery, held, clients[index])
          continue
        }
        if let heldAt = clients[index].heldAt, heldAt <= clock.now, !hasClockGoneBack,
          heldAt.duration(to: clock.now) < limits.hold
        {
          throw failure("client \(id.rawValue) holds its order, and is sent another one")
        }
        clients[index].heldAt = nil
        // Changes that need several patches are not complete with the first one.
        clients[index].awaitsItems = !isExact
        if isExact {
          try judge(delivery, clients[index])
          try judgeShift(delivery, clients[index])
        }
        (clients[index].moved, clients[index].isReordered) = ([], false)
      case .refuse(let id, let refusal): try judge(refusal, of: id)
      case .load, .cancel: try takeLoads(output)
      case .waiting(let id, let waiting): try judge(waiting, id)
      case .tiles(let id, let reports): try judge(reports, id)
      case .facets(let id, let reports): try judge(reports, id)
      case .pins(let id, let reports): try judge(reports, id)
      case .status(let id, _, _):
        guard let client = clients.first(where: { $0.id == id }), !client.isHidden, client.pause == nil else {
          throw failure("a page that is closed, hidden or paused receives the status of the source")
        }
      case .tables, .ask, .cancelBlocks: continue
      }
    }
  }

  /// Receives a delivery in a random client, which may apply it without acknowledging it yet.
  private mutating func receive(_ engine: inout Engine) {
    guard let index = anyClient() else { return }
    if !clients[index].isWritable {
      clients[index].isWritable = true
      engine.handle(.writable(clients[index].id), at: clock.now)
    }
    apply(&engine, index)
  }

  mutating func apply(_ engine: inout Engine, _ index: Int) {
    guard !clients[index].coming.isEmpty else { return }
    let delivery = clients[index].coming.removeFirst()
    let id = clients[index].id
    let before = clients[index].replica
    do throws(Replica.Mismatch) {
      try clients[index].replica.apply(delivery)
    } catch {
      coverage.resyncs += 1
      (clients[index].mayHold, clients[index].heldAt) = (false, nil)
      clients[index].pause?.hasScrolled = true
      engine.handle(.resync(id, sequence: delivery.sequence), at: clock.now)
      return
    }
    count(delivery)
    clients[index].placed = delivery.patch.result.held == nil ? nil : clients[index].placed ?? before
    clients[index].isCurrent = delivery.request == clients[index].request
    if clients[index].isCurrent { (clients[index].awaitsWindow, clients[index].isAwaitingAnswer) = (false, false) }
    if clients[index].isCurrent { follow(delivery, index) }
    scrollEarly(&engine, index)
    engine.handle(.acknowledge(id, sequence: delivery.sequence), at: clock.now)
  }

  private mutating func count(_ delivery: Delivery) {
    if delivery.patch.base == nil { coverage.windows += 1 } else { coverage.patches += 1 }
    coverage.moves += delivery.patch.moved.count
    coverage.updates += delivery.patch.updatedRows.count
    if delivery.shift != 0 { coverage.shifts += 1 }
    if delivery.patch.result.items.contains(where: { if case .header = $0 { true } else { false } }) {
      coverage.headers += 1
    }
    for case .header(let header) in delivery.patch.result.items where header.end != nil { coverage.ranges += 1 }
    let isFolded = delivery.patch.result.items.contains {
      if case .header(let header) = $0 { header.isCollapsed } else { false }
    }
    if isFolded { coverage.folds += 1 }
    if delivery.patch.result.items.count < 10 && delivery.patch.result.total > 30 { coverage.partial += 1 }
  }

  /// Moves the client's viewport with its scroll anchor.
  private mutating func follow(_ delivery: Delivery, _ index: Int) {
    clients[index].viewport.first = max(0, clients[index].viewport.first + delivery.shift)
  }

  func failure(_ reason: String) -> Failure { Failure(seed: seed, step: step, reason: reason) }
}
