import ListTesting
import Testing

@testable import ListEngine

/// Columns that the engine fills: histories, and the time of the last change.
@Suite struct DerivedColumnsTests {
  private static let schema = Schema(
    name: "numbers", key: .integer,
    columns: [Column("value", .integer), Column("load", .number), Column("name", .text)]
  ).deriving(histories: ["value": 3, "load": 4], changeTime: "changed")
  private static let noon: Int64 = 1_795_608_000_000_000_000

  private func harness() throws -> Harness {
    let harness = try Harness(schema: Self.schema)
    harness.engine.handle(.wallTime(Self.noon), at: harness.clock.now)
    return harness
  }

  private func put(_ harness: Harness, _ cells: [Cell?], key: RowKey = .integer(1)) {
    harness.change { changes in
      if cells.contains(nil) { changes.set.update(key, cells) } else { changes.set.upsert(key, cells.map { $0! }) }
    }
  }

  /// Returns the derived cells of the rows that the client shows.
  private func derived(_ harness: Harness) throws -> [[Cell]] {
    try harness.settle(by: .seconds(1))
    return harness.replica().cells.map { Array($0.dropFirst(3)) }
  }

  @Test func `derived columns are placed after the source's columns`() {
    #expect(Self.schema.columns.map(\.name) == ["value", "load", "name", "value_history", "load_history", "changed"])
    #expect(Self.schema.givenColumnCount == 3)
    #expect(Self.schema.columns[3].derivation == .history(of: "value", count: 3))
  }

  @Test func `a history holds the last different values`() throws {
    let harness = try harness()
    harness.open(interval: .zero)
    put(harness, [.integer(1), .null, .text("a")])
    #expect(try derived(harness)[0].prefix(2) == [.null, .null])
    put(harness, [.integer(2), .number(0.5), .text("a")])
    #expect(try derived(harness)[0].prefix(2) == [.series([1, 2]), .series([0.5])])
    put(harness, [.integer(2), .integer(3), .text("b")])
    put(harness, [.integer(5), .null, .text("b")])
    put(harness, [.integer(-1), .number(3), .text("b")])
    #expect(try derived(harness)[0].prefix(2) == [.series([2, 5, -1]), .series([0.5, 3])])
  }

  @Test func `a change of another column leaves histories empty`() throws {
    let harness = try harness()
    harness.open(interval: .zero)
    put(harness, [.integer(1), .number(1), .text("a")])
    put(harness, [nil, nil, .text("b")])
    #expect(try derived(harness)[0].prefix(2) == [.null, .null])
  }

  @Test func `the change time is set by insertions and changes only`() throws {
    let harness = try harness()
    harness.open(interval: .zero)
    put(harness, [.integer(1), .number(1), .text("a")])
    #expect(try derived(harness)[0][2] == .timestamp(Self.noon))
    put(harness, [.integer(1), .number(1), .text("a")])
    #expect(try derived(harness)[0][2] == .timestamp(Self.noon))
    put(harness, [nil, .number(2), nil])
    #expect(try derived(harness)[0][2] == .timestamp(Self.noon + 2_000_000_000))
  }

  @Test func `all rows of one changeset have the same change time`() throws {
    let harness = try harness()
    harness.open(count: 100, interval: .zero)
    harness.change { changes in
      for row in Int64(0)..<100 { changes.set.upsert(.integer(row), [.integer(row), .null, .null]) }
    }
    #expect(try derived(harness).map { $0[2] } == Array(repeating: .timestamp(Self.noon), count: 100))
  }

  @Test func `a row deleted and inserted again starts an empty history`() throws {
    let harness = try harness()
    harness.open(interval: .zero)
    put(harness, [.integer(1), .null, .null])
    put(harness, [.integer(2), .null, .null])
    harness.change { changes in
      changes.set.delete(.integer(1))
      changes.set.upsert(.integer(1), [.integer(3), .null, .null])
    }
    #expect(try derived(harness)[0][0] == .null)
  }

  @Test func `rows with cells for derived columns are rejected`() throws {
    let harness = try harness()
    put(harness, [.integer(1), .null, .null, .null, .null, .null])
    let table = harness.engine.tables(at: harness.clock.now)[0]
    #expect(table.rows == 0)
    #expect(table.source.lastRejection.contains("it has 6 cells for 3 columns"))
  }

  @Test func `clients sort and filter by the change time`() throws {
    let harness = try harness()
    for row in 1...3 {
      put(harness, [.integer(Int64(row)), .null, .null], key: .integer(Int64(row)))
      try harness.settle(by: .seconds(60))
    }
    let recent = QueryRequest(
      sort: [("changed", true)], filter: .age("changed", .less, .timestamp(150_000_000_000)))
    harness.open(query: recent, interval: .zero)
    try harness.settle()
    #expect(harness.values() == [3, 2])
    try harness.settle(by: .seconds(60))
    #expect(harness.values() == [3])
  }

  @Test func `histories beyond their memory are dropped, and values kept`() throws {
    let columns = UnsafeMutableBufferPointer<ColumnStore>.allocate(capacity: 2)
    let (hasher, counter) = (BytesHash(seed: 1), ByteCounter())
    columns.initializeElement(at: 0, to: ColumnStore(.integer, hasher: hasher, counter: counter, collation: nil))
    columns.initializeElement(at: 1, to: ColumnStore(.series, hasher: hasher, counter: counter, collation: nil))
    defer {
      for column in columns { column.deallocate() }
      columns.deallocate()
      counter.deallocate()
    }
    for column in columns { column.grow(to: 64) }
    let schema = Schema(name: "t", key: .integer, columns: [Column("a", .integer)]).deriving(histories: ["a": 10])
    let derived = try #require(
      DerivedColumns(schema, columns: columns, bytes: counter, byteLimit: 40, wall: WallTime()))
    func take(_ value: Int64, _ slot: UInt32) {
      let cell = Changeset.PackedCell(payload: UInt64(bitPattern: value), length: 0, kind: .integer)
      let due = withUnsafePointer(to: cell) { derived.due(slot, taking: UnsafeBufferPointer(start: $0, count: 1)) }
      _ = columns[0].store(cell, bytes: UnsafeRawBufferPointer(start: nil, count: 0), at: slot)
      _ = derived.follow(slot, due)
    }
    for value in 1...3 { take(Int64(value), 0) }
    #expect(columns[1].cell(0) == .series([1, 2, 3]))
    take(1, 1)
    take(2, 1)
    #expect(columns[1].cell(1) == .series([1, 2]))
    // 40 bytes are in use.
    take(4, 0)
    #expect(columns[1].cell(0) == .null)
    #expect(columns[0].cell(0) == .integer(4))
  }

  @Test(arguments: [
    (
      [Column("a", .integer), Column("h", .series, derivation: .history(of: "a", count: 1))],
      "it keeps 2 to 240 values, not 1"
    ),
    ([Column("a", .text), Column("h", .series, derivation: .history(of: "a", count: 9))], "not a column of integers"),
    ([Column("a", .integer), Column("h", .text, derivation: .history(of: "a", count: 9))], "its type must be series"),
    ([Column("a", .integer), Column("c", .integer, derivation: .changeTime)], "its type must be timestamp"),
    ([Column("c", .timestamp, derivation: .changeTime), Column("a", .integer)], "must stand behind"),
    ([Column("c", .timestamp, derivation: .changeTime)], "must stand behind"),
  ])
  func `invalid derived columns are refused with a reason`(_ columns: [Column], _ reason: String) throws {
    var engine = Engine(epoch: "e")
    let error = try #require(throws: SchemaError.self) {
      _ = try engine.addTable(Schema(name: "t", key: .integer, columns: columns), at: .zero)
    }
    #expect("\(error)".contains(reason), "\(error)")
  }

  @Test func `a source column with the name of a derived one is refused`() {
    var schema = Schema(name: "t", key: .integer, columns: [Column("a", .integer), Column("a_history", .text)])
    schema.presentation = TablePresentation(changed: "a")
    #expect(throws: SchemaError.badPresentation("changed", reason: "“a” is a column of the source: rename one of them"))
    {
      try schema.checkPresentation()
    }
    schema.presentation = nil
    schema.columns[0].presentation = ColumnPresentation(history: 9)
    #expect(throws: SchemaError.self) { try schema.checkPresentation() }
    schema.columns[1].name = "b"
    #expect(throws: Never.self) { try schema.deriving().checkPresentation() }
  }

  @Test func `a windowed table gets no derived columns`() {
    let schema = Schema(
      name: "t", key: .integer, columns: [Column("a", .integer)], windowed: WindowedCapabilities())
    #expect(schema.deriving(histories: ["a": 9], changeTime: "changed") == schema)
  }

  @Test func `text columns and deferred columns get no history`() {
    let schema = Schema(
      name: "t", key: .integer, columns: [Column("a", .text), Column("b", .integer, isDeferred: true)])
    #expect(schema.deriving(histories: ["a": 9, "b": 9, "c": 9]) == schema)
  }

  @Test func `columns derived after operator columns are operator columns`() throws {
    let schema = Schema(
      name: "t", key: .integer, columns: [Column("a", .integer), Column("b", .integer, audience: .operators)]
    ).deriving(histories: ["a": 9])
    #expect(schema.columns[2].audience == .operators)
    var engine = Engine(epoch: "e")
    _ = try engine.addTable(schema, at: .zero)
  }
}
