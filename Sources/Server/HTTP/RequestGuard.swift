/// The first check of every request and every upgrade, by `Host` and `Origin`.
///
/// A page of another site can make a browser connect to the loopback address; its `Origin` reveals
/// it. So can a host name that resolves to 127.0.0.1 (DNS rebinding); its `Host` reveals it. Both
/// headers must therefore match the server's own names exactly.
struct RequestGuard {
  enum Verdict: Equatable {
    case allow
    case refuse(status: Int, reason: String)
  }

  static let webSocketPath = "/ws"
  static let subprotocol = "rowcast.v1"
  /// The maximum size of a request's URL and headers, in bytes.
  static let greatestHead = 16_384

  private let hosts: Set<String>
  private let origins: Set<String>

  /// - Parameters:
  ///   - port: The port; 0 for a Unix socket.
  ///   - publicURLs: Further URLs under which browsers reach the server.
  init(address: ListenAddress = .loopback, port: Int, isSecure: Bool = false, publicURLs: [PublicURL] = []) {
    var hosts: Set<String> = []
    var names = address.isUnix ? ["localhost"] : address.isWildcard ? [] : [address.host]
    if !address.isUnix, address.isLocal || address.isWildcard { names += ["127.0.0.1", "localhost", "[::1]"] }
    for name in names {
      if port > 0 { hosts.insert("\(name):\(port)") }
      // Browsers omit the default port of the scheme.
      if port == (isSecure ? 443 : 80) || address.isUnix { hosts.insert(name) }
    }
    let scheme = isSecure ? "https" : "http"
    self.hosts = hosts.union(publicURLs.map(\.host))
    origins = Set(hosts.map { "\(scheme)://\($0)" }).union(publicURLs.map(\.origin))
  }

  private func commonVerdict(_ head: RequestHead) -> Verdict {
    guard head.byteCount <= Self.greatestHead else {
      return .refuse(status: 431, reason: "The headers of a request have at most \(Self.greatestHead) bytes together.")
    }
    guard head.host.count == 1, hosts.contains(head.host[0]) else {
      return .refuse(status: 403, reason: "This server answers only to the name it listens on.")
    }
    // Clients other than browsers send no Origin. Browsers always send it where another site may be
    // the origin of the request.
    guard head.origin.isEmpty || (head.origin.count == 1 && origins.contains(head.origin[0])) else {
      return .refuse(status: 403, reason: "Requests from pages of other sites are refused.")
    }
    guard !head.mayHaveBody else {
      // A length that is stated twice could smuggle a second request.
      guard head.hasPlainFraming else {
        return .refuse(status: 400, reason: "A body has one Content-Length, or the transfer coding “chunked”.")
      }
      return .allow
    }
    // Other requests have no body; a body could smuggle a second request.
    guard head.transferEncoding.isEmpty, head.contentLength.isEmpty || head.contentLength == ["0"] else {
      return .refuse(status: 400, reason: "A request to this path has no body.")
    }
    return .allow
  }

  /// Returns whether a plain request is accepted.
  func verdict(onPage head: RequestHead) -> Verdict {
    let common = commonVerdict(head)
    guard common == .allow else { return common }
    guard head.method == .get || head.method == .head || head.isUpload || head.isViewChange else {
      return .refuse(status: 405, reason: "Use GET or HEAD.")
    }
    guard ["HTTP/1.1", "HTTP/1.0"].contains(head.version) else {
      return .refuse(status: 505, reason: "Only the HTTP versions 1.0 and 1.1 are supported.")
    }
    return .allow
  }

  /// Returns whether an upgrade to WebSocket is accepted.
  func verdict(onUpgrade head: RequestHead) -> Verdict {
    guard head.upgrade.count == 1, head.upgrade[0].lowercased() == "websocket" else {
      return .refuse(status: 400, reason: "The only supported upgrade is websocket.")
    }
    let common = commonVerdict(head)
    guard common == .allow else { return common }
    guard head.method == .get else { return .refuse(status: 405, reason: "GET only.") }
    guard head.version == "HTTP/1.1" else {
      return .refuse(status: 505, reason: "An upgrade needs version 1.1 of HTTP.")
    }
    guard head.path == Self.webSocketPath else { return .refuse(status: 404, reason: "This path has no WebSocket.") }
    // libwebsockets does not check these headers.
    guard head.requestsUpgrade, head.hasWebSocketKey else {
      return .refuse(
        status: 400, reason: "The handshake of RFC 6455 has “Connection: Upgrade” and a Sec-WebSocket-Key.")
    }
    guard head.webSocketVersion == ["13"] else {
      return .refuse(status: 426, reason: "Only version 13 of WebSocket is supported.")
    }
    guard head.offeredSubprotocols.contains(Self.subprotocol) else {
      return .refuse(status: 400, reason: "The subprotocol \(Self.subprotocol) must be offered.")
    }
    return .allow
  }
}
