import Testing

@testable import Server

/// Tests of authentication over real sockets.
@Suite struct AccessTests {
  private let keeper = AccessToken(role: .operator)
  private let guest = AccessToken(role: .viewer)

  private func server(_ configure: (inout ServerConfiguration) -> Void = { _ in }) throws -> RunningServer {
    try RunningServer {
      $0.tokens = [keeper, guest]
      configure(&$0)
    }
  }

  private func upgrade(
    _ server: RunningServer, origin: [String] = [], token: AccessToken? = nil, cookie: AccessToken? = nil,
    bearer: AccessToken? = nil
  ) throws -> Int? {
    var extra: [String] = []
    if let cookie { extra.append("Cookie: rowcast-\(server.port)=\(cookie.cookie)") }
    if let bearer { extra.append("Authorization: Bearer \(bearer.text)") }
    let subprotocol = "rowcast.v1" + (token.map { ", rowcast.token.\($0.text)" } ?? "")
    return try WebSocketClient.status(
      of: WebSocketClient.upgrade(port: server.port, origin: origin, subprotocol: subprotocol, extra: extra),
      port: server.port)
  }

  @Test func `a login link sets a cookie that keeps the browser signed in`() throws {
    let server = try server()
    let code = keeper.loginCode(at: BootClock.milliseconds)
    // HEAD uses no code up and sets no cookie.
    for _ in 0..<2 {
      let head = try #require(try HTTPAnswer.get("/?code=\(code)", port: server.port, method: "HEAD"))
      #expect(head.status == 303 && head.headers["location"] == "/" && head.headers["set-cookie"] == nil)
    }
    let answer = try #require(try HTTPAnswer.get("/?code=\(code)", port: server.port))
    #expect(answer.status == 303)
    #expect(answer.headers["location"] == Room.path(of: keeper))
    #expect(answer.headers["cache-control"] == "no-store")
    let cookie = try #require(answer.headers["set-cookie"])
    let attributes = "Path=\(Room.path(of: keeper)); HttpOnly; SameSite=Strict"
    #expect(cookie.hasPrefix("rowcast-\(server.port)=") && cookie.hasSuffix("; \(attributes)"))
    #expect(!String(decoding: answer.body, as: UTF8.self).contains(code))
    #expect(try HTTPAnswer.get("/?code=\(code)", port: server.port)?.status == 403)
    #expect(try HTTPAnswer.get("/?code=\(code)", port: server.port, method: "HEAD")?.status == 403)
    let held = "Cookie: \(cookie.prefix { $0 != ";" })"
    let session = try HTTPAnswer.get("/session", port: server.port, headers: [held])
    #expect(session?.body == Array("{\"role\":\"operator\"}\n".utf8))
    #expect(session?.headers["cache-control"] == "no-store")
    let upgrade = WebSocketClient.upgrade(
      port: server.port, origin: ["http://127.0.0.1:\(server.port)"], extra: [held])
    #expect(try WebSocketClient.status(of: upgrade, port: server.port) == 101)
    #expect(try HTTPAnswer.get("/?code=\(code)", port: server.port, headers: [held])?.status == 303)
  }

  @Test func `everything is served under the secret path of the cookie`() throws {
    let server = try server()
    _ = server.addNumbers(10)
    let room = Room.path(of: keeper)
    #expect(room != Room.path(of: guest))
    #expect(!room.contains(keeper.text) && !room.contains(keeper.cookie))
    let held = "Cookie: rowcast-\(server.port)=\(keeper.cookie)"
    func get(_ path: String) throws -> HTTPAnswer? { try HTTPAnswer.get(path, port: server.port, headers: [held]) }
    #expect(try get(room)?.body == get("/")?.body)
    #expect(try get("\(room)session")?.body == Array("{\"role\":\"operator\"}\n".utf8))
    #expect(try get("\(room)tables/numbers.csv")?.status == 200)
    let upgrade = WebSocketClient.upgrade(
      port: server.port, path: "\(room)ws", origin: ["http://127.0.0.1:\(server.port)"], extra: [held])
    #expect(try WebSocketClient.status(of: upgrade, port: server.port) == 101)
    // The prefix must occur once and be complete.
    for path in [
      "\(room)\(room.dropFirst())session", "/at/session", "/at//session", "/at/x/session", String(room.dropLast()),
      "\(room.dropLast(2))/session", "\(room.dropLast())A/session", "/AT/\(room.dropFirst(4))session",
    ] {
      #expect(try get(path)?.status == 404, "\(path)")
    }
  }

  @Test func `a used login link answers 403 with the page and no cookie`() throws {
    let server = try server()
    let used = try #require(try HTTPAnswer.get("/?code=used", port: server.port))
    #expect(used.status == 403)
    #expect(used.body == (try HTTPAnswer.get("/", port: server.port))?.body)
    #expect(used.headers["cache-control"] == "no-store")
    #expect(used.headers["set-cookie"] == nil)
  }

  @Test func `serves the page but refuses an upgrade without a token`() throws {
    let server = try server()
    _ = server.addNumbers(10)
    let own = ["http://127.0.0.1:\(server.port)"]
    for origin in [[], own] {
      let client = try WebSocketClient(
        port: server.port, lines: WebSocketClient.upgrade(port: server.port, origin: origin))
      #expect(client.handshake.hasPrefix("HTTP/1.1 401 "))
      #expect(client.handshake.contains("WWW-Authenticate: Bearer"))
    }
    #expect(try HTTPAnswer.get("/session", port: server.port)?.body == Array("{\"role\":null}\n".utf8))
    #expect(try HTTPAnswer.get("/", port: server.port)?.status == 200)
  }

  @Test func `accepts upgrades with a subprotocol token, bearer or cookie`() throws {
    let server = try server()
    let own = ["http://localhost:\(server.port)"]
    #expect(try upgrade(server, token: guest) == 101)
    #expect(try upgrade(server, origin: own, token: keeper) == 101)
    #expect(try upgrade(server, bearer: keeper) == 101)
    #expect(try upgrade(server, origin: own, cookie: guest) == 101)
    // Browsers always send Origin with an upgrade, so a cookie without it does not count.
    #expect(try upgrade(server, cookie: keeper) == 401)
    let unknown = AccessToken(role: .operator)
    #expect(try upgrade(server, token: unknown) == 401)
    #expect(try upgrade(server, bearer: unknown) == 401)
    #expect(try upgrade(server, origin: own, cookie: unknown) == 401)
  }

  @Test func `the selected subprotocol never contains the token`() throws {
    let server = try server()
    for offered in ["rowcast.v1, rowcast.token.\(keeper.text)", "rowcast.token.\(keeper.text), rowcast.v1"] {
      let client = try WebSocketClient(
        port: server.port, lines: WebSocketClient.upgrade(port: server.port, subprotocol: offered))
      #expect(client.handshake.contains(" 101 "))
      #expect(client.handshake.contains("Sec-WebSocket-Protocol: rowcast.v1\r\n"))
      #expect(!client.handshake.contains(keeper.text))
    }
    let alone = WebSocketClient.upgrade(port: server.port, subprotocol: "rowcast.token.\(keeper.text)")
    #expect(try WebSocketClient.status(of: alone, port: server.port) == 400)
  }

  @Test func `refuses foreign origins with and without a token`() throws {
    let server = try server()
    #expect(RequestGuardServerTests.foreignOrigins.count >= 40)
    for foreign in RequestGuardServerTests.foreignOrigins {
      let origin = foreign.map {
        $0.replacingOccurrences(of: "PORT", with: "\(server.port)")
          .replacingOccurrences(of: "OTHER", with: "\(server.port + 1)")
      }
      for status in [
        try upgrade(server, origin: origin), try upgrade(server, origin: origin, token: keeper),
        try upgrade(server, origin: origin, cookie: keeper), try upgrade(server, origin: origin, bearer: keeper),
      ] {
        #expect(status == nil || status == 403, "\(origin) is answered \(String(describing: status))")
      }
      let client = try HTTPAnswer.get(
        "/session", port: server.port,
        headers: origin.map { "Origin: \($0)" } + ["Authorization: Bearer \(keeper.text)"])
      #expect(client == nil || client?.status == 403, "a page from \(origin) is answered \(client?.status ?? 0)")
    }
  }

  @Test func `refuses actions from viewers and on read-only servers`() throws {
    let server = try server()
    let readOnly = try self.server { $0.isReadOnly = true }
    for (server, token, role, code) in [
      (server, keeper, "operator", "unknownAction"), (server, guest, "viewer", "notAllowed"),
      (readOnly, keeper, "viewer", "notAllowed"), (readOnly, guest, "viewer", "notAllowed"),
    ] {
      _ = server.addNumbers(3)
      let lines = WebSocketClient.upgrade(port: server.port, subprotocol: "rowcast.v1, rowcast.token.\(token.text)")
      let client = try WebSocketClient(port: server.port, lines: lines)
      client.send(#"{"type":"hello","version":1}"#)
      #expect(try client.message("hello")["role"] as? String == role)
      client.send(#"{"type":"open","table":"numbers","request":1}"#)
      _ = try client.message("window")
      client.send(#"{"type":"act","id":1,"table":"numbers","action":"kill"}"#)
      let refusal = try client.refusal()
      #expect(refusal.error == code)
      #expect(refusal.close == 1008)
    }
  }

  @Test func `limits session requests with wrong tokens to ten a second`() throws {
    let server = try server()
    func status(_ headers: [String]) throws -> Int? {
      try HTTPAnswer.get("/session", port: server.port, headers: headers)?.status
    }
    for wrong in [
      { "Authorization: Bearer \(AccessToken(role: .viewer).text)" },
      { "Cookie: rowcast-\(server.port)=\(AccessToken(role: .viewer).cookie)" },
    ] {
      let started = RawSocket.now()
      var statuses: [Int?: Int] = [:]
      for _ in 0..<200 { statuses[try status([wrong()]), default: 0] += 1 }
      let seconds = RawSocket.now() - started
      #expect(Double(statuses[200, default: 0]) <= 10 + 10 * (seconds + 0.1), "\(statuses) in \(seconds) s")
      #expect(statuses[200, default: 0] + statuses[429, default: 0] == 200, "\(statuses)")
    }
    for headers in [["Authorization: Bearer \(guest.text)"], [], ["Cookie: other=x"]] {
      #expect(try status(headers) == 200, "\(headers)")
    }
  }

  @Test func `limits upgrades with wrong tokens to ten a second`() throws {
    let server = try server()
    let started = RawSocket.now()
    var statuses: [Int?: Int] = [:]
    for _ in 0..<300 { statuses[try upgrade(server, token: AccessToken(role: .viewer)), default: 0] += 1 }
    let seconds = RawSocket.now() - started
    #expect(Double(statuses[401, default: 0]) <= 10 + 10 * (seconds + 0.1), "\(statuses) in \(seconds) s")
    #expect(statuses[401, default: 0] >= 10)
    #expect(statuses[401, default: 0] + statuses[429, default: 0] == 300, "\(statuses)")
    #expect(try upgrade(server, token: guest) == 101, "who is right is held up by who is wrong")
    let tired = try HTTPAnswer.get("/?code=x", port: server.port)
    #expect(tired?.status == 429 || tired?.status == 403)
    if tired?.status == 429 { #expect(tired?.headers["retry-after"] == "1") }
  }
}
