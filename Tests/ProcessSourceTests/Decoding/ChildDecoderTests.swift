import ListEngine
import SourceRuntime
import SourceTesting
import Testing
import TextSource

@testable import ProcessSource

@Suite struct ChildDecoderTests {
  private static let hello = #"{"type":"hello","version":1}"#
  private static let committing = #"{"type":"hello","version":1,"capabilities":["commits"]}"#
  private static let schema = #"""
    {"type":"schema","name":"jobs","key":"integer","columns":[{"name":"name","type":"text"},{"name":"share","type":"number"}]}
    """#

  private func said(_ lines: String...) -> [ChildDecoder.Event] { decode([Self.hello, Self.schema] + lines) }

  /// A limit in characters would not work, because one character may have any number of bytes.
  @Test func `messages for users are limited in bytes`() {
    let bomb = "e" + String(repeating: "\u{301}", count: 100_000)
    let windowed = #"{"type":"schema","name":"t","key":"integer","columns":[{"name":"a","type":"text"}],"windowed":{}}"#
    let deferred =
      #"{"type":"schema","name":"t","key":"integer","images":true,"columns":[{"name":"a","type":"text","deferred":true}],"#
      + #""actions":[{"name":"end","title":"End","on":"row"}]}"#
    func texts(_ schema: String, _ line: String) -> [Int] {
      var found: [Int] = []
      for event in decode([Self.hello, schema, line.replacing("BOMB", with: bomb)]) {
        switch event {
        case .source(.state(_, let text, _)), .source(.notLoaded(_, _, let text)), .source(.pageFailed(_, let text)),
          .source(.image(_, .failed(let text))), .source(.acted(_, .done(let text))),
          .source(.acted(_, .failed(_, let text))), .refused(let text), .badLine(let text):
          found.append(text.utf8.count)
        default: break
        }
      }
      return found
    }
    for (schema, line) in [
      (Self.schema, #"{"type":"state","state":"live","message":"BOMB"}"#),
      (Self.schema, #"{"type":"refuse","setting":"BOMB","reason":"BOMB"}"#),
      (Self.schema, #"{"type":"BOMB"}"#), (Self.schema, #"{"type":"upsert","key":1,"row":{"BOMB":1}}"#),
      (deferred, #"{"type":"failed","key":1,"column":"a","reason":"BOMB"}"#),
      (deferred, #"{"type":"acted","id":1,"error":"BOMB"}"#), (deferred, #"{"type":"acted","id":1,"result":"BOMB"}"#),
      (deferred, #"{"type":"image","id":1,"error":"BOMB"}"#),
      (windowed, #"{"type":"rows","id":1,"error":"BOMB"}"#),
    ] {
      #expect(texts(schema, line).allSatisfy { $0 <= ForeignText.messageLimit }, "\(line)")
    }
    #expect(texts(deferred, #"{"type":"acted","id":1,"error":"BOMB"}"#) == [999])
    #expect(texts(deferred, #"{"type":"failed","key":1,"column":"a","reason":"BOMB"}"#) == [999])
    #expect(texts(Self.schema, #"{"type":"state","state":"live","message":"BOMB"}"#) == [4_095])
  }

  @Test(arguments: [0, 1, 2, 3, 4, 5, 7, 8, 9, 12])
  func `a text is cut at whole characters`(limit: Int) {
    for text in ["", "abc", "äöü", "€€€", "🧨🧨🧨", "a🧨b€cä", "e\u{301}e\u{301}"] {
      let cut = ForeignText.cut(text, limit)
      #expect(cut.utf8.count <= limit)
      #expect(text.utf8.starts(with: cut.utf8))
      #expect(text.utf8.count <= limit || cut.utf8.count > limit - 4)
      #expect(!cut.unicodeScalars.contains("\u{FFFD}"))
      let bytes = Array(text.utf8)
      #expect(bytes.withUnsafeBytes { ForeignText.cut($0, limit) } == cut)
    }
  }

  // MARK: Hello and schema

  @Test func `reads all members of columns and the prefetch policy`() {
    let schema = decode([
      Self.hello,
      #"""
      {"type":"schema","name":"t","title":"T","key":"text","columns":[
        {"name":"a","type":"integer","title":"A","style":"bar","unit":"%","width":7,"align":"center"},
        {"name":"b","type":"image","deferred":true},{"name":"c","type":"series","style":"unheard of","width":9999}],
        "prefetch":{"inFlight":3,"prefersToFinish":true,"patience":1500}}
      """#.replacing("\n", with: ""),
    ]).schema
    #expect(
      schema
        == Schema(
          name: "t", title: "T", key: .text,
          columns: [
            Column("a", .integer, title: "A", style: .bar, unit: "%", width: 7, alignment: .center),
            Column("b", .image, isDeferred: true), Column("c", .series, width: 1_000),
          ], prefetch: PrefetchPolicy(inFlight: 3, prefersToFinish: true, patience: .milliseconds(1_500))))
  }

  @Test func `formats, directions and a label are decoded`() {
    let schema = decode([
      Self.hello,
      #"""
      {"type":"schema","name":"t","key":"text","label":"c","columns":[
        {"name":"a","type":"integer","format":"plain"},{"name":"b","type":"timestamp","format":"time.3"},
        {"name":"c","type":"number","format":"grouped.2","better":"lower"},
        {"name":"d","type":"number","format":null,"better":null,"audience":null},
        {"name":"e","type":"text","audience":"operators"}]}
      """#.replacing("\n", with: ""),
    ]).schema
    #expect(
      schema
        == Schema(
          name: "t", key: .text,
          columns: [
            Column("a", .integer, format: .plain()), Column("b", .timestamp, format: .time(decimals: 3)),
            Column("c", .number, format: .grouped(decimals: 2), better: .lower), Column("d", .number),
            Column("e", .text, audience: .operators),
          ], label: "c"))
    let plain = #"{"type":"schema","name":"t","key":"text","label":null,"columns":[{"name":"a","type":"text"}]}"#
    #expect(decode([Self.hello, plain]).schema == Schema(name: "t", key: .text, columns: [Column("a", .text)]))
  }

  @Test func `a configured table name replaces that of the schema`() {
    let schema = decode([Self.hello, Self.schema], table: "mine").schema
    #expect(schema?.name == "mine" && schema?.title == "mine")
  }

  @Test(arguments: [
    (#"{"type":"schema","key":"integer","columns":[{"name":"a","type":"text"}]}"#, "schema.name is missing"),
    (
      #"{"type":"schema","name":"x","columns":[{"name":"a","type":"text"}]}"#,
      "schema.key is missing: “integer” or “text”"
    ),
    (#"{"type":"schema","name":"x","key":"uuid","columns":[]}"#, "schema.key must be “integer” or “text”"),
    (#"{"type":"schema","name":"x","key":"text","columns":[]}"#, "schema.columns is empty"),
    (#"{"type":"schema","name":"x","key":"text","columns":{}}"#, "schema.columns is not a list"),
    (
      #"{"type":"schema","name":"x","key":"text","columns":[{"name":"a","type":"blob"}]}"#,
      "columns[0].type is not a column type"
    ),
    (#"{"type":"schema","name":"x","key":"text","columns":[{"name":"a"}]}"#, "the column “a” has no type"),
    (
      #"{"type":"schema","name":"x","key":"text","columns":[{"name":"a","type":"text"},{"name":"a","type":"text"}]}"#,
      "two columns are called “a”"
    ),
    (
      #"{"type":"schema","name":"x","key":"text","columns":[{"name":"a","type":"number","format":"two"}]}"#,
      "columns[0].format is “two”: \(ColumnFormat.rule)"
    ),
    (
      #"{"type":"schema","name":"x","key":"text","columns":[{"name":"a","type":"text"},{"name":"b","type":"text","format":2}]}"#,
      "columns[1].format is a number: \(ColumnFormat.rule)"
    ),
    (
      #"{"type":"schema","name":"x","key":"text","columns":[{"name":"a","type":"number","format":"date"}]}"#,
      "schema: the format “date” does not fit the column “a” of type number: \(ColumnFormat.rule)"
    ),
    (
      #"{"type":"schema","name":"x","key":"text","columns":[{"name":"a","type":"text","audience":"viewers"}]}"#,
      "columns[0].audience is “viewers”: use operators, or leave it out"
    ),
    (
      #"{"type":"schema","name":"x","key":"text","columns":[{"name":"a","type":"number","better":"up"}]}"#,
      "columns[0].better is “up”: use higher or lower, or leave it out"
    ),
    (
      #"{"type":"schema","name":"x","key":"text","columns":[{"name":"a","type":"text","better":"lower"}]}"#,
      "schema: the column “a” of type text states a better direction: only integer and number columns can, leave it out"
    ),
    (
      #"{"type":"schema","name":"x","key":"text","columns":[{"name":"a","type":"text"}],"label":"b"}"#,
      "schema: the label names the column “b”, which the table does not have: name one of its columns"
    ),
    (
      #"{"type":"schema","name":"x","key":"text","columns":[{"name":"a","type":"text"}],"label":7}"#,
      "schema.label must be a text of at most 255 bytes"
    ),
    (
      #"{"type":"schema","name":"x","key":"text","columns":[{"name":"a","type":"text"}],"prefetch":{"inFlight":0}}"#,
      "prefetch.inFlight must be 1 to 1024"
    ),
  ])
  func `refuses an invalid schema with a reason`(_ line: String, _ reason: String) {
    #expect(decode([Self.hello, line]).refusals == ["its schema is invalid: \(reason)"])
  }

  @Test func `accepts 512 columns and refuses 513`() {
    func schema(_ count: Int) -> [ChildDecoder.Event] {
      let columns = (0..<count).map { #"{"name":"c\#($0)","type":"text"}"# }.joined(separator: ",")
      return decode([Self.hello, #"{"type":"schema","name":"x","key":"text","columns":[\#(columns)]}"#])
    }
    #expect(schema(512).schema?.columns.count == 512)
    #expect(schema(513).refusals == ["its schema is invalid: a table has at most 512 columns"])
  }

  @Test func `refuses a hello with another version or none`() {
    #expect(
      decode([#"{"type":"hello","version":2}"#]).refusals
        == ["it speaks version 2 of the protocol; this host speaks version 1"])
    #expect(decode([#"{"type":"hello"}"#]).refusals == ["its hello has no version of the protocol"])
  }

  @Test func `reports other columns after a restart, or refuses them`() {
    let known = decode([Self.hello, Self.schema]).schema
    let other = Self.schema.replacing("share", with: "part")
    let changed = decode([Self.hello, other], known: known)
    #expect(changed.refusals == [])
    #expect(changed.schema?.columns.map(\.name).contains("part") == true)
    #expect(decode([Self.hello, Self.schema], known: known, refusal: "no").refusals == [])
    let refused = decode([Self.hello, other], known: known, refusal: "no")
    #expect(refused.refusals == ["no"])
    #expect(refused.schema == nil)
  }

  @Test func `reports a refusal with its setting and reason`() {
    #expect(
      decode([Self.hello, #"{"type":"refuse","setting":"rows","reason":"too many"}"#]).refusals
        == ["source.rows: too many"])
    #expect(decode([Self.hello, #"{"type":"refuse","reason":"no licence"}"#]).refusals == ["no licence"])
  }

  // MARK: Changes

  @Test func `reads cells by name and by position`() {
    let rows = said(
      #"{"type":"upsert","key":1,"row":{"share":0.5,"name":"a"}}"#, #"{"type":"upsert","key":2,"cells":["b",2]}"#,
      #"{"row":{"name":"c","more":[1]},"key":3.0,"type":"upsert"}"#,
      #"{"type":"upsert","rows":[[4,"d",4.5],[5,{"name":"e"}]]}"#
    ).rows
    #expect(
      rows == [
        PlainRow(.upsert, .integer(1), [.text("a"), .number(0.5)]),
        PlainRow(.upsert, .integer(2), [.text("b"), .number(2)]),
        PlainRow(.upsert, .integer(3), [.text("c"), .null]),
        PlainRow(.upsert, .integer(4), [.text("d"), .number(4.5)]),
        PlainRow(.upsert, .integer(5), [.text("e"), .null]),
      ])
  }

  @Test func `an update sets the named cells, positional ones are rejected`() {
    let rows = said(
      #"{"type":"update","key":1,"row":{"share":null}}"#, #"{"type":"update","rows":[[2,{"name":"x"}],[3,{}]]}"#,
      #"{"type":"update","key":4,"cells":["x",1]}"#
    ).rows
    #expect(
      rows == [
        PlainRow(.update, .integer(1), [nil, .null]), PlainRow(.update, .integer(2), [.text("x"), nil]),
        PlainRow(.update, .integer(3), [nil, nil]),
        PlainRow(.reject, .integer(4), [.text("an update names its cells: {\"column\": value} (line 5)")]),
      ])
  }

  @Test func `decodes deletions of one or more keys, and moves`() {
    let rows = said(
      #"{"type":"delete","key":1}"#, #"{"type":"delete","keys":[2,3]}"#, #"{"type":"move","key":4,"before":5}"#,
      #"{"type":"move","key":6,"before":null}"#
    ).rows
    #expect(
      rows == [
        PlainRow(.delete, .integer(1), []), PlainRow(.delete, .integer(2), []), PlainRow(.delete, .integer(3), []),
        PlainRow(.move, .integer(4), [.integer(5)]), PlainRow(.move, .integer(6), [.null]),
      ])
  }

  @Test func `decodes the values of every column type`() {
    let types = ["integer", "number", "text", "boolean", "timestamp", "image", "series"]
    let columns = types.map { #"{"name":"\#($0)","type":"\#($0)"}"# }.joined(separator: ",")
    let lines = [
      Self.hello, #"{"type":"schema","name":"t","key":"text","columns":[\#(columns)]}"#,
      #"{"type":"upsert","key":"a","cells":[1,1,"é",true,1.5,"k",[1,2.5]]}"#,
      #"{"type":"upsert","key":"b","cells":["9223372036854775807",18446744073709551615,"",false,"1970-01-01T00:00:01Z","",[]]}"#,
      #"{"type":"upsert","key":"c","cells":[null,null,null,null,null,null,null]}"#,
      #"{"type":"upsert","key":"d","cells":[-2.0,1e300,"x",true,"1700000000000.123456","k",[0]]}"#,
    ]
    #expect(
      decode(lines).rows == [
        PlainRow(
          .upsert, .text("a"),
          [.integer(1), .number(1), .text("é"), .boolean(true), .timestamp(1_500_000), .image("k"), .series([1, 2.5])]),
        PlainRow(
          .upsert, .text("b"),
          [
            .integer(.max), .number(0x1p64), .text(""), .boolean(false), .timestamp(1_000_000_000),
            .image(""), .series([]),
          ]),
        PlainRow(.upsert, .text("c"), [Cell](repeating: .null, count: 7)),
        PlainRow(
          .upsert, .text("d"),
          [
            .integer(-2), .number(1e300), .text("x"), .boolean(true), .timestamp(1_700_000_000_000_123_456),
            .image("k"),
            .series([0]),
          ]),
      ])
  }

  @Test(arguments: [
    ("integer", "1.5", "is not a whole number of 64 bits"),
    ("integer", "\"1x\"", "is a text, the column is of type integer"),
    ("integer", "true", "is a boolean, the column is of type integer"),
    ("number", "\"1\"", "is a text, the column is of type number"),
    ("text", "1", "is a number, the column is of type text"),
    ("boolean", "0", "is a number, the column is of type boolean"),
    ("timestamp", "\"now\"", "is not a timestamp: milliseconds since 1970, or 1970-01-01T00:00:00Z"),
    ("timestamp", "true", "is a boolean, the column is of type timestamp"),
    ("series", "[1,true]", "has a boolean in its series"), ("series", "1", "is a number, the column is of type series"),
    ("image", "[]", "is a list, the column is of type image"),
  ])
  func `rejects only the row with a cell of the wrong type`(_ type: String, _ value: String, _ reason: String) {
    let lines = [
      Self.hello, #"{"type":"schema","name":"t","key":"integer","columns":[{"name":"c","type":"\#(type)"}]}"#,
      #"{"type":"upsert","rows":[[1,\#(value)],[2,null]]}"#,
    ]
    let events = decode(lines)
    #expect(
      events.rows == [
        PlainRow(.reject, .integer(1), [.text("its cell “c” \(reason) (line 3)")]),
        PlainRow(.upsert, .integer(2), [.null]),
      ])
    #expect(events.badLines == [], "the line itself is good")
  }

  @Test(arguments: [
    #""9999-12-31T00:00:00Z""#, #""0001-01-01T00:00:00Z""#, "9223372036855", "-1e300", "9223372036854775808",
    #""9223372036855.5""#, #""99999999999999999999""#, "123456789012345678901234567890",
  ])
  func `a timestamp out of range leaves its cell empty`(_ value: String) {
    let lines = [
      Self.hello, #"{"type":"schema","name":"t","key":"integer","columns":[{"name":"c","type":"timestamp"}]}"#,
      #"{"type":"upsert","rows":[[1,\#(value)],[2,{"c":\#(value)}],[3,0]]}"#,
    ]
    let events = decode(lines)
    #expect(
      events.rows == [
        PlainRow(.upsert, .integer(1), [.null]), PlainRow(.upsert, .integer(2), [.null]),
        PlainRow(.upsert, .integer(3), [.timestamp(0)]),
      ])
    #expect(events.unnamed.count == 2)
    #expect(
      events.unnamed.last == "line 3: its cell “c” is outside 1677-09-21 to 2262-04-11: the cell stays empty")
    #expect(events.badLines == [])
  }

  @Test(arguments: [
    "9223372036854775808", "-9223372036854775809", "123456789012345678901234567890", "1e19", #""9223372036854775808""#,
  ])
  func `an integer beyond 64 bits leaves its cell empty`(_ value: String) {
    let lines = [
      Self.hello, #"{"type":"schema","name":"t","key":"integer","columns":[{"name":"c","type":"integer"}]}"#,
      #"{"type":"upsert","rows":[[1,\#(value)],[2,9223372036854775807],[3,"-9223372036854775808"],[4,1.5]]}"#,
    ]
    let events = decode(lines)
    #expect(
      events.rows == [
        PlainRow(.upsert, .integer(1), [.null]), PlainRow(.upsert, .integer(2), [.integer(.max)]),
        PlainRow(.upsert, .integer(3), [.integer(.min)]),
        PlainRow(.reject, .integer(4), [.text("its cell “c” is not a whole number of 64 bits (line 3)")]),
      ])
    #expect(events.unnamed == (1, "line 3: its cell “c” is beyond 64 bits: the cell stays empty"))
    #expect(events.badLines == [])
  }

  @Test func `rejects rows of the wrong length`() {
    let rows = said(#"{"type":"upsert","rows":[[1,"a"],[2,"b",2,3],[3,"c",3]]}"#).rows
    #expect(
      rows == [
        PlainRow(.reject, .integer(1), [.text("it has 1 cells for 2 columns (line 3)")]),
        PlainRow(.reject, .integer(2), [.text("it has more than 2 cells for 2 columns (line 3)")]),
        PlainRow(.upsert, .integer(3), [.text("c"), .number(3)]),
      ])
  }

  @Test func `counts rows with an invalid key and reports their line`() {
    let events = said(#"{"type":"upsert","rows":[["x","a",1],[],[3,"c",3]]}"#, #"{"type":"delete","key":null}"#)
    #expect(events.rows == [PlainRow(.upsert, .integer(3), [.text("c"), .number(3)])])
    #expect(events.unnamed.count == 3)
    #expect(events.unnamed.last == "line 4: its key is null, the schema wants a whole number")
  }

  // MARK: Bad lines

  @Test(
    arguments: [
      ("", nil), ("   \t", nil), ("x", "it is not JSON"), ("[1]", "it is a list, not an object"),
      ("{}", "it has no “type”"),
      (#"{"type":7}"#, "it has no “type”"), (#"{"type":"fly"}"#, "unknown message type “fly”"),
      (#"{"type":"hello","version":1}"#, "it said hello before"),
      (#"{"type":"upsert","key":1}"#, "it has none of row, cells and rows"),
      (#"{"type":"upsert","cells":["a",1]}"#, "it has no “key”"),
      (#"{"type":"upsert","key":1,"row":[1]}"#, "“row” is a list, not an object"),
      (#"{"type":"upsert","key":1,"cells":{}}"#, "“cells” is an object, not a list"),
      (#"{"type":"upsert","rows":1}"#, "“rows” is a number, not a list"),
      (#"{"type":"delete"}"#, "it has no “key” or “keys”"),
      (#"{"type":"delete","keys":1}"#, "“keys” is a number, not a list"),
      (#"{"type":"move","key":1}"#, "it has no “before”: a key, or null for the end"),
      (#"{"type":"state","state":"fine"}"#, "state must be “live” or “stale”"),
      (#"{"type":"schema","name":"x"}"#, "the schema was said before"),
    ] as [(String, String?)])
  func `skips a bad line with a reason and blank lines silently`(_ line: String, _ reason: String?) {
    let events = said(line, #"{"type":"upsert","key":1,"cells":["a",1]}"#)
    #expect(events.rows == [PlainRow(.upsert, .integer(1), [.text("a"), .number(1)])])
    guard let reason else {
      #expect(events.badLines == [] && events.unnamed.count == 0)
      return
    }
    #expect(events.badLines.count == 1 && events.badLines[0].hasPrefix("line 3: \(reason)"), "\(events.badLines)")
    #expect(events.unnamed.count == 1 && events.unnamed.last == events.badLines[0])
  }

  @Test func `skips lines that are not UTF-8 or too long`() {
    var decoder = ChildDecoder(name: "source")
    read(Self.hello, number: 1, &decoder)
    read(Self.schema, number: 2, &decoder)
    read(Array(#"{"type":"upsert","key":1,"cells":[""#.utf8) + [0xFF] + Array(#"",1]}"#.utf8), number: 3, &decoder)
    decoder.noteTooLong(4, limit: 1 << 20)
    decoder.settle()
    let events = decoder.takeEvents()
    #expect(events.rows == [])
    #expect(events.badLines.count == 2)
    #expect(events.badLines[1] == "line 4: it has more than 1048576 bytes")
  }

  @Test func `skips changes that precede the schema`() {
    for line in [
      #"{"type":"upsert","key":1,"cells":[]}"#, #"{"type":"reload"}"#, #"{"type":"commit"}"#,
      #"{"type":"delete","key":1}"#,
    ] {
      #expect(decode([Self.hello, line]).badLines == ["line 2: no schema was said before"], "\(line)")
    }
  }

  @Test func `counts a bad line that precedes the schema`() {
    let events = decode([Self.hello, "x", Self.schema])
    #expect(events.unnamed.count == 1)
  }

  // MARK: Reloads and commits

  private func flags(_ events: [ChildDecoder.Event]) -> [String] {
    events.enumerated().compactMap { place, event in
      guard case .source(.changes(let changes)) = event else { return nil }
      let isListed = if case .listed? = events.dropFirst(place + 1).first { true } else { false }
      return (changes.abandonsReload ? "abandon " : "") + (changes.beginsReload ? "begin " : "") + "\(changes.count)"
        + (changes.endsReload ? " end" : "") + (isListed ? "" : " open")
    }
  }

  private func row(_ key: Int) -> String { #"{"type":"upsert","key":\#(key),"cells":["a",1]}"# }

  @Test func `a reload ends at its commit`() {
    #expect(flags(said(#"{"type":"reload"}"#, row(1), row(2), #"{"type":"commit"}"#, row(3))) == ["begin 2 end", "1"])
    #expect(flags(said(#"{"type":"reload"}"#, row(1))) == ["begin 1 open"])
    #expect(flags(said(#"{"type":"reload"}"#, #"{"type":"commit"}"#)) == ["begin 0 end"])
    #expect(flags(said(row(1), #"{"type":"reload"}"#, row(2), #"{"type":"commit"}"#)) == ["1", "begin 1 end"])
  }

  @Test func `a second reload message begins another reload`() {
    #expect(
      flags(said(#"{"type":"reload"}"#, row(1), #"{"type":"reload"}"#, row(2), #"{"type":"commit"}"#)) == [
        "begin 1 open", "begin 1 end",
      ])
  }

  @Test func `applies rows at commits if the program declares commits`() {
    var decoder = ChildDecoder(name: "source")
    for (index, line) in [Self.committing, Self.schema, row(1)].enumerated() { read(line, number: index, &decoder) }
    decoder.flush()
    // Everything before the first commit is the complete list.
    #expect(flags(decoder.takeEvents()) == ["begin 1 open"])
    read(row(2), number: 4, &decoder)
    read(#"{"type":"commit"}"#, number: 5, &decoder)
    #expect(flags(decoder.takeEvents()) == ["1 end"])
    read(row(3), number: 6, &decoder)
    decoder.flush()
    #expect(flags(decoder.takeEvents()) == [], "it is not committed")
    read(row(4), number: 7, &decoder)
    read(#"{"type":"commit"}"#, number: 8, &decoder)
    #expect(flags(decoder.takeEvents()) == ["2"])
  }

  @Test func `reports rows at a flush if the program has no commits`() {
    var decoder = ChildDecoder(name: "source")
    for (index, line) in [Self.hello, Self.schema, row(1)].enumerated() { read(line, number: index, &decoder) }
    #expect(flags(decoder.takeEvents()) == [])
    decoder.flush()
    #expect(flags(decoder.takeEvents()) == ["1"])
  }

  @Test func `splits changes into parts of at most 4,096 rows`() {
    var decoder = ChildDecoder(name: "source")
    for (index, line) in [Self.committing, Self.schema].enumerated() { read(line, number: index, &decoder) }
    for key in 0..<10_000 { read(row(key), number: key + 3, &decoder) }
    decoder.settle()
    #expect(decoder.takeEvents().changes.map(\.count) == [4_096, 4_096, 1_808])
    let rows = (0..<10_000).map { #"[\#($0),"a",1]"# }.joined(separator: ",")
    #expect(said(#"{"type":"upsert","rows":[\#(rows)]}"#).changes.map(\.count) == [4_096, 4_096, 1_808])
  }

  @Test func `abandons the unfinished reload of an earlier process`() {
    #expect(flags(decode([Self.hello, Self.schema, row(1)], isReloading: true)) == ["abandon 0", "1"])
    #expect(flags(decode([#"{"id":1}"#], isReloading: true)) == ["abandon 0", "1"])
  }

  // MARK: Deferred cells

  private static let gallery = #"""
    {"type":"schema","name":"g","key":"text","columns":[{"name":"n","type":"text"},{"name":"w","type":"integer","deferred":true}]}
    """#

  private func answers(_ lines: String...) -> [String] {
    decode([Self.hello, Self.gallery] + lines).compactMap {
      switch $0 {
      case .source(.loaded(let key, let column, let cell)): "\(key) \(column) \(cell)"
      case .source(.notLoaded(let key, let column, let reason)): "\(key) \(column) failed: \(reason)"
      case .source(.forget(let key, let column)): "\(key) \(column) forgotten"
      case .badLine(let reason): reason
      default: nil
      }
    }
  }

  @Test func `decodes loaded, failed and forgotten deferred cells`() {
    #expect(
      answers(
        #"{"type":"loaded","key":"a","column":"w","value":7}"#,
        #"{"type":"loaded","key":"a","column":"w","value":null}"#,
        #"{"type":"failed","key":"b","column":"w","reason":"gone"}"#, #"{"type":"failed","key":"b","column":"w"}"#,
        #"{"type":"forget","key":"c","column":"w"}"#, #"{"type":"loaded","key":"d","column":"w","value":"x"}"#
      ) == [
        "a 1 integer(7)", "a 1 null", "b 1 failed: gone", "b 1 failed: the plugin gave no reason", "c 1 forgotten",
        "d 1 failed: the value is a text, the column is of type integer",
      ])
  }

  @Test func `skips a cell answer with a bad column, key or value`() {
    #expect(
      answers(
        #"{"type":"loaded","key":"a","column":"n","value":"x"}"#, #"{"type":"loaded","key":1,"column":"w","value":1}"#,
        #"{"type":"loaded","key":"a","column":"w"}"#
      ) == [
        "line 3: “column” is not a deferred column of the schema", "line 4: it has no “key” that the schema allows",
        "line 5: it has no “value”",
      ])
  }

  @Test func `reports rows before the loaded cell that follows them`() {
    let events = decode([
      Self.hello, Self.gallery, #"{"type":"upsert","key":"a","cells":["x",null]}"#,
      #"{"type":"loaded","key":"a","column":"w","value":7}"#,
    ])
    let kinds = events.compactMap {
      switch $0 {
      case .source(.changes): "rows"
      case .source(.loaded): "loaded"
      default: nil
      }
    }
    #expect(kinds == ["rows", "loaded"])
  }

  // MARK: Plain rows

  @Test func `infers a schema from plain rows`() {
    let events = decode([#"{"id":1,"name":"a","type":"x"}"#, #"{"id":2,"name":"b"}"#])
    #expect(events.schema?.name == "source" && events.schema?.key == .integer)
    #expect(events.schema?.columns.map(\.name) == ["id", "name", "type"])
    #expect(
      events.rows == [
        PlainRow(.upsert, .integer(1), [.integer(1), .text("a"), .text("x")]),
        PlainRow(.upsert, .integer(2), [.integer(2), .text("b"), .null]),
      ])
  }

  @Test func `reports the first and tenth bad row before a schema is known`() {
    let rows = [#"{"name":"a"}"#, #"{"id":1.5}"#] + [String](repeating: #"{"name":"b"}"#, count: 30)
    #expect(decode([rows[0]]).badRows == ["line 1: it has no “id”"])
    #expect(decode([rows[1]]).badRows == ["line 1: its “id” is a number, not a text or a whole number"])
    #expect(decode(rows).badRows == ["line 1: it has no “id”", "line 10: it has no “id” (10 were left out)"])
    #expect(decode(rows).badLines == [])
    let events = decode(rows + [#"{"id":1}"#, #"{"name":"c"}"#])
    #expect(events.unnamed.count == 33)
    #expect(events.badRows.count == 2, "one that comes after is counted on the table")
  }

  @Test func `a bad first line does not decide the format`() {
    let events = decode(["oops", Self.hello, Self.schema, row(1)])
    #expect(events.rows.count == 1)
    #expect(events.badLines.count == 1)
  }

  @Test func `a member after schema inference adds a column`() {
    let rows = (1...InferredTable.sampleRows).map { #"{"id":\#($0),"a":\#($0)}"# }
    let events = decode(rows + [#"{"id":1000,"a":1,"later":"x"}"#, #"{"id":"no key","other":1}"#])
    #expect(events.schema?.columns.map(\.name) == ["id", "a"])
    let added = events.compactMap {
      if case .source(.columnsAdded(let schema)) = $0 { schema.columns.map(\.name) } else { nil }
    }
    #expect(added == [["id", "a", "later"]], "a row that is left out adds no column")
    #expect(events.rows.last == PlainRow(.upsert, .integer(1000), [.integer(1000), .number(1), .text("x")]))
    #expect(events.unnamed.count == 1)
  }

  @Test func `keeps the inferred columns over a restart`() {
    let known = decode([#"{"id":1,"a":1}"#]).schema
    let events = decode([#"{"id":"x","b":1}"#, #"{"id":2,"a":2}"#], known: known)
    #expect(events.schema == known)
    #expect(events.rows == [PlainRow(.upsert, .integer(2), [.integer(2), .number(2)])])
    #expect(events.unnamed.count == 1)
  }
}
