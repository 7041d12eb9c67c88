import ListEngine
import Testing

@testable import Wire

@Suite struct ClientMessageTests {
  private func decode(_ text: String) throws -> ClientMessage { try ClientMessage(decoding: Array(text.utf8)) }

  private func complaint(_ text: String) -> ClientError? {
    do throws(ClientError) {
      return try ClientMessage(decoding: Array(text.utf8)).queryFault?.error
    } catch {
      return error
    }
  }

  @Test func `decodes the members of eleven message types`() throws {
    #expect(try decode(#"{"type":"hello","version":1,"client":"me"}"#) == .hello(version: 1, client: "me"))
    #expect(
      try decode(#"{"type":"hello","version":1,"client":"me","alive":true}"#)
        == .hello(version: 1, client: "me", wantsHeartbeats: true))
    #expect(try decode(#"{"type":"ack","seq":7}"#) == .ack(sequence: 7))
    #expect(try decode(#"{"type":"resync","seq":7,"reason":"digest"}"#) == .resync(sequence: 7, reason: "digest"))
    #expect(try decode(#"{"type":"pace","interval":100}"#) == .pace(.milliseconds(100)))
    #expect(try decode(#"{"type":"pace","interval":null}"#) == .pace(nil))
    #expect(try decode(#"{"type":"pace","interval":16.5}"#) == .pace(.microseconds(16_500)))
    #expect(try decode(#"{"type":"visibility","hidden":true}"#) == .visibility(isHidden: true))
    #expect(
      try decode(#"{"type":"act","id":17,"table":"t","action":"kill"}"#)
        == .act(.init(id: 17, table: "t", action: "kill")))
    #expect(try decode(#"{"type":"hold","held":true}"#) == .hold(isHeld: true))
    #expect(try decode(#"{"type":"signOut"}"#) == .signOut)
    #expect(try decode(#"{"type":"pause","paused":true}"#) == .pause(isPaused: true))
    #expect(try decode(#"{"type":"pause","paused":false}"#) == .pause(isPaused: false))
    #expect(try decode(#"{"type":"stats","wanted":true}"#) == .stats(isWanted: true))
    #expect(try decode(#"{"type":"stats","wanted":false}"#) == .stats(isWanted: false))
    #expect(
      try decode(
        #"{"type":"viewport","seq":7,"first":1200,"count":40,"ahead":60,"behind":20,"anchor":731,"stick":"top"}"#)
        == .viewport(
          Viewport(
            first: 1200, count: 40, ahead: 60, behind: 20, anchor: RowID(rawValue: 731), stick: .top, sequence: 7)))
  }

  @Test func `decodes name and locate messages within their limits`() throws {
    #expect(
      try decode(#"{"type":"name","id":3,"rows":[0,9007199254740991]}"#)
        == .name(id: 3, rows: [RowID(rawValue: 0), RowID(rawValue: (1 << 53) - 1)]))
    #expect(try decode(#"{"type":"name","id":3}"#) == .name(id: 3, rows: []))
    #expect(try decode(#"{"type":"name","id":3,"rows":[7.0]}"#) == .name(id: 3, rows: [RowID(rawValue: 7)]))
    #expect(try decode(#"{"type":"locate","id":4,"keys":[7e0]}"#) == .locate(id: 4, keys: [.integer(7)]))
    #expect(
      try decode(#"{"type":"locate","id":4,"keys":[-1,"9223372036854775807","é"]}"#)
        == .locate(id: 4, keys: [.integer(-1), .text("9223372036854775807"), .text("é")]))
    let list = { (count: Int) in "[\(Array(repeating: "1", count: count).joined(separator: ","))]" }
    let long = { (count: Int) in "[\"\(String(repeating: "é", count: count))\"]" }
    for (text, isRead) in [
      (#"{"type":"name","id":3,"rows":\#(list(100))}"#, true), (#"{"type":"name","id":3,"rows":\#(list(101))}"#, false),
      (#"{"type":"locate","id":3,"keys":\#(list(100))}"#, true),
      (#"{"type":"locate","id":3,"keys":\#(list(101))}"#, false),
      (#"{"type":"locate","id":3,"keys":\#(long(128))}"#, true),
      (#"{"type":"locate","id":3,"keys":\#(long(129))}"#, false),
      (#"{"type":"name","id":3,"rows":[-1]}"#, false), (#"{"type":"name","id":3,"rows":[9007199254740992]}"#, false),
      (#"{"type":"name","id":3,"rows":["1"]}"#, false), (#"{"type":"name","id":3,"rows":1}"#, false),
      (#"{"type":"name","rows":[1]}"#, false), (#"{"type":"locate","id":3,"keys":[1.5]}"#, false),
      (#"{"type":"locate","id":3,"keys":[null]}"#, false), (#"{"type":"locate","id":3,"keys":[[1]]}"#, false),
    ] { #expect((complaint(text) == nil) == isRead, "\(text.prefix(80))") }
    #expect(
      complaint(#"{"type":"locate","id":3,"keys":[1,true]}"#)
        == .unreadableMessage("keys[1] must be a whole number or a text, not a boolean"))
  }

  @Test func `decodes an open message with and without optional members`() throws {
    #expect(try decode(#"{"type":"open","table":"p","request":1}"#) == .open(.init(table: "p", request: 1)))
    let full = try decode(
      #"""
      {"type":"open","table":"p","request":9007199254740991,
       "query":{"sort":[{"column":"cpu","descending":true},{"column":"pid"}],"search":"ssh","group":["user"]},
       "viewport":{"first":0,"count":40},"interval":300,"resume":{"epoch":"e","seq":12,"session":"s","anchorOffset":3}}
      """#)
    #expect(
      full
        == .open(
          .init(
            table: "p", request: 9_007_199_254_740_991,
            query: QueryRequest(sort: [("cpu", true), ("pid", false)], search: "ssh", group: ["user"]),
            viewport: Viewport(first: 0, count: 40, stick: nil), interval: .milliseconds(300),
            resume: .init(epoch: "e", sequence: 12, token: "s", anchorOffset: 3))))
  }

  @Test func `decodes the window that a client reports to hold`() throws {
    func open(_ window: String) -> String {
      #"{"type":"open","table":"p","request":1,"resume":{"epoch":"e","seq":12,"window":\#(window)}}"#
    }
    let window = ClientWindow(
      generation: 4096, start: 20, total: 60,
      rows: [.init(RowID(rawValue: 7), revision: 1), .init(RowID(rawValue: 9), revision: 4_294_967_295)])
    #expect(
      try decode(open(#"{"generation":4096,"start":20,"total":60,"rows":[7,1,9,4294967295]}"#))
        == .open(.init(table: "p", request: 1, resume: .init(epoch: "e", sequence: 12, window: window))))
    for window in [#"{"start":0,"total":1,"rows":[1]}"#, #"{"start":0,"rows":[]}"#, "[]"] {
      #expect(throws: ClientError.self) { try decode(open(window)) }
    }
  }

  @Test func `a viewport message without stick sticks to no edge`() throws {
    guard case .viewport(let viewport) = try decode(#"{"type":"viewport","seq":0,"first":3,"count":1}"#) else {
      Issue.record("no viewport")
      return
    }
    #expect(viewport.stick == nil)
    #expect(viewport.anchor == nil)
  }

  @Test func `ignores unknown members`() throws {
    #expect(try decode(#"{"later":[{"x":{}}],"type":"ack","hidden":7,"seq":7.0}"#) == .ack(sequence: 7))
  }

  @Test func `uses the last of two members with the same name`() throws {
    #expect(try decode(#"{"type":"ack","seq":1,"seq":2}"#) == .ack(sequence: 2))
  }

  @Test func `decodes JSON escapes`() throws {
    #expect(
      try decode(#"{"type":"resync","seq":1,"reason":"a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\ud83dx\u2028"}"#)
        == .resync(sequence: 1, reason: "a\"\\/\u{8}\u{c}\n\r\té😀\u{FFFD}x\u{2028}"))
  }

  @Test(arguments: [
    "", " ", "{", "}", "[]", "7", "null", "\"ack\"", "{}", #"{"type":7}"#, #"{"type":"ack"}"#,
    #"{"type":"ack","seq":"7"}"#,
    #"{"type":"ack","seq":7}x"#, #"{"type":"ack","seq":7,}"#, #"{"type":"ack" "seq":7}"#, #"{"type":"ack","seq":07}"#,
    #"{"type":"ack","seq":+7}"#, #"{"type":"ack","seq":7.}"#, #"{"type":"ack","seq":7e}"#, #"{"type":"ack","seq":.7}"#,
    #"{"type":"ack","seq":7.5}"#, #"{"type":"ack","seq":NaN}"#, #"{"type":"ack","seq":1e999}"#, #"{'type':'ack'}"#,
    #"{"type":"ack","seq":tru}"#, "{\"type\":\"a\nck\"}", #"{"type":"\x61ck"}"#, #"{"type":"\u00zz"}"#,
    #"{"type":"visibility","hidden":"yes"}"#, #"{"type":"pause"}"#, #"{"type":"hold"}"#,
    #"{"type":"pause","paused":1}"#, #"{"type":"stats"}"#, #"{"type":"stats","wanted":1}"#,
    #"{"type":"visibility"}"#, #"{"type":"hello"}"#, #"{"type":"act"}"#,
    #"{"type":"act","id":1,"table":"t","action":1}"#,
    #"{"type":"hello","version":1.5}"#, #"{"type":"open","table":"p"}"#, #"{"type":"open","request":1}"#,
    #"{"type":"open","table":"p","request":1,"query":[]}"#,
    #"{"type":"open","table":"p","request":1,"query":{"sort":["cpu"]}}"#,
    #"{"type":"open","table":"p","request":1,"query":{"group":[7]}}"#,
    #"{"type":"open","table":"p","request":1,"viewport":{"first":0}}"#, #"{"type":"viewport","first":0,"count":1}"#,
    #"{"type":"open","table":"p","request":1,"resume":{"epoch":"x"}}"#, #"{"type":"pace","interval":"1"}"#,
    #"{"type":"ack","seq":7}{"type":"ack","seq":8}"#, "\u{FEFF}{\"type\":\"ack\",\"seq\":7}",
  ])
  func `rejects malformed messages as unreadable`(_ text: String) {
    guard case .unreadableMessage = complaint(text) else {
      Issue.record("\(text): \(String(describing: complaint(text)))")
      return
    }
  }

  @Test(arguments: [
    #"{"type":"ack","seq":-1}"#, #"{"type":"ack","seq":9007199254740992}"#, #"{"type":"ack","seq":1e300}"#,
    #"{"type":"viewport","seq":1,"first":-1,"count":1}"#, #"{"type":"viewport","seq":1,"first":0,"count":0}"#,
    #"{"type":"viewport","seq":1,"first":0,"count":1001}"#,
    #"{"type":"viewport","seq":1,"first":0,"count":1,"ahead":2001}"#,
    #"{"type":"viewport","seq":1,"first":0,"count":1,"behind":-1}"#,
    #"{"type":"viewport","seq":1,"first":0,"count":1,"stick":"middle"}"#,
    #"{"type":"viewport","seq":1,"first":0,"count":1,"anchor":-5}"#, #"{"type":"pace","interval":60001}"#,
    #"{"type":"pace","interval":-1}"#, #"{"type":"open","table":"p","request":9007199254740992}"#,
  ])
  func `rejects values beyond their limits as out of range`(_ text: String) {
    guard case .outOfRange = complaint(text) else {
      Issue.record("\(text): \(String(describing: complaint(text)))")
      return
    }
  }

  @Test func `an error has the member path, the byte or the unknown type`() {
    #expect(
      complaint(#"{"type":"query","request":1,"query":{"sort":[{"column":"a"},{"column":7}]}}"#)
        == .unreadableMessage("query.sort[1].column must be a text, not a number"))
    #expect(complaint(#"{"type":"ack","seq":x}"#) == .unreadableMessage("no JSON at byte 20"))
    #expect(complaint(#"{"type":"jump"}"#) == .unknownType("jump"))
  }

  @Test func `rejects texts, lists and messages that are too long`() {
    let long = String(repeating: "é", count: 1_000)
    #expect(complaint(#"{"type":"query","request":1,"query":{"search":"\#(long)"}}"#) == nil)
    #expect(
      complaint(#"{"type":"query","request":1,"query":{"search":"\#(long)x"}}"#)
        == .tooLong("query.search has more than 1000 characters"))
    #expect(
      complaint(#"{"type":"query","request":1,"query":{"group":["a","b","c","d","e"]}}"#)
        == .tooLong("query.group has more than 4 entries"))
    let terms = Array(repeating: #"{"column":"a"}"#, count: 9).joined(separator: ",")
    #expect(
      complaint(#"{"type":"query","request":1,"query":{"sort":[\#(terms)]}}"#)
        == .tooLong("query.sort has more than 8 entries"))
    #expect(
      complaint(#"{"type":"ack","seq":7,"x":"\#(String(repeating: "x", count: 65_536))"}"#)
        == .tooLong("the message has more than 65536 bytes"))
  }

  @Test func `accepts 32 levels of nesting and rejects more`() {
    let deep = String(repeating: "[", count: 31) + String(repeating: "]", count: 31)
    #expect(complaint(#"{"type":"ack","seq":7,"x":\#(deep)}"#) == nil)
    #expect(complaint(#"{"type":"ack","seq":7,"x":[\#(deep)]}"#) == .unreadableMessage("nested too deeply at byte 57"))
    guard case .unreadableMessage = complaint(String(repeating: "[", count: 65_536)) else {
      Issue.record("65,536 brackets were read")
      return
    }
  }

  @Test(arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82]] as [[UInt8]])
  func `rejects invalid UTF-8`(_ bytes: [UInt8]) {
    let message = Array(#"{"type":"ack","seq":7,"x":""#.utf8) + bytes + Array(#""}"#.utf8)
    #expect(throws: ClientError.unreadableMessage("the message is not UTF-8")) {
      try ClientMessage(decoding: message)
    }
  }

  @Test func `does not trap on truncated or changed bytes`() {
    // Truncations and single-byte changes of a valid message: each must decode or throw.
    let good = Array(
      #"{"type":"open","table":"pé","request":1,"query":{"sort":[{"column":"\u00e9","descending":true}]},"interval":1.5e2}"#
        .utf8)
    for cut in good.indices { _ = try? ClientMessage(decoding: Array(good[..<cut])) }
    for index in good.indices {
      for byte: UInt8 in 0...255 {
        var changed = good
        changed[index] = byte
        _ = try? ClientMessage(decoding: changed)
      }
    }
  }
}
