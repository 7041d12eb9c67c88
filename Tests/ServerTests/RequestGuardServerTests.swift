import Foundation
import Testing

/// Tests of the checks of Host, Origin, path and subprotocol.
@Suite struct RequestGuardServerTests {
  /// Invalid or missing `Host` headers; `PORT` stands for the server's port.
  private static let foreignHosts: [[String]] = [
    [], [""], ["127.0.0.1"], ["localhost"], ["[::1]"], ["127.0.0.1:"], ["127.0.0.1:0"], ["127.0.0.1:80"],
    ["127.0.0.1:PORT0"],
    ["127.0.0.1:0PORT"], ["127.0.0.1:+PORT"], ["evil.example"], ["evil.example:PORT"], ["127.0.0.1.evil.example:PORT"],
    ["localhost.evil.example:PORT"], ["evil-localhost:PORT"], ["a.localhost:PORT"], ["localhost.:PORT"],
    ["127.0.0.1.:PORT"],
    ["LOCALHOST:PORT"], ["Localhost:PORT"], ["l:PORT"], ["0:PORT"], ["0.0.0.0:PORT"], ["127.1:PORT"],
    ["127.0.0.2:PORT"],
    ["2130706433:PORT"], ["0x7f.0.0.1:PORT"], ["0177.0.0.1:PORT"], ["[::]:PORT"], ["::1:PORT"],
    ["[::ffff:127.0.0.1]:PORT"],
    ["[0:0:0:0:0:0:0:1]:PORT"], ["[::1%25lo]:PORT"], ["user@127.0.0.1:PORT"], ["127.0.0.1:PORT@evil.example"],
    ["127.0.0.1:PORT/"], ["127.0.0.1:PORT, evil.example"], ["http://127.0.0.1:PORT"], ["127.0.0.1:PORT#"],
    ["127.0.0.1\u{0}:PORT"], ["127.0.0.1:PORT", "127.0.0.1:PORT"], ["127.0.0.1:PORT", "evil.example"],
    ["evil.example", "127.0.0.1:PORT"], ["①②⑦.0.0.1:PORT"],
  ]

  private func lines(_ hosts: [String], port: Int) -> [String] {
    hosts.map { $0.replacingOccurrences(of: "PORT", with: "\(port)") }
  }

  @Test func `accepts the loopback names with its port as Host`() throws {
    let server = try RunningServer()
    for name in ["127.0.0.1", "localhost", "[::1]"] {
      let host = "\(name):\(server.port)"
      #expect(try HTTPAnswer.to("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n", port: server.port)?.status == 200)
      let upgrade = WebSocketClient.upgrade(port: server.port, host: [host])
      #expect(try WebSocketClient.status(of: upgrade, port: server.port) == 101, "\(host)")
    }
  }

  @Test func `refuses missing, repeated and foreign Host headers`() throws {
    let server = try RunningServer()
    #expect(Self.foreignHosts.count >= 25)
    for foreign in Self.foreignHosts {
      let hosts = lines(foreign, port: server.port)
      for path in ["/", "/index.html", "/ws"] {
        let request = ["GET \(path) HTTP/1.1"] + hosts.map { "Host: \($0)" } + ["", ""]
        let status = try HTTPAnswer.to(request.joined(separator: "\r\n"), port: server.port)?.status
        #expect(
          status == nil || status == 403 || status == 400,
          "\(path) for \(hosts) is answered \(String(describing: status))")
      }
      let upgrade = WebSocketClient.upgrade(port: server.port, host: hosts)
      let status = try WebSocketClient.status(of: upgrade, port: server.port)
      #expect(
        status == nil || status == 403 || status == 400,
        "an upgrade for \(hosts) is answered \(String(describing: status))")
    }
  }

  @Test func `refuses request targets that are not plain paths`() throws {
    let server = try RunningServer()
    for address in ["http://evil.example/", "http://127.0.0.1:\(server.port)/", "//evil.example/", "*", "index.html"] {
      let status = try HTTPAnswer.get(address, port: server.port)?.status
      #expect(status != 200, "\(address)")
    }
  }

  /// Foreign origins; `PORT` stands for the server's port, and `OTHER` for the next one.
  static let foreignOrigins: [[String]] = [
    [""], ["null"], ["*"], ["file://"], ["http://evil.example"], ["https://evil.example"], ["http://evil.example:PORT"],
    ["https://127.0.0.1:PORT"], ["https://localhost:PORT"], ["http://127.0.0.1"], ["http://localhost"],
    ["http://[::1]"],
    ["http://127.0.0.1:OTHER"], ["http://localhost:OTHER"], ["http://[::1]:OTHER"], ["http://127.0.0.1:80"],
    ["http://127.0.0.1:PORT0"], ["http://127.0.0.1:0PORT"], ["http://127.0.0.1:PORT/"], ["http://127.0.0.1:PORT/x"],
    ["http://127.0.0.1:PORT."], ["http://127.0.0.1:PORT evil.example"], ["http://evil.example http://127.0.0.1:PORT"],
    ["http://127.0.0.1:PORT@evil.example"], ["http://127.0.0.1:PORT.evil.example"],
    ["http://evil.example?127.0.0.1:PORT"],
    ["http://evil.example#http://127.0.0.1:PORT"], ["http://127.0.0.1.evil.example:PORT"],
    ["http://localhost.evil.example:PORT"],
    ["http://a.localhost:PORT"], ["http://localhost.:PORT"], ["http://evillocalhost:PORT"], ["HTTP://127.0.0.1:PORT"],
    ["http://LOCALHOST:PORT"], ["http://127.1:PORT"], ["http://127.0.0.2:PORT"], ["http://0.0.0.0:PORT"],
    ["http://0:PORT"],
    ["http://2130706433:PORT"], ["http://0x7f000001:PORT"], ["http://[::]:PORT"], ["http://[::ffff:127.0.0.1]:PORT"],
    ["http://1.2.3.4:PORT"], ["http://192.168.0.1:PORT"], ["ws://127.0.0.1:PORT"], ["127.0.0.1:PORT"],
    ["//127.0.0.1:PORT"],
    ["chrome-extension://127.0.0.1:PORT"], ["moz-extension://abc"], ["http:/127.0.0.1:PORT"], ["http:127.0.0.1:PORT"],
    ["http://127.0.0.1:PORT", "http://127.0.0.1:PORT"], ["http://127.0.0.1:PORT", "http://evil.example"],
    ["http://127.0.0.1:PORT, http://evil.example"], ["http://user@127.0.0.1:PORT"],
    [String(repeating: "x", count: 1_100)], ["http://127.0.0.1:PORT" + String(repeating: " ", count: 1_100) + "x"],
  ]

  @Test func `accepts upgrades only with its own Origin or without one`() throws {
    let server = try RunningServer()
    for origin in [
      [], ["http://127.0.0.1:\(server.port)"], ["http://localhost:\(server.port)"], ["http://[::1]:\(server.port)"],
    ] {
      let upgrade = WebSocketClient.upgrade(port: server.port, origin: origin)
      #expect(try WebSocketClient.status(of: upgrade, port: server.port) == 101, "\(origin)")
    }
    #expect(Self.foreignOrigins.count >= 40)
    for foreign in Self.foreignOrigins {
      let origin = lines(foreign, port: server.port).map {
        $0.replacingOccurrences(of: "OTHER", with: "\(server.port + 1)")
      }
      let upgrade = WebSocketClient.upgrade(port: server.port, origin: origin)
      let status = try WebSocketClient.status(of: upgrade, port: server.port)
      #expect(status == nil || status == 403, "\(origin) is answered \(String(describing: status))")
    }
  }

  @Test func `refuses upgrades that do not offer the subprotocol`() throws {
    let server = try RunningServer()
    for offered in ["rowcast.v1", "x, rowcast.v1", "rowcast.v1, x", "x,rowcast.v1,y"] {
      let client = try WebSocketClient(
        port: server.port, lines: WebSocketClient.upgrade(port: server.port, subprotocol: offered))
      #expect(client.handshake.contains(" 101 "), "\(offered)")
      #expect(client.handshake.contains("Sec-WebSocket-Protocol: rowcast.v1\r\n"), "\(offered)")
    }
    for offered in [
      nil, "", "rowcast", "rowcast.v2", "rowcast.v11", "xrowcast.v1", "ROWCAST.V1", "http", "rowcast.v1.x",
      "rowcast;v1",
    ] {
      let upgrade = WebSocketClient.upgrade(port: server.port, subprotocol: offered)
      let status = try WebSocketClient.status(of: upgrade, port: server.port)
      #expect(status == nil || status == 400, "\(offered ?? "nothing") is answered \(String(describing: status))")
    }
  }

  @Test func `refuses upgrades at paths other than ws`() throws {
    let server = try RunningServer()
    for path in ["/", "/ws/", "/WS", "/ws/x", "/wss", "/index.html", "/..", "ws"] {
      let status = try WebSocketClient.status(
        of: WebSocketClient.upgrade(port: server.port, path: path), port: server.port)
      #expect(status != 101, "\(path)")
    }
    #expect(try HTTPAnswer.get("/ws", port: server.port)?.status == 404)
  }

  @Test func `accepts no WebSocket extension`() throws {
    let server = try RunningServer()
    for offer in [
      "permessage-deflate", "permessage-deflate; client_max_window_bits",
      "permessage-deflate; server_no_context_takeover",
      "permessage-deflate; server_max_window_bits=10", "x-webkit-deflate-frame", "deflate-frame, permessage-deflate",
      "permessage-deflate, permessage-deflate; client_no_context_takeover", "permessage-bzip2",
    ] {
      let client = try WebSocketClient(
        port: server.port,
        lines: WebSocketClient.upgrade(port: server.port, extra: ["Sec-WebSocket-Extensions: \(offer)"]))
      #expect(client.handshake.contains(" 101 "), "\(offer)")
      #expect(!client.handshake.lowercased().contains("sec-websocket-extensions"), "\(offer)")
    }
  }
}
