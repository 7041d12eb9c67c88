import Foundation
import ListEngine
import Testing

@testable import Server

/// Tests of pinned rows over real sockets.
@Suite struct PinsTests {
  @Test func `a client receives its pinned rows, and their changes`() throws {
    let server = try RunningServer()
    let inlet = server.control.addSource("jobs")
    inlet.report(
      .schema(Schema(name: "jobs", key: .integer, columns: [Column("state", .text), Column("size", .integer)])))
    var changes = Changeset()
    for row in 0..<3 { changes.upsert(.integer(Int64(row)), [.text("new"), .integer(Int64(row))]) }
    inlet.report(.changes(changes))
    inlet.report(.state(.live, message: ""))
    let client = try WebSocketClient(port: server.port)
    client.send(#"{"type":"hello","version":1,"client":"test"}"#)
    _ = try client.message("hello")
    client.send(#"{"type":"open","table":"jobs","request":1,"query":{"filter":{"column":"size","op":"<","value":1}}}"#)
    _ = try client.message("window")
    client.send(#"{"type":"pins","id":3,"keys":[2,9]}"#)
    let first = try client.message("pins")
    #expect(first["id"] as? Int == 3)
    let rows = try #require(first["rows"] as? [[Any]])
    #expect(rows.map { $0[0] as? Int } == [0, 1])
    let cells = try #require((rows[0][1] as? [Any])?[2] as? [Any])
    #expect(cells[0] as? String == "new" && cells[1] as? Int == 2)
    #expect(rows[1][1] is NSNull)

    var gone = Changeset()
    gone.delete(.integer(2))
    inlet.report(.changes(gone))
    let next = try #require(try client.message("pins")["rows"] as? [[Any]])
    #expect(next.count == 1 && next[0][0] as? Int == 0 && next[0][1] is NSNull)
  }
}
