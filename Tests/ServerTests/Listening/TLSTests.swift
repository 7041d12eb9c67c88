import CWebSockets
import Foundation
import Testing

@testable import Server

/// Tests of a server with a certificate.
@Suite struct TLSTests {
  private static let tls10: Int32 = 0x0301
  private static let tls11: Int32 = 0x0302
  private static let tls12: Int32 = 0x0303
  private static let tls13: Int32 = 0x0304

  private func server() throws -> RunningServer { try RunningServer { $0.certificate = RunningServer.certificate } }

  @Test func `serves the page and the WebSocket over TLS`() throws {
    let server = try server()
    for version in [Self.tls12, Self.tls13] {
      let client = try TLSClient(port: server.port, version: version)
      #expect(client.isConnected)
      client.send("GET / HTTP/1.1\r\nHost: localhost:\(server.port)\r\n\r\n")
      #expect(client.receive().hasPrefix("HTTP/1.1 200 OK\r\n"))
      let connection = try TLSClient(port: server.port, version: version)
      let lines = WebSocketClient.upgrade(
        port: server.port, host: ["localhost:\(server.port)"], origin: ["https://localhost:\(server.port)"])
      connection.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
      #expect(connection.receive { $0.hasSuffix("\r\n\r\n") }.hasPrefix("HTTP/1.1 101 "))
    }
  }

  @Test func `refuses old TLS versions and weak ciphers`() throws {
    let server = try server()
    for version in [Self.tls10, Self.tls11] {
      #expect(try !TLSClient(port: server.port, version: version).isConnected, "\(version)")
    }
    for ciphers in [
      "AES128-SHA", "AES256-GCM-SHA384", "ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384", "aNULL", "eNULL",
    ] {
      let client = try TLSClient(port: server.port, version: Self.tls12, ciphers: ciphers)
      #expect(!client.isConnected, "\(ciphers)")
    }
    #expect(try TLSClient(port: server.port, version: Self.tls12, ciphers: "ECDHE-ECDSA-AES128-GCM-SHA256").isConnected)
    #expect(try TLSClient(port: server.port).version == "TLSv1.3")
  }

  @Test func `ALPN negotiation never selects HTTP2`() throws {
    let server = try server()
    let both = try TLSClient(port: server.port, protocols: ["h2", "http/1.1"])
    #expect(both.isConnected)
    #expect(both.agreedProtocol == "http/1.1")
    #expect(try TLSClient(port: server.port, protocols: ["h2"]).agreedProtocol != "h2")
  }

  @Test func `refuses plain HTTP and WebSocket requests`() throws {
    let server = try server()
    let answer = try HTTPAnswer.get("/", port: server.port)
    #expect(answer?.status != 200)
    let lines = WebSocketClient.upgrade(port: server.port)
    #expect(try WebSocketClient.status(of: lines, port: server.port) != 101)
  }

  @Test func `a changed certificate is used without a restart`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "rowcast-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = RunningServer.certificate
    let used = Certificate(chain: folder.appending(path: "c").path, key: folder.appending(path: "k").path)
    func install(_ certificate: Certificate) throws {
      for (from, to) in [(certificate.chain, used.chain), (certificate.key, used.key)] {
        try Data(contentsOf: URL(filePath: from)).write(to: URL(filePath: to))
      }
    }
    try install(first)
    let server = try RunningServer { $0.certificate = used }
    func subject() throws -> String { try TLSClient(port: server.port).peer }
    // Applies a change, and waits until the server accepts the new host name.
    func change(_ name: String) throws {
      server.control.change(
        ServerChanges(
          tokens: [], isReadOnly: false, publicURLs: [PublicURL("https://\(name)")!], interval: .milliseconds(300),
          certificate: used))
      let deadline = RawSocket.now() + RawSocket.patience
      while RawSocket.now() < deadline {
        let client = try TLSClient(port: server.port)
        client.send("GET /healthz HTTP/1.1\r\nHost: \(name)\r\n\r\n")
        if client.receive().hasPrefix("HTTP/1.1 200 ") { return }
      }
      throw RawSocket.Failure.nothingCame
    }
    let before = try subject()
    // Unusable files change nothing.
    try Data("nonsense".utf8).write(to: URL(filePath: used.key))
    try change("first.example")
    #expect(try subject() == before)
    try install(
      Certificate(
        chain: first.chain.replacing("localhost", with: "second"), key: first.key.replacing("localhost", with: "second")
      ))
    #expect(try subject() == before)
    try change("second.example")
    #expect(try subject() == "/CN=second")
  }

  @Test func `sends HSTS beyond the loopback only`() throws {
    let everywhere = try RunningServer {
      $0.certificate = RunningServer.certificate
      $0.address = .ipv4("0.0.0.0")
      $0.tokens = [AccessToken(role: .viewer)]
    }
    for (server, isTold) in [(everywhere, true), (try server(), false)] {
      for path in ["/", "/healthz", "/nothing"] {
        let client = try TLSClient(port: server.port)
        client.send("GET \(path) HTTP/1.1\r\nHost: localhost:\(server.port)\r\n\r\n")
        let answer = client.receive()
        #expect(answer.contains("\r\nStrict-Transport-Security: max-age=31536000\r\n") == isTold, "\(path)")
        #expect(answer.contains("\r\n\r\n"))
      }
    }
  }

  @Test func `refuses upgrades with an http or foreign Origin`() throws {
    let server = try server()
    for origin in ["http://localhost:\(server.port)", "https://localhost", "https://evil.example:\(server.port)"] {
      let client = try TLSClient(port: server.port)
      let lines = WebSocketClient.upgrade(port: server.port, host: ["localhost:\(server.port)"], origin: [origin])
      client.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
      #expect(client.receive { $0.contains("\r\n\r\n") }.hasPrefix("HTTP/1.1 403 "), "\(origin)")
    }
  }

  @Test func `throws badCertificate for unusable certificates`() throws {
    let good = RunningServer.certificate
    let other = good.key.replacingOccurrences(of: "localhost.key", with: "other.key")
    #expect(other != good.key)
    for certificate in [
      Certificate(chain: "/nowhere", key: good.key), Certificate(chain: good.chain, key: "/nowhere"),
      Certificate(chain: good.key, key: good.chain), Certificate(chain: good.chain, key: other),
      Certificate(chain: "/dev/null", key: "/dev/null"),
    ] {
      var configuration = ServerConfiguration()
      configuration.certificate = certificate
      #expect(throws: ServerError.badCertificate(certificate.chain)) { _ = try Server(configuration) }
    }
  }
}
