import Testing

@testable import Server

/// Tests of listen addresses and of the host names that they imply.
@Suite struct AddressTests {
  @Test func `parses IP addresses and localhost, and nothing else`() {
    #expect(ListenAddress("127.0.0.1") == .loopback)
    #expect(ListenAddress("localhost") == .loopback)
    for text in ["::1", "[::1]", "0:0:0:0:0:0:0:1"] { #expect(ListenAddress(text) == .ipv6("::1"), "\(text)") }
    #expect(ListenAddress("0.0.0.0") == .ipv4("0.0.0.0"))
    #expect(ListenAddress("::") == .ipv6("::"))
    for text in [
      "", "eth0", "*", "127.0.0.1:80", "LOCALHOST", "127.1", "evil.example", "0x7f.0.0.1", "2130706433", "127.0.0.01",
      "::1%lo", "[::1", "::1]", "[127.0.0.1]", " 127.0.0.1", "localhost.", "1.2.3.4.5", "256.0.0.1",
    ] {
      #expect(ListenAddress(text) == nil, "\(text)")
    }
  }

  @Test func `only the loopback addresses and Unix sockets are local`() {
    for address in [ListenAddress.loopback, .ipv6("::1"), .unix("/x")] { #expect(address.isLocal, "\(address)") }
    for text in ["0.0.0.0", "::", "127.0.0.2", "192.168.0.1", "10.0.0.1", "fe80::1", "::ffff:127.0.0.1"] {
      #expect(ListenAddress(text)?.isLocal == false, "\(text)")
    }
  }

  @Test func `serves other machines only with a token and a certificate`() {
    let certificate = Certificate(chain: RunningServer.certificate.chain, key: RunningServer.certificate.key)
    for (hasToken, hasCertificate) in [(false, false), (true, false), (false, true)] {
      for address in ["0.0.0.0", "::", "127.0.0.2"] {
        var configuration = ServerConfiguration()
        configuration.address = ListenAddress(address)!
        if hasToken { configuration.tokens = [AccessToken(role: .viewer)] }
        if hasCertificate { configuration.certificate = certificate }
        #expect(throws: ServerError.exposed(configuration.address.host)) { _ = try Server(configuration) }
      }
    }
    var configuration = ServerConfiguration()
    configuration.address = ListenAddress("127.0.0.2")!
    configuration.tokens = [AccessToken(role: .viewer)]
    configuration.certificate = certificate
    #expect(throws: Never.self) { _ = try Server(configuration) }
  }

  @Test func `parses public URLs only as browsers write them`() {
    for (text, origin, host) in [
      ("https://rows.example.org", "https://rows.example.org", "rows.example.org"),
      ("https://rows.example.org/", "https://rows.example.org", "rows.example.org"),
      ("https://rows.example.org:443", "https://rows.example.org", "rows.example.org"),
      ("https://rows.example.org:8443", "https://rows.example.org:8443", "rows.example.org:8443"),
      ("http://a:80/", "http://a", "a"), ("http://192.168.0.1:7777", "http://192.168.0.1:7777", "192.168.0.1:7777"),
      ("http://[fe80::1]:7777", "http://[fe80::1]:7777", "[fe80::1]:7777"), ("https://[::1]", "https://[::1]", "[::1]"),
    ] {
      let url = PublicURL(text)
      #expect(url?.origin == origin, "\(text)")
      #expect(url?.host == host, "\(text)")
    }
    for text in [
      "", "rows.example.org", "ftp://a", "https://", "https:///", "https://A", "https://a/b", "https://a?b",
      "https://a#b",
      "https://u@a", "https://a:", "https://a:0", "https://a:65536", "https://a:080", "https://a:x", "https://a b",
      "https://*.a", "https://[::1", "https://[::01]", "https://[::1]x", "https://ä", "HTTPS://a", "https://a//",
    ] {
      #expect(PublicURL(text) == nil, "\(text)")
    }
  }

  private func isAllowed(_ requestGuard: RequestGuard, host: String, origin: String? = nil) -> Bool {
    var head = RequestHead(method: .get, path: "/")
    head.host = [host]
    head.origin = origin.map { [$0] } ?? []
    return requestGuard.verdict(onPage: head) == .allow
  }

  @Test func `allowed hosts and origins follow from the listen address`() {
    let all = RequestGuard(
      address: ListenAddress("0.0.0.0")!, port: 443, isSecure: true,
      publicURLs: [PublicURL("https://rows.example.org")!])
    #expect(isAllowed(all, host: "rows.example.org", origin: "https://rows.example.org"))
    #expect(isAllowed(all, host: "localhost", origin: "https://localhost"))
    #expect(isAllowed(all, host: "127.0.0.1:443"))
    for host in ["0.0.0.0", "0.0.0.0:443", "192.168.0.1", "rows.example.org:444", "example.org", "localhost:80"] {
      #expect(!isAllowed(all, host: host), "\(host)")
    }
    for origin in [
      "http://rows.example.org", "https://rows.example.org:443", "https://example.org", "http://localhost",
    ] {
      #expect(!isAllowed(all, host: "localhost", origin: origin), "\(origin)")
    }
    let one = RequestGuard(address: ListenAddress("192.168.0.1")!, port: 7777, isSecure: true)
    #expect(isAllowed(one, host: "192.168.0.1:7777", origin: "https://192.168.0.1:7777"))
    for host in ["localhost:7777", "127.0.0.1:7777", "192.168.0.1"] { #expect(!isAllowed(one, host: host), "\(host)") }
    let socket = RequestGuard(address: .unix("/x"), port: 0)
    #expect(isAllowed(socket, host: "localhost", origin: "http://localhost"))
    for host in ["127.0.0.1", "localhost:0", "localhost:80", "/x", ""] {
      #expect(!isAllowed(socket, host: host), "\(host)")
    }
  }
}
