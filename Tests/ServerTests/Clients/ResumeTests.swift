import ListEngine
import Testing

@testable import Server

/// Tests of clients that resume on another connection.
@Suite struct ResumeTests {
  private func opened(_ server: RunningServer) throws -> (client: WebSocketClient, token: String, epoch: String) {
    let client = try WebSocketClient(port: server.port)
    client.send(#"{"type":"hello","version":1}"#)
    let hello = try client.message("hello")
    client.send(#"{"type":"open","table":"numbers","request":1}"#)
    _ = try client.message("window")
    client.send(#"{"type":"ack","seq":1}"#)
    return (client, try #require(hello["session"] as? String), try #require(hello["epoch"] as? String))
  }

  private func comeBack(_ server: RunningServer, token: String, epoch: String) throws -> WebSocketClient {
    let client = try WebSocketClient.greeted(port: server.port)
    client.send(
      #"{"type":"open","table":"numbers","request":2,"resume":{"epoch":"\#(epoch)","session":"\#(token)","seq":1}}"#)
    return client
  }

  /// Returns the first message other than the list of sources without a table.
  private func firstRows(_ client: WebSocketClient) throws -> [String: Any] {
    while true {
      let message = try client.message()
      if message["type"] as? String != "sources" { return message }
    }
  }

  @Test func `a client that resumes receives a patch`() throws {
    let server = try RunningServer()
    _ = server.addNumbers(10)
    var (client, token, epoch): (WebSocketClient?, String, String) = try opened(server)
    withExtendedLifetime(client) {}
    client = nil
    let again = try comeBack(server, token: token, epoch: epoch)
    let patch = try firstRows(again)
    #expect(patch["type"] as? String == "patch")
    #expect(patch["base"] as? Int == 1)
    #expect(patch["request"] as? Int == 2)
  }

  @Test func `resuming closes the session's old connection`() throws {
    let server = try RunningServer()
    _ = server.addNumbers(10)
    let (client, token, epoch) = try opened(server)
    let again = try comeBack(server, token: token, epoch: epoch)
    #expect(try firstRows(again)["type"] as? String == "patch")
    #expect(client.closeCode() == 1008)
  }

  @Test func `a wrong token or epoch yields a window instead of a patch`() throws {
    let server = try RunningServer()
    _ = server.addNumbers(10)
    let (client, token, epoch) = try opened(server)
    for (token, epoch) in [("1", epoch), (String(token.reversed()), epoch), (token, "another")] {
      let again = try comeBack(server, token: token, epoch: epoch)
      #expect(try firstRows(again)["type"] as? String == "window")
    }
    // The session of the other client is not affected, either.
    client.send(#"{"type":"query","request":9}"#)
    #expect(try client.message("window")["request"] as? Int == 9)
  }

  @Test func `a reported window continues with a patch, without a session`() throws {
    let server = try RunningServer()
    _ = server.addNumbers(10)
    let client = try WebSocketClient.greeted(port: server.port)
    client.send(#"{"type":"open","table":"numbers","request":1}"#)
    let window = try firstRows(client)
    let items = try #require(window["items"] as? [[Any]])
    let rows = items.map { "\($0[0]),\($0[1])" }.joined(separator: ",")
    for (epoch, kind) in [(try #require(window["epoch"] as? String), "patch"), ("another", "window")] {
      let again = try WebSocketClient.greeted(port: server.port)
      again.send(
        #"{"type":"open","table":"numbers","request":2,"resume":{"epoch":"\#(epoch)","session":"unknown","seq":5,"#
          + #""window":{"start":0,"total":10,"rows":[\#(rows)]}}}"#)
      let answer = try firstRows(again)
      #expect(answer["type"] as? String == kind)
      if kind == "patch" {
        #expect(answer["base"] as? Int == 5)
        #expect(answer["inserted"] == nil && answer["digest"] as? Int == window["digest"] as? Int)
      }
    }
    withExtendedLifetime(client) {}
  }

  @Test func `each session has a unique token of 32 characters`() throws {
    let server = try RunningServer()
    _ = server.addNumbers(10)
    let tokens = try (0..<5).map { _ in try opened(server).token }
    #expect(Set(tokens).count == 5)
    #expect(tokens.allSatisfy { $0.count == 32 })
  }

  @Test func `keeps the tokens of a limited number of ended sessions`() {
    var tokens = ResumeTokens(limit: 3)
    let all = (1...5000).map { tokens.make(for: SessionID(rawValue: $0)) }
    #expect(tokens.session(all[0]) == SessionID(rawValue: 1))
    for number: UInt64 in 1...4999 { tokens.leave(SessionID(rawValue: number)) }
    #expect(tokens.count == 4)
    #expect(tokens.session(all[4995]) == nil)
    #expect(tokens.session(all[4996]) == SessionID(rawValue: 4997))
    #expect(tokens.session(all[4999]) == SessionID(rawValue: 5000))
  }
}
