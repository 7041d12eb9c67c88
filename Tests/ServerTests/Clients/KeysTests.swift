import Foundation
import ListEngine
import Testing

@testable import Server

/// Tests of requests for the keys of rows, over real sockets.
@Suite struct KeysTests {
  private func rows(_ message: [String: Any]) throws -> [[Any]] { try #require(message["rows"] as? [[Any]]) }
  private func ids(_ message: [String: Any]) throws -> [Int?] { try rows(message).map { $0[0] as? Int } }

  /// Two successive servers give the same rows different IDs.
  @Test func `locates a row by its key on a restarted server`() throws {
    let first = try RunningServer()
    _ = first.addNumbers(50)
    let client = try WebSocketClient(port: first.port)
    client.send(#"{"type":"hello","version":1,"client":"test"}"#)
    _ = try client.message("hello")
    client.send(#"{"type":"open","table":"numbers","request":1}"#)
    let items = try #require(try client.message("window")["items"] as? [[Any]])
    let ids = try items.prefix(3).map { try #require($0[0] as? Int) }
    client.send(#"{"type":"name","id":5,"rows":[\#(ids[2]),\#(ids[0]),4503599627370496]}"#)
    let named = try client.message("named")
    #expect(named["id"] as? Int == 5)
    #expect(try self.ids(named) == [ids[2], ids[0]], "what is not there is left out")
    let keys = try rows(named).map { $0[1] as? Int }

    let second = try RunningServer()
    let inlet = second.addNumbers(0)
    inlet.report(.changes(RunningServer.rows(40..<50, name: "first")))
    inlet.report(.changes(RunningServer.rows(0..<40, name: "then")))
    let again = try WebSocketClient(port: second.port)
    again.send(#"{"type":"hello","version":1,"client":"test"}"#)
    _ = try again.message("hello")
    again.send(#"{"type":"open","table":"numbers","request":1}"#)
    #expect(try again.message("window")["total"] as? Int == 50)
    again.send(#"{"type":"locate","id":6,"keys":[\#(try #require(keys[0])),77,"x"]}"#)
    let located = try again.message("located")
    #expect(located["id"] as? Int == 6)
    let found = try #require(try rows(located).first)
    #expect(try rows(located).count == 1)
    #expect(found[0] as? Int == keys[0])
    #expect(found[2] as? Int == 12)
  }

  @Test func `omits rows whose keys exceed 256 bytes`() throws {
    let server = try RunningServer()
    let inlet = server.control.addSource("texts")
    inlet.report(.schema(Schema(name: "texts", key: .text, columns: [Column("value", .integer)])))
    var changes = Changeset()
    for key in [String(repeating: "k", count: 256), String(repeating: "l", count: 257)] {
      changes.upsert(.text(key), [.integer(1)])
    }
    inlet.report(.changes(changes))
    inlet.report(.state(.live, message: ""))
    let client = try WebSocketClient(port: server.port)
    client.send(#"{"type":"hello","version":1,"client":"test"}"#)
    _ = try client.message("hello")
    client.send(#"{"type":"open","table":"texts","request":1}"#)
    let items = try #require(try client.message("window")["items"] as? [[Any]])
    let ids = items.compactMap { $0[0] as? Int }
    #expect(ids.count == 2)
    client.send(#"{"type":"name","id":1,"rows":[\#(ids[0]),\#(ids[1])]}"#)
    #expect(try self.ids(client.message("named")) == [ids[0]])
  }

  @Test func `refuses name and locate before a table is open`() throws {
    let server = try RunningServer()
    for message in [#"{"type":"name","id":1,"rows":[1]}"#, #"{"type":"locate","id":1,"keys":[1]}"#] {
      let client = try WebSocketClient(port: server.port)
      client.send(#"{"type":"hello","version":1,"client":"test"}"#)
      _ = try client.message("hello")
      client.send(message)
      #expect(try client.message("error")["code"] as? String == "unexpectedMessage")
    }
  }

  @Test func `answers locate while the client is paused`() throws {
    let server = try RunningServer()
    _ = server.addNumbers(10)
    let client = try WebSocketClient.open("numbers", port: server.port)
    client.send(#"{"type":"pause","paused":true}"#)
    client.send(#"{"type":"locate","id":9,"keys":[3]}"#)
    #expect(try rows(client.message("located")).first?[2] as? Int == 3)
  }
}
