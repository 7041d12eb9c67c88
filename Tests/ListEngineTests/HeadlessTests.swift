import ListEngine
import ListTesting
import Testing

/// The example in docs/testing.md, which uses only public declarations.
@Suite struct HeadlessTests {
  @Test func `the documented example delivers its row`() throws {
    var clock = ManualClock()
    var engine = Engine(epoch: "test")
    let schema = Schema(name: "jobs", key: .integer, columns: [Column("name", .text)])
    let table = try engine.addTable(schema, at: clock.now)
    let client = SessionID(rawValue: 1)
    var replica = Replica()

    engine.handle(
      .open(client, table: "jobs", request: 1, query: QueryRequest(), viewport: nil, interval: nil), at: clock.now)
    engine.handle(.changes(table, .reload([(.integer(1), [.text("build")])])), at: clock.now)
    clock.advance(by: .milliseconds(300))
    for case .deliver(_, let delivery) in engine.advance(to: clock.now) { try replica.apply(delivery) }
    #expect(replica.cells == [[.text("build")]])
  }

  @Test func `delivers each step of a scripted source, driven by deadlines`() throws {
    let schema = Schema(name: "jobs", key: .integer, columns: [Column("state", .text)])
    var script: [(Duration, Changeset)] = [(.zero, .reload([(.integer(1), [.text("queued")])]))]
    for (second, state) in ["running", "testing", "done"].enumerated() {
      var changes = Changeset()
      changes.update(.integer(1), [.text(state)])
      script.append((.seconds(second + 1), changes))
    }
    var source = ScriptedSource(schema, script: script.map { (at: $0.0, changes: $0.1) })
    var clock = ManualClock()
    let start = clock.now
    var engine = Engine(epoch: "test")
    let table = try engine.addTable(source.schema, at: clock.now)
    let client = SessionID(rawValue: 1)
    var replica = Replica()
    engine.handle(
      .open(client, table: "jobs", request: 1, query: QueryRequest(), viewport: nil, interval: nil), at: clock.now)
    var seen: [[Cell]] = []
    var deliveries = 0
    while true {
      for changes in source.take(until: start.duration(to: clock.now)) {
        engine.handle(.changes(table, changes), at: clock.now)
      }
      for case .deliver(_, let delivery) in engine.advance(to: clock.now) {
        try replica.apply(delivery)
        deliveries += 1
        seen.append(replica.cells.first ?? [])
        engine.handle(.writable(client), at: clock.now)
        engine.handle(.acknowledge(client, sequence: delivery.sequence), at: clock.now)
      }
      // Nothing sleeps: the manual clock jumps to the next deadline.
      let next = [engine.deadline, source.deadline.map { start.advanced(by: $0) }].compactMap { $0 }.min()
      guard let next else { break }
      clock.advance(by: max(.zero, clock.now.duration(to: next)))
    }
    #expect(seen == [[.text("queued")], [.text("running")], [.text("testing")], [.text("done")]])
    #expect(deliveries == 4)
    #expect(start.duration(to: clock.now) >= .seconds(3))
  }

  @Test func `a spoiled replica rejects the next patch`() throws {
    let harness = try Harness(rows: 20)
    harness.open()
    try harness.settle()
    var replica = harness.replica()
    replica.spoil()
    harness.change { $0.update(1, value: 5) }
    let delivery = try #require(try harness.advance(by: .seconds(1)).first)
    #expect(throws: Replica.Mismatch.self) { try replica.apply(delivery) }
  }

  @Test func `equal seeds give simulations with equal coverage`() throws {
    func run() throws -> String {
      var simulation = Simulation(seed: 77)
      try simulation.run(steps: 60)
      return "\(simulation.coverage)"
    }
    #expect(try run() == run())
  }
}
