import Testing
import Wire

@testable import Server

/// Tests of the messages that a viewer may send.
@Suite struct RoleTests {
  @Test(arguments: [
    #"{"type":"hello","version":1}"#, #"{"type":"open","table":"t","request":1}"#, #"{"type":"query","request":1}"#,
    #"{"type":"collapse","section":1,"collapsed":true}"#, #"{"type":"viewport","seq":1,"first":0,"count":1}"#,
    #"{"type":"ack","seq":1}"#, #"{"type":"resync","seq":1}"#, #"{"type":"pace","interval":1}"#,
    #"{"type":"visibility","hidden":true}"#, #"{"type":"pause","paused":true}"#, #"{"type":"hold","held":true}"#,
    #"{"type":"stats","wanted":true}"#,
  ])
  func `messages other than actions require only the viewer role`(_ message: String) throws {
    #expect(try ClientMessage(decoding: Array(message.utf8)).leastRole == .viewer)
  }

  @Test func `actions require the operator role`() throws {
    let message = #"{"type":"act","id":1,"table":"t","action":"a"}"#
    #expect(try ClientMessage(decoding: Array(message.utf8)).leastRole == .operator)
    #expect(Role.viewer < Role.operator)
  }
}
