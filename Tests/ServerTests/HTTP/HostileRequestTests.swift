import Testing

@testable import Server

/// Tests of malformed and ambiguous requests, which are refused or interpreted strictly.
@Suite struct HostileRequestTests {
  private func upgrade(_ server: RunningServer, _ change: (inout [String]) -> Void) throws -> Int? {
    var lines = WebSocketClient.upgrade(port: server.port)
    change(&lines)
    return try WebSocketClient.status(of: lines, port: server.port)
  }

  /// Returns a change that replaces the header `name`.
  private func replace(_ name: String, by lines: [String]) -> (inout [String]) -> Void {
    { request in
      let index = request.firstIndex { $0.hasPrefix("\(name):") }!
      request.replaceSubrange(index...index, with: lines)
    }
  }

  @Test func `refuses requests with folded header lines`() throws {
    let server = try RunningServer()
    let host = "127.0.0.1:\(server.port)"
    for fold in [" ", "\t", "  "] {
      for lines in [
        ["Host:", "\(fold)\(host)"], ["Host: \(host)", "\(fold).evil.example"], ["X: y", "\(fold)Host: \(host)"],
        ["Host: evil.example", "\(fold)\(host)"], ["Host: 127.0.0.1", "\(fold):\(server.port)"],
      ] {
        #expect(try upgrade(server, replace("Host", by: lines)) != 101, "\(lines)")
        let page = (["GET / HTTP/1.1"] + lines).joined(separator: "\r\n") + "\r\n\r\n"
        #expect(try HTTPAnswer.to(page, port: server.port)?.status != 200, "\(lines)")
      }
      let origin = ["Host: \(host)", "Origin: http://\(host)", "\(fold).evil.example"]
      #expect(try upgrade(server, replace("Host", by: origin)) != 101, "\(origin)")
      let split = ["Host: \(host)", "Origin:", "\(fold)http://evil.example"]
      #expect(try upgrade(server, replace("Host", by: split)) != 101, "\(split)")
    }
  }

  @Test func `matches whole header names, without regard to case`() throws {
    let server = try RunningServer()
    let host = "127.0.0.1:\(server.port)"
    for line in [
      "Host : \(host)", "Host\t: \(host)", " Host: \(host)", "Host \(host)", "Hosts: \(host)", "Hos: \(host)",
      "H\u{0}ost: \(host)", "X-Host: \(host)", "Host;: \(host)", ":Host: \(host)", "Ηost: \(host)",
    ] {
      #expect(try upgrade(server, replace("Host", by: [line])) != 101, "\(line.debugDescription)")
    }
    // Header names are case-insensitive, and surrounding spaces are ignored.
    for line in ["HOST: \(host)", "host:\(host)", "HoSt:  \(host)"] {
      #expect(try upgrade(server, replace("Host", by: [line])) == 101, "\(line)")
      #expect(try upgrade(server, replace("Host", by: [line, "Host: evil.example"])) != 101, "\(line)")
    }
    // These do not hide an Origin, either.
    for line in ["ORIGIN: http://evil.example", "origin:http://evil.example", "Origin:\thttp://evil.example"] {
      #expect(try upgrade(server, { $0.append(line) }) != 101, "\(line.debugDescription)")
    }
  }

  @Test func `refuses an Origin with a NUL or other invalid bytes`() throws {
    let server = try RunningServer()
    let own = "http://127.0.0.1:\(server.port)"
    for origin in ["\(own)\u{0}.evil.example", "\u{0}\(own)", "\(own)\u{0}\u{0}x", "\(own)\u{1}", "\(own)\u{80}"] {
      #expect(try upgrade(server, { $0.append("Origin: \(origin)") }) != 101, "\(origin.debugDescription)")
    }
  }

  @Test func `refuses upgrades with a wrong version, key or Connection`() throws {
    let server = try RunningServer()
    for version in ["HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/1.1x", "http/1.1", "HTTP/11", "HTTP", ""] {
      #expect(try upgrade(server) { $0[0] = "GET /ws \(version)" } != 101, "\(version)")
    }
    for version in [[], [""], ["8"], ["12"], ["14"], ["013"], ["13x"], ["130"], ["13, 8"], ["13", "13"], ["13", "8"]] {
      let lines = version.map { "Sec-WebSocket-Version: \($0)" }
      #expect(try upgrade(server, replace("Sec-WebSocket-Version", by: lines)) != 101, "\(version)")
    }
    for key in [
      [""], ["short"], ["dGhlIHNhbXBsZSBub25jZQ"], ["dGhlIHNhbXBsZSBub25jZQ==="], ["dGhlIHNhbXBsZSBub25jZQ==x"],
      ["dGhlIHNhbXBsZSBub25jZ!=="], ["dGhlIHNhbXBsZSBub25jZR=="], [String(repeating: "A", count: 400)],
      ["dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ=="],
    ] {
      let lines = key.map { "Sec-WebSocket-Key: \($0)" }
      #expect(try upgrade(server, replace("Sec-WebSocket-Key", by: lines)) != 101, "\(key)")
    }
    for connection in ["keep-alive", "close", "Upgrad", "Upgrades", ""] {
      #expect(try upgrade(server, replace("Connection", by: ["Connection: \(connection)"])) != 101, "\(connection)")
    }
    for connection in ["keep-alive, Upgrade", "upgrade", "Upgrade,keep-alive"] {
      #expect(try upgrade(server, replace("Connection", by: ["Connection: \(connection)"])) == 101, "\(connection)")
    }
  }

  @Test func `finds its cookie among others but not inside them`() throws {
    let keeper = AccessToken(role: .operator)
    let server = try RunningServer { $0.tokens = [keeper] }
    let name = "rowcast-\(server.port)"
    func role(_ cookies: [String]) throws -> String? {
      let answer = try HTTPAnswer.get("/session", port: server.port, headers: cookies.map { "Cookie: \($0)" })
      return answer.map { String(decoding: $0.body, as: UTF8.self) }
    }
    let (isIn, isOut) = ("{\"role\":\"operator\"}\n", "{\"role\":null}\n")
    for cookies in [
      ["\(name)=\(keeper.cookie)"], ["a=b;\(name)=\(keeper.cookie)"], ["\(name)=\(keeper.cookie); a=b"],
      ["a=b", "\(name)=\(keeper.cookie)"], ["\(name)=wrong; \(name)=\(keeper.cookie)"],
      [";;; \(name)=\(keeper.cookie);"],
      [String(repeating: "x", count: 12_000) + "=1; \(name)=\(keeper.cookie)"],
    ] { #expect(try role(cookies) == isIn, "\(cookies)") }
    for cookies in [
      ["x\(name)=\(keeper.cookie)"], ["a=\(name)=\(keeper.cookie)"], ["a=b,\(name)=\(keeper.cookie)"],
      ["\"\(name)=\(keeper.cookie)\""], ["\(name) =\(keeper.cookie)"], ["\(name)=\(keeper.cookie)\u{0}x"],
      ["\(name)=" + keeper.cookie.lowercased()], ["\(name)=\(keeper.cookie)="],
      ["$Version=1; \(name)x=\(keeper.cookie)"],
    ] { #expect(try role(cookies) == isOut, "\(cookies)") }
    // A request larger than the limit is refused.
    let huge = try role([String(repeating: "x", count: 17_000) + "; \(name)=\(keeper.cookie)"])
    #expect(huge == nil || huge?.contains("operator") == false)
  }

  @Test func `accepts only the exact token`() throws {
    let keeper = AccessToken(role: .operator)
    let server = try RunningServer { $0.tokens = [keeper] }
    let text = keeper.text
    let standard = text.replacing("-", with: "+").replacing("_", with: "/")
    for wrong in [
      text.lowercased(), text.uppercased(), "\(text)=", "\(text)==", "\(text) ", " \(text)", "\"\(text)\"",
      "\(text)\u{0}x",
      "%\(text.utf8.first!)\(text.dropFirst())", String(text.dropLast()), text + text,
      standard == text ? "x" : standard,
      String(text.reversed()), "\(text),", "\(text);",
    ] where wrong != text {
      let status = try upgrade(
        server, replace("Sec-WebSocket-Protocol", by: ["Sec-WebSocket-Protocol: rowcast.v1, rowcast.token.\(wrong)"]))
      // Surrounding spaces and an empty element at the end are ignored.
      let isBlank = wrong == "\(text) " || wrong == "\(text),"
      #expect((status == 101) == isBlank, "\(wrong.debugDescription) is answered \(status ?? 0)")
    }
    for line in [
      "Basic \(text)", "Bearer \(text), Bearer \(text)", "Bearer: \(text)", "Bearer=\(text)", "Bearer\u{0}\(text)",
      text,
    ] {
      #expect(try upgrade(server, { $0.append("Authorization: \(line)") }) != 101, "\(line)")
    }
    #expect(try upgrade(server, { $0.append("Authorization: BEARER \(text)") }) == 101)
  }

  @Test func `answers a malformed request at most once and keeps running`() throws {
    let server = try RunningServer()
    let host = "Host: 127.0.0.1:\(server.port)"
    for request in [
      "GET / HTTP/1.1\n\(host)\n\n", "GET / HTTP/1.1\r\(host)\r\r", "GET /\r\n\r\n", "GET\r\n\r\n", "\r\n\r\n\r\n\r\n",
      "\u{0}\u{0}\u{0}\u{0}\r\n\r\n",
      "GET / HTTP/1.1 HTTP/1.1\r\n\(host)\r\n\r\n", "GET  /  HTTP/1.1\r\n\(host)\r\n\r\n",
      "GET\t/\tHTTP/1.1\r\n\(host)\r\n\r\n",
      "GET / HTTP/1.1\r\n\(host)\r\n: x\r\n\r\n", "GET / HTTP/1.1\r\n\(host)\r\nx\r\n\r\n",
      "GET / HTTP/1.1\r\n\(host)\r\n:\r\n\r\n",
      "GET /?" + String(repeating: "a=b&", count: 900) + " HTTP/1.1\r\n\(host)\r\n\r\n",
      "GET /?" + String(repeating: "%", count: 900) + " HTTP/1.1\r\n\(host)\r\n\r\n",
      "GET /tables/%00.csv?sort=%00&filter=%00 HTTP/1.1\r\n\(host)\r\n\r\n",
      "GET /image?table=%ff%fe&key=%80 HTTP/1.1\r\n\(host)\r\n\r\n",
      "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{FC}\u{3}\u{3}", "SSH-2.0-x\r\n", "*1\r\n$4\r\nPING\r\n",
    ] {
      let socket = try RawSocket(port: server.port)
      socket.send(request)
      socket.endSending()
      let bytes = try #require(socket.readToEnd(within: 30), "\(request.debugDescription) keeps its connection")
      let count = String(decoding: bytes, as: UTF8.self).components(separatedBy: "HTTP/1.").count - 1
      #expect(count <= 1, "\(request.debugDescription) is answered \(count) times")
    }
    #expect(try HTTPAnswer.get("/", port: server.port)?.status == 200)
  }
}
