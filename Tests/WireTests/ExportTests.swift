import Foundation
import ListEngine
import Testing

@testable import Wire

/// Tests of export files, as spreadsheets and programs read them.
@Suite struct ExportTests {
  private let schema = Schema(
    name: "t", key: .integer,
    columns: [
      Column("id", .integer), Column("=name", .text), Column("price", .number), Column("at", .timestamp),
      Column("on", .boolean), Column("load", .series),
    ])

  private func csv(_ cells: [Cell]) -> String {
    var bytes: [UInt8] = []
    ExportFormat.csv.append(cells, schema, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Parses the fields of a CSV file as specified by RFC 4180.
  private func fields(_ text: String) -> [[String]] {
    var rows: [[String]] = [[]]
    var field = ""
    var isQuoted = false
    let scalars = Array(text.unicodeScalars)
    var index = 0
    while index < scalars.count {
      let scalar = scalars[index]
      index += 1
      switch (scalar, isQuoted) {
      case ("\"", true):
        if index < scalars.count, scalars[index] == "\"" {
          field.unicodeScalars.append("\"")
          index += 1
        } else {
          isQuoted = false
        }
      case ("\"", false): isQuoted = true
      case (",", false):
        rows[rows.count - 1].append(field)
        field = ""
      case ("\r", false) where index < scalars.count && scalars[index] == "\n":
        index += 1
        rows[rows.count - 1].append(field)
        rows.append([])
        field = ""
      default: field.unicodeScalars.append(scalar)
      }
    }
    return Array(rows.dropLast())
  }

  @Test func `CSV has a header line and a line of fields per row`() {
    #expect(String(decoding: ExportFormat.csv.head(schema), as: UTF8.self) == "id,\"'=name\",price,at,on,load\r\n")
    let row = csv([
      .integer(-7), .text("a"), .number(-0.5), .timestamp(1_700_000_000_123_000_000), .boolean(true),
      .series([1, -2.5]),
    ])
    #expect(row == "-7,a,-0.5,2023-11-14T22:13:20.123Z,true,1 -2.5\r\n")
    #expect(csv([.null, .null, .null]) == ",,\r\n")
  }

  @Test func `quotes CSV texts and escapes formulas only where necessary`() {
    for (text, field) in [
      ("plain", "plain"), ("", ""), ("a b", "a b"), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("a\nb", "\"a\nb\""),
      (" a", "\" a\""),
      ("a ", "\"a \""), ("a;b", "\"a;b\""), ("a\tb", "\"a\tb\""), ("a=b", "a=b"), ("=1+1", "\"'=1+1\""),
      ("+1", "\"'+1\""),
      ("-1", "\"'-1\""), ("@x", "\"'@x\""), ("\tx", "\"'\tx\""), ("\rx", "\"'\rx\""), ("\u{0}x", "\"'\u{0}x\""),
      (" =1", "\"' =1\""),
      ("\u{FEFF}=1", "\"'\u{FEFF}=1\""), ("＝1", "\"'＝1\""), ("\"=1", "\"'\"\"=1\""), ("'=1", "\"''=1\""),
      ("\n=1", "\"'\n=1\""), ("\u{3000}=1", "\"'\u{3000}=1\""), ("\u{2009}@a", "\"'\u{2009}@a\""),
      ("\u{B}+1", "\"'\u{B}+1\""), ("\u{1}=1", "\"'\u{1}=1\""), ("\u{85}-1", "\"'\u{85}-1\""),
      ("\u{AD}=1", "\"'\u{AD}=1\""), ("\u{202E}=1", "\"'\u{202E}=1\""), ("\u{FE0F}=1", "\"'\u{FE0F}=1\""),
      ("\u{3164}=1", "\"'\u{3164}=1\""), ("＋1", "\"'＋1\""), ("－1", "\"'－1\""), ("＠a", "\"'＠a\""), ("﹢1", "\"'﹢1\""),
      ("﹣1", "\"'﹣1\""), ("﹦1", "\"'﹦1\""), ("﹫a", "\"'﹫a\""), ("−1", "\"'−1\""), ("a\u{200B}=1", "a\u{200B}=1"),
      ("é=1", "é=1"), ("!=1", "!=1"), ("~-1", "~-1"), ("1-1", "1-1"), ("\u{3000}a", "\u{3000}a"),
    ] {
      var bytes: [UInt8] = []
      CSVField.append(text: text, to: &bytes)
      #expect(String(decoding: bytes, as: UTF8.self) == field, "\(text.debugDescription)")
    }
  }

  @Test func `random hostile texts never become CSV formulas`() {
    var random = SystemRandomNumberGenerator()
    let parts = [
      "=", "+", "-", "@", "\t", "\r", "\n", "\r\n", "\u{0}", " ", "\u{FEFF}", "\"", "'", ",", ";", "＝", "﹣", "\u{3000}",
      "\u{B}",
      "HYPERLINK(\"x\")", "a", "1", "é",
      "cmd|' /C calc'!A0",
    ]
    let triggers: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\t", "\r", "\n", "\0", "＝", "＋", "－", "＠", "﹣"]
    let passed: Set<Unicode.Scalar> = [" ", "\u{FEFF}", "\u{A0}", "\"", "\u{3000}", "\u{B}"]
    for _ in 0..<1_000 {
      let texts = (0..<100).map { _ in
        (0..<Int.random(in: 0...4, using: &random)).map { _ in parts.randomElement(using: &random)! }.joined()
      }
      let line = csv(texts.map { .text($0) })
      let read = fields(line)
      #expect(read.count == 1 && read[0].count == 100)
      for (text, field) in zip(texts, read[0]) {
        let first = field.unicodeScalars.first { !passed.contains($0) }
        #expect(first.map(triggers.contains) != true, "\(text.debugDescription)")
        #expect(
          field.unicodeScalars.elementsEqual(text.unicodeScalars)
            || field.unicodeScalars.elementsEqual("'".unicodeScalars + Array(text.unicodeScalars)))
      }
    }
  }

  @Test func `NDJSON has one object a line`() throws {
    var bytes = ExportFormat.ndjson.head(schema)
    #expect(bytes.isEmpty)
    let cells: [Cell] = [
      .integer(1), .text("a\n\"b\u{2028}"), .null, .timestamp(1_500_000), .boolean(false), .series([1, 2]),
    ]
    ExportFormat.ndjson.append(cells, schema, to: &bytes)
    ExportFormat.ndjson.append(cells, schema, to: &bytes)
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 3 && lines[2] == "")
    let object = try #require(try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any])
    #expect(object["=name"] as? String == "a\n\"b\u{2028}")
    #expect(object["price"] is NSNull)
    #expect(object["at"] as? Double == 1.5)
    #expect(object["load"] as? [Double] == [1, 2])
  }

  @Test func `writes timestamps of the whole range as ISO 8601`() {
    for (nanoseconds, text) in [
      (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59.999999999Z"), (1_000, "1970-01-01T00:00:00.000001Z"),
      (951_782_400_000_000_000, "2000-02-29T00:00:00Z"), (4_107_542_400_000_000_000, "2100-03-01T00:00:00Z"),
      (Int64.max, "2262-04-11T23:47:16.854775807Z"), (Int64.min, "1677-09-21T00:12:43.145224192Z"),
    ] as [(Int64, String)] { #expect(Timestamp.text(ofNanoseconds: nanoseconds) == text) }
    let formatter = ISO8601DateFormatter()
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      let seconds = Int64.random(in: -9_000_000_000...9_000_000_000, using: &random)
      #expect(
        Timestamp.text(ofNanoseconds: seconds * 1_000_000_000)
          == formatter.string(from: Date(timeIntervalSince1970: Double(seconds))))
    }
  }

  @Test func `decodes a query from URL arguments and rejects invalid ones`() throws {
    let limits = Limits()
    #expect(try QueryRequest(arguments: [], limits: limits) == QueryRequest())
    let query = try QueryRequest(
      arguments: [
        "sort=-cpu,name,a%2Cb", "search=a b=c", "group=user,state", #"filter={"column":"cpu","op":">","value":5}"#,
      ], limits: limits)
    #expect(query.sort.map(\.column) == ["cpu", "name", "a,b"])
    #expect(query.sort.map(\.descending) == [true, false, false])
    #expect(query.search == "a b=c")
    #expect(query.group == ["user", "state"])
    let one = try QueryRequest(arguments: [#"filter=[{"column":"cpu","op":"isEmpty"}]"#], limits: limits).filter
    let all = try QueryRequest(arguments: [#"filter={"all":[{"column":"cpu","op":"isEmpty"}]}"#], limits: limits).filter
    #expect(one == all && one != nil)
    #expect(try QueryRequest(arguments: ["filter=null"], limits: limits) == QueryRequest())
    do {
      _ = try QueryRequest(arguments: [#"filter= {"column":"#], limits: limits)
      Issue.record("half a filter is taken for one")
    } catch { #expect(error == .unreadableMessage("the message ends too early, at byte 11")) }
    let link = ["table=t", "show=sum:cpu", "sort=cpu", "collapsed=[[1]]", "columns=*cpu"]
    #expect(try QueryRequest(arguments: link, limits: limits) == QueryRequest(sort: [("cpu", false)]))
    for wrong in [
      ["limit=1"], ["sort=a", "sort=b"], ["filter="], ["filter=x"], ["filter={}"], ["filter=[1]"],
      ["sort=%2"], ["sort=%zz"],
      [#"filter={"all":[]}},"x":{}"#], [#"filter={"all":[]}},"query":{"filter":{"any":[]}"#],
      [#"filter={"all":[]},"search":"a""#],
      [#"filter=[],"x":[]"#], ["filter=5"], ["filter=\"all\""], ["filter={\"all\":[]} x"], ["=1"], [""],
    ] {
      #expect(throws: ClientError.self, "\(wrong)") { try QueryRequest(arguments: wrong, limits: limits) }
    }
  }

  private func layout(_ arguments: [String], _ format: ExportFormat = .csv) throws(ClientError) -> ExportLayout {
    try ExportLayout(arguments: arguments, format: format, schema: schema)
  }

  @Test func `a layout selects columns, their order and the separator`() throws {
    #expect(try layout([]) == ExportLayout())
    #expect(try layout(["sort=id", "fields="]) == ExportLayout())
    let chosen = try layout(["fields=price,%3Dname,id", "separator=semicolon"])
    #expect(chosen == ExportLayout(columns: [2, 1, 0], separator: .semicolon))
    var bytes = ExportFormat.csv.head(schema, chosen)
    ExportFormat.csv.append([.integer(1), .text("a;b"), .number(2.5), .null], schema, chosen, to: &bytes)
    // A row that is shorter than the schema has empty fields.
    ExportFormat.csv.append([.integer(1)], schema, chosen, to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == "price;\"'=name\";id\r\n2.5;\"a;b\";1\r\n;;1\r\n")
    var object: [UInt8] = []
    let cells: [Cell] = [.integer(1), .text("a"), .number(2.5)]
    ExportFormat.ndjson.append(cells, schema, try layout(["fields=price,id"], .ndjson), to: &object)
    #expect(String(decoding: object, as: UTF8.self) == "{\"price\":2.5,\"id\":1}\n")
  }

  @Test func `the tab separator makes a TSV file`() throws {
    let tabs = try layout(["separator=tab", "fields=id,price"])
    var bytes = ExportFormat.csv.head(schema, tabs)
    ExportFormat.csv.append([.text("a\tb"), .null, .text("c,d")], schema, tabs, to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == "id\tprice\r\n\"a\tb\"\t\"c,d\"\r\n")
    #expect(ExportFormat.csv.fileExtension(tabs) == "tsv")
    #expect(ExportFormat.csv.contentType(tabs) == "text/tab-separated-values; charset=utf-8; header=present")
    #expect(ExportFormat.csv.fileExtension(ExportLayout(separator: .semicolon)) == "csv")
  }

  @Test func `an invalid layout is refused with a reason`() {
    for (arguments, format, reason) in [
      (["fields=id,nope"], .csv, "the table t has no column “nope”"),
      (["fields=id,price,id"], .csv, "“fields” has “id” twice"),
      (["fields=%2"], .csv, "a column's name is not encoded as it should be"),
      (["separator=pipe"], .csv, "unknown separator: use one of comma, semicolon, tab"),
      (["separator=tab"], .ndjson, "“separator” is only for CSV: leave it out for ndjson"),
    ] as [([String], ExportFormat, String)] {
      let error = #expect(throws: ClientError.self) { try layout(arguments, format) }
      #expect(error?.reason == reason)
    }
  }

  @Test func `arguments that only affect the display are ignored`() throws {
    let link = ["view=hot", "highlight=[]", "tiles=[]", "times=utc", "lines=3", "row=5", "fields=id", "separator=tab"]
    #expect(try QueryRequest(arguments: link, limits: Limits()) == QueryRequest())
  }
}
