import Foundation
import Testing

@testable import ListEngine
@testable import Wire

@Suite struct ServerMessageTests {
  private let schema = Schema(
    name: "p", title: "P", key: .integer,
    columns: [
      Column("name", .text), Column("cpu", .number, title: "CPU", style: .bar, unit: "%", width: 8),
      Column("user", .text),
    ])

  private func row(_ id: UInt64, _ revision: UInt32, _ name: String, _ cpu: Double) -> RowSnapshot {
    RowSnapshot(
      id: RowID(rawValue: id), revision: revision, cells: [.text(name), .number(cpu), .text("root")], label: id)
  }

  private func header(_ revision: UInt32, _ count: Int) -> HeaderSnapshot {
    HeaderSnapshot(section: 4, revision: revision, slot: 1, column: 2, value: .text("root"), count: count)
  }

  private func window(_ items: [WindowItem], start: Int = 0, lead: [HeaderSnapshot] = []) -> WindowState {
    WindowState(
      start: start, total: 10, rows: 9, items: items, lead: lead, pool: HeaderPool(), commit: 0, relabelings: 0)
  }

  private func parse(_ message: ServerMessage) throws -> NSDictionary {
    try #require(try JSONSerialization.jsonObject(with: Data(message.encoded)) as? NSDictionary)
  }

  private func json(_ text: String) throws -> NSDictionary {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary)
  }

  private func delivery(_ patch: Patch, shift: Int = 0) -> ServerMessage {
    .delivery(
      Delivery(
        sequence: 8, request: 3, interval: .milliseconds(300), shift: shift, base: 7, schema: schema, patch: patch),
      epoch: "5f0c")
  }

  @Test func `a window message contains all items`() throws {
    let state = window([.header(header(2, 120)), .row(row(45, 3, "init", 0.5))])
    #expect(
      try parse(delivery(Patch(base: nil, result: state)))
        == json(
          """
          {"type":"window","epoch":"5f0c","seq":8,"request":3,"interval":300,"start":0,"total":10,"rows":9,
           "items":[{"section":4,"rev":2,"slot":1,"level":0,"parent":null,"column":"user","value":"root","count":120},
                    [45,3,["init",0.5,"root"]]],"lead":[],"digest":\(state.digest)}
          """))
  }

  @Test func `encodes indexes of rows newer than a pause, unless empty`() throws {
    let state = window([.row(row(1, 1, "a", 1))])
    let message = delivery(Patch(base: nil, result: state))
    guard case .delivery(var reported, let epoch) = message else {
      Issue.record("not a delivery: \(message)")
      return
    }
    reported.newer = [0, 7]
    #expect(try parse(.delivery(reported, epoch: epoch))["newer"] as? [Int] == [0, 7])
    reported.newer = []
    #expect(try parse(.delivery(reported, epoch: epoch))["newer"] == nil)
  }

  @Test func `a window message can have a shift`() throws {
    let state = window([.row(row(1, 1, "a", 1))])
    let message = try parse(delivery(Patch(base: nil, result: state), shift: 3))
    #expect(message["shift"] as? Int == 3)
    #expect(message["base"] == nil)
  }

  @Test func `encodes a window without items`() throws {
    let state = WindowState(
      start: 0, total: 0, rows: 0, items: [], lead: [], pool: HeaderPool(), commit: 0, relabelings: 0)
    #expect(
      try parse(delivery(Patch(base: nil, result: state)))
        == json(
          """
          {"type":"window","epoch":"5f0c","seq":8,"request":3,"interval":300,"start":0,"total":0,"rows":0,"items":[],
           "lead":[],"digest":1691955498}
          """))
  }

  @Test func `a patch message contains only changes`() throws {
    let before = window([.row(row(1, 1, "a", 1)), .row(row(2, 1, "b", 2)), .row(row(3, 1, "c", 3))])
    let changed = row(2, 2, "b", 2.25)
    let after = window([.row(row(9, 1, "new", 0)), .row(changed), .row(row(1, 1, "a", 1))], lead: [header(1, 5)])
    let patch = Patch(base: before, result: after)
    patch.removed = [(2, .scrolled)]
    patch.updatedRows = [.init(index: 1, row: changed, columns: [1])]
    patch.updatedHeaders = [(5, header(7, 6))]
    patch.moved = [(0, 2)]
    patch.inserted = [(0, .new)]
    #expect(
      try parse(delivery(patch, shift: -2))
        == json(
          """
          {"type":"patch","epoch":"5f0c","seq":8,"request":3,"interval":300,"shift":-2,"base":7,
           "start":0,"total":10,"rows":9,"before":3,"after":3,"removed":[[2,"scrolled"]],
           "updated":[[1,2,1,2.25],[5,{"section":4,"rev":7,"slot":1,"level":0,"parent":null,"column":"user","value":"root","count":6}]],
           "moved":[[0,2]],"inserted":[[0,"new",[9,1,["new",0,"root"]]]],
           "lead":[{"section":4,"rev":1,"slot":1,"level":0,"parent":null,"column":"user","value":"root","count":5}],"digest":\(after.digest)}
          """))
  }

  @Test func `a patch message omits empty lists and a zero shift`() throws {
    let state = window([.row(row(1, 1, "a", 1))])
    let text = String(decoding: delivery(Patch(base: state, result: state)).encoded, as: UTF8.self)
    for member in ["shift", "removed", "updated", "moved", "inserted", "items"] {
      #expect(!text.contains(member))
    }
    #expect(text.contains(#""lead":[]"#))
  }

  @Test func `encodes missing deferred cells as pending or failed`() throws {
    func row(_ revision: UInt32, _ missing: [MissingCell]) -> RowSnapshot {
      RowSnapshot(
        id: RowID(rawValue: 1), revision: revision, cells: [.text("a"), .null, .null], label: 1, missing: missing)
    }
    let before = window([
      .row(row(1, [MissingCell(column: 1, why: .pending), MissingCell(column: 2, why: .failed("“no”\n"))]))
    ])
    let text = String(decoding: delivery(Patch(base: nil, result: before)).encoded, as: UTF8.self)
    #expect(text.contains(#"[1,1,["a",{"pending":true},{"failed":"“no”\n"}]]"#))
    let after = row(2, [])
    let patch = Patch(base: before, result: window([.row(after)]))
    patch.updatedRows = [.init(index: 0, row: after, columns: [1, 2])]
    let update = String(decoding: delivery(patch).encoded, as: UTF8.self)
    #expect(update.contains(#""updated":[[0,2,1,null,2,null]]"#))
  }

  @Test func `encodes a row and a patch only once`() {
    let shared = row(1, 1, "a", 1)
    let patch = Patch(base: nil, result: window([.row(shared)]))
    let first = delivery(patch).encoded
    // This shows up in every message that encodes the row again.
    shared.attachment = EncodedRow.make(1) { _, writer in writer.raw("7") }
    #expect(delivery(patch).encoded == first)
    let other = String(decoding: delivery(Patch(base: nil, result: window([.row(shared)]))).encoded, as: UTF8.self)
    #expect(other.contains("[1,1,[7]]"))
  }

  @Test func `appends a message to the existing bytes`() {
    var bytes: [UInt8] = [1, 2, 3]
    ServerMessage.tables([]).encode(to: &bytes)
    #expect(bytes == [1, 2, 3] + Array(#"{"type":"tables","tables":[]}"#.utf8))
  }

  @Test func `encodes tables with columns, source and capabilities`() throws {
    let source = SourceStatus(
      state: .stale, message: "it is “down”", rejected: 3, lastRejection: "row 7", age: .milliseconds(1_500))
    let table = TableDescription(
      schema: Schema(name: "p", title: "P", key: .integer, columns: [schema.columns[1]]), rows: 312, source: source)
    let tables = #"""
      [{"name":"p","title":"P","rows":312,"columns":[
        {"name":"cpu","title":"CPU","type":"number","style":"bar","unit":"%","width":8,"align":"end"}],
        "source":{"state":"stale","message":"it is “down”","rejected":3,"lastRejection":"row 7","age":1500}}]
      """#
    #expect(
      try parse(.hello(server: "rowcast 0.1.0", epoch: "5f0c", tables: [table]))
        == json(#"{"type":"hello","version":1,"server":"rowcast 0.1.0","epoch":"5f0c","tables":\#(tables)}"#))
    #expect(try parse(.tables([table])) == json(#"{"type":"tables","tables":\#(tables)}"#))
    var other = table
    other.generation = 2
    let others = tables.replacing(#""rows":312,"#, with: #""rows":312,"generation":2,"#)
    #expect(try parse(.tables([other])) == json(#"{"type":"tables","tables":\#(others)}"#))
    let names = table.schema.columns.map(\.name)
    for (columns, part) in [(nil, ""), ([0], #""filterColumns":["\#(names[0])"],"#)] as [(Set<Int>?, String)] {
      var windowed = table
      windowed.schema.windowed = WindowedCapabilities(
        sort: [0], filters: [.matches, .equal], filterColumns: columns, searches: true)
      windowed.rowLimit = 50_000
      let can =
        #"{"sort":["\#(names[0])"],"group":[],"filters":["equal","matches"],"#
        + part + #""search":true,"rowLimit":50000}"#
      let all = tables.replacing(#""rows":312,"#, with: #""rows":312,"windowed":\#(can),"#)
      #expect(try parse(.tables([windowed])) == json(#"{"type":"tables","tables":\#(all)}"#))
    }
    #expect(
      try parse(.status(table: "p", source))
        == json(
          #"""
          {"type":"status","table":"p",
           "source":{"state":"stale","message":"it is “down”","rejected":3,"lastRejection":"row 7","age":1500}}
          """#))
  }

  @Test func `encodes sources without a table, omitted from hello if empty`() throws {
    let source = SourceDescription(
      name: "jobs",
      source: SourceStatus(
        state: .backingOff, message: "exited with code 1", rejected: 0, lastRejection: "",
        age: .milliseconds(900), retry: .milliseconds(1_500)))
    let sources = #"""
      [{"name":"jobs","source":{"state":"backingOff","message":"exited with code 1","rejected":0,
        "lastRejection":"","age":900,"retry":1500}}]
      """#
    #expect(try parse(.sources([source])) == json(#"{"type":"sources","sources":\#(sources)}"#))
    #expect(try parse(.sources([])) == json(#"{"type":"sources","sources":[]}"#))
    #expect(
      try parse(.hello(server: "r", epoch: "e", tables: [], sources: [source]))
        == json(#"{"type":"hello","version":1,"server":"r","epoch":"e","tables":[],"sources":\#(sources)}"#))
    #expect(
      try parse(.hello(server: "r", epoch: "e", tables: [], sources: []))
        == json(#"{"type":"hello","version":1,"server":"r","epoch":"e","tables":[]}"#))
  }

  @Test func `an error has a code, a reason and the place of the fault`() throws {
    #expect(
      try parse(.error(.unknownColumn(table: "p", column: "cpuu")))
        == json(#"{"type":"error","code":"unknownColumn","reason":"the table p has no column “cpuu”"}"#))
    let fault = QueryFault(.tooLong("too long"), at: ["query.sort[0]", "query.search"])
    #expect(
      try parse(.refused(Refusal(request: 7, fault, shown: 5)))
        == json(
          #"{"type":"error","code":"tooLong","reason":"too long","request":7,"at":["query.sort[0]","query.search"],"shown":5}"#
        ))
    #expect(
      try parse(.refused(Refusal(request: 7, QueryFault(.tooLong("too long")), shown: nil)))
        == json(#"{"type":"error","code":"tooLong","reason":"too long","request":7}"#))
    #expect(ClientError.tooManySessions(limit: 7).code == "tooManySessions")
    #expect(ClientError.wrongVersion(2, supported: 1).reason == "this server speaks version 1 of the protocol, not 2")
  }
}
