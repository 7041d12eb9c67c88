import SourceTesting
import Testing

@testable import ListEngine
@testable import ProcessSource

/// Messages from and to programs with remote tables.
@Suite struct WindowedDecoderTests {
  private static let hello = #"{"type":"hello","version":1}"#

  private static func schema(_ windowed: String) -> String {
    #"{"type":"schema","name":"files","key":"text","columns":[{"name":"name","type":"text"},{"name":"size","type":"integer"},{"name":"seen","type":"timestamp"}],"windowed":"#
      + windowed + "}"
  }

  private func schema(_ windowed: String) -> Schema? { decode([Self.hello, Self.schema(windowed)]).schema }

  @Test func `reads the capabilities of a remote table`() throws {
    let said = try #require(
      schema(
        #"{"sort":["size","name"],"filters":["equal","not"],"filterColumns":["size"],"searches":true,"group":["name"],"count":"estimated","paging":"keyset","tellsChanges":true,"refresh":5000,"cancels":false}"#
      )?.windowed)
    #expect(said.sort == [0, 1] && said.filters == [.equal, .not] && said.filterColumns == [1] && said.searches)
    #expect(said.group == [0] && said.count == .estimated && said.paging == .keyset && said.tellsChanges)
    #expect(said.refresh == .seconds(5) && !said.cancels)
  }

  @Test func `uses defaults for omitted capabilities`() throws {
    let said = try #require(schema("{}")?.windowed)
    #expect(said.sort.isEmpty && said.filters.isEmpty && said.filterColumns == nil && !said.searches)
    #expect(said.group.isEmpty && said.count == .exact && said.paging == .offset && !said.tellsChanges)
    #expect(said.refresh == nil && said.cancels)
    #expect(schema("null")?.windowed == nil && schema("null") != nil)
  }

  @Test(arguments: [
    ("7", "schema.windowed is a number, not an object"),
    (#"{"sort":["age"]}"#, "windowed.sort names an unknown column"),
    (#"{"sort":true}"#, "windowed.sort is a boolean, not a list"),
    (#"{"count":"roughly"}"#, "windowed.count must be “exact”, “estimated” or “unknown”"),
    (#"{"paging":"page"}"#, "windowed.paging must be “offset”, “keyset” or “keysetAndOffset”"),
    (#"{"refresh":999}"#, "windowed.refresh must be 1000 to 86400000 milliseconds"),
    (#"{"refresh":19,"tellsChanges":true}"#, "windowed.refresh must be 20 to 86400000 milliseconds"),
    (#"{"cancels":1}"#, "windowed.cancels is a number, not true or false"),
  ]) func `refuses invalid capabilities with a reason`(_ windowed: String, _ reason: String) {
    #expect(decode([Self.hello, Self.schema(windowed)]).refusals == ["its schema is invalid: \(reason)"])
  }

  @Test func `refuses a deferred column in a remote table`() {
    let refusals = decode([
      Self.hello,
      #"{"type":"schema","name":"t","key":"text","columns":[{"name":"n","type":"text","deferred":true}],"windowed":{}}"#,
    ]).refusals
    #expect(refusals.count == 1 && refusals[0].contains("“n” is deferred"))
  }

  // MARK: Answers

  private func answers(_ lines: String...) -> [String] {
    decode([Self.hello, Self.schema("{}")] + lines).compactMap { event in
      switch event {
      case .source(.page(let id, let block)):
        let rows = block.rows.map { "\($0.key):\($0.cells)" }.joined(separator: " ")
        return
          "\(id.rawValue) [\(rows)] \(block.hasMore) \(block.isCountEstimated ? "~" : "")\(block.count ?? -1) \(block.begin?.text.string ?? "-") \(block.end?.text.string ?? "-")"
      case .source(.sections(let id, let sections)):
        return "\(id.rawValue) " + sections.map { "\($0.values)=\($0.count)" }.joined(separator: " ")
      case .source(.pageFailed(let id, let reason)): return "\(id.rawValue) failed: \(reason)"
      case .source(.sourceChanged): return "changed"
      case .badLine(let reason): return reason
      default: return nil
      }
    }
  }

  @Test func `decodes blocks of rows, failures and change notices`() {
    #expect(
      answers(
        #"{"type":"page","id":7,"rows":[["a","x",1,null],["b",{"size":2}]],"more":true,"count":12,"begin":"c0","end":"c1"}"#,
        #"{"type":"page","id":8,"rows":[]}"#, #"{"type":"page","id":9,"error":"locked"}"#, #"{"type":"changed"}"#,
        #"{"type":"page","id":10,"rows":[],"count":5,"estimated":true}"#)
        == [
          "7 [a:\([Cell.text("x"), .integer(1), .null]) b:\([Cell.null, .integer(2), .null])] true 12 c0 c1",
          "8 [] false -1 - -", "9 failed: locked", "changed", "10 [] false ~5 - -",
        ])
  }

  @Test func `decodes sections with their values and counts`() {
    #expect(
      answers(#"{"type":"page","id":7,"group":["seen","name"],"sections":[[5,"a",3],[null,"b",1]]}"#)
        == ["7 \([Cell.timestamp(5_000_000), .text("a")])=3 \([Cell.null, .text("b")])=1"])
  }

  @Test func `keeps a block with cells that do not fit their columns`() {
    #expect(answers(#"{"type":"page","id":7,"rows":[["a",1,"x",null]]}"#).first?.hasPrefix("7 [a:") == true)
  }

  @Test(
    arguments: [
      (#"{"type":"page","rows":[]}"#, nil, "it has no “id”"),
      (
        #"{"type":"page","id":7}"#, "it has none of rows, sections and error", "it has none of rows, sections and error"
      ),
      (
        #"{"type":"page","id":7,"rows":[[1,"x",1,null]]}"#, "row 1: it is not a list that begins with a text",
        "row 1: it is not a list that begins with a text"
      ),
      (
        #"{"type":"page","id":7,"rows":[["a","x",1]]}"#, "row 1: it has 2 cells for 3 columns",
        "row 1: it has 2 cells for 3 columns"
      ),
      (
        #"{"type":"page","id":7,"rows":[["a","x",1,null,4]]}"#, "row 1: it has more than 3 cells",
        "row 1: it has more than 3 cells"
      ),
      (
        #"{"type":"page","id":7,"rows":[],"count":-1}"#, "“count” is not a number of rows",
        "“count” is not a number of rows"
      ),
      (
        #"{"type":"page","id":7,"rows":[],"more":1}"#, "“more” is neither true nor false",
        "“more” is neither true nor false"
      ),
      (
        #"{"type":"page","id":7,"rows":[],"estimated":1}"#, "“estimated” is neither true nor false",
        "“estimated” is neither true nor false"
      ),
      (#"{"type":"page","id":7,"rows":[],"end":5}"#, "“end” is a number, not a text", "“end” is a number, not a text"),
      (
        #"{"type":"page","id":7,"sections":[]}"#, "“group” must name the columns of the sections",
        "“group” must name the columns of the sections"
      ),
      (
        #"{"type":"page","id":7,"group":["name"],"sections":[["a"]]}"#,
        "section 1: the last of it must be the number of its rows",
        "section 1: the last of it must be the number of its rows"
      ),
      (
        #"{"type":"page","id":7,"group":["size"],"sections":[["a",1]]}"#, "section 1: a value is not of its column",
        "section 1: a value is not of its column"
      ),
    ] as [(String, String?, String)])
  func `an invalid answer fails its request and is a bad line`(_ line: String, _ failure: String?, _ reason: String) {
    #expect(answers(line) == (failure.map { ["7 failed: \($0)"] } ?? []) + ["line 3: \(reason)"])
  }

  @Test func `skips changes of remote tables and blocks of resident ones`() {
    for line in [
      #"{"type":"upsert","key":"a","cells":["x",1,null]}"#, #"{"type":"delete","key":"a"}"#,
      #"{"type":"move","key":"a","before":null}"#, #"{"type":"reload"}"#,
    ] {
      #expect(answers(line) == ["line 3: its schema is windowed: rows are given in answers to “query”"], "\(line)")
    }
    let resident = decode([
      Self.hello, #"{"type":"schema","name":"t","key":"text","columns":[{"name":"n","type":"text"}]}"#,
      #"{"type":"page","id":1,"rows":[]}"#, #"{"type":"changed"}"#,
    ])
    #expect(resident.badLines == ["line 3: its schema is not windowed", "line 4: its schema is not windowed"])
  }

  // MARK: Queries

  private func line(_ query: Query, section: [Cell] = [], _ what: BlockRequest.What) throws -> String {
    let schema = try #require(self.schema("{}"))
    let request = BlockRequest(id: BlockRequestID(rawValue: 7), query: query, section: section, what: what)
    return String(decoding: HostLine.query(request, schema), as: UTF8.self)
  }

  @Test func `encodes every part of a query`() throws {
    let filter = Filter<Int>.all([
      .compare(1, .greaterOrEqual, .integer(1 << 60)),
      .not(.any([.isEmpty(0), .oneOf(0, [.text("a\""), .text("b")])])),
      .range(2, from: .timestamp(1_500_000), through: nil), .contains(0, "x"), .startsWith(0, "y"),
      .matches(0, "^z", ignoringCase: true),
    ])
    #expect(
      try line(
        Query(sort: [SortTerm(1), SortTerm(0, descending: true)], search: "é", filter: filter, group: [2]),
        section: [.timestamp(5_000_000)],
        .rows(after: BlockCursor("[\"a\"]"), upTo: BlockCursor("e"), skip: 3, count: 100))
        == #"{"type":"query","id":7,"sort":[{"column":"size","descending":false},{"column":"name","descending":true}],"search":"é","filter":{"all":[{"column":"size","op":">=","value":"1152921504606846976"},{"not":{"any":[{"column":"name","op":"isEmpty"},{"column":"name","op":"oneOf","values":["a\"","b"]}]}},{"column":"seen","op":"range","from":"1.5"},{"column":"name","op":"contains","value":"x"},{"column":"name","op":"startsWith","value":"y"},{"column":"name","op":"matches","value":"^z","ignoreCase":true}]},"group":["seen"],"section":[5],"rows":{"after":"[\"a\"]","upTo":"e","skip":3,"count":100}}"#
        + "\n")
  }

  @Test func `omits empty parts of a query, and encodes cancellations`() throws {
    #expect(
      try line(Query(), .rows(after: nil, upTo: nil, skip: 0, count: 5))
        == #"{"type":"query","id":7,"rows":{"skip":0,"count":5}}"# + "\n")
    #expect(
      try line(Query(group: [0]), .sections(limit: 9))
        == #"{"type":"query","id":7,"group":["name"],"sections":{"limit":9}}"# + "\n")
    #expect(
      String(decoding: HostLine.cancel([BlockRequestID(rawValue: 1), BlockRequestID(rawValue: 2)]), as: UTF8.self)
        == #"{"type":"cancel","queries":[1,2]}"# + "\n")
  }
}
