import Foundation
import ListEngine
import ListTesting
import Testing

@testable import Server

/// Tests that clients that open, resume and are refused in any order leave no state in the engine.
@Suite struct SessionLeakTests {
  /// Returns the number of objects that the engine holds for clients, from the metrics.
  private func held(_ server: RunningServer) throws -> [String: Int] {
    let answer = try #require(try HTTPAnswer.get("/metrics", port: server.port))
    var figures: [String: Int] = [:]
    for line in String(decoding: answer.body, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2, !line.hasPrefix("#") { figures[String(words[0])] = Int(words[1]) }
    }
    let names = [
      "rowcast_sessions", #"rowcast_engine_sessions{state="open"}"#, #"rowcast_engine_views{state="watched"}"#,
    ]
    return Dictionary(uniqueKeysWithValues: names.map { ($0, figures[$0] ?? -1) })
  }

  /// Expects that server and engine release everything after the last client has disconnected.
  private func expectNothingLeft(_ server: RunningServer) throws {
    let deadline = RawSocket.now() + WebSocketClient.longPatience
    var left = try held(server)
    // Each request is one iteration of the server's loop.
    while left["rowcast_sessions"] != 0, RawSocket.now() < deadline { left = try held(server) }
    #expect(left.values.allSatisfy { $0 == 0 }, "\(left)")
  }

  private func greeted(_ server: RunningServer) throws -> (client: WebSocketClient, token: String) {
    let client = try WebSocketClient(port: server.port)
    client.send(#"{"type":"hello","version":1}"#)
    return (client, try #require(try client.message("hello")["session"] as? String))
  }

  private func open(_ token: String? = nil, column: String = "n", request: Int = 1) -> String {
    let resume = token.map { #","resume":{"epoch":"test","session":"\#($0)","seq":1}"# } ?? ""
    return
      #"{"type":"open","table":"numbers","request":\#(request),"query":{"sort":[{"column":"\#(column)"}]}\#(resume)}"#
  }

  @Test func `metrics count the engine's sessions and views`() throws {
    let server = try RunningServer()
    _ = server.addNumbers(10)
    let clients = try (0..<3).map { try WebSocketClient.open("numbers", port: server.port, count: 10 + $0) }
    let found = try held(server)
    #expect(found[#"rowcast_engine_sessions{state="open"}"#] == 3)
    #expect(found[#"rowcast_engine_views{state="watched"}"#] == 1)
    withExtendedLifetime(clients) {}
  }

  @Test(arguments: [true, false]) func `a session cannot resume itself`(_ hasOpened: Bool) throws {
    let server = try RunningServer()
    _ = server.addNumbers(10)
    var (client, token): (WebSocketClient?, String) = try greeted(server)
    if hasOpened {
      client?.send(open())
      _ = try client?.message("window")
    }
    client?.send(open(token, request: 2))
    let refusal = try client?.refusal()
    #expect(refusal?.error == "unexpectedMessage" && refusal?.close == 1008)
    client = nil
    try expectNothingLeft(server)
  }

  @Test func `a session resumed by a second open leaves no session or view`() throws {
    let server = try RunningServer()
    _ = server.addNumbers(10)
    var (first, token): (WebSocketClient?, String) = try greeted(server)
    first?.send(open())
    _ = try first?.message("window")
    var (second, _): (WebSocketClient?, String) = try greeted(server)
    second?.send(open())
    _ = try second?.message("window")
    second?.send(open(token, request: 2))
    #expect(first?.closeCode() == 1008)
    (first, second) = (nil, nil)
    try expectNothingLeft(server)
  }

  @Test func `an open sent with a refused one leaves no session or view`() throws {
    let server = try RunningServer()
    _ = server.addNumbers(10)
    var (client, _): (WebSocketClient?, String) = try greeted(server)
    let frames = [open(column: "nothing"), open(request: 2)].flatMap {
      WebSocketClient.frame(opcode: 1, Array($0.utf8))
    }
    client?.socket.send(frames)
    _ = try client?.message("error")
    client = nil
    try expectNothingLeft(server)
  }

  /// Clients send several of these messages in one segment, in random order.
  @Test(arguments: 0..<6) func `random opens, resumes and refusals leave no session or view`(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let server = try RunningServer()
    _ = server.addNumbers(10)
    var clients: [WebSocketClient] = []
    var tokens: [String] = []
    for _ in 0..<60 {
      if clients.isEmpty || random.oneIn(3) {
        let (client, token) = try greeted(server)
        clients.append(client)
        tokens.append(token)
      }
      let client = clients.randomElement(using: &random)!
      let frames = (0..<random.number(1...3)).flatMap { _ in
        let said =
          switch random.number(0...6) {
          case 0...2: open(random.oneIn(2) ? nil : tokens.randomElement(using: &random))
          case 3: open(column: "nothing")
          case 4:
            #"{"type":"query","request":3,"query":{"sort":[{"column":"\#(random.oneIn(2) ? "name" : "nothing")"}]}}"#
          case 5: #"{"type":"open","table":"nothing","request":1}"#
          default: #"{"type":"nonsense"}"#
          }
        return WebSocketClient.frame(opcode: 1, Array(said.utf8))
      }
      client.socket.send(frames)
      if random.oneIn(4) { clients.remove(at: random.number(0...clients.count - 1)) }
    }
    clients = []
    try expectNothingLeft(server)
  }
}
