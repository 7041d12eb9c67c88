import Testing

/// Tests of upgrades that crash other servers with this version of libwebsockets.
@Suite struct UpgradeTests {
  private func isAlive(_ server: RunningServer) throws -> Bool {
    try HTTPAnswer.get("/", port: server.port)?.status == 200
      && WebSocketClient.status(of: WebSocketClient.upgrade(port: server.port), port: server.port) == 101
  }

  /// CVE-2025-11677: an unknown upgrade after another request on the connection used freed memory.
  @Test func `refuses an unknown upgrade after another request`() throws {
    let server = try RunningServer()
    let host = "Host: 127.0.0.1:\(server.port)\r\n"
    for upgrade in [
      "foobar", "Foobar, websocket", "websocket, foobar", "websocketx", "", "tls/1.0",
      String(repeating: "x", count: 900),
    ] {
      let first = "GET / HTTP/1.1\r\n\(host)Connection: keep-alive\r\n\r\n"
      let second = "GET / HTTP/1.1\r\n\(host)Connection: Upgrade\r\nUpgrade: \(upgrade)\r\n\r\n"
      for request in [first + second, second, second + second] {
        let answer = try HTTPAnswer.to(request, port: server.port)
        #expect(answer?.status != 101, "\(upgrade)")
      }
      // In two pieces, like a client that waits for the first response.
      let socket = try RawSocket(port: server.port)
      socket.send(first)
      _ = socket.receive(until: RawSocket.now() + RawSocket.patience)
      socket.send(second)
      let rest = try #require(socket.readToEnd(), "the connection stays open")
      #expect(!String(decoding: rest, as: UTF8.self).contains("101 Switching"))
    }
    #expect(try isAlive(server))
  }

  /// CVE-2026-19773: HTTP/2 without TLS, by an upgrade to h2c or with prior knowledge.
  @Test func `refuses HTTP2 by upgrade and by prior knowledge`() throws {
    let server = try RunningServer()
    let upgrade = """
      GET / HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\
      HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n
      """
    #expect(try HTTPAnswer.to(upgrade, port: server.port)?.status != 101)
    let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u{0}\u{0}\u{0}\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}"
    #expect(try HTTPAnswer.to(preface, port: server.port)?.status != 200)
    #expect(try isAlive(server))
  }

  @Test func `refuses upgrades that lack a header or have a wrong method`() throws {
    let server = try RunningServer()
    let whole = WebSocketClient.upgrade(port: server.port)
    for missing in ["Upgrade", "Connection", "Sec-WebSocket-Key"] {
      let lines = whole.filter { !$0.hasPrefix("\(missing):") }
      #expect(try WebSocketClient.status(of: lines, port: server.port) != 101, "without \(missing)")
    }
    for method in ["POST", "PUT", "HEAD", "OPTIONS", "CONNECT", "PRI"] {
      let lines = ["\(method) /ws HTTP/1.1"] + whole.dropFirst()
      #expect(try WebSocketClient.status(of: lines, port: server.port) != 101, "\(method)")
    }
    for body in ["Content-Length: 5", "Transfer-Encoding: chunked", "Content-Length: -1"] {
      #expect(try WebSocketClient.status(of: whole + [body], port: server.port) != 101, "\(body)")
    }
    #expect(try isAlive(server))
  }

  @Test func `keeps running after truncated and corrupted handshakes`() throws {
    let server = try RunningServer()
    let whole = Array((WebSocketClient.upgrade(port: server.port).joined(separator: "\r\n") + "\r\n\r\n").utf8)
    for cut in stride(from: 0, to: whole.count, by: 7) {
      let socket = try RawSocket(port: server.port)
      socket.send(Array(whole[..<cut]))
    }
    var random = SystemRandomNumberGenerator()
    for _ in 0..<300 {
      var mangled = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) { mangled[Int.random(in: mangled.indices)] = random.next() }
      let socket = try RawSocket(port: server.port)
      socket.send(mangled)
    }
    #expect(try isAlive(server))
  }
}
