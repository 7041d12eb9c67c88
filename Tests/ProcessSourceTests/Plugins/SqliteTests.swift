import Foundation
import SourceTesting
import Testing

@testable import ListEngine
@testable import ProcessSource

/// The plugin `sqlite` with a real file, compared with the same rows in arrays.
@Suite struct SqliteTests {
  private struct Row: Equatable {
    var id: Int64
    var name: String?
    var price: Double?
    var size: Int64
    var isDone: Bool

    /// The table's cells, in column order.
    var cells: [Cell] {
      [
        .integer(id), name.map { .text($0) } ?? .null, price.map { .number($0) } ?? .null, .integer(size),
        .boolean(isDone),
      ]
    }
  }

  private static func rows(_ count: Int) -> [Row] {
    let names: [String?] = ["Zoë", "zoe", "ÄRGER", "ärger", "", "b", "B", "beta", nil]
    var rows: [Row] = []
    for n in 0..<count {
      let price: Double? = n % 11 == 0 ? nil : Double(n * 37 % 101) / 4
      rows.append(
        Row(id: Int64(n), name: names[n * 7 % 9], price: price, size: Int64(n * 53 % 7), isDone: n % 3 == 0))
    }
    return rows
  }

  private static func sql(_ row: Row) -> String {
    "(\(row.id),\(row.name.map { "'\($0)'" } ?? "NULL"),\(row.price.map { "\($0)" } ?? "NULL"),\(row.size),\(row.isDone ? 1 : 0))"
  }

  private static func execute(_ statements: String, on file: URL) throws {
    // One transaction, because the plugin may poll between two statements.
    let program = "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1])\nc.executescript(sys.argv[2])\nc.close()"
    try Workshop.run(try Workshop.compiler(["python3"]), ["-c", program, file.path, "BEGIN; \(statements); COMMIT"])
  }

  /// Calls `body` with a source for a table of these rows.
  private func withSource(
    _ rows: [Row], _ settings: [String: String] = ["table": "things"], extra: String = "",
    _ body: (ChildSource, Recorder, URL) throws -> Void
  ) throws {
    try Workshop.withFolder { folder in
      let file = folder.appending(path: "file.db")
      try Self.execute(
        "CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT, price REAL, size INT NOT NULL, done BOOLEAN);"
          + "CREATE INDEX by_price ON things (price);"
          + (rows.isEmpty ? "" : "INSERT INTO things VALUES \(rows.map(Self.sql).joined(separator: ","));") + extra,
        on: file)
      let recorder = Recorder()
      let source = ChildSource(
        ChildCommand(Workshop.root.appending(path: "Plugins/sqlite/sqlite.py").path), name: "sqlite",
        configuration: ["path": file.path, "interval": "0.05"].merging(settings) { $1 },
        log: { recorder.note($0, $1) }, events: { recorder.receive($0) })
      try source.start()
      defer { source.stop() }
      try body(source, recorder, file)
    }
  }

  private static func answer(_ id: UInt64, _ view: Recorder.View) -> SourceEvent? {
    view.events.last {
      switch $0 {
      case .page(let found, _), .sections(let found, _), .pageFailed(let found, _): found.rawValue == id
      default: false
      }
    }
  }

  private func ask(
    _ source: ChildSource, _ recorder: Recorder, _ id: UInt64, _ query: Query, section: [Cell] = [],
    _ what: BlockRequest.What
  ) throws -> SourceEvent {
    source.send(.ask([BlockRequest(id: BlockRequestID(rawValue: id), query: query, section: section, what: what)]))
    try recorder.wait("answer \(id)") { Self.answer(id, $0) != nil }
    return try #require(Self.answer(id, recorder.view))
  }

  private func block(
    _ source: ChildSource, _ recorder: Recorder, _ id: UInt64, _ query: Query, section: [Cell] = [],
    after: BlockCursor? = nil, upTo: BlockCursor? = nil, skip: Int = 0, count: Int
  ) throws -> RowBlock {
    let event = try ask(
      source, recorder, id, query, section: section, .rows(after: after, upTo: upTo, skip: skip, count: count))
    guard case .page(_, let block) = event else { throw Workshop.Failure(description: "\(event)") }
    return block
  }

  /// Returns whether `one` precedes `other` in a column's order; empty cells last, texts by their
  /// bytes.
  private static func precedes(_ one: Cell, _ other: Cell, _ isDescending: Bool) -> Bool? {
    switch (one, other) {
    case (.null, .null): return nil
    case (.null, _): return false
    case (_, .null): return true
    case (.integer(let x), .integer(let y)): return x == y ? nil : (x < y) != isDescending
    case (.number(let x), .number(let y)): return x == y ? nil : (x < y) != isDescending
    case (.boolean(let x), .boolean(let y)): return x == y ? nil : (!x) != isDescending
    case (.text(let x), .text(let y)):
      return x.utf8.elementsEqual(y.utf8) ? nil : x.utf8.lexicographicallyPrecedes(y.utf8) != isDescending
    default: preconditionFailure("two kinds in a column")
    }
  }

  private static func sorted(_ rows: [Row], _ terms: [SortTerm]) -> [Row] {
    rows.sorted { one, other in
      for term in terms {
        if let first = precedes(one.cells[term.column], other.cells[term.column], term.isDescending) { return first }
      }
      // The direction of the last sort term also applies to ties.
      return (one.id < other.id) != (terms.last?.isDescending ?? false)
    }
  }

  /// With an index on a column, SQLite neither sorts nor scans skipped rows, in both directions.
  @Test func `an indexed order needs no sorting in either direction`() throws {
    let program = """
      import sqlite3, sys
      sys.path.insert(0, sys.argv[1])
      from statements import Cursor, Table
      file = sqlite3.connect(":memory:")
      file.execute("CREATE TABLE things (id INTEGER PRIMARY KEY, size INTEGER, name TEXT)")
      file.executescript("CREATE INDEX by_size ON things (size); CREATE INDEX by_name ON things (name)")
      table = Table(file, "things", None)
      for column in ("size", "name"):
          for descending in (False, True):
              order = table.order([{"column": column, "descending": descending}])
              for place in (None, Cursor([5, 7], False), Cursor([None, 7], True)):
                  for part in table.parts(order, place):
                      clause, values = table.conditions({}).joined(part)
                      plan = [row[3] for row in file.execute(
                          f"EXPLAIN QUERY PLAN SELECT {table.selection(order)} FROM things{clause} ORDER BY {part.order} LIMIT 9", values)]
                      assert len(plan) == 1 and "USING INDEX" in plan[0], (column, descending, place, plan)
      """
    try Workshop.run(
      Workshop.compiler(["python3"]), ["-c", program, Workshop.root.appending(path: "Plugins/sqlite").path])
  }

  @Test func `reports its columns and capabilities`() throws {
    try withSource(Self.rows(3)) { source, recorder, _ in
      try recorder.wait("a schema") { $0.schema != nil }
      let schema = try #require(recorder.view.schema)
      #expect(schema.name == "things" && schema.key == .integer)
      #expect(schema.columns.map(\.name) == ["id", "name", "price", "size", "done"])
      #expect(schema.columns.map(\.type) == [.integer, .text, .number, .integer, .boolean])
      #expect(schema.windowed?.paging == .keysetAndOffset && schema.windowed?.count == .exact)
      #expect(schema.windowed?.sort == [0, 1, 2, 3, 4] && schema.windowed?.filters.contains(.matches) == false)
      try recorder.wait("life") { $0.states == ["live: "] }
    }
  }

  @Test func `reads sorted rows in blocks by cursor and by offset`() throws {
    let rows = Self.rows(60)
    try withSource(rows) { source, recorder, _ in
      try recorder.wait("life") { $0.states == ["live: "] }
      var id: UInt64 = 0
      for terms in [
        [], [SortTerm(2)], [SortTerm(2, descending: true)], [SortTerm(1)],
        [SortTerm(1, descending: true), SortTerm(3)],
        [SortTerm(3, descending: true), SortTerm(2), SortTerm(1)], [SortTerm(4), SortTerm(2, descending: true)],
      ] {
        let sorted = Self.sorted(rows, terms)
        let query = Query(sort: terms)
        var read: [[Cell]] = []
        var cursor: BlockCursor?
        var blocks: [(begin: BlockCursor?, end: BlockCursor?)] = []
        while true {
          id += 1
          let block = try block(source, recorder, id, query, after: cursor, count: 7)
          #expect(block.count == 60)
          read += block.rows.map(\.cells)
          blocks.append((block.begin, block.end))
          guard block.hasMore else { break }
          cursor = block.end
          #expect(cursor != nil)
        }
        #expect(read == sorted.map(\.cells), "\(terms)")
        // A position in the middle by offset and by cursor, and the rows up to a cursor.
        id += 1
        let far = try block(source, recorder, id, query, skip: 40, count: 5)
        #expect(far.rows.map(\.cells) == sorted[40..<45].map(\.cells) && far.hasMore, "\(terms)")
        id += 1
        let on = try block(source, recorder, id, query, after: blocks[1].end, skip: 20, count: 5)
        #expect(on.rows.map(\.cells) == sorted[34..<39].map(\.cells), "\(terms)")
        id += 1
        let between = try block(source, recorder, id, query, after: blocks[0].end, upTo: blocks[2].end, count: 50)
        #expect(between.rows.map(\.cells) == sorted[7..<21].map(\.cells) && !between.hasMore, "\(terms)")
        id += 1
        let again = try block(source, recorder, id, query, after: far.begin, upTo: far.end, count: 50)
        #expect(again.rows.map(\.cells) == sorted[40..<45].map(\.cells), "\(terms)")
        id += 1
        let before = try block(source, recorder, id, query, after: blocks[4].end, upTo: far.begin, count: 50)
        #expect(before.rows.map(\.cells) == sorted[35..<40].map(\.cells), "\(terms)")
      }
      #expect(recorder.log == [])
    }
  }

  @Test func `filters rows as the protocol defines`() throws {
    let rows = Self.rows(60)
    try withSource(rows) { source, recorder, _ in
      try recorder.wait("life") { $0.states == ["live: "] }
      func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
      let cases: [(Filter<Int>, (Row) -> Bool)] = [
        (.compare(1, .equal, .text("b")), { $0.name == "b" }),
        (.compare(1, .notEqual, .text("b")), { $0.name != nil && $0.name != "b" }),
        (.not(.compare(1, .equal, .text("b"))), { $0.name != "b" }),
        (.compare(1, .less, .text("a")), { $0.name.map { bytes($0).lexicographicallyPrecedes(bytes("a")) } ?? false }),
        (.compare(2, .greater, .number(10)), { $0.price.map { $0 > 10 } ?? false }),
        (.not(.compare(2, .greater, .number(10))), { $0.price.map { $0 <= 10 } ?? true }),
        (.range(2, from: .number(5), through: .number(10)), { $0.price.map { (5...10).contains($0) } ?? false }),
        (.range(2, from: nil, through: .number(10)), { $0.price.map { $0 <= 10 } ?? false }),
        (.contains(1, "ÄrG"), { ["ÄRGER", "ärger"].contains($0.name) }),
        (.contains(1, "O"), { ["Zoë", "zoe"].contains($0.name) }),
        (.startsWith(1, "B"), { ["b", "B", "beta"].contains($0.name) }),
        (.oneOf(3, [.integer(1), .integer(5)]), { [1, 5].contains($0.size) }), (.oneOf(3, []), { _ in false }),
        (.isEmpty(1), { $0.name == nil }), (.not(.isEmpty(1)), { $0.name != nil }), (.all([]), { _ in true }),
        (.any([]), { _ in false }), (.compare(4, .equal, .boolean(true)), { $0.isDone }),
        (
          .any([.isEmpty(2), .all([.compare(3, .equal, .integer(2)), .not(.contains(1, "z"))])]),
          { $0.price == nil || $0.size == 2 && !($0.name?.lowercased().contains("z") ?? false) }
        ),
      ]
      for (number, (filter, passes)) in cases.enumerated() {
        let block = try block(source, recorder, UInt64(number + 1), Query(filter: filter), count: 100)
        let wanted = rows.filter(passes)
        #expect(block.rows.map(\.cells) == wanted.map(\.cells), "\(filter)")
        #expect(block.count == wanted.count && !block.hasMore, "\(filter)")
      }
      let found = try block(source, recorder, 100, Query(search: "ZOE"), count: 100)
      #expect(found.rows.map(\.cells) == rows.filter { $0.name == "zoe" }.map(\.cells))
    }
  }

  @Test func `counts sections up to the limit and reads their rows`() throws {
    let rows = Self.rows(60)
    try withSource(rows) { source, recorder, _ in
      try recorder.wait("life") { $0.states == ["live: "] }
      let query = Query(group: [1, 4])
      let event = try ask(source, recorder, 1, query, .sections(limit: 100))
      guard case .sections(_, let sections) = event else { throw Workshop.Failure(description: "\(event)") }
      let wanted = Dictionary(grouping: rows) { [$0.cells[1], $0.cells[4]] }
      #expect(Dictionary(uniqueKeysWithValues: sections.map { ($0.values, $0.count) }) == wanted.mapValues(\.count))
      for (number, (values, members)) in wanted.enumerated() {
        let block = try block(source, recorder, UInt64(number + 2), query, section: values, count: 100)
        #expect(block.rows.map(\.cells) == members.map(\.cells), "\(values)")
      }
      let exact = try ask(source, recorder, 500, query, .sections(limit: sections.count))
      if case .sections(_, let all) = exact { #expect(all.count == sections.count) } else { Issue.record("\(exact)") }
      let less = try ask(source, recorder, 501, query, .sections(limit: sections.count - 1))
      if case .pageFailed = less {} else { Issue.record("\(less)") }
    }
  }

  @Test func `reports a change and returns the changed rows`() throws {
    try withSource(Self.rows(5)) { source, recorder, file in
      try recorder.wait("life") { $0.states == ["live: "] }
      func changes(_ view: Recorder.View) -> Int {
        view.events.count { if case .sourceChanged = $0 { true } else { false } }
      }
      #expect(try block(source, recorder, 1, Query(), count: 10).count == 5)
      let before = changes(recorder.view)
      try Self.execute("DELETE FROM things WHERE id = 2; UPDATE things SET name = 'new' WHERE id = 3", on: file)
      try recorder.wait("a change") { changes($0) > before }
      let block = try block(source, recorder, 2, Query(), count: 10)
      #expect(block.count == 4 && block.rows.map(\.key) == [.integer(0), .integer(1), .integer(3), .integer(4)])
      #expect(block.rows[2].cells[1] == .text("new"))
    }
  }

  /// Fast counts are part of each answer.
  ///
  /// Slow counts do not delay rows after a change.
  @Test func `a slow count does not delay rows after a change`() throws {
    // Counting folds each of the many names in Python, while reading some rows folds only the
    // first.
    let many =
      "WITH n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) "
      + "INSERT INTO things SELECT i, 'Dear ' || i, 1.5, 1, 0 FROM n;"
    try withSource(Self.rows(1), extra: many) { source, recorder, file in
      try recorder.wait("life") { $0.states == ["live: "] }
      func changes(_ view: Recorder.View) -> Int {
        view.events.count { if case .sourceChanged = $0 { true } else { false } }
      }
      let dear = Query(filter: .startsWith(1, "dear"))
      let cheap = Query(filter: .compare(0, .less, .integer(100)))
      #expect(try block(source, recorder, 1, dear, count: 3).count == 299_901)
      #expect(try block(source, recorder, 2, cheap, count: 3).count == 1)
      var before = changes(recorder.view)
      try Self.execute(
        "DELETE FROM things WHERE id = 101; INSERT INTO things VALUES (7, 'Dear 7', 1, 1, 0);"
          + "INSERT INTO things VALUES (8, 'Dear 8', 1, 1, 0)", on: file)
      try recorder.wait("a change") { changes($0) > before }
      before = changes(recorder.view)
      let rows = try block(source, recorder, 3, dear, count: 4)
      #expect(rows.rows.map(\.key) == [.integer(7), .integer(8), .integer(100), .integer(102)])
      #expect(rows.count == 299_901, "the count follows the change, too")
      #expect(try block(source, recorder, 4, cheap, count: 3).count == 3)
      try recorder.wait("another count") { changes($0) > before }
      #expect(try block(source, recorder, 5, dear, count: 4).count == 299_902)
      // A change that keeps the number of rows is reported once. The recount does not report
      // another one.
      before = changes(recorder.view)
      try Self.execute("UPDATE things SET price = 2 WHERE id = 7", on: file)
      try recorder.wait("a change") { changes($0) == before + 1 }
      #expect(try block(source, recorder, 6, dear, count: 4).rows.first?.cells[2] == .number(2))
      try Self.execute("DELETE FROM things WHERE id = 8", on: file)
      // The count may be up to date already, because the recount for the last answer may just have
      // run.
      try recorder.wait("another change") { changes($0) >= before + 2 }
      _ = try block(source, recorder, 7, dear, count: 4)
      try recorder.wait("another count") { changes($0) >= before + 3 }
      #expect(try block(source, recorder, 8, dear, count: 4).count == 299_901)
      #expect(changes(recorder.view) == before + 3)
    }
  }

  @Test func `serves the result of a query as a table`() throws {
    let settings = [
      "query": "SELECT name AS who, count(*) AS many, sum(size) AS total FROM things WHERE name > '' GROUP BY name",
      "key": "who",
    ]
    try withSource(Self.rows(60), settings) { source, recorder, _ in
      try recorder.wait("life") { $0.states == ["live: "] }
      let schema = try #require(recorder.view.schema)
      #expect(schema.key == .text && schema.columns.map(\.name) == ["who", "many", "total"])
      let block = try block(source, recorder, 1, Query(), count: 10)
      #expect(block.rows.count == Set(Self.rows(60).compactMap(\.name)).subtracting([""]).count)
    }
  }

  @Test func `serves a table without row IDs by its primary key`() throws {
    try withSource(
      [], ["table": "words"],
      extra:
        "CREATE TABLE words (word TEXT PRIMARY KEY, n INT) WITHOUT ROWID; INSERT INTO words VALUES ('b', 1), ('a', 2);"
    ) { source, recorder, _ in
      try recorder.wait("life") { $0.states == ["live: "] }
      #expect(try block(source, recorder, 1, Query(), count: 10).rows.map(\.key) == [.text("a"), .text("b")])
    }
  }

  @Test(arguments: [
    (["table": "nothing"], "failed: sqlite.table: unknown table “nothing”"),
    (["table": "things", "query": "SELECT 1"], "failed: sqlite.table: say either a table or a query"),
    ([:], "failed: sqlite.table: say either a table or a query"),
    (["table": "things", "key": "age"], "failed: sqlite.key: unknown column “age”"),
    (
      ["query": "SELECT 1 AS one"],
      "failed: sqlite.key: name the key: a column with a different, non-empty value in each row"
    ),
    (
      ["table": "things", "path": "/no/such/file"],
      "failed: sqlite.path: reading '/no/such/file' failed: unable to open database file"
    ),
  ]) func `refuses invalid settings with a reason`(_ settings: [String: String], _ word: String) throws {
    try withSource([], settings) { source, recorder, _ in
      try recorder.wait("a refusal") { !$0.states.isEmpty }
      #expect(recorder.view.states == [word])
    }
  }
}
