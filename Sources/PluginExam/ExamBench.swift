import ListEngine
import ProcessSource

/// The environment of an exam: the server's engine and supervisor under a virtual clock.
final class ExamBench {
  let options: ExamOptions
  private(set) var clock = Instant(nanoseconds: 1_000_000_000_000)
  private(set) var supervisor: Supervisor
  private(set) var findings: [ExamFinding] = []
  private(set) var log: [String] = []
  var seen: Set<ExamRule> = []
  /// The highest level that the plugin has shown.
  var level = 0
  /// The plugin's schema, once it is declared.
  private(set) var schema: Schema?
  /// The row keys recorded in each start, up to a limit.
  var keys: [Set<RowKey>] = []
  /// The requests of the engine since the last ``takeRequests()``.
  private(set) var requests: [SourceRequest] = []

  private var engine: Engine
  private var table: TableID?
  private var rejected: UInt64 = 0
  private let client = SessionID(rawValue: 1)

  /// The maximum number of findings recorded per rule.
  private static let findingLimit = 3
  private static let logLimit = 50

  init(_ options: ExamOptions) {
    self.options = options
    engine = Engine(epoch: "exam", collators: options.collators)
    supervisor = Supervisor(seed: 1)
    _ = supervisor.handle(.start, at: clock)
  }

  // MARK: Findings

  func find(
    _ rule: ExamRule, in part: String, _ message: String, line: Int? = nil, output: String = "", advice: String? = nil
  ) {
    seen.insert(rule)
    let before = findings.filter { $0.rule == rule }
    guard before.count < Self.findingLimit, !before.contains(where: { $0.message == message }) else { return }
    findings.append(ExamFinding(rule: rule, part: part, message: message, line: line, output: output, advice: advice))
  }

  func hasFound(_ rule: ExamRule) -> Bool { findings.contains { $0.rule == rule } }

  func keep(log lines: [String]) { log += lines.prefix(max(0, Self.logLimit - log.count)) }

  // MARK: Time

  /// Advances the virtual clock and processes the engine's outputs.
  func pass(_ time: Duration) {
    clock = clock.advanced(by: time)
    takeOutputs()
  }

  private func takeOutputs() {
    for output in engine.advance(to: clock) {
      switch output {
      case .deliver(let session, let delivery):
        engine.handle(.acknowledge(session, sequence: delivery.sequence), at: clock)
        engine.handle(.writable(session), at: clock)
      case .load(_, let cells): requests.append(.load(cells))
      case .cancel(_, let cells): requests.append(.cancel(cells))
      case .ask(_, let queries): requests.append(.ask(queries))
      case .cancelBlocks(_, let ids): requests.append(.cancelBlocks(ids))
      case .status, .waiting, .tiles, .facets, .pins, .tables, .refuse: break
      }
    }
  }

  func takeRequests() -> [SourceRequest] {
    defer { requests = [] }
    return requests
  }

  /// Passes an input to the supervisor and returns its commands.
  func supervise(_ input: Supervisor.Input) -> [Supervisor.Command] { supervisor.handle(input, at: clock) }

  /// Advances the clock to the supervisor's deadline.
  func jump() -> [Supervisor.Command] {
    guard let deadline = supervisor.deadline else { return [] }
    pass(max(.zero, clock.duration(to: deadline)))
    return supervisor.advance(to: clock)
  }

  // MARK: The engine

  /// Adds the table and opens a session on it; returns the reason for a failure.
  func add(_ schema: Schema) -> String? {
    guard table == nil else { return nil }
    do throws(SchemaError) {
      table = try engine.addTable(schema, at: clock)
    } catch {
      return "\(error)"
    }
    openClient(on: schema)
    return nil
  }

  /// Adds columns to the table; returns the reason for a failure.
  func addColumns(_ schema: Schema) -> String? {
    guard let table, schema != self.schema else { return nil }
    let rows = engine.contents(of: table, columns: schema.columns.count)
    do throws(SchemaError) {
      try engine.replaceTable(table, with: schema, at: clock)
    } catch {
      return "\(error)"
    }
    for changes in rows { engine.handle(.changes(table, changes), at: clock) }
    openClient(on: schema)
    return nil
  }

  private func openClient(on schema: Schema) {
    self.schema = schema
    engine.handle(
      .open(
        client, table: schema.name, request: 1, query: QueryRequest(), viewport: Viewport(first: 0, count: 40),
        interval: nil), at: clock)
    takeOutputs()
  }

  /// Applies changes, or the answer to a query on a remote table; returns the reason if a row was
  /// rejected.
  func apply(_ event: SourceEvent) -> String? {
    guard let table else { return nil }
    handle(event)
    pass(.milliseconds(10))
    return newRejection(table)
  }

  /// Applies an event without passing time.
  func handle(_ event: SourceEvent) {
    if let input = table.flatMap({ Input(event, of: $0) }) { engine.handle(input, at: clock) }
  }

  private func newRejection(_ table: TableID) -> String? {
    let status = engine.tables(at: clock)[table.rawValue].source
    defer { rejected = status.rejected }
    return status.rejected > rejected ? status.lastRejection : nil
  }

  /// The number of rows in the table.
  var rowCount: Int { table.map { engine.tables(at: clock)[$0.rawValue].rows } ?? 0 }
}
