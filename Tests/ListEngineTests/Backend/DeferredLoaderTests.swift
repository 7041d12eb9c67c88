import ListTesting
import Testing

@testable import ListEngine

/// Deferred columns, from the viewport to the source and back.
///
/// The table has rows 0 to 99; a client sees ten of them and holds five more on each side.
@Suite struct DeferredLoaderTests {
  /// A client of a table with deferred column `1`, and a source that by default answers after a
  /// second.
  private final class Bench {
    var engine = Engine(epoch: "deferred")
    var clock = ManualClock()
    let table: TableID
    var loader: ScriptedLoader
    var replicas: [SessionID: Replica] = [:]
    /// The source's behavior by row; the default is to load after a second.
    var plans: [Int: ScriptedLoader.Plan] = [:]
    /// Values that differ from the default, which is the row's number.
    var values: [DeferredCell: Cell] = [:]

    init(rows: Int = 100, policy: PrefetchPolicy = PrefetchPolicy(inFlight: 4)) throws {
      loader = ScriptedLoader(bound: policy.inFlight)
      table = try engine.addTable(
        Schema(
          name: "files", key: .integer,
          columns: [Column("name", .text), Column("size", .number, isDeferred: true)], prefetch: policy), at: clock.now)
      change { changes in for row in 0..<rows { changes.upsert(.integer(Int64(row)), [.text("file \(row)"), .null]) } }
    }

    func change(_ body: (inout Changeset) -> Void) {
      var changes = Changeset()
      body(&changes)
      engine.handle(.changes(table, changes), at: clock.now)
    }

    func open(_ number: UInt64 = 1, first: Int = 0, query: QueryRequest = QueryRequest()) {
      let id = SessionID(rawValue: number)
      replicas[id] = Replica()
      engine.handle(
        .open(
          id, table: "files", request: 1, query: query, viewport: viewport(first, id), interval: .zero), at: clock.now)
    }

    func scroll(_ number: UInt64 = 1, first: Int) {
      let id = SessionID(rawValue: number)
      engine.handle(.viewport(id, viewport(first, id)), at: clock.now)
    }

    private func viewport(_ first: Int, _ id: SessionID) -> Viewport {
      Viewport(first: first, count: 10, ahead: 5, behind: 5, stick: nil, sequence: replicas[id]?.sequence ?? 0)
    }

    /// Runs clients and source until nothing is due.
    ///
    /// Returns the commands that the source received.
    @discardableResult func settle() throws -> [String] {
      var reported: [String] = []
      for _ in 0..<1000 {
        let outputs = engine.advance(to: clock.now)
        for output in outputs {
          switch output {
          case .deliver(let id, let delivery):
            try replicas[id]?.apply(delivery)
            engine.handle(.writable(id), at: clock.now)
            engine.handle(.acknowledge(id, sequence: delivery.sequence), at: clock.now)
          case .cancel(_, let cells): reported += cells.map { "-\($0.key)" }
          case .load(_, let cells): reported += cells.map { "+\($0.key)" }
          default: break
          }
          let plans = plans
          loader.take(output, at: clock.now) { cell in
            guard case .integer(let key) = cell.key else { return .init(after: .seconds(1)) }
            return plans[Int(key)] ?? .init(after: .seconds(1))
          }
        }
        let values = values
        let answers = loader.answers(until: clock.now) { cell in
          if let value = values[cell] { return value }
          return if case .integer(let key) = cell.key { .number(Double(key)) } else { .null }
        }
        for answer in answers { engine.handle(answer.input(table), at: clock.now) }
        if answers.isEmpty, engine.deadline.map({ $0 > clock.now }) ?? true {
          #expect(loader.mistakes.isEmpty, "\(loader.mistakes)")
          return reported
        }
      }
      Issue.record("it does not come to rest")
      return reported
    }

    /// Lets time pass, without skipping any deadline.
    @discardableResult func wait(_ duration: Duration) throws -> [String] {
      let end = clock.now.advanced(by: duration)
      var reported = try settle()
      while clock.now < end {
        let next = [engine.deadline, loader.deadline].compactMap(\.self).min() ?? end
        clock.advance(by: clock.now.duration(to: min(max(next, clock.now), end)))
        reported += try settle()
      }
      return reported
    }

    var counters: PrefetchCounters { engine.prefetch(of: table) }

    /// Returns what a client shows of a row: its value, `…` while it loads, or the reason why it
    /// failed.
    func shown(_ row: Int, _ number: UInt64 = 1) -> String? {
      let replica = replicas[SessionID(rawValue: number)]
      for case .row(let id, _, let cells) in replica?.items ?? [] where cells[0] == .text("file \(row)") {
        switch replica?.missing[id]?[1] {
        case .pending: return "…"
        case .failed(let reason): return reason
        case nil: return if case .number(let value) = cells[1] { "\(value)" } else { "" }
        }
      }
      return nil
    }
  }

  @Test func `loads only cells in the window, visible ones first`() throws {
    let bench = try Bench()
    try bench.settle()
    #expect(bench.loader.loads.isEmpty)
    bench.open(first: 50)
    #expect(try bench.settle() == ["+50", "+51", "+52", "+53"])
    #expect(bench.shown(50) == "…")
    #expect(try bench.wait(.seconds(10)).count == 16)
    let expected = Array(50..<65) + [49, 48, 47, 46, 45]
    #expect(bench.loader.loads.map(\.key) == expected.map { .integer(Int64($0)) })
    #expect(bench.shown(50) == "50.0")
    #expect(bench.shown(45) == "45.0")
    #expect(bench.counters.late == 10)
    #expect(bench.counters.inFlight == 0)
    #expect(bench.engine.deadline == nil)
  }

  @Test func `loads cells of pinned rows, and cancels those of unpinned ones`() throws {
    let bench = try Bench()
    let session = SessionID(rawValue: 1)
    func pin(_ keys: [Int]) {
      bench.engine.handle(.pins(session, id: 1, keys.map { .integer(Int64($0)) }), at: bench.clock.now)
    }
    bench.open()
    try bench.wait(.seconds(20))
    pin([90, 3, 91])
    #expect(try bench.settle() == ["+90", "+91"])
    pin([90])
    #expect(try bench.wait(.milliseconds(900)) == ["-91"])
    try bench.wait(.seconds(1))
    #expect(bench.counters.late == 11)
    // A row that comes later is loaded, too, and so is a value that is out of date.
    pin([90, 200])
    #expect(try bench.settle().isEmpty)
    bench.change { $0.upsert(.integer(200), [.text("file 200"), .null]) }
    #expect(try bench.wait(.milliseconds(500)) == ["+200"])
    bench.engine.handle(.forget(bench.table, .integer(90), column: 1), at: bench.clock.now)
    #expect(try bench.wait(.seconds(3)) == ["+90"])
    bench.engine.handle(.visibility(session, isHidden: true), at: bench.clock.now)
    bench.engine.handle(.forget(bench.table, .integer(90), column: 1), at: bench.clock.now)
    #expect(try bench.wait(.seconds(3)).isEmpty)
    bench.engine.handle(.visibility(session, isHidden: false), at: bench.clock.now)
    #expect(try bench.settle() == ["+90"])
  }

  @Test func `a loaded value resets the source's age`() throws {
    let bench = try Bench(rows: 1)
    func age() -> Duration { bench.engine.tables(at: bench.clock.now)[0].source.age }
    bench.open()
    try bench.wait(.milliseconds(999))
    #expect(age() == .milliseconds(999))
    try bench.wait(.milliseconds(1))
    #expect(bench.shown(0) == "0.0" && age() == .zero)
    try bench.wait(.seconds(2))
    #expect(age() == .seconds(2))
  }

  @Test func `counts values loaded before they become visible as hits`() throws {
    let bench = try Bench()
    bench.open(first: 50)
    try bench.wait(.seconds(10))
    bench.scroll(first: 55)
    try bench.settle()
    #expect(bench.counters.hits == 5)
    #expect(bench.counters.late == 10)
  }

  @Test func `a loaded value replaces its placeholder`() throws {
    let bench = try Bench()
    bench.open()
    try bench.wait(.milliseconds(999))
    #expect(bench.shown(0) == "…")
    try bench.wait(.milliseconds(1))
    #expect(bench.shown(0) == "0.0")
    #expect(bench.shown(4) == "…")
  }

  @Test func `a jump cancels loads of the former viewport`() throws {
    let bench = try Bench()
    bench.open()
    try bench.settle()
    bench.scroll(first: 80)
    #expect(try bench.settle() == ["-0", "-1", "-2", "-3", "+80", "+81", "+82", "+83"])
    // Nothing else at the first position was ever requested.
    try bench.wait(.seconds(20))
    #expect(bench.loader.loads.count == 4 + 20)
  }

  @Test func `a scroll by one row keeps other loads in flight`() throws {
    let bench = try Bench(policy: PrefetchPolicy(inFlight: 100))
    bench.open(first: 20)
    #expect(try bench.settle().count == 20)
    bench.scroll(first: 21)
    #expect(try bench.settle() == ["+35"])
    bench.scroll(first: 20)
    #expect(try bench.wait(.milliseconds(500)) == ["-35"])
    bench.scroll(first: 19)
    #expect(try bench.settle() == ["+14"])
  }

  @Test func `loads cells in the scroll direction first`() throws {
    let bench = try Bench(policy: PrefetchPolicy(inFlight: 1))
    bench.open(first: 50)
    bench.scroll(first: 40)
    try bench.wait(.seconds(30))
    let expected = Array((35..<50).reversed()) + Array(50..<55)
    #expect(bench.loader.loads.map(\.key) == expected.map { .integer(Int64($0)) })
  }

  @Test func `loads a cell once for two sessions`() throws {
    let bench = try Bench(policy: PrefetchPolicy(inFlight: 100))
    bench.open(1)
    bench.open(2)
    try bench.wait(.seconds(5))
    #expect(bench.loader.loads.count == 15)
    #expect(bench.shown(3, 1) == "3.0")
    #expect(bench.shown(3, 2) == "3.0")
  }

  @Test func `cancels loads when a session closes, hides or changes query`() throws {
    let leaving: [(Bench) -> Void] = [
      { $0.engine.handle(.close(SessionID(rawValue: 1)), at: $0.clock.now) },
      { $0.engine.handle(.visibility(SessionID(rawValue: 1), isHidden: true), at: $0.clock.now) },
      {
        $0.engine.handle(
          .query(SessionID(rawValue: 1), request: 2, query: QueryRequest(search: "nothing"), viewport: nil),
          at: $0.clock.now)
      },
    ]
    for leave in leaving {
      let bench = try Bench()
      bench.open()
      try bench.settle()
      leave(bench)
      #expect(bench.counters.waiting == 0 || bench.engine.deadline == .zero)
      #expect(try bench.wait(.milliseconds(500)) == ["-0", "-1", "-2", "-3"])
      #expect(bench.counters.waiting == 0)
    }
  }

  @Test func `loads again when a hidden session becomes visible`() throws {
    let bench = try Bench()
    bench.open()
    try bench.settle()
    bench.engine.handle(.visibility(SessionID(rawValue: 1), isHidden: true), at: bench.clock.now)
    try bench.wait(.seconds(1))
    bench.engine.handle(.visibility(SessionID(rawValue: 1), isHidden: false), at: bench.clock.now)
    try bench.wait(.seconds(10))
    #expect(bench.shown(9) == "9.0")
  }

  @Test func `a failure is shown, retried and does not block other loads`() throws {
    let bench = try Bench()
    bench.plans[0] = .init(after: .milliseconds(10), .fails("no such file"))
    bench.open()
    try bench.wait(.milliseconds(10))
    #expect(bench.shown(0) == "no such file")
    #expect(bench.loader.inFlight.count == 4)
    try bench.wait(.milliseconds(999))
    bench.plans[0] = nil
    #expect(bench.loader.loads.count { $0.key == .integer(0) } == 1)
    try bench.wait(.milliseconds(1))
    #expect(bench.loader.loads.count { $0.key == .integer(0) } <= 2)
    try bench.wait(.seconds(5))
    #expect(bench.shown(0) == "0.0")
    #expect(bench.counters.failures == 1)
  }

  @Test func `sends a failure again only if its reason changes`() throws {
    let bench = try Bench(rows: 1)
    bench.plans[0] = .init(after: .milliseconds(10), .fails("no such file"))
    bench.open()
    try bench.wait(.milliseconds(10))
    #expect(bench.shown(0) == "no such file")
    func sequence() -> UInt64? { bench.replicas[SessionID(rawValue: 1)]?.sequence }
    let before = sequence()
    try bench.wait(.milliseconds(1_500))
    #expect(bench.counters.failures == 2)
    #expect(sequence() == before)
    bench.plans[0] = .init(after: .milliseconds(10), .fails("not allowed"))
    try bench.wait(.milliseconds(3_000))
    #expect(bench.counters.failures == 3)
    #expect(bench.shown(0) == "not allowed")
  }

  @Test func `ignores events for unknown rows and non-deferred columns`() throws {
    let bench = try Bench(rows: 2)
    bench.open()
    try bench.wait(.seconds(2))
    let before = bench.replicas[SessionID(rawValue: 1)]?.sequence
    for cell in [DeferredCell(.integer(0), column: 0), DeferredCell(.integer(99), column: 1)] {
      bench.engine.handle(.forget(bench.table, cell.key, column: cell.column), at: bench.clock.now)
      bench.engine.handle(.failed(bench.table, cell.key, column: cell.column, reason: "why"), at: bench.clock.now)
    }
    try bench.wait(.seconds(2))
    #expect(bench.replicas[SessionID(rawValue: 1)]?.sequence == before)
    #expect(bench.shown(0) == "0.0")
  }

  @Test func `cuts a failure's reason off at 200 characters`() throws {
    let bench = try Bench()
    bench.plans[0] = .init(after: .zero, .fails(String(repeating: "x", count: 100_000)))
    bench.open()
    try bench.settle()
    #expect(bench.shown(0)?.count == 200)
  }

  @Test func `a load not answered in time is cancelled and fails`() throws {
    let bench = try Bench(policy: PrefetchPolicy(inFlight: 1, patience: .seconds(5)))
    bench.plans[0] = .init(after: .zero, .isForgotten)
    bench.open()
    try bench.wait(.seconds(5))
    #expect(bench.shown(0) == "no answer within 5.0 seconds")
    #expect(bench.loader.cancels.map(\.key) == [.integer(0)])
    try bench.wait(.milliseconds(1500))
    #expect(bench.shown(1) == "1.0")
  }

  @Test func `a value of the wrong type is a failure naming the column`() throws {
    let bench = try Bench()
    bench.values[DeferredCell(.integer(0), column: 1)] = .text("large")
    bench.open()
    try bench.wait(.seconds(1))
    #expect(bench.shown(0)?.contains("“size”") == true)
    #expect(bench.engine.tables(at: bench.clock.now)[0].source.rejected == 1)
  }

  @Test func `keeps a value that arrives after its load was cancelled`() throws {
    let bench = try Bench()
    bench.plans[0] = .init(after: .seconds(1), answersAfterCancel: true)
    bench.open()
    try bench.settle()
    bench.scroll(first: 80)
    try bench.wait(.seconds(10))
    #expect(bench.counters.wasted == 1)
    bench.scroll(first: 0)
    try bench.settle()
    #expect(bench.shown(0) == "0.0")
    #expect(bench.loader.loads.count { $0.key == .integer(0) } == 1)
  }

  @Test func `an unrequested value fills only an empty cell`() throws {
    let bench = try Bench()
    bench.open()
    try bench.wait(.seconds(10))
    bench.engine.handle(.loaded(bench.table, .integer(0), column: 1, .number(-1)), at: bench.clock.now)
    bench.engine.handle(.failed(bench.table, .integer(1), column: 1, reason: "late"), at: bench.clock.now)
    bench.engine.handle(.loaded(bench.table, .integer(0), column: 0, .text("not deferred")), at: bench.clock.now)
    bench.engine.handle(.loaded(bench.table, .integer(0), column: 77, .null), at: bench.clock.now)
    bench.engine.handle(.loaded(bench.table, .integer(5000), column: 1, .number(1)), at: bench.clock.now)
    bench.engine.handle(.loaded(bench.table, .text("0"), column: 1, .number(1)), at: bench.clock.now)
    bench.engine.handle(.loaded(bench.table, .integer(90), column: 1, .number(90)), at: bench.clock.now)
    try bench.wait(.seconds(1))
    #expect(bench.shown(0) == "0.0")
    #expect(bench.shown(1) == "1.0")
    // Row 90 had no value: an unrequested answer is kept.
    bench.scroll(first: 85)
    try bench.settle()
    #expect(bench.shown(90) == "90.0")
    #expect(bench.counters.unrequested == 6)
  }

  @Test func `an upsert keeps a deferred value if its cell is null`() throws {
    let bench = try Bench()
    bench.open()
    try bench.wait(.seconds(10))
    bench.change { $0.upsert(.integer(0), [.text("file 0"), .null]) }
    bench.change { $0.upsert(.integer(1), [.text("file 1"), .number(-1)]) }
    try bench.settle()
    #expect(bench.shown(0) == "0.0")
    #expect(bench.shown(1) == "-1.0")
  }

  @Test func `a value in a changeset cancels or prevents its load`() throws {
    let bench = try Bench()
    bench.open()
    try bench.settle()
    bench.change { changes in
      changes.update(.integer(0), [nil, .number(7)])
      changes.update(.integer(1), [nil, .null])
      changes.upsert(.integer(9), [.text("file 9"), .number(8)])
    }
    #expect(try bench.settle() == ["-0", "-1", "+4", "+5"])
    #expect(bench.shown(0) == "7.0")
    // Null is a value if the source sends it for this cell.
    #expect(bench.shown(1) == "")
    try bench.wait(.seconds(10))
    #expect(!bench.loader.loads.contains { $0.key == .integer(9) })
  }

  @Test func `loads a forgotten value again if a session displays it`() throws {
    let bench = try Bench()
    bench.open()
    try bench.wait(.seconds(10))
    bench.engine.handle(.forget(bench.table, .integer(3), column: 1), at: bench.clock.now)
    bench.engine.handle(.forget(bench.table, .integer(90), column: 1), at: bench.clock.now)
    #expect(try bench.settle() == ["+3"])
    #expect(bench.shown(3) == "…")
    try bench.wait(.seconds(1))
    #expect(bench.shown(3) == "3.0")
  }

  @Test func `retries a forgotten failure immediately`() throws {
    let bench = try Bench(policy: PrefetchPolicy(inFlight: 100))
    bench.plans[3] = .init(after: .milliseconds(10), .fails("locked"))
    bench.open()
    try bench.wait(.milliseconds(10))
    #expect(bench.shown(3) == "locked")
    bench.engine.handle(.forget(bench.table, .integer(3), column: 1), at: bench.clock.now)
    #expect(try bench.settle() == ["+3"])
  }

  @Test func `deleting a row cancels its load, reinserting it loads again`() throws {
    let bench = try Bench(policy: PrefetchPolicy(inFlight: 4, prefersToFinish: true))
    bench.open()
    try bench.settle()
    bench.change { $0.delete(.integer(1)) }
    #expect(try bench.settle() == ["-1", "+4"])
    bench.change { $0.upsert(.integer(1), [.text("file 1"), .null]) }
    try bench.wait(.seconds(40))
    bench.scroll(first: 90)
    try bench.wait(.seconds(10))
    #expect(bench.shown(1) == "1.0")
  }

  @Test func `a row deleted and reinserted at once loads its value again`() throws {
    let bench = try Bench()
    bench.open(query: QueryRequest(sort: [("name", false)]))
    try bench.wait(.seconds(10))
    // Ordered by name, row 10 is visible and row 2 is below: loaded, but not seen yet.
    bench.change { changes in
      for row: Int64 in [10, 2] {
        changes.delete(.integer(row))
        changes.upsert(.integer(row), [.text("file \(row)"), .null])
      }
    }
    #expect(try bench.settle() == ["+10", "+2"])
    #expect([10, 2].map { bench.shown($0) } == ["…", "…"])
    try bench.wait(.seconds(1))
    #expect([10, 2].map { bench.shown($0) } == ["10.0", "2.0"])
  }

  @Test func `does not cancel loads that the source prefers to finish`() throws {
    let bench = try Bench(policy: PrefetchPolicy(inFlight: 4, prefersToFinish: true))
    bench.open()
    try bench.settle()
    bench.scroll(first: 80)
    #expect(try bench.wait(.milliseconds(999)) == [])
    #expect(try bench.settle() == [])
    #expect(try bench.wait(.milliseconds(1)) == ["+80", "+81", "+82", "+83"])
    #expect(bench.counters.wasted == 4)
    #expect(bench.counters.cancels == 0)
  }

  @Test func `sorts cells that are not loaded as null`() throws {
    let bench = try Bench(rows: 5, policy: PrefetchPolicy(inFlight: 100))
    bench.open(query: QueryRequest(sort: [("size", true)]))
    try bench.settle()
    bench.engine.handle(.loaded(bench.table, .integer(3), column: 1, .number(30)), at: bench.clock.now)
    bench.engine.handle(.loaded(bench.table, .integer(4), column: 1, .number(40)), at: bench.clock.now)
    try bench.settle()
    let names = bench.replicas[SessionID(rawValue: 1)]?.cells.map { $0[0] }
    #expect(names == [4, 3, 0, 1, 2].map { .text("file \($0)") })
  }

  @Test func `a table without deferred columns loads nothing`() throws {
    let harness = try Harness(rows: 10)
    harness.open()
    try harness.settle()
    harness.engine.handle(.loaded(harness.table, .integer(1), column: 0, .integer(1)), at: harness.clock.now)
    harness.engine.handle(.failed(harness.table, .integer(1), column: 0, reason: ""), at: harness.clock.now)
    harness.engine.handle(.forget(harness.table, .integer(1), column: 0), at: harness.clock.now)
    #expect(try harness.advance(by: .seconds(1)).isEmpty)
    #expect(harness.engine.prefetch(of: harness.table) == PrefetchCounters())
    #expect(harness.engine.deadline == nil)
  }
}
