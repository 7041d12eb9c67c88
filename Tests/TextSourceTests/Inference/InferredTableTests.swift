import ListEngine
import SourceTesting
import Testing

@testable import TextSource

@Suite struct InferredTableTests {
  private func table(_ rows: [[(String, UntypedValue)]], key: [String] = ["id"], columns: [String]? = nil)
    -> InferredTable
  {
    var table = InferredTable(name: "t", key: key, columns: columns)
    for (index, row) in rows.enumerated() { table.add(row, at: "line \(index + 1)") }
    table.settle()
    return table
  }

  private func type(_ values: UntypedValue...) -> ColumnType? {
    let rows = values.enumerated().map { [("id", .integer(Int64($0))), ("x", $1)] as [(String, UntypedValue)] }
    return table(rows).schema?.columns[1].type
  }

  @Test func `the first view leaves out columns that the text lacks`() throws {
    var table = InferredTable(
      name: "t", key: ["id"],
      hints: [
        "n": Self.hint(.threshold(5), nil), "s": Self.hint(.threshold(5), .values([.text("bad")])),
      ])
    table.presentation = TablePresentation(
      description: "d",
      view: DefaultView(sort: [NamedSortTerm("x"), NamedSortTerm("n", descending: true)], hidden: ["s", "y"]))
    table.add([("id", .text("a")), ("n", .integer(7)), ("s", .text("bad"))], at: "line 1")
    table.settle()
    let schema = try #require(table.schema)
    #expect(
      schema.presentation
        == TablePresentation(
          description: "d", view: DefaultView(sort: [NamedSortTerm("n", descending: true)], hidden: ["s"])))
    #expect(schema.columns.first { $0.name == "n" }?.presentation == ColumnPresentation(warning: .threshold(5)))
    #expect(
      schema.columns.first { $0.name == "s" }?.presentation
        == ColumnPresentation(critical: .values([.text("bad")])))
    try schema.checkPresentation()
  }

  @Test func `a first view that hides every column hides none`() throws {
    var table = InferredTable(name: "t", key: ["id"])
    table.presentation = TablePresentation(view: DefaultView(hidden: ["id", "n"]))
    table.add([("id", .text("a")), ("n", .integer(7))], at: "line 1")
    table.settle()
    #expect(table.schema?.presentation?.view.hidden == [])
  }

  private static func hint(_ warning: SeverityRule?, _ critical: SeverityRule?) -> ColumnHint {
    var hint = ColumnHint()
    hint.severity = ColumnPresentation(warning: warning, critical: critical)
    return hint
  }

  @Test func `different columns of a composite key have different keys`() {
    let parts = ["", "a", "b", "a b", "b a", "a\\", "\\", "\\ ", " ", "a\\ b", "a\\\\", " a", "a "]
    var seen: [String: [String]] = [:]
    for first in parts {
      for second in parts {
        #expect(seen.updateValue([first, second], forKey: InferredTable.joined([first, second])) == nil)
      }
    }
    #expect(InferredTable.joined(["eu", "web-1"]) == "eu web-1")
    #expect(InferredTable.joined(["C:\\x", "1"]) == "C:\\x 1", "no blank, no change")
    let table = table(
      [[("a", .text("x y")), ("b", .text("z"))], [("a", .text("x")), ("b", .text("y z"))]], key: ["a", "b"])
    #expect(table.pendingRows == 2)
    #expect(table.rowKey([("a", .text("x y")), ("b", .text("z"))], as: .text) == .text(#"x\ y z"#))
    #expect(table.rowKey([("a", .text("x")), ("b", .text("y z"))], as: .text) == .text(#"x y\ z"#))
  }

  // MARK: Schema inference

  @Test func `infers a column's type from all its values`() {
    #expect(type(.integer(1), .integer(-2)) == .number, "a fraction may follow")
    #expect(type(.integer(1), .number(0.5)) == .number)
    #expect(type(.number(0.5), .integer(1)) == .number)
    #expect(type(.boolean(true), .boolean(false)) == .boolean)
    #expect(type(.text("a"), .text("b")) == .text)
    #expect(type(.text("2026-11-21T11:49:10Z"), .text("2026-11-21T11:49:10.5+01:00")) == .timestamp)
    #expect(type(.series([1, 2]), .series([3])) == .series)
    #expect(type(.other("{}")) == .text)
    #expect(type(.null, .null) == .text)
  }

  @Test func `a time out of range does not turn a time column into text`() {
    let (near, far) = (UntypedValue.text("2026-11-21T11:49:10Z"), UntypedValue.text("9999-12-31T00:00:00Z"))
    #expect(type(far, near) == .timestamp)
    #expect(type(near, far) == .timestamp)
    #expect(type(far, far) == .text, "nothing else holds it")
    #expect(type(far, .text("soon")) == .text)
  }

  @Test func `infers text from mixed values`() {
    #expect(type(.integer(1), .text("a")) == .text)
    #expect(type(.boolean(true), .integer(1)) == .text)
    #expect(type(.text("2026-11-21T11:49:10Z"), .text("soon")) == .text)
    #expect(type(.series([1]), .number(1)) == .text)
    #expect(type(.text("x"), .other("[]")) == .text)
  }

  @Test func `ignores empty values when it infers a type`() {
    #expect(type(.null, .integer(1)) == .number)
    #expect(type(.boolean(true), .null) == .boolean)
  }

  @Test func `infers integer from whole numbers beyond 53 bits`() {
    #expect(type(.integer(1 << 53)) == .number)
    #expect(type(.integer(1 << 53 + 1)) == .integer)
    #expect(type(.integer(-(1 << 53) - 1), .integer(1)) == .integer)
    #expect(type(.integer(1), .integer(.max)) == .integer)
  }

  @Test func `infers text from values that no number type holds exactly`() {
    #expect(type(.integer(1 << 53 + 1), .number(0.5)) == .text)
    #expect(type(.number(0.5), .integer(.max)) == .text)
    #expect(type(.great("12345678901234567890")) == .text)
    #expect(type(.integer(.max), .great("9223372036854775808")) == .text)
    var table = InferredTable(name: "t", key: [], isTextual: true)
    for text in ["12345678901234567890", "-1", "0.5", "98765432109876543210"] {
      table.add([("x", .text(text))], at: "")
    }
    table.settle()
    #expect(
      PlainRow.rows(of: table.takeChanges()!).map(\.cells) == [
        [.text("12345678901234567890")], [.text("-1")], [.text("0.5")], [.text("98765432109876543210")],
      ])
  }

  @Test func `a time out of range leaves its cell empty with a reason`() {
    var table = InferredTable(name: "t", key: [])
    table.add([("at", .text("1970-01-01T00:00:00Z"))], at: "line 1")
    table.settle()
    _ = table.takeChanges()
    table.add([("at", .text("9999-12-31T00:00:00Z"))], at: "line 2")
    let changes = table.takeChanges()!
    #expect(PlainRow.rows(of: changes).map(\.cells) == [[.null]])
    #expect(
      changes.unnamedRejection
        == "line 2: “at” is outside 1677-09-21 to 2262-04-11, which the column, taken for timestamp, cannot hold: the cell stays empty"
    )
  }

  @Test(arguments: [false, true]) func `a number that its column cannot hold leaves its cell empty`(_ isTextual: Bool) {
    func value(_ text: String) -> UntypedValue { isTextual ? .text(text) : UntypedValue(reading: text) }
    var table = InferredTable(name: "t", key: [], isTextual: isTextual)
    table.add([("n", value("1")), ("i", value("9007199254740993"))], at: "line 1")
    table.settle()
    #expect(table.schema?.columns.map(\.type) == [.number, .integer])
    _ = table.takeChanges()
    table.add([("n", value("9007199254740993")), ("i", value("9223372036854775807"))], at: "line 2")
    let first = table.takeChanges()!
    #expect(PlainRow.rows(of: first).map(\.cells) == [[.null, .integer(.max)]])
    #expect(
      first.unnamedRejection
        == "line 2: “n” is 9007199254740993, which the column, taken for number, cannot hold exactly: the cell stays empty"
    )
    table.add([("n", value("9007199254740992")), ("i", value("9223372036854775808"))], at: "line 3")
    let second = table.takeChanges()!
    #expect(PlainRow.rows(of: second).map(\.cells) == [[.number(0x1p53), .null]])
    #expect(second.unnamedRejections == 1)
  }

  @Test func `accepts a key beyond 64 bits as text`() {
    var table = table([[("id", .great("12345678901234567890"))]])
    #expect(PlainRow.rows(of: table.takeChanges()!).map(\.key) == [.text("12345678901234567890")])
  }

  @Test func `keeps the first 512 columns and reports the others once`() {
    let row = (1...600).map { ("c\($0)", UntypedValue.integer(1)) }
    var table = table([row, row], key: [])
    #expect(table.schema?.columns.count == 512)
    let changes = table.takeChanges()!
    #expect(changes.count == 2 && changes.unnamedRejections == 1)
    #expect(
      changes.unnamedRejection
        == "there are 600 columns, and a table has at most 512: “c513” and what follows is left out")
  }

  @Test func `shows a column as links if all its values are URLs`() {
    let schema = table([[("id", .integer(1)), ("x", .text("https://example.org/"))]]).schema
    #expect(schema?.columns[1].style == .link)
    let mixed = table([
      [("id", .integer(1)), ("x", .text("https://example.org/"))], [("id", .integer(2)), ("x", .text("none"))],
    ]).schema
    #expect(mixed?.columns[1].style == .plain)
  }

  @Test func `infers the key's type from all its values`() {
    func key(_ values: UntypedValue...) -> KeyType? { table(values.map { [("id", $0)] }).schema?.key }
    #expect(key(.integer(1), .integer(2)) == .integer)
    #expect(key(.integer(1), .text("a")) == .text)
    #expect(key(.text("1")) == .text)
    var mixed = table([[("id", .integer(1))], [("id", .text("a"))]])
    #expect(PlainRow.rows(of: mixed.takeChanges()!).map(\.key) == [.text("1"), .text("a")])
  }

  @Test func `orders columns by their first appearance`() {
    let schema = table([[("b", .null), ("id", .integer(1))], [("id", .integer(2)), ("a", .null), ("b", .null)]]).schema
    #expect(schema?.columns.map(\.name) == ["b", "id", "a"])
  }

  @Test func `shows the chosen columns and ignores all others`() {
    var chosen = table([[("id", .integer(1)), ("a", .integer(1)), ("b", .text("x"))]], columns: ["b", "c"])
    #expect(chosen.schema?.columns.map(\.name) == ["b", "c"])
    chosen.add([("id", .integer(2)), ("z", .integer(1))], at: "line 2")
    let changes = chosen.takeChanges()!
    #expect(
      PlainRow.rows(of: changes) == [
        PlainRow(.upsert, .integer(1), [.text("x"), .null]), PlainRow(.upsert, .integer(2), [.null, .null]),
      ])
    #expect(changes.unnamedRejections == 0)
  }

  private func guessed(_ ids: [UntypedValue]) -> InferredTable {
    var table = InferredTable(name: "t", key: [])
    table.findsKey = .ifNamed
    for (index, id) in ids.enumerated() {
      table.add([("id", id), ("x", .integer(Int64(index)))], at: "line \(index + 1)")
      if index == 0 { table.settle() }
    }
    return table
  }

  private func keys(_ table: inout InferredTable) -> [RowKey] {
    PlainRow.rows(of: table.takeChanges() ?? Changeset()).map(\.key)
  }

  @Test func `uses a guessed key while it is unique`() {
    var table = guessed([.integer(5), .integer(1), .integer(9)])
    #expect(keys(&table) == [.integer(5), .integer(1), .integer(9)])
    #expect(table.isKeyGuessed)
    #expect(table.keyNotice == "")
  }

  @Test func `numbers rows with free keys once a guessed key repeats`() {
    var table = guessed([.integer(1), .integer(3), .integer(3), .integer(4), .integer(1), .integer(4)])
    // 1 and 3 are keys of rows before the repeat. 4 was an ID later and is skipped, too.
    #expect(keys(&table) == [.integer(1), .integer(3), .integer(2), .integer(5), .integer(6), .integer(7)])
    #expect(table.rowsWithoutGuessedKey == 3)
    #expect(!table.isKeyGuessed)
    #expect(table.keyNotice == "“id” repeats, so rows are numbered instead. Use --key id to replace rows")
  }

  @Test func `row numbers avoid the texts of a repeated guessed key`() {
    var table = guessed([.text("#1"), .text("b"), .text("b"), .text("c")])
    #expect(keys(&table) == [.text("#1"), .text("b"), .text("#2"), .text("#3")])
  }

  @Test func `keeps rows without a valid guessed key`() {
    var table = guessed([.integer(1), .null, .text("x"), .integer(2)])
    #expect(keys(&table).count == 4)
    #expect(table.rowsWithoutGuessedKey == 2)
  }

  @Test func `rejects a row without any column and keeps the guessed key`() {
    var table = guessed([.integer(1)])
    table.add([("message", .text("hello"))], at: "line 2")
    #expect(keys(&table) == [.integer(1)])
    #expect(table.isKeyGuessed)
    #expect(table.lastRejection == "line 2: it has no “id”")
  }

  @Test func `reports repeats of a guessed key in powers of ten`() {
    var table = guessed([UntypedValue](repeating: .integer(1), count: 12))
    #expect(keys(&table).count == 12)
    #expect(table.rowsWithoutGuessedKey == 11)
    #expect(table.keyNotice.hasPrefix("“id” repeats (more than 10 times), so"))
  }

  @Test func `a reload can contain the guessed keys of the previous list`() {
    var table = InferredTable(name: "t", key: [])
    table.findsKey = .always
    for _ in 0..<2 {
      table.beginReload()
      for id in 1...3 { table.add([("id", .integer(Int64(id)))], at: "item \(id)") }
      table.settle()
      table.endReload()
      #expect(keys(&table) == [.integer(1), .integer(2), .integer(3)])
    }
    #expect(table.isKeyGuessed)
  }

  @Test func `accepts repeats of a given key without a notice`() {
    var table = table([[("id", .integer(1))], [("id", .integer(1))]])
    #expect(keys(&table) == [.integer(1), .integer(1)])
    #expect(table.keyNotice == "")
  }

  @Test func `numbers rows without a key`() {
    var numbered = table([[("a", .text("x"))], [("a", .text("x"))]], key: [])
    #expect(PlainRow.rows(of: numbered.takeChanges()!).map(\.key) == [.integer(1), .integer(2)])
  }

  @Test func `infers the schema after 100 rows`() {
    var table = InferredTable(name: "t", key: ["id"])
    for number in 0..<99 {
      table.add([("id", .integer(Int64(number)))], at: "")
      #expect(table.isSampling)
    }
    table.add([("id", .integer(99))], at: "")
    #expect(!table.isSampling)
    #expect(table.takeChanges()?.count == 100)
  }

  @Test func `infers the schema after a megabyte`() {
    var table = InferredTable(name: "t", key: ["id"])
    let text = String(repeating: "x", count: 400_000)
    for number in 0..<3 {
      #expect(table.schema == nil)
      table.add([("id", .integer(Int64(number))), ("x", .text(text))], at: "")
    }
    #expect(table.schema != nil)
  }

  // MARK: Contradictions

  @Test func `leaves a cell of the wrong type empty and counts it`() {
    var table = table([[("id", .integer(1)), ("n", .integer(1)), ("t", .text("2026-11-21T11:49:10Z"))]])
    _ = table.takeChanges()
    table.add([("id", .integer(2)), ("n", .text("many")), ("t", .text("2026-11-21T11:49:11Z"))], at: "line 7")
    let changes = table.takeChanges()!
    #expect(
      PlainRow.rows(of: changes) == [
        PlainRow(.upsert, .integer(2), [.integer(2), .null, .timestamp(1_795_261_751_000_000_000)])
      ])
    #expect(changes.unnamedRejections == 1)
    #expect(changes.unnamedRejection == "line 7: “n” is a text, the column was taken for number: the cell stays empty")
  }

  @Test func `a text column accepts values of every type`() {
    var table = table([[("id", .text("a")), ("x", .text("a"))]])
    _ = table.takeChanges()
    let values: [UntypedValue] = [
      .integer(7), .number(2), .number(0.5), .boolean(true), .series([1, 2.5]), .other("{}"), .null,
    ]
    for (index, value) in values.enumerated() { table.add([("id", .integer(Int64(index))), ("x", value)], at: "") }
    let rows = PlainRow.rows(of: table.takeChanges()!)
    #expect(
      rows.map { $0.cells[1] } == [
        .text("7"), .text("2"), .text("0.5"), .text("true"), .text("[1,2.5]"), .text("{}"), .null,
      ])
  }

  @Test func `reports an unknown column once`() {
    var table = table([[("id", .integer(1))]])
    _ = table.takeChanges()
    for number in 2..<5 as Range<Int64> {
      table.add([("id", .integer(number)), ("new", .integer(1))], at: "line \(number)")
    }
    let changes = table.takeChanges()!
    #expect(changes.count == 3)
    #expect(changes.unnamedRejections == 1)
    #expect(changes.unnamedRejection == "line 2: “new” is not a column: the columns were guessed from the first rows")
  }

  // MARK: Columns added later

  /// Returns a table of numbered rows with the column `n` that accepts new columns.
  private func growing(rows: Int) -> InferredTable {
    var table = InferredTable(name: "t", key: [])
    table.addsColumns = true
    for number in 0..<rows { table.add([("n", .integer(Int64(number)))], at: "line") }
    table.settle()
    return table
  }

  @Test func `a late member becomes a column`() throws {
    var table = growing(rows: 2)
    table.add([("n", .integer(2)), ("late", .integer(7)), ("none", .null)], at: "line 3")
    table.add([("n", .integer(3)), ("late", .number(0.5)), ("more", .text("x"))], at: "line 4")
    #expect(table.isSampling)
    table.settle()
    let added = table.takeAddedColumns()
    try #require(added.count == 1)
    #expect(added[0].before.count == 2 && added[0].previous.columns == [Column("n", .number, format: .plain())])
    #expect(
      added[0].schema.columns == [
        Column("n", .number, format: .plain()), Column("late", .number), Column("more", .text),
      ])
    #expect(added[0].schema == table.schema)
    let changes = table.takeChanges()
    #expect(
      PlainRow.rows(of: try #require(changes)).map(\.cells) == [
        [.number(2), .number(7), .null], [.number(3), .number(0.5), .text("x")],
      ])
    #expect(table.takeAddedColumns().isEmpty && table.lastRejection.isEmpty)
  }

  @Test func `columns may be added more than once`() {
    var table = growing(rows: 1)
    for name in ["a", "b"] {
      table.add([(name, .text("x"))], at: "line")
      table.settle()
    }
    let added = table.takeAddedColumns()
    #expect(added.map { $0.schema.columns.map(\.name) } == [["n", "a"], ["n", "a", "b"]])
    #expect(added.map(\.before.count) == [1, 1])
    #expect(table.pendingRows == 1)
  }

  @Test func `at most 100 rows wait for late columns`() {
    var table = growing(rows: 1)
    for _ in 0..<99 { table.add([("late", .integer(1))], at: "line") }
    #expect(table.isSampling)
    table.add([("late", .integer(1))], at: "line")
    #expect(!table.isSampling && table.schema?.columns.count == 2)
  }

  @Test func `a reloaded list gets its new columns before its rows`() throws {
    var table = growing(rows: 2)
    _ = table.takeChanges()
    table.settlesEarly = false
    table.beginReload()
    table.add([("n", .integer(0))], at: "line 1")
    table.add([("n", .integer(1)), ("late", .text("x"))], at: "line 2")
    table.settle()
    table.endReload()
    let added = table.takeAddedColumns()
    #expect(added.count == 1 && added[0].before.isEmpty)
    let reported = table.takeChanges()
    let changes = try #require(reported)
    #expect(changes.beginsReload && changes.endsReload && changes.count == 2)
  }

  @Test func `columns beyond the limit are left out and reported`() {
    var table = growing(rows: 1)
    let names = (1...600).map { "c\($0)" }
    table.add(names.map { ($0, .integer(1)) }, at: "line 2")
    table.settle()
    #expect(table.schema?.columns.count == Limits().columns)
    #expect(table.lastRejection.hasPrefix("a table has at most 512 columns: “c512”"))
    table.add([("c600", .integer(1))], at: "line 3")
    #expect(!table.isSampling)
  }

  @Test func `explicitly chosen columns are not extended`() {
    var table = InferredTable(name: "t", key: [], columns: ["n"])
    table.addsColumns = true
    table.add([("n", .integer(1))], at: "line 1")
    table.settle()
    table.add([("late", .integer(1))], at: "line 2")
    #expect(!table.isSampling && table.takeAddedColumns().isEmpty)
  }

  @Test func `rejects rows without a valid key and counts them`() {
    var early = InferredTable(name: "t", key: ["id"])
    early.add([("a", .integer(1))], at: "line 1")
    early.add([("id", .null)], at: "line 2")
    #expect(!early.isSampling)
    early.add([("id", .integer(1))], at: "line 3")
    early.settle()
    early.add([("id", .text("x"))], at: "line 4")
    let changes = early.takeChanges()!
    #expect(changes.count == 1 && changes.unnamedRejections == 3)
    #expect(changes.unnamedRejection == "line 4: its “id” is a text, not a whole number, as in the first rows")
  }
}
