import Testing

@testable import Server

/// Tests of slow clients over real sockets.
@Suite struct SlowClientsTests {
  /// A thousand clients that send single bytes, send nothing, or never read the response.
  @Test(arguments: ["GET / HTTP/1.1\r\nHost: 127", "", "GET /index.html HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n"])
  func `serves new clients while 1,000 slow clients are connected`(_ start: String) throws {
    let server = try RunningServer()
    let text = start.replacingOccurrences(of: "PORT", with: "\(server.port)")
    var attackers: [RawSocket] = []
    var waits: [Double] = []
    for _ in 0..<10 {
      while attackers.count < 1_000 {
        let attacker = try RawSocket(port: server.port)
        if !text.isEmpty { attacker.send(text) }
        attackers.append(attacker)
      }
      let started = RawSocket.now()
      // Newcomers may be rejected when many connect at once; a browser tries again until it gets
      // the page.
      while try HTTPAnswer.get("/", port: server.port)?.status != 200, RawSocket.now() - started < 10 {}
      waits.append(RawSocket.now() - started)
      attackers.removeAll { $0.isClosedByNow() }
      for attacker in attackers where !text.isEmpty { attacker.send("x") }
    }
    waits.sort()
    // If slow connections were not closed, this would take at least five seconds; `make slowhttp`
    // measures the time on an idle machine.
    #expect(waits[5] <= 3, "\(waits)")
    #expect(waits[9] <= 6, "\(waits)")
  }

  /// Connections beyond the limit are closed without a response; existing ones continue.
  @Test func `closes connections beyond the accept rate without a response`() throws {
    let server = try RunningServer {
      $0.acceptRate = 1
      $0.acceptBurst = 4
    }
    _ = server.addNumbers(10)
    let started = RawSocket.now()
    let client = try WebSocketClient.open("numbers", port: server.port)
    let others = try (0..<60).map { _ in try RawSocket(port: server.port) }
    let closed = others.compactMap { $0.readToEnd(within: 0.5) }
    // On a slow machine, one more connection per second was accepted.
    let room = 3 + Int(RawSocket.now() - started) + 1
    #expect(closed.count >= others.count - room && closed.count < others.count, "\(closed.count) of \(others.count)")
    #expect(closed.allSatisfy { $0.isEmpty })
    client.send(#"{"type":"ack","seq":1}"#)
    client.send(#"{"type":"query","request":2}"#)
    #expect(try client.message("window")["request"] as? Int == 2)
  }
}
