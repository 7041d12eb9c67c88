import ListTesting
import Testing

@testable import ListEngine

/// Exports of windowed tables, read block by block while clients use the table.
@Suite struct WindowedExportTests {
  private static let ways: [WindowedCapabilities.Paging] = [.offset, .keyset, .keysetAndOffset]

  /// Returns a harness with blocks of four rows and at most 30 rows for residual queries.
  private func harness(
    rows: Int = 10, prefetch: PrefetchPolicy = PrefetchPolicy(), patience: Duration = .seconds(60),
    _ change: (inout WindowedCapabilities) -> Void = { _ in }
  ) throws -> WindowedHarness {
    var capabilities = WindowedCapabilities(sort: [0, 2], filters: [.order], group: [2], paging: .keyset)
    change(&capabilities)
    return try WindowedHarness(
      capabilities, rows: rows,
      limits: WindowedHarness.limits {
        ($0.pageRows, $0.remainderPageRows, $0.remainderRows, $0.exportPatience) = (4, 4, 30, patience)
      },
      prefetch: prefetch)
  }

  private enum Said: Equatable {
    case notYet, end
    case rows([Int64])
    case refused(ClientError)
    case failed(String)
  }

  /// Reads on and returns the first column of the rows.
  private func read(_ harness: WindowedHarness, _ id: ExportID, _ count: Int = 100) -> Said {
    switch harness.engine.read(id, rows: count) {
    case .notYet: .notYet
    case .end: .end
    case .rows(let rows): .rows(rows.map { if case .integer(let value) = $0[0] { value } else { -1 } })
    case .refused(let error): .refused(error)
    case .failed(let reason): .failed(reason)
    }
  }

  // The `#expect` macro cannot borrow the engine.

  private func isReady(_ harness: WindowedHarness, _ id: ExportID) -> Bool { harness.engine.isReady(id) }
  private func needsRows(_ harness: WindowedHarness, _ id: ExportID) -> Bool { harness.engine.needsRows(id) }
  private func rowsLeftOut(_ harness: WindowedHarness, _ id: ExportID) -> Int { harness.engine.rowsLeftOut(id) }

  @Test func `sorts by the column's collation when the source cannot sort`() throws {
    let limits = WindowedHarness.limits { ($0.pageRows, $0.remainderPageRows) = (4, 4) }
    let harness = try WindowedHarness(
      WindowedCapabilities(paging: .keyset), limits: limits, collation: .natural)
    for key in [11, 3, 10, 0, 2, 1] { harness.upsert(key) }
    let id = try harness.engine.beginExport(of: "numbers", QueryRequest(sort: [("name", false)]))
    #expect(try readAll(harness, id).values == [0, 10, 20, 30, 100, 110])
  }

  /// Reads to the end and returns the values and the last slice.
  private func readAll(_ harness: WindowedHarness, _ id: ExportID) throws -> (values: [Int64], last: Said) {
    var values: [Int64] = []
    while true {
      try harness.settle()
      switch read(harness, id) {
      case .rows(let more): values += more
      case let last: return (values, last)
      }
    }
  }

  private func exportRequests(_ harness: WindowedHarness) -> [BlockRequest] {
    harness.source.requests.filter(\.id.isForExport)
  }

  private func what(_ request: BlockRequest) -> (hasCursor: Bool, skip: Int, count: Int) {
    guard case .rows(let after, nil, let skip, let count) = request.what else { return (false, -1, -1) }
    return (after != nil, skip, count)
  }

  // MARK: Rows

  @Test(arguments: ways) func `exports all rows of the query in order, block by block`(
    _ paging: WindowedCapabilities.Paging
  ) throws {
    let harness = try harness { $0.paging = paging }
    let filter = Filter<String>.compare("value", .less, .integer(70))
    let id = try harness.engine.beginExport(
      of: "numbers", QueryRequest(sort: [("value", true)], filter: filter))
    let (values, last) = try readAll(harness, id)
    #expect(values == [60, 50, 40, 30, 20, 10, 0])
    #expect(last == .end)
    let requests = exportRequests(harness)
    // The source evaluates the whole query, and each request continues where the previous rows
    // ended.
    #expect(requests.count == 2)
    for request in requests {
      #expect(request.query.sort == [SortTerm(0, descending: true)])
      #expect(request.query.filter == .compare(0, .less, .integer(70)))
      #expect(request.section == [])
    }
    #expect(requests.map { what($0).count } == [4, 4])
    #expect(requests.map { what($0).hasCursor } == [false, paging != .offset])
    #expect(requests.map { what($0).skip } == [0, paging == .offset ? 4 : 0])
    harness.engine.endExport(id)
    #expect(read(harness, id) == .end)
  }

  @Test(arguments: [0, 4, 8]) func `ends when the row count is a multiple of the block size`(_ rows: Int) throws {
    for paging in Self.ways {
      let harness = try harness(rows: rows) { $0.paging = paging }
      let id = try harness.engine.beginExport(of: "numbers", QueryRequest())
      let (values, last) = try readAll(harness, id)
      #expect(values == (0..<rows).map { Int64($0 * 10) })
      #expect(last == .end)
    }
  }

  @Test func `reads at most the requested rows and not across blocks`() throws {
    let harness = try harness(rows: 6)
    let id = try harness.engine.beginExport(of: "numbers", QueryRequest())
    #expect(read(harness, id) == .notYet)
    #expect(!isReady(harness, id))
    try harness.settle()
    #expect(isReady(harness, id))
    #expect(read(harness, id, 0) == .rows([]))
    #expect(read(harness, id, 3) == .rows([0, 10, 20]))
    #expect(read(harness, id, 3) == .rows([30]))
    #expect(read(harness, id, 3) == .rows([40, 50]))
    #expect(read(harness, id, 3) == .end)
  }

  @Test func `exports a grouped query as rows in section order`() throws {
    let harness = try harness()
    let request = QueryRequest(sort: [("group", true), ("value", true)], group: ["group"])
    let id = try harness.engine.beginExport(of: "numbers", request)
    #expect(try readAll(harness, id).values == [80, 60, 40, 20, 0, 90, 70, 50, 30, 10])
    #expect(exportRequests(harness)[0].query.sort == [SortTerm(2), SortTerm(0, descending: true)])
    #expect(exportRequests(harness)[0].query.group == [])
  }

  @Test func `omits rows that do not fit the schema and counts them`() throws {
    let harness = try harness(rows: 5)
    harness.source.upsert(.integer(2), [.text("no number"), .text("row 2"), .text("even")])
    let id = try harness.engine.beginExport(of: "numbers", QueryRequest())
    #expect(try readAll(harness, id).values == [0, 10, 30, 40])
    #expect(rowsLeftOut(harness, id) == 1)
    // Clients of the table are not informed.
    #expect(harness.engine.tables(at: harness.clock.now)[0].source.rejected == 0)
  }

  // MARK: How much

  @Test func `holds at most two blocks until one is read`() throws {
    let harness = try harness(rows: 40)
    let id = try harness.engine.beginExport(of: "numbers", QueryRequest())
    try harness.settle()
    #expect(exportRequests(harness).count == 2)
    #expect(read(harness, id, 3) == .rows([0, 10, 20]))
    #expect(!needsRows(harness, id))
    try harness.settle()
    #expect(exportRequests(harness).count == 2)
    #expect(read(harness, id, 1) == .rows([30]))
    #expect(needsRows(harness, id))
    #expect(harness.engine.deadline == .zero)
    try harness.turn()
    #expect(!needsRows(harness, id))
    try harness.settle()
    #expect(exportRequests(harness).count == 3)
  }

  /// Returns the row counts of successive requests, of which the third fails.
  private func counts(textLength: Int) throws -> [Int] {
    let harness = try WindowedHarness(
      WindowedCapabilities(paging: .keyset),
      limits: WindowedHarness.limits { ($0.pageRows, $0.remainderPageRows) = (2, 20) })
    for key in 0..<60 {
      let text = String(repeating: "x", count: textLength)
      harness.source.upsert(.integer(Int64(key)), [.integer(Int64(key)), .text(text), .null])
    }
    var requested = 0
    harness.plan = { _ in
      requested += 1
      return .init(requested == 3 ? .fails("too much") : .answers)
    }
    let id = try harness.engine.beginExport(of: "numbers", QueryRequest())
    #expect(try readAll(harness, id).values == (0..<60).map { Int64($0) })
    return exportRequests(harness).map { what($0).count }
  }

  @Test func `sizes requests to 256 KiB, and to one block after a failure`() throws {
    // A block that is too large may succeed in smaller pieces.
    #expect(try counts(textLength: 10) == [2, 20, 20, 2, 20, 20])
    #expect(try counts(textLength: 40_000).prefix(6) == [2, 6, 6, 2, 6, 6])
    #expect(try counts(textLength: 65_000).prefix(3) == [2, 4, 4])
  }

  @Test func `exports of a table take turns with one request in flight`() throws {
    let harness = try harness(rows: 8)
    harness.plan = { _ in .init(after: .seconds(1)) }
    let first = try harness.engine.beginExport(of: "numbers", QueryRequest())
    let second = try harness.engine.beginExport(of: "numbers", QueryRequest(sort: [("value", true)]))
    for _ in 0..<4 {
      try harness.turn()
      #expect(harness.source.inFlight.count == 1)
      try harness.turn(by: .seconds(1))
      harness.answer()
    }
    #expect(exportRequests(harness).map(\.query.sort.isEmpty) == [true, false, true, false])
    #expect(try readAll(harness, first).values == (0..<8).map { Int64($0 * 10) })
    #expect(try readAll(harness, second).values == (0..<8).reversed().map { Int64($0 * 10) })
  }

  // MARK: Readers first

  @Test func `requests blocks for sessions before those for exports`() throws {
    let harness = try harness()
    _ = try harness.engine.beginExport(of: "numbers", QueryRequest())
    harness.open()
    try harness.turn()
    let requested = harness.source.requests.map(\.id.isForExport)
    #expect(requested.count == 2)
    #expect(requested == [false, true])
  }

  @Test func `waits until fewer than the maximum requests are in flight`() throws {
    for (bound, isAsked) in [(1, false), (2, true)] {
      let harness = try harness(prefetch: PrefetchPolicy(inFlight: bound))
      harness.plan = { _ in .init(after: .seconds(5)) }
      harness.open(count: 1, buffer: 0)
      try harness.turn()
      #expect(harness.source.inFlight.count == 1)
      let id = try harness.engine.beginExport(of: "numbers", QueryRequest())
      try harness.turn()
      #expect(exportRequests(harness).isEmpty == !isAsked)
      #expect(try readAll(harness, id).values.count == 10)
    }
  }

  @Test func `cancels an export's request for a session's and retries it`() throws {
    let harness = try harness(prefetch: PrefetchPolicy(inFlight: 1))
    harness.plan = { _ in .init(after: .seconds(5)) }
    let id = try harness.engine.beginExport(of: "numbers", QueryRequest())
    try harness.turn()
    let first = try #require(exportRequests(harness).first)
    harness.open(count: 1, buffer: 0)
    try harness.turn()
    #expect(harness.source.cancels == [first.id])
    #expect(harness.source.inFlight.count == 1)
    #expect(harness.source.inFlight.keys.allSatisfy { !$0.isForExport })
    // The answer to a cancelled request is ignored.
    harness.engine.handle(
      .page(harness.table, first.id, RowBlock([], hasMore: false, count: 0)), at: harness.clock.now)
    #expect(!isReady(harness, id))
    let (values, last) = try readAll(harness, id)
    #expect(values == (0..<10).map { Int64($0 * 10) })
    #expect(last == .end)
  }

  @Test func `one request exceeds the limit if the source cannot cancel`() throws {
    let harness = try harness(prefetch: PrefetchPolicy(inFlight: 1)) { $0.cancels = false }
    harness.plan = { _ in .init(after: .seconds(5)) }
    let id = try harness.engine.beginExport(of: "numbers", QueryRequest())
    try harness.turn()
    harness.open(count: 1, buffer: 0)
    try harness.turn()
    #expect(harness.source.inFlight.count == 2)
    #expect(harness.source.cancels == [])
    #expect(try readAll(harness, id).values.count == 10)
  }

  @Test func `an export does not affect sessions or table statistics`() throws {
    func run(exports: Bool) throws -> (WindowedHarness, [[TableDescription]]) {
      var reported: [[TableDescription]] = []
      // By offset, because the scripted source numbers its cursors by how many it has created.
      let harness = try harness(rows: 40) { $0.paging = .offset }
      harness.plan = { _ in .init(after: .milliseconds(30)) }
      let id = exports ? try harness.engine.beginExport(of: "numbers", QueryRequest(sort: [("value", true)])) : nil
      for step in 0..<60 {
        if step == 10 { harness.open() }
        if step == 30 { harness.scroll(first: 20) }
        if step == 40 { harness.change() }
        try harness.turn(by: .milliseconds(10))
        harness.answer()
        if let id { _ = harness.engine.read(id, rows: 3) }
        reported.append(harness.engine.tables(at: harness.clock.now))
      }
      return (harness, reported)
    }
    let ((plain, plainlyReported), (other, reported)) = (try run(exports: false), try run(exports: true))
    #expect(exportRequests(other).count > 5)
    #expect(plain.source.requests == other.source.requests.filter { !$0.id.isForExport })
    #expect(plain.lines() == other.lines())
    #expect(plain.engine.prefetch(of: plain.table) == other.engine.prefetch(of: other.table))
    #expect(plainlyReported == reported)
  }

  // MARK: Failures

  @Test func `retries a failed block with growing delays for a minute`() throws {
    let harness = try harness()
    let start = harness.clock.now
    var moments: [Duration] = []
    let id = try harness.engine.beginExport(of: "numbers", QueryRequest())
    try harness.settle()
    #expect(read(harness, id) == .rows([0, 10, 20, 30]))
    harness.plan = { _ in
      moments.append(start.duration(to: harness.clock.now))
      return .init(.fails("it is gone"))
    }
    try harness.settle()
    #expect(moments == [0, 1, 3, 7, 15, 31, 63].map { .seconds($0) })
    #expect(read(harness, id) == .rows([40, 50, 60, 70]))
    #expect(read(harness, id) == .failed("it is gone"))
    #expect(read(harness, id) == .failed("it is gone"))
    #expect(isReady(harness, id))
  }

  @Test func `gives up at the first failure at or past its patience`() throws {
    for (patience, tries) in [(Duration.milliseconds(2_999), 3), (.seconds(3), 3), (.milliseconds(3_001), 4)] {
      let harness = try harness(patience: patience)
      harness.plan = { _ in .init(.fails("busy")) }
      let id = try harness.engine.beginExport(of: "numbers", QueryRequest())
      #expect(try readAll(harness, id).last == .failed("busy"))
      #expect(exportRequests(harness).count == tries)
    }
  }

  @Test func `continues after failures and resets the delay per block`() throws {
    let harness = try harness()
    let start = harness.clock.now
    var failures = 5
    harness.plan = { _ in
      failures -= 1
      return .init(failures % 3 == 0 ? .answers : .fails("busy"))
    }
    let id = try harness.engine.beginExport(of: "numbers", QueryRequest())
    let (values, last) = try readAll(harness, id)
    #expect(values == (0..<10).map { Int64($0 * 10) })
    #expect(last == .end)
    // Each block has its own retry delays.
    #expect(exportRequests(harness).count == 8)
    #expect(start.duration(to: harness.clock.now) == .seconds(7))
  }

  @Test func `cancels and retries a request not answered in time`() throws {
    let harness = try harness(prefetch: PrefetchPolicy(patience: .seconds(5)))
    harness.plan = { _ in .init(.isForgotten) }
    let id = try harness.engine.beginExport(of: "numbers", QueryRequest())
    try harness.turn()
    try harness.turn(by: .milliseconds(4_999))
    #expect(harness.source.cancels.isEmpty)
    try harness.turn(by: .milliseconds(1))
    #expect(harness.source.cancels == exportRequests(harness).map(\.id))
    try harness.turn(by: .milliseconds(999))
    #expect(exportRequests(harness).count == 1)
    try harness.turn(by: .milliseconds(1))
    #expect(exportRequests(harness).count == 2)
    try harness.settle()
    #expect(read(harness, id) == .failed("no answer within 5.0 seconds"))
  }

  @Test func `an invalid block fails the export with its reason`() throws {
    let row: (key: RowKey, cells: [Cell]) = (.integer(1), [.integer(1), .null, .null])
    let cursor = BlockCursor("here")
    let long = BlockCursor(String(repeating: "x", count: Limits().cursorBytes + 1))
    let blocks: [(WindowedCapabilities.Paging, RowBlock, String)] = [
      (.keyset, RowBlock([row, row, row, row, row], hasMore: false), "the source gave 5 rows where 4 were asked for"),
      (.keyset, RowBlock([row], hasMore: true), "the source says that more rows follow, and not where"),
      (.keyset, RowBlock([], hasMore: true, end: cursor), "the source says that more rows follow, and not where"),
      (.keyset, RowBlock([row], hasMore: true, end: long), "the source's cursor has 4097 bytes, more than 4096"),
      (.offset, RowBlock([row, row, row], hasMore: true), "the source gave 3 rows, though more follow"),
    ]
    for (paging, block, reason) in blocks {
      let harness = try harness(patience: .zero) { $0.paging = paging }
      harness.plan = { _ in .init(.isForgotten) }
      let id = try harness.engine.beginExport(of: "numbers", QueryRequest())
      try harness.turn()
      let request = try #require(exportRequests(harness).last)
      harness.engine.handle(.page(harness.table, request.id, block), at: harness.clock.now)
      #expect(read(harness, id) == .failed(reason))
    }
  }

  @Test func `fails when a cursor does not advance`() throws {
    let harness = try harness(patience: .zero)
    harness.plan = { _ in .init(.isForgotten) }
    let id = try harness.engine.beginExport(of: "numbers", QueryRequest())
    // Sent by the test, because the scripted source has never created such a cursor.
    for key: Int64 in 1...2 {
      for case .ask(_, let requests) in harness.engine.advance(to: harness.clock.now) {
        let block = RowBlock([(.integer(key), [.integer(key), .null, .null])], hasMore: true, end: BlockCursor("here"))
        harness.engine.handle(.page(harness.table, requests[0].id, block), at: harness.clock.now)
      }
    }
    #expect(read(harness, id) == .rows([1]))
    #expect(read(harness, id) == .failed("the source's rows end where they began"))
  }

  @Test func `fails when sections are returned instead of rows`() throws {
    let harness = try harness(patience: .zero)
    harness.plan = { _ in .init(.isForgotten) }
    let id = try harness.engine.beginExport(of: "numbers", QueryRequest())
    try harness.turn()
    let request = try #require(exportRequests(harness).last)
    harness.engine.handle(.sections(harness.table, request.id, []), at: harness.clock.now)
    #expect(read(harness, id) == .failed("the source answered with sections where rows were asked for"))
  }

  @Test func `a clock set back does not prolong the retry delay`() throws {
    let harness = try harness()
    harness.plan = { _ in .init(.fails("busy")) }
    _ = try harness.engine.beginExport(of: "numbers", QueryRequest())
    harness.clock.advance(by: .seconds(3_600))
    try harness.turn()
    harness.answer()
    try harness.turn()
    #expect(exportRequests(harness).count == 1)
    harness.clock = ManualClock()
    try harness.turn()
    try harness.turn(by: .milliseconds(999))
    #expect(exportRequests(harness).count == 1)
    try harness.turn(by: .milliseconds(1))
    #expect(exportRequests(harness).count == 2)
  }

  // MARK: The end before the end

  @Test func `ending an export cancels its request`() throws {
    let harness = try harness()
    harness.plan = { _ in .init(after: .seconds(5)) }
    let id = try harness.engine.beginExport(of: "numbers", QueryRequest())
    try harness.turn()
    harness.engine.endExport(id)
    #expect(harness.engine.deadline == .zero)
    try harness.turn()
    #expect(harness.source.cancels == exportRequests(harness).map(\.id))
    #expect(harness.source.inFlight.isEmpty)
    #expect(harness.engine.deadline == nil)
  }

  @Test func `a new export waits if an old request cannot be cancelled`() throws {
    let harness = try harness { $0.cancels = false }
    harness.plan = { _ in .init(after: .seconds(5)) }
    let first = try harness.engine.beginExport(of: "numbers", QueryRequest())
    try harness.turn()
    harness.engine.endExport(first)
    let second = try harness.engine.beginExport(of: "numbers", QueryRequest())
    try harness.turn(by: .seconds(4))
    #expect(harness.source.cancels.isEmpty)
    #expect(exportRequests(harness).count == 1)
    #expect(try readAll(harness, second).values.count == 10)
  }

  // MARK: While the source changes

  @Test(arguments: [WindowedCapabilities.Paging.keyset, .keysetAndOffset])
  func `cursors neither skip nor repeat rows while the data changes`(_ paging: WindowedCapabilities.Paging) throws {
    let harness = try harness(rows: 20) { $0.paging = paging }
    let id = try harness.engine.beginExport(of: "numbers", QueryRequest(sort: [("value", false)]))
    try harness.settle()
    // Eight rows have been read. Rows are inserted above and below them, and the last one read and
    // some unread ones are deleted.
    for key in [100, 101] { harness.upsert(key, value: 5) }
    harness.upsert(102, value: 155)
    for key in [0, 7, 12] { harness.source.delete(.integer(Int64(key))) }
    harness.change()
    let (values, last) = try readAll(harness, id)
    #expect(values == [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 130, 140, 150, 155, 160, 170, 180, 190])
    #expect(last == .end)
  }

  @Test func `offsets repeat a row when one is inserted above`() throws {
    let harness = try harness(rows: 10) { $0.paging = .offset }
    let id = try harness.engine.beginExport(of: "numbers", QueryRequest())
    try harness.settle()
    harness.upsert(100, value: 5, at: 0)
    harness.change()
    #expect(try readAll(harness, id).values == [0, 10, 20, 30, 40, 50, 60, 70, 70, 80, 90])
  }

  // MARK: What the source cannot do

  @Test(arguments: ways) func `evaluates the residual query on rows filtered by the source`(
    _ paging: WindowedCapabilities.Paging
  ) throws {
    let harness = try harness(rows: 30) { $0.paging = paging }
    let filter = Filter<String>.all([
      .compare("value", .less, .integer(200)), .contains("name", "1"),
    ])
    let id = try harness.engine.beginExport(of: "numbers", QueryRequest(sort: [("name", true)], filter: filter))
    let (values, last) = try readAll(harness, id)
    #expect(values == [190, 180, 170, 160, 150, 140, 130, 120, 110, 100, 10])
    #expect(last == .end)
    // The source applies the part of the filter that it supports.
    for request in exportRequests(harness) {
      #expect(request.query == Query(filter: .compare(0, .less, .integer(200))))
    }
  }

  @Test(arguments: [CountAccuracy.exact, .estimated, .unknown])
  func `refuses residual queries over the row limit like a session`(_ count: CountAccuracy) throws {
    for rows in [30, 31] {
      let harness = try harness(rows: rows) { $0.count = count }
      let query = QueryRequest(sort: [("name", false)])
      let client = harness.open(query: query)
      try harness.settle()
      let id = try harness.engine.beginExport(of: "numbers", query)
      let (values, last) = try readAll(harness, id)
      #expect(values.count == (rows == 30 ? 30 : 0))
      #expect(last == harness.refusals[client].map { .refused($0) } ?? .end)
      #expect((harness.refusals[client] == nil) == (rows == 30))
      if count == .exact { #expect(exportRequests(harness).count == (rows == 30 ? 8 : 1)) }
    }
  }
}
