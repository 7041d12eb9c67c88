import Testing

@testable import Server

/// Keepalives over a real connection.
@Suite struct KeepaliveConnectionTests {
  @Test func `a client that answers pings with empty pongs stays connected`() throws {
    let server = try RunningServer { $0.patience = .init(silence: .seconds(3), answer: .seconds(2)) }
    _ = server.addNumbers(10)
    let client = try WebSocketClient.open("numbers", port: server.port)
    client.send(#"{"type":"ack","seq":1}"#)
    // The second ping comes later than an unanswered first one would have ended the connection.
    for _ in 0..<2 {
      while let frame = client.frame() {
        guard case .ping = frame else {
          if case .text = frame { continue }
          Issue.record("\(frame) instead of a ping")
          return
        }
        client.send(opcode: 10, [])
        break
      }
    }
    client.send(opcode: 9, Array("there".utf8))
    while let frame = client.frame() {
      if case .pong = frame { return }
      guard case .text = frame else { break }
    }
    Issue.record("the connection is closed")
  }
}
