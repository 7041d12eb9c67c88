import ListEngine
import Testing

@testable import Server

/// Tests of the messages that clients may send, and of their limits.
@Suite struct MessageTests {
  @Test func `a client receives hello and the rows of the table it opens`() throws {
    let server = try RunningServer()
    _ = server.addNumbers(100)
    let client = try WebSocketClient(port: server.port)
    client.send(#"{"type":"hello","version":1,"client":"test"}"#)
    let hello = try client.message("hello")
    #expect(hello["epoch"] as? String == "test")
    #expect(hello["version"] as? Int == 1)
    client.send(#"{"type":"open","table":"numbers","request":5,"viewport":{"first":0,"count":10}}"#)
    var window = try client.message("window")
    if window["total"] as? Int == 0 {
      // The client was faster than the source.
      client.send(#"{"type":"ack","seq":1}"#)
      window = try client.message("patch")
    }
    #expect(window["request"] as? Int == 5)
    #expect(window["total"] as? Int == 100)
  }

  @Test func `refuses an invalid first message with an error and 1008`() throws {
    let server = try RunningServer()
    for (text, code) in [
      ("", "unreadableMessage"), ("{", "unreadableMessage"), ("[]", "unreadableMessage"),
      ("hello", "unreadableMessage"),
      (#"{"type":"jump"}"#, "unknownType"), (#"{"type":"hello","version":2}"#, "wrongVersion"),
      (#"{"type":"ack","seq":1}"#, "unexpectedMessage"),
      (#"{"type":"open","table":"numbers","request":1}"#, "unexpectedMessage"),
      (#"{"type":"hello"}"#, "unreadableMessage"), (#"{"type":"hello","version":"1"}"#, "unreadableMessage"),
    ] {
      let client = try WebSocketClient(port: server.port)
      client.send(text)
      let refusal = try client.refusal()
      #expect(refusal.error == code, "\(text)")
      #expect(refusal.close == 1008, "\(text)")
    }
  }

  @Test func `refuses a second hello and messages that need an open table`() throws {
    let server = try RunningServer()
    _ = server.addNumbers(10)
    for text in [
      #"{"type":"hello","version":1}"#, #"{"type":"ack","seq":1}"#, #"{"type":"query","request":1}"#,
      #"{"type":"viewport","seq":0,"first":0,"count":1}"#, #"{"type":"resync","seq":0}"#,
      #"{"type":"pace","interval":1}"#,
      #"{"type":"visibility","hidden":true}"#, #"{"type":"pause","paused":true}"#,
      #"{"type":"hold","held":true}"#,
    ] {
      let client = try WebSocketClient.greeted(port: server.port)
      client.send(text)
      let refusal = try client.refusal()
      #expect(refusal.error == "unexpectedMessage", "\(text)")
      #expect(refusal.close == 1008, "\(text)")
    }
  }

  @Test func `refuses an unknown column and waits for an unknown table`() throws {
    let server = try RunningServer()
    _ = server.addNumbers(10)
    let wrong = try WebSocketClient.greeted(port: server.port)
    wrong.send(#"{"type":"open","table":"numbers","request":1,"query":{"sort":[{"column":"nope"}]}}"#)
    let refusal = try wrong.message("error")
    #expect(refusal["code"] as? String == "unknownColumn" && refusal["request"] as? Int == 1)
    #expect(refusal["at"] as? [String] == ["query.sort[0]"] && refusal["shown"] == nil)
    // The socket stays open, so that another query of the same table can follow.
    wrong.send(#"{"type":"query","request":2,"query":{"sort":[{"column":"nope2"}],"search":"x"}}"#)
    #expect(try wrong.message("error")["request"] as? Int == 2)
    wrong.send(#"{"type":"query","request":3}"#)
    #expect(try wrong.message("window")["request"] as? Int == 3)
    let early = try WebSocketClient.greeted(port: server.port)
    early.send(#"{"type":"open","table":"later","request":3}"#)
    _ = server.addNumbers(5, name: "later")
    #expect(try early.message("tables")["tables"] != nil)
    #expect(try early.message("window")["request"] as? Int == 3)
  }

  @Test func `an invalid message closes only its own connection`() throws {
    let server = try RunningServer()
    let inlet = server.addNumbers(10)
    let good = try WebSocketClient.open("numbers", port: server.port)
    good.send(#"{"type":"ack","seq":1}"#)
    for text in ["{", #"{"type":"query","request":"1"}"#, #"{"type":"pace","interval":-1}"#] {
      let bad = try WebSocketClient.open("numbers", port: server.port)
      bad.send(text)
      #expect(try bad.refusal().close == 1008)
    }
    inlet.report(.changes(RunningServer.rows(0..<1, name: "changed")))
    #expect(try good.message("patch")["base"] as? Int == 1)
  }

  /// Each refused query is answered by its number, and the table stays as it was.
  @Test(arguments: [
    (#"{"sort":[{"column":"nope"}]}"#, "unknownColumn", ["query.sort[0]"]),
    (#"{"sort":[{"column":"n"},{"columns":7}]}"#, "unreadableMessage", ["query.sort[1]"]),
    (#"{"group":["n","name","a","b","c"]}"#, "tooLong", ["query.group"]),
    (#"{"group":["n",7]}"#, "unreadableMessage", ["query.group[1]"]),
    (#"{"aggregates":[{"column":"n","function":"mode"}]}"#, "outOfRange", ["query.aggregates[0]"]),
    (#"{"filter":{"column":"name","op":"matches","value":"a{1000}"}}"#, "unreadableMessage", ["query.filter"]),
    (#"{"filter":{"all":[{"column":"n","op":"about"}]}}"#, "unreadableMessage", ["query.filter"]),
    (#"{"filter":{"all":[{"column":"n","op":"=","value":"x"}]}}"#, "unreadableMessage", ["query.filter.all[0]"]),
    (#"{"collapsed":[7]}"#, "unreadableMessage", ["query.collapsed"]), (#"7"#, "unreadableMessage", []),
  ]) func `a refused query is answered, and the shown query continues`(
    _ query: String, _ code: String, _ at: [String]
  ) throws {
    let server = try RunningServer()
    let inlet = server.addNumbers(100)
    let client = try WebSocketClient.greeted(port: server.port)
    client.send(
      #"{"type":"open","table":"numbers","request":4,"interval":0,"query":{"sort":[{"column":"n","descending":true}]}}"#
    )
    #expect(try client.message("window")["request"] as? Int == 4)
    client.send(#"{"type":"ack","seq":1}"#)
    client.send(#"{"type":"query","request":5,"query":\#(query)}"#)
    let refusal = try client.message("error")
    #expect(refusal["code"] as? String == code)
    #expect(refusal["request"] as? Int == 5 && refusal["shown"] as? Int == 4)
    #expect(refusal["at"] as? [String] ?? [] == at)
    #expect((refusal["reason"] as? String)?.isEmpty == false)
    inlet.report(.changes(RunningServer.rows(99..<100, name: "changed")))
    let patch = try client.message("patch")
    #expect(patch["request"] as? Int == 4 && patch["base"] as? Int == 1)
    client.send(#"{"type":"ack","seq":2}"#)
    client.send(#"{"type":"query","request":6}"#)
    #expect(try client.message("window")["request"] as? Int == 6)
  }

  @Test func `accepts a message of 65,536 bytes and closes on a larger one`() throws {
    let server = try RunningServer()
    func hello(_ count: Int) -> [UInt8] {
      let text = #"{"type":"hello","version":1,"x":""#
      return Array(text.utf8) + [UInt8](repeating: 0x78, count: count - text.utf8.count - 2) + Array(#""}"#.utf8)
    }
    let largest = try WebSocketClient(port: server.port)
    largest.send(opcode: 1, hello(65_536))
    #expect(try largest.message("hello")["version"] as? Int == 1)
    let larger = try WebSocketClient(port: server.port)
    larger.send(opcode: 1, hello(65_537))
    #expect(larger.closeCode() == 1009)
    // Split into pieces below the limit.
    let pieces = try WebSocketClient(port: server.port)
    let bytes = hello(70_000)
    pieces.send(opcode: 1, Array(bytes[..<35_000]), isFinal: false)
    pieces.send(opcode: 0, Array(bytes[35_000...]))
    #expect(pieces.closeCode() == 1009)
  }

  @Test func `closes as soon as a frame declares too many bytes`() throws {
    let server = try RunningServer()
    for length: UInt64 in [65_537, 1 << 20, 1 << 32, 1 << 62] {
      let client = try WebSocketClient(port: server.port)
      client.socket.send(WebSocketClient.frame(opcode: 1, Array("{".utf8), declaring: length))
      let code = client.closeCode()
      #expect(code == 1009 || code == 1006, "\(length): \(String(describing: code))")
    }
  }

  @Test func `accepts a message of 64 frames and closes on more`() throws {
    let server = try RunningServer()
    let text = Array(#"{"type":"hello","version":1}"#.utf8) + [UInt8](repeating: 0x20, count: 64 - 28)
    #expect(text.count == 64)
    let most = try WebSocketClient(port: server.port)
    for (index, byte) in text.enumerated() { most.send(opcode: index == 0 ? 1 : 0, [byte], isFinal: index == 63) }
    #expect(try most.message("hello")["version"] as? Int == 1)
    for payload in [[0x20], []] as [[UInt8]] {
      let endless = try WebSocketClient(port: server.port)
      for index in 0..<70 { endless.send(opcode: index == 0 ? 1 : 0, payload, isFinal: false) }
      #expect(endless.closeCode() == 1009, "\(payload.count) bytes each")
    }
  }

  @Test func `closes a connection that sends endless fragments`() throws {
    let server = try RunningServer()
    for payload in [[0x20], []] as [[UInt8]] {
      let client = try WebSocketClient(port: server.port)
      client.send(opcode: 1, payload, isFinal: false)
      let thousand = (0..<1_000).flatMap { _ in WebSocketClient.frame(opcode: 0, payload, isFinal: false) }
      var rounds = 0
      while rounds < 1_000, client.socket.send(thousand) { rounds += 1 }
      #expect(rounds < 1_000, "a million fragments of \(payload.count) bytes were taken")
    }
    #expect(try HTTPAnswer.get("/", port: server.port)?.status == 200)
  }

  @Test func `refuses invalid UTF-8 and binary messages`() throws {
    let server = try RunningServer()
    for bytes in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]] {
      let client = try WebSocketClient(port: server.port)
      client.send(opcode: 1, Array(#"{"type":"hello","version":1,"client":""#.utf8) + bytes + Array(#""}"#.utf8))
      #expect(client.closeCode() == 1007)
    }
    let binary = try WebSocketClient(port: server.port)
    binary.send(opcode: 2, Array(#"{"type":"hello","version":1}"#.utf8))
    #expect(binary.closeCode() == 1003)
  }

  @Test func `closes a connection without a timely hello`() throws {
    let server = try RunningServer { $0.helloTimeout = .milliseconds(50) }
    let silent = try WebSocketClient(port: server.port)
    let refusal = try silent.refusal()
    #expect(refusal.error == "unexpectedMessage")
    #expect(refusal.close == 1008)
    // A client that has sent its `hello` may be silent. On a busy machine its `hello` may arrive
    // too late.
    var greeted: WebSocketClient?
    let deadline = RawSocket.now() + RawSocket.patience
    while greeted == nil, RawSocket.now() < deadline { greeted = try? WebSocketClient.greeted(port: server.port) }
    #expect(try #require(greeted).frame(within: 0.3) == nil)
  }

  @Test func `closes a client that floods, without affecting another one`() throws {
    let server = try RunningServer {
      $0.messageRate = 100
      $0.messageBurst = 200
      $0.messagePause = .milliseconds(20)
    }
    _ = server.addNumbers(10)
    let other = try WebSocketClient.open("numbers", port: server.port)
    let flooder = try WebSocketClient.open("numbers", port: server.port)
    let hundred = (0..<100).flatMap { _ in WebSocketClient.frame(opcode: 1, Array(#"{"type":"ack","seq":999}"#.utf8)) }
    var sent = 0
    var last: WebSocketClient.Frame?
    let refusal = WebSocketClient.Frame.close(code: 1008, reason: "too many messages")
    while sent < 5_000_000, flooder.socket.send(hundred, within: 30) {
      sent += 100
      last = flooder.frame(within: 0)
      if case .close = last { break }
    }
    // The client may have been refused and disconnected while it was still sending.
    while last != refusal, let next = flooder.frame(within: 30), next != .end { last = next }
    #expect(last == refusal)
    other.send(#"{"type":"ack","seq":1}"#)
    other.send(#"{"type":"query","request":2}"#)
    #expect(try other.message("window")["request"] as? Int == 2, "another page felt it")
  }

  @Test func `refuses clients beyond the session limit`() throws {
    let server = try RunningServer { $0.sessionLimit = 3 }
    let held = try (0..<3).map { _ in try WebSocketClient.greeted(port: server.port) }
    let refused = try WebSocketClient(port: server.port)
    let refusal = try refused.refusal()
    #expect(refusal.error == "tooManySessions")
    #expect(refusal.close == 1008)
    held[0].send(opcode: 8, [0x03, 0xE8])
    #expect(held[0].closeCode() == 1000)
    // The place is free as soon as the server notices the closed connection.
    _ = held[0].socket.readToEnd()
    #expect(try WebSocketClient.greeted(port: server.port).handshake.contains("101"))
  }

  @Test func `answers a ping with its payload`() throws {
    let server = try RunningServer()
    let client = try WebSocketClient.greeted(port: server.port)
    client.send(opcode: 9, Array("x".utf8))
    #expect(client.frame() == .pong(Array("x".utf8)))
  }
}
