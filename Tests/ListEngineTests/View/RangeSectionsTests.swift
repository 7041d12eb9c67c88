import Foundation
import ListTesting
import Testing

@testable import ListEngine

@Suite struct RangeSectionsTests {
  private static let schema = Schema(
    name: "numbers", key: .integer,
    columns: [
      Column("pid", .integer), Column("cpu", .number), Column("started", .timestamp), Column("user", .text),
      Column("ready", .boolean),
    ])

  private func table() -> Table { Table(Self.schema, limits: Limits(), seed: 1) }

  private func put(_ key: Int64, cpu: Double?, user: String = "root", in table: Table) {
    var changes = Changeset()
    changes.upsert(
      .integer(key), [.integer(key), cpu.map { .number($0) } ?? .null, .timestamp(key), .text(user), .boolean(true)])
    table.apply(changes)
  }

  private func query(width: Double = 10, then: Grouping...) -> Query {
    var query = Query()
    query.groupings = [Grouping(1, ranges: .numbers(NumberRanges(width: width)))] + then
    return query
  }

  /// Returns the headers of a level as `value: count`, in order.
  private func headers(_ view: ListView, level: Int = 0) -> [String] {
    view.catchUp()
    view.checkInvariants()
    return view.items(0..<view.itemCount).compactMap {
      guard case .header(let section) = $0, section.level == level else { return nil }
      if case .number(let bound) = section.value { return "\(bound): \(section.count)" }
      return "empty: \(section.count)"
    }
  }

  @Test func `sections are in the order of their ranges, and empty cells come last`() {
    let table = table()
    for (key, cpu) in [25, nil, 9.5, -1, 20, 10].enumerated() { put(Int64(key), cpu: cpu, in: table) }
    let view = ListView(query(), table: table)
    #expect(headers(view) == ["-10.0: 1", "0.0: 1", "10.0: 1", "20.0: 2", "empty: 1"])
    var down = query()
    down.sections = [SectionOrder(by: .value, descending: true)]
    #expect(
      headers(ListView(down, table: table)) == ["20.0: 2", "10.0: 1", "0.0: 1", "-10.0: 1", "empty: 1"])
    down.sections = [SectionOrder(by: .count, descending: true)]
    #expect(headers(ListView(down, table: table)).first == "20.0: 2")
  }

  @Test func `NaN and infinities are empty cells`() {
    let table = table()
    for (key, cpu) in [Double.nan, .infinity, -.infinity, 5].enumerated() { put(Int64(key), cpu: cpu, in: table) }
    #expect(headers(ListView(query(), table: table)) == ["0.0: 1", "empty: 3"])
  }

  @Test func `a value that stays in its range moves nothing`() {
    let table = table()
    for key in 0..<10 as Range<Int64> { put(key, cpu: Double(key * 5), in: table) }
    let view = ListView(query(), table: table)
    view.catchUp()
    let (work, structure) = (view.workDone, view.structure)
    put(3, cpu: 19, in: table)
    #expect(headers(view) == ["0.0: 2", "10.0: 2", "20.0: 2", "30.0: 2", "40.0: 2"])
    #expect(view.workDone == work && view.structure == structure)
    put(3, cpu: 20, in: table)
    #expect(headers(view) == ["0.0: 2", "10.0: 1", "20.0: 3", "30.0: 2", "40.0: 2"])
    #expect(view.workDone > work)
  }

  @Test func `a value that stays in its range moves by the sort order`() {
    let table = table()
    for key in 0..<4 as Range<Int64> { put(key, cpu: Double(key), in: table) }
    var sorted = query()
    sorted.sort = [SortTerm(1)]
    let view = ListView(sorted, table: table)
    view.catchUp()
    put(0, cpu: 9, in: table)
    view.catchUp()
    view.checkInvariants()
    let rows = view.items(0..<view.itemCount).compactMap { item -> Int64? in
      guard case .row(let slot) = item, case .integer(let pid) = table.columns[0].cell(slot) else { return nil }
      return pid
    }
    #expect(rows == [1, 2, 3, 0])
  }

  @Test func `totals follow values within a range`() {
    let table = table()
    for key in 0..<4 as Range<Int64> { put(key, cpu: Double(key), in: table) }
    var total = query()
    total.aggregates = [Aggregate(.sum, of: 1), Aggregate(.p10, of: 1)]
    let view = ListView(total, table: table)
    view.catchUp()
    put(0, cpu: 9, in: table)
    view.catchUp()
    view.checkInvariants()
    #expect(view.totals == [.number(15), .number(1)])
    #expect(view.section(at: [.number(0)]).map { view.aggregates(of: $0) } == [.number(15), .number(1)])
  }

  @Test func `ranges nest with other groupings`() {
    let table = table()
    for key in 0..<20 as Range<Int64> { put(key, cpu: Double(key), user: key % 2 == 0 ? "a" : "b", in: table) }
    var nested = Query()
    nested.groupings = [Grouping(3), Grouping(0, ranges: .integers(width: 10))]
    let view = ListView(nested, table: table)
    view.catchUp()
    view.checkInvariants()
    #expect(view.section(at: [.text("a"), .integer(10)])?.rows == 5)
    #expect(view.section(at: [.text("a"), .integer(12)]) == nil)
  }

  // MARK: Clients

  private func harness(_ groupings: GroupingRequest..., cpus: [Double]) throws -> Harness {
    let harness = try Harness(schema: Self.schema)
    put(cpus, in: harness)
    var request = QueryRequest()
    request.groupings = groupings
    harness.open(query: request, count: 40)
    try harness.settle()
    return harness
  }

  private func put(_ cpus: [Double], in harness: Harness) {
    harness.change { changes in
      for (key, cpu) in cpus.enumerated() {
        let time = Cell.timestamp(Int64(key) * 1_800_000_000_000)
        changes.set.upsert(
          .integer(Int64(key)), [.integer(Int64(key)), .number(cpu), time, .text("u"), .boolean(true)])
      }
    }
  }

  private func ranges(_ harness: Harness) -> [[Cell?]] {
    harness.replica().headers.map { [$0.value, $0.end] }
  }

  @Test func `headers have the bounds of their ranges`() throws {
    let cpus = try harness(GroupingRequest("cpu", ranges: .width(.number(2.5))), cpus: [1, 3, 2.5])
    #expect(ranges(cpus) == [[.number(0), .number(2.5)], [.number(2.5), .number(5)]])
    let hours = try harness(GroupingRequest("started", ranges: .unit(.hour, offset: 30)), cpus: [1, 3, 2.5])
    let hour: Int64 = 3_600_000_000_000
    #expect(
      ranges(hours) == [
        [.timestamp(-hour / 2), .timestamp(hour / 2)], [.timestamp(hour / 2), .timestamp(3 * hour / 2)],
      ])
    let users = try harness(GroupingRequest("user"), cpus: [1])
    #expect(ranges(users) == [[.text("u"), nil]])
  }

  @Test func `a change within a range is sent as an update`() throws {
    let harness = try harness(GroupingRequest("cpu", ranges: .width(.integer(10))), cpus: [1, 3, 25])
    put([9, 3, 25], in: harness)
    try harness.settle(by: .seconds(1))
    let patch = try #require(harness.deliveries.last).delivery.patch
    #expect(patch.updatedRows.map(\.columns) == [[1]] && patch.updatedHeaders.isEmpty)
    #expect(patch.moved.isEmpty && patch.removed.isEmpty && patch.inserted.isEmpty)
  }

  @Test func `a section of a range is collapsed by its lower bound`() throws {
    let harness = try harness(GroupingRequest("cpu", ranges: .width(.integer(10))), cpus: [1, 3, 25])
    harness.engine.handle(
      .collapse(SessionID(rawValue: 1), .path([.integer(0)]), isCollapsed: true), at: harness.clock.now)
    try harness.settle()
    #expect(harness.replica().headers.map(\.isCollapsed) == [true, false])
    #expect(harness.replica().total == 3)
    // The row leaves its range, and then comes back.
    put([1, 15, 25], in: harness)
    try harness.settle(by: .seconds(1))
    #expect(harness.replica().total == 5)
    put([1, 3, 25], in: harness)
    try harness.settle(by: .seconds(1))
    #expect(harness.replica().total == 3)
  }

  @Test(
    arguments: [
      ("pid", .width(.number(2.5)), "query.group[1].width: “pid” has whole numbers: use a whole width from 1"),
      ("pid", .width(.integer(0)), "query.group[1].width: “pid” has whole numbers: use a whole width from 1"),
      ("pid", .width(.number(1e30)), "query.group[1].width: “pid” has whole numbers: use a whole width from 1"),
      ("pid", .unit(.day, offset: 0), "query.group[1].unit: “pid” has numbers: use “width” instead of “unit”"),
      ("cpu", .width(.number(-1)), "query.group[1].width must be a number above 0"),
      ("cpu", .width(.number(.infinity)), "query.group[1].width must be a number above 0"),
      ("cpu", .width(.number(.nan)), "query.group[1].width must be a number above 0"),
      ("cpu", .unit(.day, offset: 0), "query.group[1].unit: “cpu” has numbers: use “width” instead of “unit”"),
      ("started", .width(.integer(5)), "query.group[1].width: “started” has times: use “unit” instead of “width”"),
      ("started", .unit(.day, offset: 1_441), "query.group[1].offset must be a number of minutes from -1440 to 1440"),
      (
        "user", .width(.integer(5)),
        "query.group[1]: “user” is of type text: group it by its values, or use ranges of a column of numbers or times"
      ),
      (
        "ready", .unit(.day, offset: 0),
        "query.group[1]: “ready” is of type boolean: group it by its values, or use ranges of a column of numbers or times"
      ),
    ] as [(String, GroupingRequest.Ranges, String)])
  func `ranges that do not fit the column are refused`(
    _ column: String, _ ranges: GroupingRequest.Ranges, _ reason: String
  ) throws {
    var request = QueryRequest()
    request.groupings = [GroupingRequest(column == "user" ? "cpu" : "user"), GroupingRequest(column, ranges: ranges)]
    let engine = Engine(epoch: "ranges")
    do throws(QueryFault) {
      _ = try engine.resolve(request, in: Self.schema, isRestricted: false)
      Issue.record("\(column) has \(ranges)")
    } catch { #expect(error == QueryFault(.outOfRange(reason), at: ["query.group[1]"])) }
  }

  @Test func `a column is grouped by once for each of its ranges`() throws {
    let engine = Engine(epoch: "ranges")
    var request = QueryRequest(group: ["user", "user"])
    #expect(try engine.resolve(request, in: Self.schema, isRestricted: false).group == [3])
    request.groupings = [
      GroupingRequest("cpu", ranges: .width(.integer(10))), GroupingRequest("cpu", ranges: .width(.number(10))),
    ]
    #expect(try engine.resolve(request, in: Self.schema, isRestricted: false).groupings.count == 1)
    request.groupings[1].ranges = nil
    let twice = try engine.resolve(request, in: Self.schema, isRestricted: false)
    #expect(twice.groupings == [Grouping(1, ranges: .numbers(NumberRanges(width: 10))), Grouping(1)])
  }

  @Test func `orders of a column are those of its levels, and one too many is refused`() throws {
    let engine = Engine(epoch: "ranges")
    var request = QueryRequest()
    request.groupings = [
      GroupingRequest("cpu", ranges: .width(.integer(10))), GroupingRequest("user"), GroupingRequest("cpu"),
    ]
    request.sections = [
      SectionOrderRequest("cpu", by: .value), SectionOrderRequest("cpu", by: .count, descending: true),
    ]
    let query = try engine.resolve(request, in: Self.schema, isRestricted: false)
    #expect(query.sections == [.byValue, .byValue, SectionOrder(by: .count, descending: true)])
    request.sections.append(SectionOrderRequest("cpu", by: .count))
    do throws(QueryFault) {
      _ = try engine.resolve(request, in: Self.schema, isRestricted: false)
      Issue.record("cpu has three orders")
    } catch {
      #expect(error.at == ["query.sections[2]"])
      #expect(error.error.reason == "query.sections[2]: “cpu” has 2 levels: name it once for each")
    }
  }

  @Test func `a column has sections of days, and of the hours in them`() throws {
    let day: Int64 = 86_400_000_000_000
    let harness = try Harness(schema: Self.schema)
    put([1, 2, 3], in: harness)
    var query = QueryRequest()
    query.groupings = [
      GroupingRequest("started", ranges: .unit(.day, offset: 60)),
      GroupingRequest("started", ranges: .unit(.hour, offset: 60)),
    ]
    query.sections = [SectionOrderRequest("started", by: .value, descending: true)]
    harness.open(query: query, count: 40)
    try harness.settle()
    let hour = day / 24
    #expect(
      harness.replica().headers.map { [Cell.integer(Int64($0.level)), $0.value, $0.end ?? .null] } == [
        [.integer(0), .timestamp(-hour), .timestamp(23 * hour)],
        [.integer(1), .timestamp(0), .timestamp(hour)],
        [.integer(1), .timestamp(hour), .timestamp(2 * hour)],
      ])
    // A row moves to the day before, and another one within its hour.
    harness.change { changes in
      changes.set.upsert(.integer(0), [.integer(0), .number(1), .timestamp(-2 * day), .text("u"), .boolean(true)])
      changes.set.upsert(.integer(2), [.integer(2), .number(1), .timestamp(hour + 5), .text("u"), .boolean(true)])
    }
    try harness.settle(by: .seconds(1))
    #expect(
      harness.replica().headers.map { [$0.value, .integer(Int64($0.count))] } == [
        [.timestamp(-hour), .integer(2)], [.timestamp(0), .integer(1)], [.timestamp(hour), .integer(1)],
        [.timestamp(-2 * day - hour), .integer(1)], [.timestamp(-2 * day), .integer(1)],
      ])
  }

  @Test func `queries without ranges are recorded as before`() throws {
    let plain = QueryRequest(group: ["user", "cpu"])
    let text = String(decoding: try JSONEncoder().encode(plain), as: UTF8.self)
    #expect(text.contains(#""group":["user","cpu"]"#))
    #expect(try JSONDecoder().decode(QueryRequest.self, from: Data(text.utf8)) == plain)
    var ranged = plain
    ranged.groupings[1].ranges = .width(.number(0.1))
    ranged.groupings.append(GroupingRequest("started", ranges: .unit(.week, offset: 60)))
    #expect(try JSONDecoder().decode(QueryRequest.self, from: JSONEncoder().encode(ranged)) == ranged)
  }

  // MARK: Remote tables

  @Test func `the engine does the ranges that a source cannot`() throws {
    var limits = Limits()
    limits.remainderRows = 50
    let capabilities = WindowedCapabilities(group: [0])
    var query = QueryRequest()
    query.groupings = [GroupingRequest("value", ranges: .width(.integer(100)))]
    let few = try WindowedHarness(capabilities, rows: 30, limits: limits)
    few.open(query: query, count: 40)
    try few.settle()
    #expect(few.replica().headers.map(\.value) == [.integer(0), .integer(100), .integer(200)])
    let many = try WindowedHarness(capabilities, rows: 100, limits: limits)
    many.open(query: query)
    try many.settle()
    #expect(many.refused.map(\.fault.at) == [["query.group[0]"]])
    #expect(many.refused[0].fault.error.reason.hasPrefix("This source cannot group by ranges of “value”"))
  }

  @Test func `an export has the rows of a range in the order of the query`() throws {
    var capabilities = WindowedCapabilities(sort: [0, 2], group: [0, 2], paging: .keyset)
    for isRemote in [true, false] {
      if !isRemote { capabilities.sort = [] }
      let harness = try WindowedHarness(capabilities, rows: 9)
      var request = QueryRequest(sort: [("value", true)])
      request.groupings = [GroupingRequest("value", ranges: .width(.integer(40)))]
      let id = try harness.engine.beginExport(of: "numbers", request)
      var values: [Cell] = []
      reading: while true {
        try harness.settle()
        switch harness.engine.read(id, rows: 100) {
        case .rows(let rows): values += rows.map { $0[0] }
        case .notYet: continue
        default: break reading
        }
      }
      #expect(values == [30, 20, 10, 0, 70, 60, 50, 40, 80].map { .integer($0) })
    }
  }
}
