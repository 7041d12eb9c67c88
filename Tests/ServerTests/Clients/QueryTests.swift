import Foundation
import Testing

@testable import Server

/// Tests of the limits on clients that share a server.
@Suite struct QueryTests {
  private func metric(_ name: String, _ server: RunningServer) throws -> Int {
    let answer = try #require(try HTTPAnswer.get("/metrics", port: server.port))
    let line = String(decoding: answer.body, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("\(name) ") }
    return try #require(line?.split(separator: " ").last.flatMap { Int($0) })
  }

  /// Evaluates a condition until it holds; returns `false` if it does not hold in time.
  private func comes(_ isWanted: () throws -> Bool) rethrows -> Bool {
    let deadline = RawSocket.now() + RawSocket.patience
    while RawSocket.now() < deadline { if try isWanted() { return true } }
    return false
  }

  private func queries(_ numbers: ClosedRange<Int>) -> [UInt8] {
    numbers.flatMap { number in
      WebSocketClient.frame(
        opcode: 1, Array(#"{"type":"query","request":\#(number),"query":{"search":"\#(number)"}}"#.utf8))
    }
  }

  @Test func `answers only the last of queries received together`() throws {
    let server = try RunningServer()
    _ = server.addNumbers(100)
    let client = try WebSocketClient.open("numbers", port: server.port)
    #expect(client.socket.send(queries(2...21)))
    client.send(#"{"type":"ack","seq":1}"#)
    #expect(try client.message("window")["request"] as? Int == 21)
    // The queries arrive together, or in a few pieces on a slow machine.
    #expect(try metric("rowcast_queries_overtaken_total", server) >= 10)
    client.send(#"{"type":"ack","seq":2}"#)
    client.send(#"{"type":"query","request":22,"query":{}}"#)
    #expect(try client.message("window")["request"] as? Int == 22, "one by itself is answered")
  }

  @Test func `a locate after a query uses the new query's order`() throws {
    let server = try RunningServer()
    _ = server.addNumbers(5_000)
    let client = try WebSocketClient.open("numbers", port: server.port)
    client.send(#"{"type":"ack","seq":1}"#)
    let query = #"{"type":"query","request":2,"query":{"sort":[{"column":"n","descending":true}]}}"#
    let both = [query, #"{"type":"locate","id":7,"keys":[4999]}"#]
    #expect(client.socket.send(both.flatMap { WebSocketClient.frame(opcode: 1, Array($0.utf8)) }))
    let located = try client.message("located")
    #expect(((located["rows"] as? [[Any]])?.first?.last as? Int) == 0, "\(located)")
  }

  @Test func `queries on a large table count as several messages`() throws {
    func pauses(rows: Int) throws -> Int {
      let server = try RunningServer {
        $0.messageRate = 1
        $0.messageBurst = 100
        $0.messagePause = .milliseconds(1)
      }
      let inlet = server.addNumbers(10)
      for start in stride(from: 10, to: rows, by: 10_000) {
        inlet.report(.changes(RunningServer.rows(start..<min(rows, start + 10_000))))
      }
      let client = try WebSocketClient.open("numbers", port: server.port)
      client.send(#"{"type":"ack","seq":1}"#)
      // All rows have arrived when the last one is found.
      client.send(#"{"type":"locate","id":1,"keys":[\#(rows - 1)]}"#)
      while (try client.message("located")["rows"] as? [Any])?.isEmpty != false {
        client.send(#"{"type":"locate","id":1,"keys":[\#(rows - 1)]}"#)
      }
      #expect(client.socket.send(queries(2...40)))
      #expect(try client.message("window")["request"] as? Int == 40)
      return try metric("rowcast_message_pauses_total", server)
    }
    #expect(try pauses(rows: 10) == 0)
    #expect(try pauses(rows: 3 * Server.rowsPerMessage) > 0)
  }

  @Test func `one token cannot use up the sessions of another`() throws {
    let (one, other) = (AccessToken(role: .viewer), AccessToken(role: .operator))
    let server = try RunningServer {
      $0.tokens = [one, other]
      $0.sessionsPerToken = 2
    }
    func client(_ token: AccessToken) throws -> WebSocketClient {
      let lines = WebSocketClient.upgrade(port: server.port, extra: ["Authorization: Bearer \(token.text)"])
      return try WebSocketClient(port: server.port, lines: lines)
    }
    let held = [try client(one), try client(one)]
    for client in held {
      client.send(#"{"type":"hello","version":1}"#)
      _ = try client.message("hello")
    }
    let refusal = try client(one).refusal()
    #expect(refusal.error == "tooManySessions" && refusal.close == 1008)
    let another = try client(other)
    another.send(#"{"type":"hello","version":1}"#)
    _ = try another.message("hello")
    held[0].send(opcode: 8, [0x03, 0xE8])
    #expect(held[0].closeCode() == 1000)
    let next = try client(one)
    next.send(#"{"type":"hello","version":1}"#)
    _ = try next.message("hello")
  }

  @Test func `one token cannot use up the views of another`() throws {
    let (one, other) = (AccessToken(role: .viewer), AccessToken(role: .operator))
    let server = try RunningServer {
      $0.tokens = [one, other]
      $0.limits.views = 4
    }
    let inlet = server.addNumbers(10)
    func ask(_ number: Int, _ token: AccessToken) throws -> [String: Any]? {
      let lines = WebSocketClient.upgrade(port: server.port, extra: ["Authorization: Bearer \(token.text)"])
      let client = try WebSocketClient(port: server.port, lines: lines)
      client.send(#"{"type":"hello","version":1}"#)
      _ = try client.message("hello")
      client.send(#"{"type":"open","table":"numbers","request":1,"query":{"search":"\#(number)"}}"#)
      clients.append(client)
      return number == 3 ? try client.message("error") : try client.message("window")
    }
    var clients: [WebSocketClient] = []
    _ = try ask(1, one)
    _ = try ask(2, one)
    #expect(try ask(3, one)?["code"] as? String == "tooManyViews")
    _ = try ask(4, other)
    withExtendedLifetime(inlet) {}
  }

  @Test func `one token cannot use up the exports of another`() throws {
    let (one, other) = (AccessToken(role: .viewer), AccessToken(role: .operator))
    let server = try RunningServer { $0.tokens = [one, other] }
    let inlet = server.addNumbers(10)
    for start in stride(from: 10, to: 200_000, by: 10_000) {
      inlet.report(.changes(RunningServer.rows(start..<start + 10_000)))
    }
    func headers(_ token: AccessToken) -> [String] { ["Authorization: Bearer \(token.text)"] }
    func status(_ token: AccessToken) throws -> Int? {
      try HTTPAnswer.get("/tables/numbers.csv?search=nothing", port: server.port, headers: headers(token))?.status
    }
    #expect(try comes { try status(one) == 200 })
    var held = try (0..<ServerConfiguration.standardExportShare).map { _ in
      let socket = try RawSocket(port: server.port)
      socket.send("GET /tables/numbers.csv HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\(headers(one)[0])\r\n\r\n")
      #expect(socket.receive(until: RawSocket.now() + RawSocket.patience))
      return socket
    }
    #expect(try status(one) == 503)
    #expect(try status(other) == 200)
    held.removeAll()
    #expect(try comes { try status(one) == 200 })
  }

  @Test func `shares depend on the number of tokens unless configured`() throws {
    let (one, other) = (AccessToken(role: .viewer), AccessToken(role: .operator))
    var configuration = ServerConfiguration()
    configuration.tokens = [one]
    #expect(configuration.sessionShare == configuration.sessionLimit)
    #expect(configuration.exportShare == Server.greatestExportCount)
    configuration.tokens = [one, other]
    #expect(configuration.sessionShare == 5_000 && configuration.exportShare == 4)
    (configuration.sessionsPerToken, configuration.exportsPerToken) = (7, 3)
    #expect(configuration.sessionShare == 7 && configuration.exportShare == 3)
    configuration.tokens = [one]
    #expect(configuration.sessionShare == 7 && configuration.exportShare == 3, "the operator has the last word")
  }

  @Test func `export shares change when a token is added at run time`() throws {
    let (one, other) = (AccessToken(role: .viewer), AccessToken(role: .operator))
    let server = try RunningServer { $0.tokens = [one] }
    let inlet = server.addNumbers(10)
    for start in stride(from: 10, to: 200_000, by: 10_000) {
      inlet.report(.changes(RunningServer.rows(start..<start + 10_000)))
    }
    let authorization = "Authorization: Bearer \(one.text)"
    func status() throws -> Int? {
      try HTTPAnswer.get("/tables/numbers.csv?search=nothing", port: server.port, headers: [authorization])?.status
    }
    #expect(try comes { try status() == 200 })
    let request = "GET /tables/numbers.csv HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\(authorization)\r\n\r\n"
    let held = try (0..<ServerConfiguration.standardExportShare).map { _ in
      let socket = try RawSocket(port: server.port)
      socket.send(request)
      #expect(socket.receive(until: RawSocket.now() + RawSocket.patience))
      return socket
    }
    #expect(try status() == 200, "the only token may have more than the share of one of several")
    server.control.change(
      ServerChanges(tokens: [one, other], isReadOnly: false, publicURLs: [], interval: .milliseconds(300)))
    #expect(try comes { try status() == 503 })
    withExtendedLifetime(held) {}
  }

  @Test(arguments: [true, false])
  func `cancels exports beyond their time limit or below their rate`(_ isTime: Bool) throws {
    let server = try RunningServer {
      if isTime {
        $0.exportPace.longest = .zero
      } else {
        ($0.exportPace.grace, $0.exportPace.leastRate) = (.zero, .max)
      }
    }
    let inlet = server.addNumbers(10)
    for start in stride(from: 10, to: 200_000, by: 10_000) {
      inlet.report(.changes(RunningServer.rows(start..<start + 10_000)))
    }
    // All rows have arrived when the last one is found.
    let client = try WebSocketClient.open("numbers", port: server.port)
    client.send(#"{"type":"locate","id":1,"keys":[199999]}"#)
    while (try client.message("located")["rows"] as? [Any])?.isEmpty != false {
      client.send(#"{"type":"locate","id":1,"keys":[199999]}"#)
    }
    let socket = try RawSocket(port: server.port)
    socket.send("GET /tables/numbers.csv HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
    let bytes = try #require(socket.readToEnd(within: RawSocket.patience))
    #expect(!bytes.suffix(5).elementsEqual("0\r\n\r\n".utf8), "a file that was given up has no last chunk")
    #expect(try metric("rowcast_downloads_given_up_total", server) == 1)
  }
}
