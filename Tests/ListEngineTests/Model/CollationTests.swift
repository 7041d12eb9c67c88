import ListTesting
import Testing

@testable import ListEngine

@Suite struct CollationTests {
  // MARK: Names

  @Test(arguments: [
    ("", Collation.codeUnit), ("natural", .natural), ("de", .locale("de")), ("sv-FI", .locale("sv-FI")),
    ("de-u-kn", .locale("de", numeric: true)),
    ("de-u-co-phonebk", .locale("de-u-co-phonebk")),
    ("de-u-co-phonebk-kn", .locale("de-u-co-phonebk", numeric: true)),
    // `kn` is an ordinary subtag here, because no extension precedes it.
    ("de-kn", .locale("de-kn")),
  ])
  func `a collation's name is parsed and written back unchanged`(name: String, collation: Collation) {
    #expect(Collation(name) == collation)
    #expect(collation.name == name)
  }

  @Test(arguments: [
    "d", "de_DE", "de ", "1de", "de--x", "-de", "de-", "de-abcdefghi", "ä", String(repeating: "de-", count: 33) + "de",
  ])
  func `a malformed language tag is not parsed`(name: String) { #expect(Collation(name) == nil) }

  // MARK: The natural order

  private func key(_ text: String) -> [UInt8] {
    var text = text
    var key: [UInt8] = []
    text.withUTF8 { NaturalCollator().appendKey(of: UnsafeRawBufferPointer($0), to: &key) }
    return key
  }

  @Test func `natural order ignores case and compares digits as numbers`() {
    let order = [
      "", " 1", "-1", "0", "1", "1 a", "1a", "2", "9", "10", "10a", "010b", "99999999999999999999",
      "100000000000000000000",
      "a", "A1", "a1b", "a1c", "a02", "a9", "A10", "a10b", "ab", "Z", "zz", "ß", "Ä", "äb",
    ]
    for (place, text) in order.enumerated() {
      for later in order[(place + 1)...] {
        #expect(key(text).lexicographicallyPrecedes(key(later)), "“\(text)” before “\(later)”")
      }
    }
  }

  @Test func `case and leading zeros do not affect natural keys`() {
    for (a, b) in [("abc", "ABC"), ("a1", "a001"), ("0", "000"), ("Ä", "ä"), ("x0y", "X00Y")] {
      #expect(key(a) == key(b))
    }
  }

  @Test func `numbers of more than 254 digits compare by value`() {
    let (short, long) = (String(repeating: "9", count: 254), String(repeating: "1", count: 255))
    #expect(key(short).lexicographicallyPrecedes(key(long)))
    #expect(key(long).lexicographicallyPrecedes(key(String(repeating: "1", count: 256))))
    #expect(key(long).lexicographicallyPrecedes(key("2" + long.dropFirst())))
  }

  // MARK: Keys

  private func table(_ collator: any Collator, _ limits: Limits = Limits()) -> Table {
    let schema = Schema(
      name: "t", key: .integer, columns: [Column("a", .text, collation: .natural), Column("b", .integer)])
    return Table(schema, limits: limits, seed: 1, collators: [0: collator])
  }

  private func upsert(_ table: Table, _ rows: [(Int64, String)]) {
    var changes = Changeset()
    for (key, text) in rows { changes.upsert(.integer(key), [.text(text), .integer(key)]) }
    table.apply(changes)
  }

  private func slots(_ view: ListView) -> [UInt32] {
    view.items(0..<view.itemCount).compactMap { item -> UInt32? in if case .row(let slot) = item { slot } else { nil } }
  }

  @Test func `keys are made once per text, on the first sort by the column`() throws {
    let table = table(NaturalCollator())
    let keys = try #require(table.columns[0].pool?.collation)
    upsert(table, (0..<100).map { (Int64($0), "text \($0 % 10)") })
    #expect(keys.made == 0)
    _ = ListView(Query(sort: [SortTerm(1)]), table: table)
    #expect(keys.made == 0)
    _ = ListView(Query(sort: [SortTerm(0)]), table: table)
    _ = ListView(Query(sort: [SortTerm(0, descending: true)]), table: table)
    #expect(keys.made == 10)
    #expect(keys.count == 10)
  }

  @Test func `a key is freed with its text and not reused for another`() throws {
    let table = table(NaturalCollator())
    let keys = try #require(table.columns[0].pool?.collation)
    upsert(table, [(1, "a"), (2, "a"), (3, "b")])
    let view = ListView(Query(sort: [SortTerm(0)]), table: table)
    #expect(keys.count == 2)
    upsert(table, [(1, "c")])
    #expect(keys.count == 2)
    upsert(table, [(2, "c")])
    #expect(keys.count == 1)
    // The text number is reused for another text, which must get a new key.
    view.catchUp()
    upsert(table, [(3, "0")])
    view.catchUp()
    #expect(slots(view) == [2, 0, 1])
  }

  @Test func `keys are truncated to their limit, and ties go by code unit`() throws {
    var limits = Limits()
    limits.collationKeyBytes = 5
    let table = table(NaturalCollator(), limits)
    // The truncated keys are equal, so code units decide, although full keys would not tie.
    upsert(table, [(1, "abcdeb"), (2, "abcdeZ"), (3, "abcda")])
    let view = ListView(Query(sort: [SortTerm(0)]), table: table)
    #expect(slots(view) == [2, 1, 0])
    let keys = try #require(table.columns[0].pool?.collation)
    #expect(keys.key(of: .text("abcdefgh")).count == 5)
  }

  @Test func `a build step makes a bounded number of keys`() throws {
    var limits = Limits()
    limits.stepRows = 64
    let table = table(NaturalCollator(), limits)
    let keys = try #require(table.columns[0].pool?.collation)
    upsert(table, (0..<200).map { (Int64($0), "text \($0)") })
    let view = ListView(Query(sort: [SortTerm(0)]), table: table)
    var steps = 0
    while view.build != nil {
      let before = keys.made
      view.work()
      #expect(keys.made - before <= 4)
      steps += 1
    }
    #expect(keys.made == 200)
    #expect(steps >= 50)
  }

  @Test func `rows outside the query get no keys`() throws {
    let table = table(NaturalCollator())
    upsert(table, (0..<100).map { (Int64($0), "text \($0)") })
    _ = ListView(Query(sort: [SortTerm(0)], search: "text 7"), table: table)
    #expect(table.columns[0].pool?.collation?.made == 11)
  }

  // MARK: Pages

  private func harness(_ collation: Collation, limits: Limits = Limits()) throws -> Harness {
    var schema = Harness.schema
    schema.columns[1].collation = collation
    return try Harness(limits: limits, schema: schema, collators: InventedLanguage.find)
  }

  @Test func `a view is sorted by the collation in both directions`() throws {
    let harness = try harness(.natural)
    let names = ["b10", "B9", "a", "C", "b9", "b09"]
    harness.change { for (key, name) in names.enumerated() { $0.upsert(key, value: key, name: name) } }
    harness.open(1, query: QueryRequest(sort: [("name", false)]), interval: .zero)
    harness.open(2, query: QueryRequest(sort: [("name", true)]), interval: .zero)
    try harness.settle()
    func shown(_ client: UInt64) -> [Cell] { harness.replica(client).cells.map { $0[1] } }
    // Ties are broken by code unit.
    #expect(shown(1) == ["a", "B9", "b09", "b9", "b10", "C"].map { .text($0) })
    #expect(shown(2) == shown(1).reversed())
    harness.change { $0.update(2, name: "b9a") }
    try harness.settle(by: .seconds(1))
    #expect(shown(1) == ["B9", "b09", "b9", "b9a", "b10", "C"].map { .text($0) })
    #expect(shown(2) == shown(1).reversed())
  }

  @Test func `sections follow the collation and collapse by exact value`() throws {
    let harness = try harness(.natural)
    let names = ["b10", "B9", "a", "b9"]
    harness.change { for (key, name) in names.enumerated() { $0.upsert(key, value: key, name: name) } }
    harness.open(1, query: QueryRequest(group: ["name"]), interval: .zero)
    try harness.settle()
    func sections() -> [Cell] { harness.replica().headers.map(\.value) }
    #expect(sections() == ["a", "B9", "b9", "b10"].map { .text($0) })
    harness.change { $0.upsert(9, value: 9, name: "A5") }
    try harness.settle(by: .seconds(1))
    #expect(sections() == ["a", "A5", "B9", "b9", "b10"].map { .text($0) })
    harness.engine.handle(
      .collapse(SessionID(rawValue: 1), .path([.text("b9")]), isCollapsed: true), at: harness.clock.now)
    try harness.settle(by: .seconds(1))
    #expect(harness.replica().headers.map(\.isCollapsed) == [false, false, false, true, false])
  }

  @Test func `the first window of an unfinished view is in collation order`() throws {
    var limits = Limits()
    limits.stepRows = 64
    let harness = try harness(.locale("invented"), limits: limits)
    // Only the end of a name counts.
    harness.change { changes in
      for key in 0..<1000 { changes.upsert(key, value: key, name: "\(key) \(key % 10)") }
    }
    harness.open(1, query: QueryRequest(sort: [("name", false)]), count: 5, buffer: 0, interval: .zero)
    var deliveries: [Delivery] = []
    while deliveries.isEmpty { deliveries = try harness.advance() }
    #expect(harness.engine.deadline == .zero, "the view is not complete yet")
    #expect(harness.values() == [0, 10, 100, 110, 120])
  }

  @Test func `filters compare by code unit despite a collation`() throws {
    let harness = try harness(.natural)
    for (key, name) in ["B", "a", "b", "10", "9"].enumerated() {
      harness.change { $0.upsert(key, value: key, name: name) }
    }
    let filter = Filter<String>.compare("name", .less, .text("a"))
    harness.open(1, query: QueryRequest(sort: [("name", false)], filter: filter), interval: .zero)
    try harness.settle()
    #expect(harness.replica().cells.map { $0[1] } == ["9", "10", "B"].map { .text($0) })
  }

  // MARK: Plugin errors

  @Test func `the engine refuses a locale without a collator`() {
    var engine = Engine(epoch: "test")
    let schema = Schema(name: "t", key: .integer, columns: [Column("a", .text, collation: .locale("de"))])
    #expect(throws: SchemaError.unknownLocale("de", column: "a")) { try engine.addTable(schema, at: .zero) }
    #expect(
      "\(SchemaError.unknownLocale("de", column: "a"))"
        == "the order of the language “de”, which the column “a” asks for, is not known"
    )
  }

  @Test func `the engine refuses a collation on an image column`() {
    var engine = Engine(epoch: "test")
    let schema = Schema(name: "t", key: .integer, columns: [Column("a", .image, collation: .natural)])
    #expect(throws: SchemaError.noTexts(column: "a")) { try engine.addTable(schema, at: .zero) }
  }
}
