import Testing

@testable import ListEngine

@Suite struct TableLimitsTests {
  private static let schema = Schema(
    name: "notes", key: .text,
    columns: [Column("number", .integer), Column("note", .text), Column("run", .series)])

  private func table(rows: Int? = nil, bytes: Int? = nil, limits: Limits = Limits()) -> Table {
    var schema = Self.schema
    schema.limits = TableLimits(rows: rows, bytes: bytes)
    return Table(schema, limits: limits, seed: 1)
  }

  private func change(_ table: Table, _ body: (inout Changeset) -> Void) {
    var changes = Changeset()
    body(&changes)
    table.apply(changes)
  }

  private func keys(_ table: Table) -> [String] {
    (0..<table.slots).filter { table.isAlive($0) }.sorted { table.labels[$0] < table.labels[$1] }
      .map { "\(table.keys.key(of: $0))" }
  }

  private func row(_ note: String?, run: [Double]? = nil) -> [Cell] {
    [.integer(1), note.map { .text($0) } ?? .null, run.map { .series($0) } ?? .null]
  }

  // MARK: The weight of a row

  @Test func `a row counts its overhead, columns, key and cells`() {
    let table = table()
    change(table) { $0.upsert(.text("key"), row("four", run: [1, 2])) }
    // 32 for the row, 8 for each of three columns, 3 for the key, 4 and 16 for the cells.
    #expect(table.bytes == 32 + 24 + 3 + 4 + 16)
    change(table) { $0.update(.text("key"), [nil, .text("longer"), .null]) }
    #expect(table.bytes == 32 + 24 + 3 + 6)
    change(table) { $0.delete(.text("key")) }
    #expect(table.bytes == 0)
  }

  @Test func `an integer key counts eight bytes`() {
    let table = Table(
      Schema(name: "t", key: .integer, columns: [Column("a", .integer)]), limits: Limits(), seed: 1)
    change(table) { $0.upsert(.integer(1), [.null]) }
    #expect(table.bytes == 32 + 8 + 8)
  }

  @Test func `a repeated text counts once per row`() {
    let table = table()
    change(table) { for key in 1...3 { $0.upsert(.text("\(key)"), row("again")) } }
    #expect(table.bytes == 3 * (32 + 24 + 1 + 5))
  }

  @Test func `the byte count is right after a reload`() {
    let table = table()
    table.apply(.reload([(.text("a"), row("one")), (.text("b"), row("two"))]))
    table.apply(.reload([(.text("b"), row("three")), (.text("c"), row(nil))]))
    #expect(table.bytes == 2 * (32 + 24 + 1) + 5)
  }

  // MARK: The limit of bytes

  @Test func `accepts the row that reaches the byte limit exactly`() {
    let table = table(bytes: 2 * 57 + 10)
    change(table) {
      $0.upsert(.text("a"), row("12345"))
      $0.upsert(.text("b"), row("12345"))
    }
    #expect(keys(table) == ["a", "b"])
    #expect(table.rejected == 0)
  }

  @Test func `rejects a row one byte too large and accepts the others`() {
    let table = table(bytes: 3 * 57 + 10)
    change(table) {
      $0.upsert(.text("a"), row("12345"))
      $0.upsert(.text("b"), row(String(repeating: "x", count: 63)))
      $0.upsert(.text("c"), row("12345"))
    }
    #expect(keys(table) == ["a", "c"])
    #expect(table.rejected == 1)
    #expect(table.lastRejection == "row b: it has 120 bytes, and the table 62 of its limit of 181 bytes")
  }

  @Test func `a row can grow up to the byte limit and no further`() {
    let table = table(bytes: 57 + 10)
    change(table) { $0.upsert(.text("a"), row("12345")) }
    change(table) { $0.update(.text("a"), [nil, .text("1234567890"), nil]) }
    #expect(table.rejected == 0)
    change(table) { $0.update(.text("a"), [.integer(2), .text("12345678901"), nil]) }
    #expect(table.lastRejection == "row a: it has 68 bytes, and the table 0 of its limit of 67 bytes")
    // A rejected update changes nothing. An update that does not grow the row is applied.
    change(table) { $0.update(.text("a"), [.integer(3), nil, nil]) }
    #expect(table.snapshot(0).cells == [.integer(3), .text("1234567890"), .null])
    change(table) { $0.upsert(.text("a"), row("0987654321")) }
    #expect(table.rejected == 1)
    change(table) { $0.upsert(.text("a"), row("09876543210")) }
    #expect(table.rejected == 2)
    #expect(table.bytes == 67)
  }

  @Test func `a deletion makes room within the same changeset`() {
    let table = table(rows: 1)
    change(table) {
      $0.upsert(.text("a"), row(nil))
      $0.upsert(.text("b"), row(nil))
      $0.delete(.text("a"))
      $0.upsert(.text("c"), row(nil))
    }
    #expect(keys(table) == ["c"])
    #expect(table.lastRejection == "row b: the table has its limit of 1 rows")
  }

  @Test func `the lower limit of table and engine applies`() {
    var limits = Limits()
    (limits.rows, limits.tableBytes) = (2, 60)
    #expect(table(rows: 5, limits: limits).rowLimit == 2)
    #expect(table(rows: 1, limits: limits).rowLimit == 1)
    #expect(table(bytes: 100, limits: limits).byteLimit == 60)
    #expect(table(bytes: 59, limits: limits).byteLimit == 59)
  }

  // MARK: Reload

  @Test func `a reload can replace all rows of a full table`() {
    let table = table(rows: 2, bytes: 2 * 57 + 2)
    table.apply(.reload([(.text("a"), row("1")), (.text("b"), row("1"))]))
    table.apply(.reload([(.text("c"), row("1")), (.text("d"), row("1")), (.text("a"), row("1"))]))
    #expect(keys(table) == ["c", "d"])
    #expect(table.lastRejection == "row a: the table has its limit of 2 rows")
  }

  @Test func `a reload beyond the byte limit skips rows that do not fit`() {
    let table = table(bytes: 2 * 57 + 4)
    table.apply(.reload([(.text("a"), row("1")), (.text("b"), row("1"))]))
    table.apply(.reload([(.text("b"), row("123")), (.text("x"), row("12")), (.text("a"), row("2"))]))
    // x does not fit after b, but a does.
    #expect(keys(table) == ["b", "a"])
    #expect(table.rejected == 1)
  }

  @Test func `a reload keeps the old cells of a row grown too large`() {
    let table = table(bytes: 57 + 5)
    table.apply(.reload([(.text("a"), row("12345"))]))
    table.apply(.reload([(.text("a"), row("123456"))]))
    #expect(table.snapshot(0).cells == row("12345"))
    #expect(table.rejected == 1)
  }

  @Test func `updates and deletions during a reload count in its bytes`() {
    let table = table(bytes: 2 * 57 + 4)
    table.apply(.reload([(.text("a"), row("1")), (.text("b"), row("1"))]))
    var head = Changeset()
    head.beginsReload = true
    head.upsert(.text("a"), row("123"))
    // b is not named yet: its weight is limited separately.
    head.update(.text("b"), [nil, .text("1234"), nil])
    head.update(.text("a"), [nil, .text("12"), nil])
    head.upsert(.text("c"), row("1"))
    head.delete(.text("a"))
    table.apply(head)
    #expect(table.rejected == 0)
    var tail = Changeset()
    tail.endsReload = true
    tail.upsert(.text("d"), row("1234"))
    tail.upsert(.text("e"), row("123"))
    table.apply(tail)
    #expect(keys(table) == ["c", "e"])
    #expect(table.rejected == 1)
    #expect(table.bytes == 2 * 57 + 4)
  }

  @Test func `a reload counts the loaded deferred cells of its rows`() throws {
    let schema = Schema(
      name: "t", key: .integer, columns: [Column("a", .text), Column("b", .text, isDeferred: true)])
    // 32, 8 for the key, 8 for each column, and the texts.
    for (limit, isTaken) in [(56 + 3 + 10, true), (56 + 3 + 9, false)] {
      var bounded = schema
      bounded.limits.bytes = limit
      let table = Table(bounded, limits: Limits(), seed: 1)
      table.apply(.reload([(.integer(1), [.text("1"), .null])]))
      let reason = table.load(.integer(1), 1, .text("1234567890"))
      #expect(reason == nil)
      #expect(table.bytes == 56 + 1 + 10)
      table.apply(.reload([(.integer(1), [.text("123"), .null])]))
      #expect(table.columns[0].cell(0) == .text(isTaken ? "123" : "1"))
      #expect(table.columns[1].cell(0) == .text("1234567890"))
      #expect(table.rejected == (isTaken ? 0 : 1))
    }
  }

  @Test func `unfinished reloads do not accumulate rows`() {
    let table = table(rows: 2)
    for round in 0..<5 {
      var head = Changeset()
      head.beginsReload = true
      for key in 0..<2 { head.upsert(.text("\(round) \(key)"), row(nil)) }
      table.apply(head)
      #expect(table.count <= 4)
    }
    #expect(table.rejected == 0)
  }

  // MARK: Plugin errors

  @Test(arguments: [0, -1])
  func `a limit of rows or bytes below 1 is refused`(limit: Int) {
    var engine = Engine(epoch: "test")
    var schema = Self.schema
    schema.limits.rows = limit
    #expect(throws: SchemaError.badLimit("rows", limit)) { try engine.addTable(schema, at: .zero) }
    schema.limits = TableLimits(bytes: limit)
    #expect(throws: SchemaError.badLimit("bytes", limit)) { try engine.addTable(schema, at: .zero) }
    schema.limits = TableLimits(rows: 1, bytes: 1)
    #expect(throws: Never.self) { try engine.addTable(schema, at: .zero) }
  }
}
