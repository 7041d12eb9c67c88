import ListTesting
import Testing

@testable import ListEngine

/// An engine with one table of numbers, some clients and a manual clock.
final class Harness {
  var engine: Engine
  let table: TableID
  var clock = ManualClock()
  private(set) var replicas: [SessionID: Replica] = [:]
  /// All deliveries in order.
  private(set) var deliveries: [(session: SessionID, delivery: Delivery)] = []
  private(set) var others: [Output] = []

  static let schema = Schema(
    name: "numbers", key: .integer,
    columns: [Column("value", .integer), Column("name", .text), Column("group", .text)])

  init(
    limits: Limits = Limits(), rows: Int = 0, schema: Schema = Harness.schema, sharesRowIDs: Bool = false,
    collators: @escaping CollatorFinder = { _, _ in nil }
  ) throws {
    engine = Engine(epoch: "harness", limits: limits, sharesRowIDs: sharesRowIDs, collators: collators)
    table = try engine.addTable(schema, at: clock.now)
    _ = engine.advance(to: clock.now)
    if rows > 0 { change { changes in for row in 0..<rows { changes.upsert(row, value: row * 10) } } }
  }

  func change(_ body: (inout Changes) -> Void) {
    var changes = Changes()
    body(&changes)
    engine.handle(.changes(table, changes.set), at: clock.now)
  }

  /// Opens a session with ten visible rows and a buffer of five rows below and above.
  @discardableResult
  func open(
    _ number: UInt64 = 1, query: QueryRequest = QueryRequest(), first: Int = 0, count: Int = 10, buffer: Int = 5,
    stick: Viewport.Stick? = nil, interval: Duration? = nil, resume: ResumePoint? = nil,
    owner: Int? = nil, isRestricted: Bool? = nil
  ) -> SessionID {
    let id = SessionID(rawValue: number)
    replicas[id] = Replica()
    engine.handle(
      .open(
        id, table: "numbers", request: 1, query: query,
        viewport: Viewport(first: first, count: count, ahead: buffer, behind: buffer, stick: stick), interval: interval,
        resume: resume, owner: owner, isRestricted: isRestricted),
      at: clock.now)
    return id
  }

  /// Hands a client's window over to another session.
  func hand(_ old: SessionID, to new: SessionID) { replicas[new] = replicas.removeValue(forKey: old) }

  /// Sets the window that a client holds.
  func put(_ replica: Replica, as id: SessionID) { replicas[id] = replica }

  /// Drops the outputs recorded so far that are not deliveries.
  func forgetOthers() { others = [] }

  func scroll(
    _ id: SessionID = SessionID(rawValue: 1), first: Int, count: Int = 10, buffer: Int = 5, anchor: RowID? = nil,
    stick: Viewport.Stick? = nil
  ) {
    engine.handle(
      .viewport(
        id,
        Viewport(
          first: first, count: count, ahead: buffer, behind: buffer, anchor: anchor, stick: stick,
          sequence: replicas[id]?.sequence ?? 0)), at: clock.now)
  }

  func acknowledge(_ id: SessionID = SessionID(rawValue: 1)) {
    engine.handle(.writable(id), at: clock.now)
    engine.handle(.acknowledge(id, sequence: replicas[id]?.sequence ?? 0), at: clock.now)
  }

  /// Advances the engine; clients apply what they receive.
  ///
  /// Returns the new deliveries.
  @discardableResult
  func advance(by duration: Duration = .zero) throws -> [Delivery] {
    clock.advance(by: duration)
    var sent: [Delivery] = []
    for output in engine.advance(to: clock.now) {
      guard case .deliver(let id, let delivery) = output else {
        others.append(output)
        continue
      }
      deliveries.append((id, delivery))
      sent.append(delivery)
      try replicas[id]?.apply(delivery)
    }
    return sent
  }

  /// Advances the engine and acknowledges all deliveries, until nothing is due at this time.
  func settle(by duration: Duration = .zero) throws {
    try advance(by: duration)
    for _ in 0..<100 {
      // Acknowledge in a fixed order, because the order determines the engine's next deliveries.
      for id in replicas.keys.sorted(by: { $0.rawValue < $1.rawValue }) { acknowledge(id) }
      if try advance().isEmpty { return }
    }
    Issue.record("it does not come to rest")
  }

  func replica(_ number: UInt64 = 1) -> Replica { replicas[SessionID(rawValue: number)]! }

  /// Returns the first column of the rows that a client shows.
  func values(_ number: UInt64 = 1) -> [Int64] {
    replica(number).cells.compactMap { if case .integer(let value) = $0[0] { value } else { nil } }
  }

  /// Returns the identifier of the row with this value.
  func row(_ value: Int64, _ number: UInt64 = 1) -> RowID? {
    for case .row(let id, _, let cells) in replica(number).items where cells[0] == .integer(value) { return id }
    return nil
  }
}

/// A builder of changes to a table with a value, a name and a group.
struct Changes {
  var set = Changeset()

  mutating func upsert(_ key: Int, value: Int, name: String = "row", group: String = "one") {
    set.upsert(.integer(Int64(key)), [.integer(Int64(value)), .text(name), .text(group)])
  }
  mutating func update(_ key: Int, value: Int) { set.update(.integer(Int64(key)), [.integer(Int64(value)), nil, nil]) }
  mutating func update(_ key: Int, name: String) { set.update(.integer(Int64(key)), [nil, .text(name), nil]) }
  mutating func delete(_ key: Int) { set.delete(.integer(Int64(key))) }
}
