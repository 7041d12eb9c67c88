import ListTesting
import Testing

@testable import ListEngine

/// Rows 0..<100 with value 10 · row, in sections of ten unless a test says otherwise: “a” has rows
/// 0 to 9, “b” 10 to 19, ...
@Suite struct FoldedViewTests {
  private static let letters = (0..<10).map { String(UnicodeScalar(UInt8(97 + $0))) }

  private let harness: Harness
  private let id = SessionID(rawValue: 1)

  init() throws {
    harness = try Harness()
    harness.change { changes in
      for row in 0..<100 { changes.upsert(row, value: row * 10, group: Self.letters[row / 10]) }
    }
  }

  private func query(_ collapsed: String...) -> QueryRequest {
    var query = QueryRequest(group: ["group"])
    query.collapsed = collapsed.map { [.text($0)] }
    return query
  }

  private func collapse(_ letter: String, _ isCollapsed: Bool = true) {
    harness.engine.handle(.collapse(id, .path([.text(letter)]), isCollapsed: isCollapsed), at: harness.clock.now)
  }

  /// Returns the items that a client shows: the letters of headers, in capitals when collapsed, and
  /// the values of rows.
  private func shown(_ number: UInt64 = 1) -> [String] {
    harness.replica(number).items.map {
      switch $0 {
      case .row(_, _, let cells): if case .integer(let value) = cells[0] { "\(value)" } else { "?" }
      case .header(let header):
        if case .text(let text) = header.value { header.isCollapsed ? text.uppercased() : text } else { "?" }
      }
    }
  }

  @Test func `a collapsed section shows only its header`() throws {
    harness.open(query: query(), count: 14, buffer: 0)
    try harness.settle()
    collapse("a")
    collapse("c")
    try harness.settle()
    #expect(shown().prefix(5) == ["A", "b", "100", "110", "120"])
    #expect(shown().suffix(3) == ["190", "C", "d"])
    #expect(harness.replica().total == 90 && harness.replica().rows == 100)
    collapse("a", false)
    try harness.settle()
    #expect(shown().prefix(3) == ["a", "0", "10"])
    #expect(harness.replica().total == 100)
  }

  @Test func `collapses a section by its number and ignores unknown ones`() throws {
    harness.open(query: query(), count: 5, buffer: 0)
    try harness.settle()
    let header = try #require(harness.replica().headers.first)
    harness.engine.handle(.collapse(id, .number(header.section), isCollapsed: true), at: harness.clock.now)
    try harness.settle()
    #expect(shown() == ["A", "b", "100", "110", "120"])
    // An unknown section is not an error: it may have been deleted in the meantime.
    harness.engine.handle(.collapse(id, .number(9_999), isCollapsed: true), at: harness.clock.now)
    #expect(try harness.advance().isEmpty)
  }

  @Test func `clients with equal collapsed sections share patches`() throws {
    harness.open(1, query: query("a"), count: 14, buffer: 0)
    harness.open(2, query: query("a"), count: 14, buffer: 0)
    harness.open(3, query: query(), count: 14, buffer: 0)
    let sent = try harness.advance()
    #expect(sent.count == 3)
    #expect(sent[0].patch === sent[1].patch && sent[1].patch !== sent[2].patch)
    #expect(shown(1) == shown(2) && shown(1)[0] == "A" && shown(3)[0] == "a")
  }

  @Test func `a section stays collapsed when it grows or is recreated`() throws {
    harness.open(query: query("b"), count: 30, buffer: 0)
    try harness.settle()
    harness.change { $0.upsert(200, value: 5, group: "b") }
    try harness.settle(by: .seconds(1))
    #expect(shown().contains("B") && !shown().contains("5"))
    let header = harness.replica().headers.first { $0.isCollapsed }
    #expect(header?.count == 11)
    harness.change { changes in
      for row in 10..<20 { changes.delete(row) }
      changes.delete(200)
    }
    try harness.settle(by: .seconds(1))
    #expect(!shown().contains("B") && harness.replica().headers.count == 3)
    harness.change { $0.upsert(300, value: 7, group: "b") }
    try harness.settle(by: .seconds(1))
    #expect(shown().contains("B") && !shown().contains("7"))
  }

  @Test func `a new session restores collapsed sections from its query`() throws {
    harness.open(query: query("a"), count: 5, buffer: 0)
    try harness.settle()
    let before = shown()
    harness.engine.handle(.close(id), at: harness.clock.now)
    harness.open(query: query("a"), count: 5, buffer: 0)
    try harness.settle()
    #expect(shown() == before)
  }

  @Test func `sections collapse before the table exists, up to the limit`() throws {
    let engine = try Harness()
    var limits = Limits()
    limits.collapsed = 2
    var early = Engine(epoch: "e", limits: limits)
    let session = SessionID(rawValue: 1)
    early.handle(
      .open(
        session, table: "numbers", request: 1, query: QueryRequest(group: ["group"]), viewport: Viewport(count: 5),
        interval: nil), at: engine.clock.now)
    early.handle(.collapse(session, .path([.text("one")]), isCollapsed: true), at: engine.clock.now)
    let table = try early.addTable(Harness.schema, at: engine.clock.now)
    var changes = Changes()
    for row in 0..<5 { changes.upsert(row, value: row) }
    early.handle(.changes(table, changes.set), at: engine.clock.now)
    var replica = Replica()
    for case .deliver(_, let delivery) in early.advance(to: engine.clock.now) { try replica.apply(delivery) }
    #expect(replica.total == 1 && replica.rows == 5)
    // Expanding it before the table exists has an effect as well.
    var changed = Engine(epoch: "e")
    changed.handle(
      .open(
        session, table: "numbers", request: 1, query: QueryRequest(group: ["group"]), viewport: Viewport(count: 5),
        interval: nil), at: engine.clock.now)
    for (letter, isCollapsed) in [("one", true), ("two", true), ("one", false)] {
      changed.handle(.collapse(session, .path([.text(letter)]), isCollapsed: isCollapsed), at: engine.clock.now)
    }
    let other = try changed.addTable(Harness.schema, at: engine.clock.now)
    changed.handle(.changes(other, changes.set), at: engine.clock.now)
    var expanded = Replica()
    for case .deliver(_, let delivery) in changed.advance(to: engine.clock.now) { try expanded.apply(delivery) }
    #expect(expanded.total == 6)
    // The limit of collapsed sections applies as well.
    for letter in ["x", "y"] {
      early.handle(.collapse(session, .path([.text(letter)]), isCollapsed: true), at: engine.clock.now)
    }
    let isRefused = early.advance(to: engine.clock.now).contains {
      if case .refuse(_, let refusal) = $0, case .tooLong = refusal.fault.error { true } else { false }
    }
    #expect(isRefused)
  }

  @Test func `an outer section hides inner ones and keeps their state`() throws {
    var query = QueryRequest(group: ["group", "name"])
    query.collapsed = [[.text("a"), .text("row")], [.text("a")]]
    harness.open(query: query, count: 5, buffer: 0)
    try harness.settle()
    #expect(shown() == ["A", "b", "row", "100", "110"])
    collapse("a", false)
    try harness.settle()
    #expect(shown() == ["a", "ROW", "b", "row", "100"])
    #expect(harness.replica().headers.map(\.level) == [0, 1, 0, 1])
  }

  @Test func `section paths are converted to column types or rejected`() {
    #expect(sectionPath([.integer(3), .text("x")], of: [.number, .text]) == [.number(3), .text("x")])
    #expect(sectionPath([.text("9007199254740993")], of: [.integer]) == [.integer(9_007_199_254_740_993)])
    #expect(sectionPath([.integer(12)], of: [.timestamp]) == [.timestamp(12_000_000)])
    #expect(sectionPath([.number(-0.5)], of: [.timestamp]) == [.timestamp(-500_000)])
    #expect(sectionPath([.null], of: [.boolean, .text]) == [.null])
    #expect(sectionPath([.text("x")], of: [.image]) == [.image("x")])
    for (path, types) in [
      ([], [ColumnType.text]), ([.text("a"), .text("b")], [.text]), ([.text("a")], []), ([.boolean(true)], [.text]),
      ([.number(0.5)], [.integer]), ([.integer(.max)], [.timestamp]), ([.number(1e300)], [.timestamp]),
    ] as [([Cell], [ColumnType])] {
      #expect(sectionPath(path, of: types) == nil)
    }
  }

  @Test func `a rebuild of the view updates folded positions`() throws {
    let table = Table(Harness.schema, limits: Limits(), seed: 1)
    func apply(_ body: (inout Changes) -> Void) {
      var changes = Changes()
      body(&changes)
      table.apply(changes.set)
    }
    apply { changes in for row in 0..<30 { changes.upsert(row, value: row, group: Self.letters[row / 10]) } }
    let view = ListView(Query(group: [2]), table: table)
    let folded = view.folded([[.text("b")]])
    #expect(folded.itemCount == 3 + 20)
    // So many insertions in one place that the table reassigns its labels, all above the collapsed
    // sections.
    apply { changes in
      for row in 100..<150 {
        changes.upsert(row, value: row, group: "a")
        changes.set.move(.integer(Int64(row)), before: .integer(5))
      }
    }
    #expect(table.relabelings > 0)
    view.catchUp()
    #expect(folded.itemCount == 3 + 70)
    guard case .shown(let position)? = view.section(at: [.text("c")]).flatMap({ folded.place(of: $0) }) else {
      Issue.record("the last section has no place")
      return
    }
    #expect(position == 1 + 60 + 1)
    // Shown rows at positions where others were hidden before.
    for (place, item) in view.items(0..<view.itemCount).enumerated() {
      guard case .row(let slot) = item, let found = folded.place(of: slot) else { continue }
      switch found {
      case .shown(let shown): #expect(shown == (place < 61 ? place : place - 10))
      case .folded(_, let header): #expect(header == 61 && (62..<72).contains(place))
      }
    }
    let shown = folded.items(0..<folded.itemCount).map { item -> Int? in
      if case .row(let slot) = item { Int(slot) } else { nil }
    }
    #expect(shown.count { $0 == nil } == 3 && shown[0] == nil && shown[61] == nil && shown[62] == nil)
    #expect(folded.isCollapsed(try #require(view.section(at: [.text("b")])).number))
  }

  @Test func `folded items and positions match a plain table`() throws {
    let table = Table(Harness.schema, limits: Limits(), seed: 1)
    var random = SeededGenerator(seed: 6)
    var plain = PlainTable(Harness.schema)
    let view = ListView(Query(group: [2, 1]), table: table)
    for _ in 0..<60 {
      var changes = Changeset()
      for _ in 0..<20 {
        let key = RowKey.integer(Int64(random.number(0...200)))
        let cells: [Cell] = [.integer(1), .text("n\(random.number(0...3))"), .text("g\(random.number(0...9))")]
        changes.upsert(key, cells)
        plain.upsert(key, cells)
      }
      table.apply(changes)
      view.catchUp()
      let collapsed = Set(
        (0..<random.number(0...8)).map { _ -> [Cell] in
          let path: [Cell] = [.text("g\(random.number(0...9))"), .text("n\(random.number(0...3))")]
          return Array(path.prefix(random.number(1...2)))
        })
      let folded = view.folded(collapsed)
      #expect(view.folded(collapsed) === folded)
      let lines = plain.lines(Query(group: [2, 1]), collapsed: collapsed)
      #expect(folded.itemCount == lines.count)
      let start = random.number(0...lines.count)
      let range = start..<random.number(start...lines.count)
      for (position, item) in zip(range, folded.items(range)) {
        switch item {
        case .absent(let absent): Issue.record("a resident view lacks \(absent)")
        case .row(let slot):
          guard case .shown(position) = folded.place(of: slot) else { Issue.record("row \(slot)"); continue }
          #expect(lines[position] == .row(table.snapshot(slot).cells))
        case .header(let section):
          guard case .shown(position) = folded.place(of: section) else { Issue.record("\(section.path)"); continue }
          #expect(folded.isCollapsed(section.number) == collapsed.contains(section.path))
        }
      }
      for case .row(let slot) in view.items(0..<view.itemCount) {
        guard case .folded(let section, let position) = folded.place(of: slot) else { continue }
        guard case .header(let header) = folded.items(position..<position + 1)[0] else {
          Issue.record("\(position)"); continue
        }
        #expect(header.number == section && folded.isCollapsed(section))
      }
    }
  }
}
