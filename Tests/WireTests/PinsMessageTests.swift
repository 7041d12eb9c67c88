import ListEngine
import Testing
import Wire

/// The `pins` messages of clients and of the server.
@Suite struct PinsMessageTests {
  private func decode(_ json: String) throws(ClientError) -> ClientMessage {
    try ClientMessage(decoding: Array(json.utf8))
  }

  @Test func `the keys of pinned rows are numbers or texts`() throws {
    #expect(try decode(#"{"type":"pins","id":3,"keys":[17,"a"]}"#) == .pins(id: 3, [.integer(17), .text("a")]))
    #expect(try decode(#"{"type":"pins","id":4,"keys":[]}"#) == .pins(id: 4, []))
  }

  @Test(arguments: [
    #"{"type":"pins","id":3,"keys":7}"#, #"{"type":"pins","keys":[1]}"#, #"{"type":"pins","id":3,"keys":[1.5]}"#,
    #"{"type":"pins","id":3,"keys":[1,2,3,4,5,6,7,8,9,10,11]}"#,
  ])
  func `decoding refuses malformed keys and more than ten`(_ json: String) {
    #expect(throws: ClientError.self) { try decode(json) }
  }

  @Test func `a table without rows to pin reports the reason`() {
    let reports = PinReports(id: 7, rows: [], error: .remainderTooLarge("no"))
    #expect(
      String(decoding: ServerMessage.pins(reports).encoded, as: UTF8.self)
        == #"{"type":"pins","id":7,"rows":[],"error":{"code":"remainderTooLarge","reason":"no"}}"#)
  }
}
