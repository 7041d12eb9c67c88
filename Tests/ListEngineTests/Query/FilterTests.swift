import ListTesting
import Testing

@testable import ListEngine

@Suite struct FilterTests {
  private static let schema = Schema(
    name: "t", key: .integer,
    columns: [
      Column("integer", .integer), Column("number", .number), Column("text", .text), Column("flag", .boolean),
      Column("time", .timestamp), Column("image", .image), Column("series", .series),
    ])

  /// Returns tables with one row per value and nulls in the other columns.
  private static func table(_ column: String, _ values: [Cell]) -> (Table, PlainTable) {
    let table = Table(schema, limits: Limits(), seed: 1)
    var plain = PlainTable(schema)
    var changes = Changeset()
    for (key, value) in values.enumerated() {
      var cells = [Cell](repeating: .null, count: schema.columns.count)
      cells[schema.index(of: column)!] = value
      changes.upsert(.integer(Int64(key)), cells)
      plain.upsert(.integer(Int64(key)), cells)
    }
    table.apply(changes)
    return (table, plain)
  }

  private static func resolved(_ filter: Filter<String>, limits: Limits = Limits()) throws(ClientError) -> Filter<Int> {
    var resolver = FilterResolver(schema, limits: limits)
    return try resolver.resolve(filter)
  }

  /// Returns the positions of the values that pass.
  ///
  /// The plain table must agree.
  private func passing(_ column: String, _ values: [Cell], _ filter: Filter<String>) throws -> [Int] {
    let (table, plain) = Self.table(column, values)
    let query = Query(filter: try Self.resolved(filter))
    let view = ListView(query, table: table)
    let shown = view.items(0..<view.itemCount).compactMap { item -> Int? in
      guard case .row(let slot) = item, case .integer(let key) = table.keys.key(of: slot) else { return nil }
      return Int(key)
    }
    #expect(
      plain.lines(query) == shown.map { .row(plain.rows[$0].cells) }, "the plain table sees \(filter) in another way")
    return shown
  }

  private func complaint(_ filter: Filter<String>, limits: Limits = Limits()) -> ClientError? {
    do throws(ClientError) {
      _ = try Self.resolved(filter, limits: limits)
      return nil
    } catch {
      return error
    }
  }

  // MARK: Comparisons, type by type

  @Test func `integers compare correctly up to their extremes`() throws {
    let values: [Cell] = [.integer(.min), .integer(-1), .null, .integer(0), .integer(5), .integer(.max)]
    func shown(_ comparison: Comparison, _ value: Cell) throws -> [Int] {
      try passing("integer", values, .compare("integer", comparison, value))
    }
    #expect(try shown(.equal, .integer(0)) == [3])
    #expect(try shown(.notEqual, .integer(0)) == [0, 1, 4, 5])
    #expect(try shown(.less, .integer(0)) == [0, 1])
    #expect(try shown(.lessOrEqual, .integer(0)) == [0, 1, 3])
    #expect(try shown(.greater, .integer(0)) == [4, 5])
    #expect(try shown(.greaterOrEqual, .integer(0)) == [3, 4, 5])
    // The extremes share their bit patterns with null's stored form and sort key.
    #expect(try shown(.equal, .integer(.min)) == [0])
    #expect(try shown(.equal, .integer(.max)) == [5])
    #expect(try shown(.less, .integer(.min)) == [])
    #expect(try shown(.greater, .integer(.max)) == [])
    #expect(try shown(.lessOrEqual, .integer(.max)) == [0, 1, 3, 4, 5])
    #expect(try shown(.notEqual, .integer(.max)) == [0, 1, 3, 4])
    #expect(try shown(.notEqual, .integer(.min)) == [1, 3, 4, 5])
    #expect(try shown(.equal, .text("9223372036854775807")) == [5])
    #expect(try shown(.equal, .number(5)) == [4])
  }

  @Test func `numbers compare, and minus zero equals zero`() throws {
    let values: [Cell] = [
      .number(-.greatestFiniteMagnitude), .number(-0.0), .number(0), .null, .number(.leastNonzeroMagnitude),
      .number(.greatestFiniteMagnitude),
    ]
    func shown(_ comparison: Comparison, _ value: Cell) throws -> [Int] {
      try passing("number", values, .compare("number", comparison, value))
    }
    for zero: Cell in [.number(-0.0), .number(0), .integer(0)] {
      #expect(try shown(.equal, zero) == [1, 2])
      #expect(try shown(.notEqual, zero) == [0, 4, 5])
      #expect(try shown(.less, zero) == [0])
      #expect(try shown(.greater, zero) == [4, 5])
      #expect(try shown(.lessOrEqual, zero) == [0, 1, 2])
      #expect(try passing("number", values, .oneOf("number", [zero])) == [1, 2])
    }
    #expect(try shown(.greaterOrEqual, .number(.greatestFiniteMagnitude)) == [5])
    #expect(try shown(.less, .number(-.greatestFiniteMagnitude)) == [])
  }

  @Test func `texts compare by code unit`() throws {
    let values: [Cell] = [
      .text(""), .text("a"), .text("abcdefgh"), .text("abcdefghi"), .null, .text("B"), .text("é"), .text("e\u{301}"),
      .text("日本"), .text("😀"),
    ]
    func shown(_ comparison: Comparison, _ value: String) throws -> [Int] {
      try passing("text", values, .compare("text", comparison, .text(value)))
    }
    #expect(try shown(.equal, "") == [0])
    #expect(try shown(.notEqual, "") == [1, 2, 3, 5, 6, 7, 8, 9])
    #expect(try shown(.equal, "abcdefgh") == [2])
    #expect(try shown(.greater, "abcdefgh") == [3, 6, 7, 8, 9])
    #expect(try shown(.greaterOrEqual, "abcdefgh") == [2, 3, 6, 7, 8, 9])
    #expect(try shown(.less, "a") == [0, 5])
    #expect(try shown(.lessOrEqual, "a") == [0, 1, 5])
    #expect(try shown(.equal, "é") == [6])
    #expect(try shown(.equal, "e\u{301}") == [7])
    #expect(try shown(.greater, "日本") == [9])
    #expect(try shown(.equal, "A") == [])
  }

  @Test func `booleans and timestamps compare`() throws {
    let flags: [Cell] = [.boolean(false), .null, .boolean(true)]
    #expect(try passing("flag", flags, .compare("flag", .equal, .boolean(true))) == [2])
    #expect(try passing("flag", flags, .compare("flag", .notEqual, .boolean(true))) == [0])
    #expect(try passing("flag", flags, .compare("flag", .less, .boolean(true))) == [0])
    #expect(try passing("flag", flags, .oneOf("flag", [.boolean(true), .boolean(false)])) == [0, 2])
    let times: [Cell] = [.timestamp(.min), .timestamp(1_000_000), .timestamp(1_500_000), .null, .timestamp(.max)]
    #expect(try passing("time", times, .compare("time", .equal, .integer(1))) == [1])
    #expect(try passing("time", times, .compare("time", .equal, .number(1.5))) == [2])
    #expect(try passing("time", times, .compare("time", .equal, .timestamp(1_500_000))) == [2])
    #expect(try passing("time", times, .compare("time", .equal, .text("9223372036854.775807"))) == [4])
    #expect(try passing("time", times, .compare("time", .equal, .text("-9223372036854.775808"))) == [0])
    #expect(try passing("time", times, .range("time", from: .integer(0), through: .integer(2))) == [1, 2])
  }

  @Test func `timestamp values are read as milliseconds, or refused`() throws {
    func nanoseconds(_ value: Cell) throws -> Cell? {
      guard case .compare(_, _, let cell) = try Self.resolved(.compare("time", .equal, value)) else { return nil }
      return cell
    }
    #expect(try nanoseconds(.text("1700000000000.123456")) == .timestamp(1_700_000_000_000_123_456))
    #expect(try nanoseconds(.text("-0.5")) == .timestamp(-500_000))
    #expect(try nanoseconds(.text("7")) == .timestamp(7_000_000))
    #expect(try nanoseconds(.number(-1.5)) == .timestamp(-1_500_000))
    #expect(try nanoseconds(.number(0.000001)) == .timestamp(1))
    for wrong in ["", ".", "1.", "1.1234567", "1.-5", "1.+5", "x", "1e3", "1.2.3"] {
      #expect(
        complaint(.compare("time", .equal, .text(wrong)))
          == .unreadableMessage(
            "query.filter.value must be a number of milliseconds: the column “time” is of type timestamp"), "\(wrong)")
    }
  }

  // MARK: The other operators

  @Test func `ranges include their bounds and may lack one`() throws {
    let values: [Cell] = [.integer(1), .integer(2), .null, .integer(3), .integer(.max), .integer(.min)]
    #expect(
      try passing("integer", values, .range("integer", from: .integer(2), through: .integer(3))) == [1, 3])
    #expect(try passing("integer", values, .range("integer", from: .integer(2), through: nil)) == [1, 3, 4])
    #expect(try passing("integer", values, .range("integer", from: nil, through: .integer(2))) == [0, 1, 5])
    #expect(try passing("integer", values, .range("integer", from: .integer(3), through: .integer(2))) == [])
    let texts: [Cell] = [.text(""), .text("a"), .text("b"), .null, .text("ba")]
    #expect(try passing("text", texts, .range("text", from: .text("a"), through: .text("b"))) == [1, 2])
    #expect(try passing("text", texts, .range("text", from: nil, through: .text("a"))) == [0, 1])
    #expect(try passing("text", texts, .range("text", from: .text(""), through: nil)) == [0, 1, 2, 4])
    #expect(
      complaint(.range("text", from: nil, through: nil)) == .unreadableMessage("query.filter needs from or through"))
  }

  @Test func `contains and startsWith ignore case`() throws {
    let values: [Cell] = [
      .text("Kernel Thread"), .text("kern"), .text(""), .null, .text("STRASSE"), .text("Grün"), .text("GRÜN"),
      .text("gru\u{308}n"),
    ]
    #expect(try passing("text", values, .contains("text", "ERN")) == [0, 1])
    #expect(try passing("text", values, .contains("text", "l t")) == [0])
    #expect(try passing("text", values, .contains("text", "ünN")) == [])
    #expect(try passing("text", values, .contains("text", "Ü")) == [5, 6])
    #expect(try passing("text", values, .contains("text", "")) == [0, 1, 2, 4, 5, 6, 7])
    #expect(try passing("text", values, .startsWith("text", "KERN")) == [0, 1])
    #expect(try passing("text", values, .startsWith("text", "kernel")) == [0])
    #expect(try passing("text", values, .startsWith("text", "grÜ")) == [5, 6])
    #expect(try passing("text", values, .startsWith("text", "")) == [0, 1, 2, 4, 5, 6, 7])
  }

  @Test func `matches finds a regular expression, with or without case`() throws {
    let values: [Cell] = [.text("kthreadd"), .text("Kd"), .text("kd "), .null, .text("")]
    #expect(try passing("text", values, .matches("text", "^k.*d$")) == [0])
    #expect(try passing("text", values, .matches("text", "^k.*d$", ignoringCase: true)) == [0, 1])
    #expect(try passing("text", values, .matches("text", "")) == [0, 1, 2, 4])
  }

  @Test func `oneOf passes cells equal to any of its values`() throws {
    let texts: [Cell] = [.text("root"), .text("me"), .null, .text(""), .text("rooty"), .text("é")]
    #expect(try passing("text", texts, .oneOf("text", [.text("me"), .text("root"), .text("me")])) == [0, 1])
    #expect(try passing("text", texts, .oneOf("text", [.text("")])) == [3])
    #expect(try passing("text", texts, .oneOf("text", [.text("e\u{301}"), .text("Root")])) == [])
    #expect(try passing("text", texts, .oneOf("text", [])) == [])
    let many: [Cell] = (0..<1000).map { .integer(Int64($0) * 3) }
    #expect(
      try passing("integer", [.integer(2997), .integer(4), .null, .integer(0)], .oneOf("integer", many)) == [0, 3])
    #expect(
      try passing("integer", [.integer(.max), .null, .integer(.min)], .oneOf("integer", [.integer(.max)])) == [0])
  }

  @Test func `a null cell passes isEmpty and the negation of other filters`() throws {
    let samples: [(String, [Cell], Cell)] = [
      ("integer", [.null, .integer(1)], .integer(1)), ("number", [.null, .number(1)], .number(1)),
      ("text", [.null, .text("")], .text("")), ("flag", [.null, .boolean(false)], .boolean(false)),
      ("time", [.null, .timestamp(0)], .timestamp(0)),
    ]
    for (column, values, value) in samples {
      #expect(try passing(column, values, .isEmpty(column)) == [0])
      #expect(try passing(column, values, .not(.isEmpty(column))) == [1])
      for comparison in Comparison.allCases {
        let filter = Filter.compare(column, comparison, value)
        let shown = try passing(column, values, filter)
        #expect(!shown.contains(0))
        #expect(try passing(column, values, .not(filter)) == (shown.isEmpty ? [0, 1] : [0]))
      }
      #expect(try passing(column, values, .not(.oneOf(column, [value]))) == [0])
    }
    #expect(try passing("image", [.null, .image("x")], .isEmpty("image")) == [0])
    #expect(try passing("series", [.null, .series([1]), .series([])], .not(.isEmpty("series"))) == [1, 2])
  }

  @Test func `all, any and not combine, even when empty`() throws {
    let values: [Cell] = (0..<10).map { .integer($0) }
    func isAt(_ comparison: Comparison, _ value: Int64) -> Filter<String> {
      .compare("integer", comparison, .integer(value))
    }
    func shown(_ filter: Filter<String>) throws -> [Int] { try passing("integer", values, filter) }
    #expect(try shown(.all([isAt(.greater, 2), isAt(.less, 5)])) == [3, 4])
    #expect(try shown(.any([isAt(.less, 2), isAt(.greater, 7)])) == [0, 1, 8, 9])
    #expect(try shown(.not(.any([isAt(.less, 2), isAt(.greater, 7)]))) == [2, 3, 4, 5, 6, 7])
    #expect(try shown(.all([.any([isAt(.less, 3), isAt(.greater, 7)]), .not(isAt(.equal, 1))])) == [0, 2, 8, 9])
    #expect(try shown(.any([.all([isAt(.less, 3), isAt(.greater, 0)]), .not(.not(isAt(.equal, 9)))])) == [1, 2, 9])
    #expect(try shown(.all([])) == Array(0..<10))
    #expect(try shown(.any([])) == [])
    #expect(try shown(.not(.all([]))) == [])
    #expect(try shown(.all([.any([]), .all([])])) == [])
  }

  // MARK: Equal queries

  @Test func `equivalent filters resolve to equal ones`() throws {
    #expect(
      try Self.resolved(.oneOf("integer", [.integer(3), .integer(1), .integer(3)]))
        == Self.resolved(.all([.oneOf("integer", [.number(1), .integer(3)])])))
    #expect(
      try Self.resolved(.any([.oneOf("integer", [.integer(1)])])) == Self.resolved(.oneOf("integer", [.integer(1)])))
    #expect(try Self.resolved(.contains("text", "ROOT")) == Self.resolved(.contains("text", "root")))
    #expect(
      try Self.resolved(.compare("number", .equal, .number(-0.0)))
        == Self.resolved(.compare("number", .equal, .integer(0))))
  }

  @Test func `queries with canonically equivalent texts are different`() {
    // Swift's `String` considers them equal; a filter compares bytes.
    #expect(Query(search: "é") != Query(search: "e\u{301}"))
    #expect(Query(filter: .contains(0, "é")) != Query(filter: .contains(0, "e\u{301}")))
    #expect(Query(filter: .contains(0, "é")) == Query(filter: .contains(0, "\u{E9}")))
  }

  // MARK: Refusals

  @Test func `refuses a value of the wrong type with its place and column`() {
    #expect(
      complaint(.all([.isEmpty("text"), .compare("number", .greater, .text("5"))]))
        == .unreadableMessage("query.filter.all[1].value must be a number: the column “number” is of type number"))
    #expect(
      complaint(.any([.not(.oneOf("integer", [.integer(1), .number(1.5)]))]))
        == .unreadableMessage(
          "query.filter.any[0].not.values[1] must be a whole number: the column “integer” is of type integer"))
    #expect(
      complaint(.range("flag", from: .integer(0), through: nil))
        == .unreadableMessage("query.filter.from must be true or false: the column “flag” is of type boolean"))
    #expect(
      complaint(.compare("text", .equal, .null))
        == .unreadableMessage("query.filter.value must be a text: the column “text” is of type text"))
    #expect(
      complaint(.contains("number", "5"))
        == .unreadableMessage("query.filter looks into texts, but the column “number” is of type number"))
    #expect(
      complaint(.compare("image", .equal, .text("x")))
        == .unreadableMessage(
          "query.filter.value cannot be compared: the column “image” is of type image, and can only be isEmpty"))
    #expect(complaint(.isEmpty("nothing")) == .unknownColumn(table: "t", column: "nothing"))
    for value: Cell in [.number(1e300), .number(-9.3e18)] {
      #expect(
        complaint(.compare("integer", .less, value))
          == .outOfRange("query.filter.value is beyond what the column “integer” can hold"))
    }
    for value: Cell in [.integer(.max), .number(1e300), .number(.infinity), .number(.nan)] {
      #expect(
        complaint(.compare("time", .less, value))
          == .outOfRange("query.filter.value is beyond what the column “time” can hold"))
    }
    #expect(complaint(.compare("number", .less, .number(.nan))) != nil)
  }

  @Test func `reports a value beyond its column as out of range`() {
    for text in ["9223372036854775808", "-9223372036854775809", "99999999999999999999999"] {
      #expect(
        complaint(.compare("integer", .equal, .text(text)))
          == .outOfRange("query.filter.value is beyond what the column “integer” can hold"))
    }
    for text in ["9223372036854.775808", "-9223372036854.775809", "253402300799000"] {
      #expect(
        complaint(.range("time", from: nil, through: .text(text)))
          == .outOfRange("query.filter.through is beyond what the column “time” can hold"))
    }
    for text in ["", "-", "1.5", "1e3", " 1", "0x10", "٣"] {
      #expect(
        complaint(.compare("integer", .equal, .text(text)))
          == .unreadableMessage("query.filter.value must be a whole number: the column “integer” is of type integer"))
    }
    for text in ["", ".5", "1.", "1.1234567", "1e3", "then"] {
      #expect(
        complaint(.compare("time", .equal, .text(text)))
          == .unreadableMessage(
            "query.filter.value must be a number of milliseconds: the column “time” is of type timestamp"))
    }
    for text in ["9223372036854775807", "-9223372036854775808"] {
      #expect(complaint(.compare("integer", .equal, .text(text))) == nil)
    }
  }

  @Test func `refuses an incomplete pattern with the character at fault`() {
    #expect(
      complaint(.matches("text", "a(b"))
        == .unreadableMessage(
          "query.filter.value is not a regular expression: a group that does not end at character 2"))
  }

  @Test func `limits the depth, terms, values and text length of a filter`() {
    func nested(_ depth: Int) -> Filter<String> { (0..<depth).reduce(.isEmpty("text")) { inner, _ in .not(inner) } }
    #expect(complaint(nested(8)) == nil)
    #expect(
      complaint(nested(9))
        == .tooLong("query.filter" + String(repeating: ".not", count: 9) + " is nested more than 8 deep"))
    #expect(complaint(.all(Array(repeating: .isEmpty("text"), count: 99))) == nil)
    #expect(
      complaint(.all(Array(repeating: .isEmpty("text"), count: 100)))
        == .tooLong("query.filter has more than 100 terms"))
    #expect(complaint(.oneOf("integer", (0..<1000).map { .integer($0) })) == nil)
    #expect(
      complaint(.oneOf("integer", (0...1000).map { .integer($0) }))
        == .tooLong("query.filter.values has more than 1000 entries"))
    let long = ExactText(String(repeating: "é", count: 1001))
    for filter: Filter<String> in [
      .contains("text", long), .startsWith("text", long), .matches("text", long),
      .compare("text", .equal, .text(long.string)),
    ] {
      #expect(complaint(filter) == .tooLong("query.filter.value has more than 1000 characters"))
    }
    #expect(complaint(.contains("text", ExactText(String(repeating: "é", count: 1000)))) == nil)
  }

  // MARK: Work

  private static let notes = Schema(
    name: "n", key: .integer, columns: [Column("symbol", .text), Column("size", .integer)])

  private func apply(_ table: Table, _ rows: some Sequence<(Int, String)>) {
    var changes = Changeset()
    for (key, text) in rows { changes.upsert(.integer(Int64(key)), [.text(text), .integer(1)]) }
    table.apply(changes)
  }

  @Test func `tests a text once for all rows that share it`() {
    let table = Table(Self.notes, limits: Limits(), seed: 1)
    apply(table, (0..<20_000).map { ($0, "S\($0 % 500)") })
    let filter = RowFilter(Query(filter: .contains(0, "77")), table: table)
    let shown = (0..<table.slots).count { filter.lets($0) }
    #expect(shown == 20_000 / 500 * (0..<500).count { "\($0)".contains("77") })
    #expect(filter.looks == 500)
    _ = (0..<table.slots).count { filter.lets($0) }
    #expect(filter.looks == 500)
  }

  @Test func `tests a reused text number again`() {
    let table = Table(Self.notes, limits: Limits(), seed: 1)
    apply(table, [(1, "one"), (2, "two")])
    let filter = RowFilter(Query(filter: .contains(0, "one")), table: table)
    #expect(filter.lets(0) && !filter.lets(1))
    let numbers = [table.columns[0].textNumber(0), table.columns[0].textNumber(1)]
    // Both texts are deleted, and their numbers are reused with the texts exchanged.
    apply(table, [(1, "x"), (2, "y"), (3, "z")])
    apply(table, [(1, "two"), (2, "one")])
    #expect(Set([table.columns[0].textNumber(0), table.columns[0].textNumber(1)]) == Set(numbers))
    #expect(!filter.lets(0) && filter.lets(1))
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `results are right while texts are added and freed`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let table = Table(Self.notes, limits: Limits(), seed: seed)
    // More tests of one column than are cached.
    let filter = Filter<Int>.any((0..<20).map { .contains(0, ExactText("\($0)-")) })
    let rows = RowFilter(Query(search: "a", filter: filter), table: table)
    var texts: [Int: String] = [:]
    for _ in 0..<300 {
      for _ in 0..<20 {
        let key = random.number(0...40)
        texts[key] = random.pick(["a", "B", ""]) + "\(random.number(0...60))-"
        apply(table, [(key, texts[key]!)])
      }
      for (key, text) in texts {
        let slot = table.keys.slot(of: .integer(Int64(key)))!
        let wanted = text.hasPrefix("a") && (0..<20).contains { text.contains("\($0)-") }
        #expect(rows.lets(slot) == wanted, "\(text)")
      }
    }
  }

  @Test func `results are right after texts stop being shared`() {
    let table = Table(Self.notes, limits: Limits(), seed: 1)
    let filter = RowFilter(Query(filter: .contains(0, "77")), table: table)
    apply(table, (0..<5_000).map { ($0, "note \($0)") })
    func count() -> Int { (0..<table.slots).count { filter.lets($0) } }
    #expect(count() == (0..<5_000).count { "\($0)".contains("77") })
    apply(table, (0..<20_000).map { ($0, "another \($0)") })
    #expect(table.columns[0].sharedTexts.map(\.count) == nil)
    #expect(count() == (0..<20_000).count { "\($0)".contains("77") })
  }

  @Test func `long texts spread a build over more steps`() {
    var limits = Limits()
    limits.stepRows = 4
    let table = Table(Self.notes, limits: limits, seed: 1)
    apply(table, (0..<12).map { ($0, "\($0)" + String(repeating: "x", count: 10_000)) })
    let view = ListView(Query(filter: .contains(0, "11x")), table: table)
    var steps = 0
    while view.build?.canSelect == false {
      view.work()
      steps += 1
    }
    // The first four texts are tested together, the others one in each step.
    #expect(steps > 8)
    while view.build != nil { view.work() }
    #expect(view.rowCount == 1)
  }
}
