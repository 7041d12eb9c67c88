import ListEngine
import Testing

@testable import Wire

@Suite struct GroupingDecodingTests {
  private func query(_ group: String) throws -> QueryRequest {
    let text = #"{"type":"query","request":1,"query":{"group":\#(group)}}"#
    guard case .query(_, let query, _) = try ClientMessage(decoding: Array(text.utf8)) else { return QueryRequest() }
    return query
  }

  @Test func `a grouping is a column, or a column with a width or a unit`() throws {
    let found = try query(
      #"["user",{"column":"cpu","width":0.5},{"column":"pid","width":10},{"column":"at","unit":"week","offset":-90}]"#)
    #expect(found.fault == nil)
    #expect(
      found.groupings == [
        GroupingRequest("user"), GroupingRequest("cpu", ranges: .width(.number(0.5))),
        GroupingRequest("pid", ranges: .width(.integer(10))), GroupingRequest("at", ranges: .unit(.week, offset: -90)),
      ])
    #expect(try query(#"[{"column":"user"}]"#).groupings == [GroupingRequest("user")])
    #expect(try query(#"[{"column":"at","unit":"day"}]"#).groupings[0].ranges == .unit(.day, offset: 0))
  }

  @Test func `offsets take precedence over the offset, and the first one holds before`() throws {
    let zone = try #require(ZoneOffsets(60, changes: [.init(at: 1_774_746_000_000_000_000, minutes: 120)]))
    let found = try query(
      #"[{"column":"at","unit":"day","offset":120,"offsets":[[0,60],[1774746000000,120]]},{"column":"at","unit":"hour","offset":5,"offsets":[]}]"#
    )
    #expect(
      found.groupings == [
        GroupingRequest("at", ranges: .unit(.day, offset: zone)),
        GroupingRequest("at", ranges: .unit(.hour, offset: 5)),
      ])
    let facets = try ClientMessage(
      decoding: Array(
        #"{"type":"facets","id":1,"facets":[{"column":"at","zone":5,"offsets":[[0,60],[1774746000000,120]]}]}"#.utf8))
    #expect(facets == .facets(id: 1, [.facet(FacetRequest("at", zone: zone))]))
    #expect(
      try QueryRequest(
        arguments: ["group=at,at", "ranges=at:day,at:hour", "zone=5", "offsets=0:60,1774746000000:120"],
        limits: Limits()
      ).groupings == [
        GroupingRequest("at", ranges: .unit(.day, offset: zone)),
        GroupingRequest("at", ranges: .unit(.hour, offset: zone)),
      ])
  }

  @Test(arguments: [
    (
      "[0]", "unreadableMessage",
      "[0] must be a time in milliseconds and an offset in minutes, as in [1774746000000,120]"
    ),
    (
      "[[0]]", "unreadableMessage",
      "[0] must be a time in milliseconds and an offset in minutes, as in [1774746000000,120]"
    ),
    (
      #"[[0,60],["1",60]]"#, "unreadableMessage",
      "[1] must be a time in milliseconds and an offset in minutes, as in [1774746000000,120]"
    ),
    ("[[0,1441]]", "outOfRange", "[0]: the offset must be between -1440 and 1440, not 1441"),
    (
      "[[0,60],[8200000000001,60]]", "outOfRange",
      "[1]: the time must be between -8200000000000 and 8200000000000, not 8200000000001"
    ),
    ("[[0,60],[86399999,120]]", "outOfRange", "[1] must be at least a day after the time before it"),
    ("[[0,60],[-9,120]]", "outOfRange", "[1] must be at least a day after the time before it"),
  ])
  func `malformed offsets are named with their reason`(_ offsets: String, _ kind: String, _ reason: String) throws {
    let fault = try #require(try query(#"[{"column":"at","unit":"day","offsets":\#(offsets)}]"#).fault)
    let whole = "query.group[0].offsets" + reason
    #expect(fault.error == (kind == "outOfRange" ? .outOfRange(whole) : .unreadableMessage(whole)))
    // 401 are accepted, because the first has no change.
    func some(_ count: Int) -> String { "[\((0..<count).map { "[\($0 * 86_400_000),60]" }.joined(separator: ","))]" }
    #expect(try query(#"[{"column":"at","unit":"day","offsets":\#(some(401))}]"#).fault == nil)
    #expect(
      try query(#"[{"column":"at","unit":"day","offsets":\#(some(402))}]"#).fault?.error
        == .tooLong("query.group[0].offsets has more than 401 entries"))
  }

  @Test(arguments: [
    ("7", ClientError.unreadableMessage("query.group[0] must be a text or an object, not a number")),
    (#"{"width":1}"#, .unreadableMessage("query.group[0].column is missing")),
    (#"{"column":"a","width":0}"#, .outOfRange("query.group[0].width must be a number above 0")),
    (#"{"column":"a","width":-2.5}"#, .outOfRange("query.group[0].width must be a number above 0")),
    (#"{"column":"a","width":"5"}"#, .unreadableMessage("query.group[0].width must be a number, not a text")),
    (#"{"column":"a","unit":5}"#, .unreadableMessage("query.group[0].unit must be a text, not a number")),
    (
      #"{"column":"a","unit":"decade"}"#,
      .outOfRange("query.group[0].unit must be one of “minute”, “hour”, “day”, “week”, “month”, “year”")
    ),
    (
      #"{"column":"a","unit":"day","width":1}"#,
      .unreadableMessage("query.group[0].width and “unit” exclude each other: use one of them")
    ),
    (
      #"{"column":"a","unit":"day","offset":1441}"#,
      .outOfRange("query.group[0].offset must be between -1440 and 1440, not 1441")
    ),
  ])
  func `a malformed grouping is named with its reason`(_ grouping: String, _ error: ClientError) throws {
    #expect(try query("[\(grouping)]").fault == QueryFault(error, at: ["query.group[0]"]))
  }

  @Test func `an export's address has ranges`() throws {
    func groupings(_ arguments: String...) throws -> [GroupingRequest] {
      try QueryRequest(arguments: arguments, limits: Limits()).groupings
    }
    #expect(
      try groupings("ranges=cpu:0.5,at:hour,a%2Cb%3Ac:10", "group=user,at,a%2Cb%3Ac,cpu", "zone=-90") == [
        GroupingRequest("user"), GroupingRequest("at", ranges: .unit(.hour, offset: -90)),
        GroupingRequest("a,b:c", ranges: .width(.integer(10))), GroupingRequest("cpu", ranges: .width(.number(0.5))),
      ])
    #expect(try groupings("group=cpu", "ranges=") == [GroupingRequest("cpu")])
    let width = ClientError.outOfRange(
      "ranges: the width of “cpu” must be a number above 0, or one of “minute”, “hour”, “day”, “week”, “month”, “year”")
    for (ranges, error) in [
      (
        "cpu", ClientError.unreadableMessage("ranges: “cpu” must be a column and a width, as in cpu:10 or started:hour")
      ),
      ("pid:5", .outOfRange("ranges: the query does not group by “pid”: name a column of “group”")),
      ("cpu:5,cpu:6", .outOfRange("ranges: “cpu” is named twice: name it once")),

      ("cpu:0", width), ("cpu:-1", width), ("cpu:inf", width), ("cpu:decade", width), ("cpu:", width),
    ] {
      #expect(throws: error) { try groupings("group=cpu", "ranges=\(ranges)") }
    }
    for (offsets, error) in [
      (
        "5",
        ClientError.unreadableMessage(
          "offsets: “5” must be a time in milliseconds and an offset in minutes, as in 1774746000000:120")
      ),
      ("0:60,5:60", .outOfRange("offsets[1] must be at least a day after the time before it")),
      ("0:1441", .outOfRange("offsets[0]: the offset must be between -1440 and 1440, not 1441")),
    ] {
      #expect(throws: error) { try groupings("group=at", "ranges=at:day", "offsets=\(offsets)") }
    }
  }

  @Test func `written filters have the offsets of their zone`() throws {
    let zone = try #require(ZoneOffsets(60, changes: [.init(at: 1_774_746_000_000_000_000, minutes: 120)]))
    let members = #""zone":5,"offsets":[[0,60],[1774746000000,120]]"#
    func message(_ text: String) throws -> ClientMessage {
      try ClientMessage(decoding: Array(text.utf8), limits: Limits())
    }
    guard case .parse(_, let parsed, _) = try message(#"{"type":"parse","id":1,"text":"at > 2026","# + members + "}")
    else { return #expect(Bool(false), "another message") }
    #expect(parsed == WrittenFilter("at > 2026", zone: zone))
    guard
      case .tiles(_, let tiles) = try message(
        #"{"type":"tiles","id":1,"tiles":[{"function":"count","where":"x","# + members + "}]}")
    else { return #expect(Bool(false), "another message") }
    #expect(tiles == [.tile(TileRequest(), written: WrittenFilter("x", zone: zone))])
    let export = try QueryRequest(
      arguments: ["where=at > 2026", "zone=5", "offsets=0:60,1774746000000:120"], limits: Limits())
    #expect(export.written == WrittenFilter("at > 2026", zone: zone))
  }
}
