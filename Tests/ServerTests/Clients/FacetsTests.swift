import Foundation
import ListEngine
import Testing

@testable import Server

/// Tests of facets over real sockets.
@Suite struct FacetsTests {
  private func opened(_ server: borrowing RunningServer, _ table: String) throws -> WebSocketClient {
    let client = try WebSocketClient(port: server.port)
    client.send(#"{"type":"hello","version":1,"client":"test"}"#)
    _ = try client.message("hello")
    client.send(#"{"type":"open","table":"\#(table)","request":1}"#)
    let sequence = try #require(try client.message("window")["seq"] as? Int)
    client.send(#"{"type":"ack","seq":\#(sequence)}"#)
    return client
  }

  @Test func `a client receives the value counts of its query's rows`() throws {
    let server = try RunningServer()
    let inlet = server.control.addSource("jobs")
    inlet.report(
      .schema(Schema(name: "jobs", key: .integer, columns: [Column("state", .text), Column("size", .integer)])))
    var changes = Changeset()
    for (row, state) in ["new", "late", "late"].enumerated() {
      changes.upsert(.integer(Int64(row)), [.text(state), .integer(Int64(row))])
    }
    inlet.report(.changes(changes))
    inlet.report(.state(.live, message: ""))
    let client = try opened(server, "jobs")
    client.send(#"{"type":"facets","id":3,"facets":[{"column":"state"},{"column":"gone"}]}"#)
    let first = try client.message("facets")
    #expect(first["id"] as? Int == 3)
    let facets = try #require(first["facets"] as? [[String: Any]])
    #expect(facets.map { $0["at"] as? Int } == [0, 1])
    let values = try #require(facets[0]["values"] as? [[Any]])
    #expect(values.map { $0[0] as? String } == ["late", "new"] && values.map { $0[1] as? Int } == [2, 1])
    #expect((facets[1]["error"] as? [String: Any])?["code"] as? String == "unknownColumn")

    client.send(#"{"type":"query","request":2,"query":{"filter":{"column":"size","op":"<","value":2}}}"#)
    let next = try #require(try client.message("facets")["facets"] as? [[String: Any]])
    #expect(next.map { $0["at"] as? Int } == [0])
    #expect((next[0]["values"] as? [[Any]])?.map { $0[1] as? Int } == [1, 1])
  }
}
