import Testing

@testable import Server

/// Tests of the checks of requests without sockets: each rule alone, from both sides.
@Suite struct RequestGuardTests {
  private let requestGuard = RequestGuard(port: 7777)

  private func head(_ change: (inout RequestHead) -> Void = { _ in }) -> RequestHead {
    var head = RequestHead(method: .get, path: "/ws")
    head.host = ["127.0.0.1:7777"]
    head.upgrade = ["websocket"]
    head.connection = ["Upgrade"]
    head.webSocketVersion = ["13"]
    head.webSocketKey = ["dGhlIHNhbXBsZSBub25jZQ=="]
    head.subprotocols = ["rowcast.v1"]
    change(&head)
    return head
  }

  private func status(onUpgrade head: RequestHead) -> Int? { status(requestGuard.verdict(onUpgrade: head)) }
  private func status(onPage head: RequestHead) -> Int? { status(requestGuard.verdict(onPage: head)) }

  private func status(_ verdict: RequestGuard.Verdict) -> Int? {
    if case .refuse(let status, _) = verdict { return status }
    return nil
  }

  @Test func `accepts valid requests for each loopback host`() {
    #expect(status(onUpgrade: head()) == nil)
    for host in ["127.0.0.1:7777", "localhost:7777", "[::1]:7777"] {
      let request = head { $0.host = [host] }
      #expect(status(onPage: request) == nil && status(onUpgrade: request) == nil, "\(host)")
      let fromPage = head { $0.origin = ["http://\(host)"] }
      #expect(status(onPage: fromPage) == nil && status(onUpgrade: fromPage) == nil, "\(host)")
    }
    #expect(status(onPage: head { $0.method = .head }) == nil)
  }

  @Test func `accepts an Origin only with the scheme of the server`() {
    for isSecure in [false, true] {
      let requestGuard = RequestGuard(port: 7777, isSecure: isSecure)
      for (scheme, isOurs) in [("http", !isSecure), ("https", isSecure)] {
        let request = head { $0.origin = ["\(scheme)://localhost:7777"] }
        #expect((status(requestGuard.verdict(onUpgrade: request)) == nil) == isOurs, "\(scheme), \(isSecure)")
        #expect((status(requestGuard.verdict(onPage: request)) == nil) == isOurs, "\(scheme), \(isSecure)")
      }
    }
  }

  @Test func `refuses a missing, repeated or inexact Host`() {
    for hosts in [
      [], [""], ["127.0.0.1"], ["127.0.0.1:07777"], ["127.0.0.1:7777 "], ["LOCALHOST:7777"], ["localhost.:7777"],
      ["localhost:7778"], ["evil.example:7777"], ["127.0.0.1:7777", "127.0.0.1:7777"],
    ] {
      let request = head { $0.host = hosts }
      #expect(status(onPage: request) == 403 && status(onUpgrade: request) == 403, "\(hosts)")
    }
  }

  @Test func `refuses a foreign, repeated or inexact Origin`() {
    for origins in [
      [""], ["null"], ["http://evil.example"], ["https://127.0.0.1:7777"], ["http://127.0.0.1"],
      ["http://127.0.0.1:7777", "http://127.0.0.1:7777"], ["http://127.0.0.1:7777/"], ["HTTP://127.0.0.1:7777"],
    ] {
      let request = head { $0.origin = origins }
      #expect(status(onPage: request) == 403 && status(onUpgrade: request) == 403, "\(origins)")
    }
  }

  @Test func `accepts a Host without port only on the scheme's port`() {
    for (port, isSecure, isLeftOut) in [(80, false, true), (443, true, true), (443, false, false), (80, true, false)] {
      let requestGuard = RequestGuard(port: port, isSecure: isSecure)
      let request = head { $0.host = ["localhost"] }
      #expect((requestGuard.verdict(onPage: request) == .allow) == isLeftOut, "\(port) \(isSecure)")
      #expect(requestGuard.verdict(onPage: head { $0.host = ["localhost:\(port)"] }) == .allow)
    }
  }

  @Test func `refuses any Content-Length but 0 and any Transfer-Encoding`() {
    #expect(status(onPage: head { $0.contentLength = ["0"] }) == nil)
    for lengths in [["1"], ["-1"], ["00"], ["+0"], ["0 "], [""], ["0", "0"], ["0, 0"]] {
      let request = head { $0.contentLength = lengths }
      #expect(status(onPage: request) == 400 && status(onUpgrade: request) == 400, "\(lengths)")
    }
    for encoding in ["chunked", "identity", ""] {
      let request = head { $0.transferEncoding = [encoding] }
      #expect(status(onPage: request) == 400 && status(onUpgrade: request) == 400, "\(encoding)")
    }
  }

  @Test func `answers 405 to wrong methods and 404 to wrong upgrade paths`() {
    #expect(status(onPage: head { $0.method = .other }) == 405)
    for method in [RequestHead.Method.head, .other] { #expect(status(onUpgrade: head { $0.method = method }) == 405) }
    for path in ["/", "/ws/", "/WS", "/wss", "", "ws"] {
      #expect(status(onUpgrade: head { $0.path = path }) == 404, "\(path)")
    }
  }

  @Test func `accepts only WebSocket upgrades that offer its subprotocol`() {
    #expect(status(onUpgrade: head { $0.upgrade = ["WebSocket"] }) == nil)
    for upgrade in [[], ["h2c"], ["websocket", "websocket"], ["websocket, h2c"], [""]] {
      #expect(status(onUpgrade: head { $0.upgrade = upgrade }) == 400, "\(upgrade)")
    }
    for offers in [["x, rowcast.v1"], ["x", "rowcast.v1"], ["rowcast.v1,rowcast.token.abc"], [" \trowcast.v1\t "]] {
      #expect(status(onUpgrade: head { $0.subprotocols = offers }) == nil, "\(offers)")
    }
    for offers in [[], [""], ["rowcast.v2"], ["ROWCAST.V1"], ["rowcast.v1 x"], ["rowcast.v1;x"], ["xrowcast.v1"]] {
      #expect(status(onUpgrade: head { $0.subprotocols = offers }) == 400, "\(offers)")
    }
  }

  @Test func `checks the Connection, key and version of a handshake`() {
    for connection in [["upgrade"], ["keep-alive, Upgrade"], ["UPGRADE ,x"], ["keep-alive", "Upgrade"]] {
      #expect(status(onUpgrade: head { $0.connection = connection }) == nil, "\(connection)")
    }
    for connection in [[], [""], ["Upgrad"], ["upgrades"], ["x upgrade"], ["close"]] {
      #expect(status(onUpgrade: head { $0.connection = connection }) == 400, "\(connection)")
    }
    for key in ["AAAAAAAAAAAAAAAAAAAAAA==", "+/+/+/+/+/+/+/+/+/+/+w=="] {
      #expect(status(onUpgrade: head { $0.webSocketKey = [key] }) == nil, "\(key)")
    }
    for key in [
      [], [""], ["AAAAAAAAAAAAAAAAAAAAAA"], ["AAAAAAAAAAAAAAAAAAAAAAA="], ["AAAAAAAAAAAAAAAAAAAAAB=="],
      ["AAAAAAAAAAAAAAAAAAAAAA==="],
      ["AAAAAAAAAAAAAAAAAAAA=="], ["-_-_-_-_-_-_-_-_-_-_-w=="], ["AAAAAAAAAAA AAAAAAAAAA=="],
      ["AAAAAAAAAAAAAAAAAAAAAA==", "AAAAAAAAAAAAAAAAAAAAAA=="],
    ] { #expect(status(onUpgrade: head { $0.webSocketKey = key }) == 400, "\(key)") }
    for version in [[], [""], ["8"], ["013"], ["13 "], ["13, 8"], ["13", "13"]] {
      #expect(status(onUpgrade: head { $0.webSocketVersion = version }) == 426, "\(version)")
    }
  }

  @Test func `answers 505 to unsupported HTTP versions`() {
    #expect(status(onPage: head { $0.version = "HTTP/1.0" }) == nil)
    #expect(status(onUpgrade: head { $0.version = "HTTP/1.0" }) == 505)
    for version in ["", "HTTP/0.9", "HTTP/1.2", "HTTP/2.0", "http/1.1", "HTTP/1.1x", "HTTP/1.10"] {
      let request = head { $0.version = version }
      #expect(status(onPage: request) == 505 && status(onUpgrade: request) == 505, "\(version)")
    }
  }
}
