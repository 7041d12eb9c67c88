import ListTesting
import Testing

@testable import ListEngine

/// Design.md 8: everything that clients and sources can make large has a limit.
///
/// The tests try both sides of each limit.
@Suite struct LimitsTests {
  @Test func `default limits have the documented values`() {
    let limits = Limits()
    // Limits stated in docs/protocol.md.
    #expect(limits.visible == 1_000 && limits.buffer == 2_000)
    #expect(limits.search == 1_000 && limits.groups == 4 && limits.aggregates == 16 && limits.collapsed == 10_000)
    #expect(limits.filterDepth == 8 && limits.filterTerms == 100)
    #expect(limits.filterValues == 1_000 && limits.filterText == 1_000)
    #expect(limits.interval == .milliseconds(300) && limits.longestInterval == .seconds(60))
    #expect(limits.hold == .seconds(30))
    #expect(limits.parkedSessions == 1_000 && limits.parkedTime == .seconds(60))
    #expect(limits.collationKeyBytes == 1_000)
    // Limits stated in docs/plugins/programs.md and docs/plugins/windowed.md.
    #expect(limits.columns == 512 && limits.cellBytes == 65_536)
    #expect(limits.pageRows == 100 && limits.remainderRows == 50_000 && limits.remainders == 8)
    #expect(limits.cachedRows == 50_000 && limits.cachedBytes == 64 << 20)
    #expect(limits.windowedSections == 10_000 && limits.cursorBytes == 4_096)
    #expect(limits.refreshInterval == .seconds(1))
    #expect(limits.reason == 200)
    // Limits that only affect memory and time.
    #expect(limits.rows == 100_000_000 && limits.tableBytes == 1 << 36)
    #expect(limits.patchBytes == 48 * 1024 && limits.sortTerms == 8 && limits.remainderPageRows == 1_000)
    #expect(limits.exportPatience == .seconds(60))
    #expect(limits.views == 256 && limits.viewBytes == 4 << 30)
    #expect(limits.stepRows == 1 << 16 && limits.evictions == 1_024)
    #expect(limits.turnRows == 2_048 && limits.backlog == 4_096)
  }

  // MARK: Queries

  /// Returns the error with which a query is refused, if any.
  private func refusal(_ query: QueryRequest) throws -> ClientError? {
    let harness = try Harness(rows: 3)
    harness.open(query: query)
    let sent = try harness.advance()
    let errors = harness.others.compactMap { if case .refuse(_, let refusal) = $0 { refusal.fault.error } else { nil } }
    #expect(sent.isEmpty != errors.isEmpty)
    return errors.first
  }

  @Test func `a search has at most 1000 characters`() throws {
    #expect(try refusal(QueryRequest(search: String(repeating: "é", count: 1_000))) == nil)
    #expect(
      try refusal(QueryRequest(search: String(repeating: "é", count: 1_001)))
        == .tooLong("a search may have 1000 characters, not 1001"))
  }

  @Test func `a query sorts by at most 8 columns`() throws {
    #expect(try refusal(QueryRequest(sort: Array(repeating: ("value", true), count: 8))) == nil)
    #expect(
      try refusal(QueryRequest(sort: Array(repeating: ("value", true), count: 9)))
        == .tooLong("a query may sort by 8 columns, not 9"))
  }

  @Test func `a query groups by at most 4 columns`() throws {
    #expect(try refusal(QueryRequest(group: Array(repeating: "group", count: 4))) == nil)
    #expect(
      try refusal(QueryRequest(group: Array(repeating: "group", count: 5)))
        == .tooLong("a query may group by 4 columns, not 5"))
  }

  @Test func `a query has at most 16 aggregates`() throws {
    var query = QueryRequest()
    query.aggregates = Array(repeating: AggregateRequest(.sum, of: "value"), count: 16)
    #expect(try refusal(query) == nil)
    query.aggregates.append(AggregateRequest(.sum, of: "value"))
    #expect(try refusal(query) == .tooLong("a query may have 16 aggregates, not 17"))
  }

  @Test func `a query collapses at most 10,000 sections`() throws {
    var query = QueryRequest(group: ["group"])
    query.collapsed = (0..<10_000).map { [.text("\($0)")] }
    #expect(try refusal(query) == nil)
    query.collapsed.append([.text("one more")])
    #expect(try refusal(query) == .tooLong("a page may collapse 10000 sections, not 10001"))
  }

  @Test func `sections collapsed one by one have the same limit`() throws {
    var limits = Limits()
    limits.collapsed = 2
    let harness = try Harness(limits: limits, rows: 3)
    let id = harness.open(query: QueryRequest(group: ["group"]))
    func isRefused(_ letter: String) throws -> Bool {
      harness.engine.handle(.collapse(id, .path([.text(letter)]), isCollapsed: true), at: harness.clock.now)
      try harness.settle()
      return harness.others.contains { if case .refuse = $0 { true } else { false } }
    }
    #expect(try !isRefused("a") && !isRefused("b") && !isRefused("b"))
    #expect(try isRefused("c"))
  }

  // MARK: Viewports

  /// Returns the items that a client receives for a viewport on 6,000 items.
  private func given(_ viewport: Viewport) throws -> Range<Int> {
    var limits = Limits()
    limits.patchBytes = 1 << 30
    let harness = try Harness(limits: limits, rows: 6_000)
    let id = SessionID(rawValue: 1)
    harness.engine.handle(
      .open(id, table: "numbers", request: 1, query: QueryRequest(), viewport: viewport, interval: nil),
      at: harness.clock.now)
    let result = try #require(try harness.advance().first).patch.result
    return result.start..<result.start + result.items.count
  }

  @Test func `a viewport shows at least 1 and at most 1000 items`() throws {
    func seen(_ count: Int) throws -> Int { try given(Viewport(first: 0, count: count, ahead: 0, behind: 0)).count }
    #expect(try seen(1_000) == 1_000)
    #expect(try seen(1_001) == 1_000)
    #expect(try seen(999) == 999)
    #expect(try seen(1) == 1)
    #expect(try seen(0) == 1)
    #expect(try seen(-5) == 1)
  }

  @Test func `a window buffers at most 2000 items on each side`() throws {
    func held(_ ahead: Int, _ behind: Int) throws -> Range<Int> {
      try given(Viewport(first: 3_000, count: 1, ahead: ahead, behind: behind, stick: nil))
    }
    #expect(try held(2_000, 1_999) == 1_001..<5_001)
    #expect(try held(2_001, 2_001) == 1_000..<5_001)
    #expect(try held(0, 2_000) == 1_000..<3_001)
    #expect(try held(-1, -1) == 3_000..<3_001)
  }

  // MARK: Intervals

  @Test func `an interval is at most one minute`() throws {
    for requested in [Duration.seconds(60), .seconds(61), .seconds(100_000)] {
      let harness = try Harness(rows: 3)
      harness.open(interval: requested)
      #expect(try harness.advance().map(\.interval) == [.seconds(60)])
      harness.acknowledge()
      harness.engine.handle(.pace(SessionID(rawValue: 1), requested), at: harness.clock.now)
      harness.change { $0.update(1, value: 1) }
      #expect(try harness.advance(by: .seconds(1)).map(\.interval) == [.seconds(60)])
    }
  }

  @Test func `a session without an interval uses that of the engine`() throws {
    let harness = try Harness(rows: 3)
    harness.engine.setInterval(.milliseconds(500), at: harness.clock.now)
    harness.open()
    #expect(try harness.advance().map(\.interval) == [.milliseconds(500)])
  }

  // MARK: Tables

  @Test func `a table has at least 1 and at most 512 columns`() {
    func problem(_ count: Int) -> SchemaError? {
      var engine = Engine(epoch: "limits")
      let columns = (0..<count).map { Column("c\($0)", .integer) }
      do throws(SchemaError) {
        _ = try engine.addTable(Schema(name: "t", key: .integer, columns: columns), at: .zero)
        return nil
      } catch { return error }
    }
    #expect(problem(1) == nil && problem(512) == nil)
    #expect(problem(0) == .columnCount(0, limit: 512))
    #expect(problem(513) == .columnCount(513, limit: 512))
  }

  @Test func `a table's name has at least 1 and at most 200 bytes`() {
    func problem(_ name: String) -> SchemaError? {
      var engine = Engine(epoch: "limits")
      do throws(SchemaError) {
        _ = try engine.addTable(Schema(name: name, key: .integer, columns: [Column("a", .integer)]), at: .zero)
        return nil
      } catch { return error }
    }
    #expect(problem("t") == nil && problem(String(repeating: "é", count: 100)) == nil)
    #expect(problem("") == .badName(""))
    let long = String(repeating: "x", count: 201)
    #expect(problem(long) == .badName(long))
  }

  @Test func `repeated names of tables and of columns are refused`() throws {
    var engine = Engine(epoch: "limits")
    let schema = Schema(name: "t", key: .integer, columns: [Column("a", .integer)])
    _ = try engine.addTable(schema, at: .zero)
    #expect(throws: SchemaError.repeatedTable("t")) { try engine.addTable(schema, at: .zero) }
    let twice = Schema(
      name: "u", key: .integer, columns: [Column("a", .integer), Column("b", .text), Column("a", .text)])
    #expect(throws: SchemaError.repeatedColumn("a")) { try engine.addTable(twice, at: .zero) }
  }
}
