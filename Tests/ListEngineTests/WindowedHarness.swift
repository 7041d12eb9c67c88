import ListTesting
import Testing

@testable import ListEngine

/// An engine with one windowed table, its scripted source, clients and a manual clock.
final class WindowedHarness {
  var engine: Engine
  let table: TableID
  var clock = ManualClock()
  var source: ScriptedWindowedSource
  /// The source's behavior for future requests.
  var plan: (BlockRequest) -> ScriptedWindowedSource.Plan = { _ in .init() }
  /// An action that a client runs once, after it has applied the next delivery and before it
  /// acknowledges it.
  private var beforeAcknowledging: (() -> Void)?
  /// Whether the source validates requests.
  ///
  /// Tests that answer in its place turn this off.
  var judgesRequests = true
  private(set) var replicas: [SessionID: Replica] = [:]
  private(set) var deliveries: [Delivery] = []
  private(set) var refusals: [SessionID: ClientError] = [:]
  /// All refusals in order.
  private(set) var refused: [Refusal] = []

  /// A schema whose rows have a value, a name and a group.
  static func schema(
    _ capabilities: WindowedCapabilities, prefetch: PrefetchPolicy = PrefetchPolicy()
  ) -> Schema {
    Schema(
      name: "numbers", key: .integer,
      columns: [Column("value", .integer), Column("name", .text), Column("group", .text)], prefetch: prefetch,
      windowed: capabilities)
  }

  init(
    _ capabilities: WindowedCapabilities = WindowedCapabilities(sort: [0], group: [2]), rows: Int = 0,
    limits: Limits = Limits(), prefetch: PrefetchPolicy = PrefetchPolicy(), collation: Collation = .codeUnit
  ) throws {
    engine = Engine(epoch: "windowed", limits: limits, collators: InventedLanguage.find)
    var schema = Self.schema(capabilities, prefetch: prefetch)
    schema.columns[1].collation = collation
    schema.columns[2].collation = collation
    source = ScriptedWindowedSource(schema)
    table = try engine.addTable(schema, at: clock.now)
    _ = engine.advance(to: clock.now)
    for row in 0..<rows { upsert(row) }
  }

  static func limits(_ change: (inout Limits) -> Void) -> Limits {
    var limits = Limits()
    limits.pageRows = 10
    change(&limits)
    return limits
  }

  /// Inserts or replaces a row whose value by default is ten times its key.
  func upsert(_ key: Int, value: Int? = nil, group: String? = nil, at place: Int? = nil) {
    source.upsert(
      .integer(Int64(key)),
      [.integer(Int64(value ?? key * 10)), .text("row \(key)"), .text(group ?? (key % 2 == 0 ? "even" : "odd"))],
      at: place)
  }

  func change() { engine.handle(.sourceChanged(table), at: clock.now) }

  /// Opens a session with ten visible rows and a buffer of five rows below and above.
  @discardableResult
  func open(
    _ number: UInt64 = 1, query: QueryRequest = QueryRequest(), first: Int = 0, count: Int = 10, buffer: Int = 5,
    stick: Viewport.Stick? = nil, interval: Duration? = .zero
  ) -> SessionID {
    let id = SessionID(rawValue: number)
    replicas[id] = Replica()
    engine.handle(
      .open(
        id, table: "numbers", request: 1, query: query,
        viewport: Viewport(first: first, count: count, ahead: buffer, behind: buffer, stick: stick), interval: interval),
      at: clock.now)
    return id
  }

  func scroll(
    _ number: UInt64 = 1, first: Int, count: Int = 10, buffer: Int = 5, anchor: RowID? = nil,
    stick: Viewport.Stick? = nil
  ) {
    let id = SessionID(rawValue: number)
    engine.handle(
      .viewport(
        id,
        Viewport(
          first: first, count: count, ahead: buffer, behind: buffer, anchor: anchor, stick: stick,
          sequence: replica(number).sequence)), at: clock.now)
  }

  func close(_ number: UInt64 = 1) { engine.handle(.close(SessionID(rawValue: number)), at: clock.now) }

  /// Runs one turn: the engine advances, clients apply and acknowledge deliveries, and the source
  /// takes requests.
  @discardableResult
  func turn(by duration: Duration = .zero) throws -> [Delivery] {
    clock.advance(by: duration)
    var sent: [Delivery] = []
    for output in engine.advance(to: clock.now) {
      source.take(output, at: clock.now, plan: plan)
      switch output {
      case .deliver(let id, let delivery):
        sent.append(delivery)
        deliveries.append(delivery)
        try replicas[id]?.apply(delivery)
        beforeAcknowledging?()
        beforeAcknowledging = nil
        engine.handle(.writable(id), at: clock.now)
        engine.handle(.acknowledge(id, sequence: delivery.sequence), at: clock.now)
      case .refuse(let id, let refusal):
        refusals[id] = refusal.fault.error
        refused.append(refusal)
      default: break
      }
    }
    if judgesRequests { #expect(source.mistakes.isEmpty, "\(source.mistakes)") }
    return sent
  }

  /// Delivers the source's due answers.
  func answer() { for input in source.answers(until: clock.now, table) { engine.handle(input, at: clock.now) } }

  /// Advances time from deadline to deadline within this duration.
  func settle(within duration: Duration = .seconds(100)) throws {
    let end = clock.now.advanced(by: duration)
    for _ in 0..<10_000 {
      try turn()
      answer()
      guard let next = [engine.deadline, source.deadline].compactMap(\.self).min() else { return }
      guard next <= end else { return clock.advance(by: clock.now.duration(to: end)) }
      clock.advance(by: max(.zero, clock.now.duration(to: next)))
    }
    Issue.record("it does not come to rest")
  }

  /// Settles like ``settle(within:)``.
  ///
  /// A client runs `act` between applying and acknowledging the next delivery.
  func settle(beforeAcknowledging act: @escaping () -> Void) throws {
    beforeAcknowledging = act
    try settle()
  }

  func replica(_ number: UInt64 = 1) -> Replica { replicas[SessionID(rawValue: number)]! }

  /// Returns the items that a client shows as text: a row's value, `...` for a placeholder, `!` for
  /// a failed one, or a header's value and count.
  func lines(_ number: UInt64 = 1) -> [String] {
    let replica = replica(number)
    return replica.items.map { item in
      switch item {
      case .header(let header):
        if case .text(let value) = header.value {
          "\(value):\(header.count)"
        } else {
          "\(header.value):\(header.count)"
        }
      case .row(let id, _, let cells):
        if case .integer(let value)? = cells.first {
          "\(value)"
        } else if case .failed = replica.absences[id] {
          "!"
        } else {
          "..."
        }
      }
    }
  }

  /// Returns the identifier of the row with this value.
  func row(_ value: Int64, _ number: UInt64 = 1) -> RowID? {
    for case .row(let id, _, let cells) in replica(number).items where cells.first == .integer(value) { return id }
    return nil
  }
}
