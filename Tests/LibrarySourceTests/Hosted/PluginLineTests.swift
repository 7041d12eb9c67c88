import ListEngine
import ProcessSource
import SourceTesting
import Testing

@testable import LibrarySource

/// Messages of a hosted library survive the round trip through the decoder without loss.
@Suite struct PluginLineTests {
  private static let schema = Schema(
    name: "all", title: "All that there is", key: .integer,
    columns: [
      Column("integer", .integer, title: "Integer", width: 7), Column("number", .number, style: .bar, unit: "%"),
      Column("text", .text, alignment: .center, collation: .locale("de", numeric: true)),
      Column("boolean", .boolean, style: .badge), Column("timestamp", .timestamp, style: .age), Column("image", .image),
      Column("series", .series, style: .sparkline),
    ], limits: TableLimits(rows: 7, bytes: 9_999))

  private func lines(_ bytes: [UInt8]) -> [String] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private func received(_ changes: Changeset, _ schema: Schema = Self.schema) -> [ChildDecoder.Event] {
    let hello = lines(PluginLine.hello)
    return decode(hello + lines(PluginLine.schema(schema)) + lines(PluginLine.changes(changes, schema)))
  }

  @Test(arguments: [Retention.everything, .last(12), .recent(.milliseconds(1_500))])
  func `a schema survives the round trip with retention and limits`(_ retention: Retention) {
    var schema = Self.schema
    schema.retention = retention
    #expect(received(Changeset(), schema).schema == schema)
    schema.limits = TableLimits()
    schema.key = .text
    #expect(received(Changeset(), schema).schema == schema)
    schema.loadsImages = true
    #expect(received(Changeset(), schema).schema == schema)
    schema.limits = TableLimits(bytes: 1)
    #expect(received(Changeset(), schema).schema == schema)
  }

  @Test func `formats, directions and the label survive the line protocol`() {
    var schema = Self.schema
    schema.label = "text"
    for format in [ColumnFormat.plain(), .plain(decimals: 0), .grouped(), .grouped(decimals: 15)] {
      for better in [nil, BetterDirection.higher, .lower] {
        (schema.columns[0].format, schema.columns[0].better) = (format, better)
        (schema.columns[1].format, schema.columns[1].better) = (format, better)
        #expect(received(Changeset(), schema).schema == schema)
      }
    }
    for format in [ColumnFormat.date, .dateTime(), .dateTime(decimals: 3), .time(), .time(decimals: 9)] {
      schema.columns[4].format = format
      #expect(received(Changeset(), schema).schema == schema)
    }
  }

  @Test func `audiences and the presentation survive the line protocol`() {
    var schema = Self.schema
    schema.columns[6].audience = .operators
    schema.columns[0].presentation = ColumnPresentation(
      description: "d", warning: .threshold(80.5), critical: .values([.integer(7)]), history: 9)
    schema.columns[2].presentation = ColumnPresentation(critical: .values([.text("a"), .text("\"")]))
    schema.presentation = TablePresentation(
      description: "e", icon: "⚙",
      view: DefaultView(
        sort: [NamedSortTerm("number", descending: true), NamedSortTerm("text")],
        filter: .all([.not(.oneOf("boolean", [.boolean(true)])), .range("number", from: .number(0.5), through: nil)]),
        group: ["text"], aggregates: [AggregateRequest(.mean, of: "number")], order: ["text"], hidden: ["image"],
        pinned: ["integer"]), newest: .end, changed: "when")
    #expect(received(Changeset(), schema).schema == schema)
  }

  @Test func `cells of every type survive the round trip`() {
    var changes = Changeset()
    changes.upsert(
      .integer(.min),
      [
        .integer(.max), .number(0.1), .text("a\"\\\u{1}\n\u{1F600}"), .boolean(true),
        .timestamp(1_700_000_000_000_123_456),
        .image("key"), .series([1, 2.5, -3]),
      ])
    changes.upsert(
      .integer(2),
      [
        .integer(1 << 53), .number(1e300), .text(""), .boolean(false), .timestamp(-1_000_000), .image(""), .series([]),
      ])
    changes.upsert(.integer(3), [Cell](repeating: .null, count: 7))
    changes.upsert(.integer(4), [.integer(0), .number(5), .null, .null, .timestamp(-1), .null, .null])
    let events = received(changes)
    #expect(events.badLines == [])
    #expect(events.rows == PlainRow.rows(of: changes))
  }

  @Test func `image outcomes survive the round trip, source down as failed`() {
    var schema = Self.schema
    schema.loadsImages = true
    let outcomes: [ImageOutcome] = [.bytes([0, 255, 7, 9]), .bytes([]), .none, .failed("a\"b"), .sourceDown]
    let said = outcomes.enumerated().map { lines(PluginLine.image(UInt64($0), $1)) }.joined()
    let events = decode(lines(PluginLine.hello) + lines(PluginLine.schema(schema)) + said)
    #expect(events.badLines == [])
    let received = events.compactMap { event in
      if case .source(.image(let number, let outcome)) = event { (number, outcome) } else { nil }
    }
    #expect(received.map(\.0) == [0, 1, 2, 3, 4])
    #expect(received.map(\.1) == outcomes.dropLast() + [.failed("its source does not run")])
  }

  @Test func `a gap in a series survives the round trip`() {
    var changes = Changeset()
    changes.upsert(.integer(1), [.null, .null, .null, .null, .null, .null, .series([1, .nan, 3])])
    guard case .series(let values)?? = received(changes).rows.first?.cells[6] else {
      Issue.record("no series")
      return
    }
    #expect(values.count == 3 && values[0] == 1 && values[1].isNaN && values[2] == 3)
  }

  @Test func `changes of every verb and rejections survive the round trip`() {
    var changes = Changeset()
    changes.upsert(.integer(1), [Cell](repeating: .null, count: 7))
    changes.update(.integer(1), [nil, .number(2), nil, .null, nil, nil, nil])
    changes.update(.integer(1), [nil, nil, nil, nil, nil, nil, nil])
    changes.move(.integer(1), before: .integer(2))
    changes.move(.integer(1), before: nil)
    changes.delete(.integer(1))
    changes.delete(.integer(2))
    changes.reject(.integer(3), "it cannot be")
    changes.noteUnnamedRejections(3, "they cannot be named")
    let events = received(changes)
    #expect(events.badLines == [])
    #expect(events.rows == PlainRow.rows(of: changes))
    #expect(events.unnamed.count == 3 && events.unnamed.last == "they cannot be named")
  }

  @Test func `a reload's begin and end survive the round trip`() {
    let changes = Changeset.reload([(.integer(1), [Cell](repeating: .null, count: 7))])
    let received = received(changes).changes
    #expect(received.first?.beginsReload == true && received.last?.endsReload == true)
    var first = Changeset()
    first.beginsReload = true
    #expect(lines(PluginLine.changes(first, Self.schema)) == [#"{"type":"reload"}"#])
  }

  @Test func `splits 200 KB of rows into lines below 70,000 bytes`() {
    var changes = Changeset()
    let text = String(repeating: "x", count: 1_000)
    for key in 0..<200 {
      changes.upsert(.integer(Int64(key)), [.null, .null, .text(text), .null, .null, .null, .null])
    }
    let lines = lines(PluginLine.changes(changes, Self.schema))
    #expect(lines.count == 4)
    #expect(lines.allSatisfy { $0.utf8.count < 70_000 })
    #expect(received(changes).rows.count == 200)
  }

  @Test func `rejects only the row whose text is not UTF-8`() {
    var changes = Changeset()
    changes.beginRow(.upsert, key: 1)
    for _ in 0..<2 { changes.appendNull() }
    [UInt8]([0x4D, 0xFC]).withUnsafeBytes { changes.append(text: $0) }
    for _ in 0..<4 { changes.appendNull() }
    changes.upsert(.integer(2), [Cell](repeating: .null, count: 7))
    let rows = received(changes).rows
    #expect(rows.map(\.verb) == [.reject, .upsert])
    #expect(rows.first?.cells == [.text("its cell “text” is not UTF-8")])
  }

  @Test func `rejects only the row that exceeds a line's limit`() {
    let schema = Schema(
      name: "wide", key: .integer, columns: (0..<20).map { Column("c\($0)", .text) })
    func receivedRow(_ bytes: Int) -> [PlainRow] {
      var changes = Changeset()
      changes.upsert(.integer(7), [Cell](repeating: .text(String(repeating: "x", count: bytes)), count: 20))
      changes.delete(.integer(8))
      return received(changes, schema).rows
    }
    #expect(receivedRow(44_000).map(\.verb) == [.upsert, .delete])
    #expect(receivedRow(46_000).map(\.verb) == [.reject, .delete])
  }
}
