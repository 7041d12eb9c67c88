import ListTesting
import Testing

@testable import ListEngine

/// Invalid answers of windowed sources, and invalid schemas.
@Suite struct WindowedMisuseTests {
  private let small = WindowedHarness.limits { _ in }

  private func row(_ key: Int64) -> (key: RowKey, cells: [Cell]) {
    (.integer(key), [.integer(key), .text("row"), .null])
  }

  /// Opens a session and answers its first request like this.
  private func answered(
    _ paging: WindowedCapabilities.Paging = .offset, limits: Limits? = nil, _ block: (BlockRequest) -> RowBlock
  ) throws -> WindowedHarness {
    let harness = try WindowedHarness(WindowedCapabilities(paging: paging), rows: 100, limits: limits ?? small)
    harness.plan = { _ in .init(.isForgotten) }
    harness.open()
    try harness.turn()
    let request = try #require(harness.source.requests.first)
    harness.engine.handle(.page(harness.table, request.id, block(request)), at: harness.clock.now)
    try harness.turn(by: .milliseconds(300))
    return harness
  }

  private func reason(_ harness: WindowedHarness) -> Missing? { harness.replica().absences.values.first }

  @Test func `a block with more rows than requested fails`() throws {
    let full = try answered { _ in RowBlock((0..<10).map(row), hasMore: false, count: 10) }
    #expect(full.lines().count == 10)
    let harness = try answered { _ in RowBlock((0..<11).map(row), hasMore: false) }
    #expect(reason(harness) == .failed("the source gave 11 rows where 10 were asked for"))
  }

  @Test func `a row that does not fit is shown as failed and counted`() throws {
    let harness = try answered { _ in
      RowBlock([row(1), (.integer(2), [.text("no number")]), row(3)], hasMore: false, count: 3)
    }
    #expect(harness.lines() == ["1", "!", "3"])
    #expect(harness.engine.tables(at: harness.clock.now)[0].source.rejected == 1)
  }

  @Test func `a repeated key is shown as failed and counted as rejected`() throws {
    let harness = try answered { _ in RowBlock([row(1), row(2), row(1)], hasMore: false, count: 3) }
    #expect(harness.lines() == ["1", "2", "!"])
    #expect(harness.engine.tables(at: harness.clock.now)[0].source.rejected == 1)
  }

  @Test func `keeps canonically equivalent texts as different keys`() throws {
    let table = Table(
      Schema(name: "t", key: .text, columns: [Column("a", .integer)]), limits: Limits(), seed: 1)
    let kept = table.keep([(.text("\u{E9}"), [.integer(1)]), (.text("e\u{301}"), [.integer(2)])])
    #expect(kept.slots.allSatisfy(CachedBlock.isRow))
    #expect(table.count == 2)
  }

  @Test func `a short block that is not the last has rows marked missing`() throws {
    let harness = try answered { _ in RowBlock([row(1), row(2)], hasMore: true, count: 100) }
    #expect(harness.lines().prefix(3) == ["1", "2", "!"])
    #expect(reason(harness) == .failed("the source left this row out") || reason(harness) == .pending)
  }

  @Test func `a block that is not the last needs rows and an end cursor`() throws {
    for paging in [WindowedCapabilities.Paging.keyset, .keysetAndOffset] {
      let harness = try answered(paging) { _ in RowBlock([row(1)], hasMore: true) }
      #expect(reason(harness) == .failed("the source says that more rows follow, and not where"))
      let empty = try answered(paging) { _ in RowBlock([], hasMore: true, end: BlockCursor("here")) }
      #expect(reason(empty) == .failed("the source says that rows follow, and gave none"))
    }
  }

  @Test func `a cursor over the limit in bytes fails its block`() throws {
    var limits = small
    limits.cursorBytes = 10
    let fits = try answered(.keyset, limits: limits) { _ in
      RowBlock([row(1)], hasMore: false, end: BlockCursor(String(repeating: "x", count: 10)))
    }
    #expect(fits.lines().first == "1")
    let harness = try answered(.keyset, limits: limits) { _ in
      RowBlock([row(1)], hasMore: false, end: BlockCursor(String(repeating: "x", count: 11)))
    }
    #expect(reason(harness) == .failed("the source's cursor has 11 bytes, more than 10"))
  }

  @Test(arguments: [-1, 1 << 52 + 1, Int.max]) func `a negative or too large row count fails the block`(_ count: Int)
    throws
  {
    let harness = try answered { _ in RowBlock([row(1)], hasMore: false, count: count) }
    #expect(reason(harness) == .failed("the source counts \(count) rows"))
  }

  @Test func `sections in answer to a request for rows are an error`() throws {
    let harness = try WindowedHarness(rows: 100, limits: small)
    harness.plan = { _ in .init(.isForgotten) }
    harness.open()
    try harness.turn()
    let request = try #require(harness.source.requests.first)
    harness.engine.handle(.sections(harness.table, request.id, []), at: harness.clock.now)
    try harness.turn(by: .milliseconds(300))
    #expect(reason(harness) == .failed("the source answered with sections where rows were asked for"))
  }

  @Test func `invalid and repeated sections fail with their reason`() throws {
    for (sections, reason) in [
      ([SectionCount([.text("a")], count: -1)], "the source counts -1 rows in a section"),
      ([SectionCount([.integer(1)], count: 1)], "a section of the source has values that its columns cannot have"),
      ([SectionCount([], count: 1)], "a section of the source has values that its columns cannot have"),
      (
        [SectionCount([.text("a")], count: 1), SectionCount([.text("a")], count: 2)],
        "the source names a section twice"
      ),
    ] {
      let harness = try WindowedHarness(rows: 100, limits: small)
      harness.plan = { _ in .init(.isForgotten) }
      harness.open(query: QueryRequest(group: ["group"]))
      try harness.turn()
      let request = try #require(harness.source.requests.first)
      harness.engine.handle(.sections(harness.table, request.id, sections), at: harness.clock.now)
      try harness.turn(by: .milliseconds(300))
      #expect(self.reason(harness) == .failed(reason))
    }
  }

  @Test func `counts and drops answers without a request`() throws {
    let harness = try WindowedHarness(rows: 100, limits: small)
    harness.open()
    try harness.settle()
    let lines = harness.lines()
    for id in [BlockRequestID(rawValue: 0), BlockRequestID(rawValue: 1), BlockRequestID(rawValue: 99)] {
      harness.engine.handle(.page(harness.table, id, RowBlock([row(7)], hasMore: false)), at: harness.clock.now)
      harness.engine.handle(.sections(harness.table, id, []), at: harness.clock.now)
      harness.engine.handle(.pageFailed(harness.table, id, reason: "?"), at: harness.clock.now)
    }
    try harness.settle()
    #expect(harness.lines() == lines)
    #expect(harness.engine.prefetch(of: harness.table).unrequested == 9)
  }

  @Test func `a changeset for a remote table only triggers a reload`() throws {
    let harness = try WindowedHarness(rows: 20, limits: small)
    harness.open()
    try harness.settle()
    harness.upsert(3, value: 7)
    var changes = Changeset()
    changes.upsert(.integer(99), [.integer(1), .null, .null])
    harness.engine.handle(.changes(harness.table, changes), at: harness.clock.now)
    try harness.settle()
    #expect(harness.lines()[3] == "7")
    #expect(!harness.lines().contains("1"))
  }

  @Test func `refuses unknown columns, deferred columns and retention`() {
    var engine = Engine(epoch: "e")
    func add(_ change: (inout Schema) -> Void) -> SchemaError? {
      var schema = WindowedHarness.schema(WindowedCapabilities())
      change(&schema)
      do throws(SchemaError) {
        _ = try engine.addTable(schema, at: .zero)
        return nil
      } catch {
        return error
      }
    }
    #expect(add { $0.windowed?.sort = [3] } == .noSuchColumn(3))
    #expect(add { $0.windowed?.group = [-1] } == .noSuchColumn(-1))
    #expect(add { $0.windowed?.filterColumns = [0, 17] } == .noSuchColumn(17))
    #expect(add { $0.columns[1].isDeferred = true } == .deferredAndWindowed("name"))
    #expect(add { $0.retention = .last(2) } == .retentionOfWindowed)
    #expect(add { $0.retention = .recent(.seconds(1)) } == .retentionOfWindowed)
    #expect(add { $0.windowed?.sort = [0, 1, 2] } == nil)
  }

  @Test func `a table reports its source's row count once it is loaded`() throws {
    let harness = try WindowedHarness(rows: 100, limits: small)
    #expect(harness.engine.tables(at: harness.clock.now)[0].rows == 0)
    harness.open()
    try harness.settle()
    #expect(harness.engine.tables(at: harness.clock.now)[0].rows == 100)
  }
}
