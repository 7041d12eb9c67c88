import Testing

@testable import Server

/// Heartbeats over a real connection.
@Suite struct HeartbeatTests {
  @Test func `a client that wants heartbeats gets them without any change`() throws {
    let server = try RunningServer()
    _ = server.addNumbers(10)
    let client = try WebSocketClient(port: server.port)
    client.send(#"{"type":"hello","version":1,"client":"test","alive":true}"#)
    let hello = try client.message("hello")
    #expect(hello["alive"] as? Int == 1_000)
    for _ in 0..<3 { _ = try client.message("alive") }
  }

  @Test func `a client that does not ask for heartbeats gets none`() throws {
    let server = try RunningServer()
    _ = server.addNumbers(10)
    let asking = try WebSocketClient(port: server.port)
    let client = try WebSocketClient.greeted(port: server.port)
    asking.send(#"{"type":"hello","version":1,"client":"test","alive":true}"#)
    _ = try asking.message("hello")
    // By then the other client would have got one, too.
    for _ in 0..<2 { _ = try asking.message("alive") }
    client.send(opcode: 9, Array("there".utf8))
    while let frame = client.frame() {
      if case .pong = frame { return }
      guard case .text(let text) = frame else { break }
      #expect(!String(decoding: text, as: UTF8.self).contains("alive"))
    }
    Issue.record("the connection is closed")
  }

  @Test func `a hidden page gets no heartbeats`() throws {
    let server = try RunningServer()
    _ = server.addNumbers(10)
    let client = try WebSocketClient(port: server.port)
    client.send(#"{"type":"hello","version":1,"client":"test","alive":true}"#)
    _ = try client.message("hello")
    client.send(#"{"type":"open","table":"numbers","request":1}"#)
    _ = try client.message("window")
    client.send(#"{"type":"ack","seq":1}"#)
    client.send(#"{"type":"visibility","hidden":true}"#)
    let other = try WebSocketClient(port: server.port)
    other.send(#"{"type":"hello","version":1,"client":"test","alive":true}"#)
    _ = try other.message("hello")
    _ = try other.message("alive")
    // One may have been sent before the page was hidden.
    var heartbeats = 0
    for _ in 0..<2 { _ = try other.message("alive") }
    client.send(opcode: 9, Array("there".utf8))
    while let frame = client.frame() {
      if case .pong = frame {
        #expect(heartbeats <= 1)
        return
      }
      guard case .text(let text) = frame else { break }
      if String(decoding: text, as: UTF8.self).contains("alive") { heartbeats += 1 }
    }
    Issue.record("the connection is closed")
  }
}
