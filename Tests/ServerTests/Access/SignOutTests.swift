import Testing

@testable import Server

/// The end of sign-ins, over real sockets.
@Suite struct SignOutTests {
  private let keeper = AccessToken(role: .operator)

  private func client(_ server: RunningServer, _ lines: [String]) throws -> (WebSocketClient, hello: [String: Any]) {
    let origin = ["http://127.0.0.1:\(server.port)"]
    let client = try WebSocketClient(
      port: server.port, lines: WebSocketClient.upgrade(port: server.port, origin: origin, extra: lines))
    client.send(#"{"type":"hello","version":1}"#)
    return (client, try client.message("hello"))
  }

  @Test func `signing out closes all connections of one browser only`() throws {
    let server = try RunningServer { $0.tokens = [keeper] }
    let (cookie, otherCookie) = (
      "Cookie: rowcast-\(server.port)=\(keeper.cookie)", "Cookie: rowcast-\(server.port)=\(keeper.cookie)"
    )
    let (one, hello) = try client(server, [cookie])
    let (two, _) = try client(server, [cookie])
    let (other, _) = try client(server, [otherCookie])
    let (bearer, bearerHello) = try client(server, ["Authorization: Bearer \(keeper.text)"])
    #expect(hello["signedIn"] as? Bool == true && bearerHello["signedIn"] == nil)
    #expect(server.control.signIns.all.count == 2)
    one.send(#"{"type":"signOut"}"#)
    #expect(one.closeCode() == 1008 && two.closeCode() == 1008)
    #expect(try HTTPAnswer.get("/metrics", port: server.port, headers: [cookie])?.status == 401)
    #expect(try HTTPAnswer.get("/metrics", port: server.port, headers: [otherCookie])?.status == 200)
    // Their connections still answer; one without a sign-in has none to end.
    for client in [other, bearer] {
      client.send(#"{"type":"name","id":1,"rows":[]}"#)
    }
    bearer.send(#"{"type":"signOut"}"#)
    #expect(bearer.closeCode() == 1008)
    #expect(server.control.signIns.all.map(\.isEnded).sorted { !$0 && $1 } == [false, true])
  }

  @Test func `a sign-in that another process ends closes its connections`() throws {
    let server = try RunningServer { $0.tokens = [keeper] }
    let cookie = "Cookie: rowcast-\(server.port)=\(keeper.cookie)"
    let (one, _) = try client(server, [cookie])
    var signIns = server.control.signIns
    let id = try #require(signIns.all.first?.id)
    signIns.end(id)
    server.control.merge(signIns)
    #expect(one.closeCode() == 1008)
    #expect(try HTTPAnswer.get("/metrics", port: server.port, headers: [cookie])?.status == 401)
  }
}
