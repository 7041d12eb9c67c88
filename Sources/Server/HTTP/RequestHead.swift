import Wire

/// The head of a request.
struct RequestHead {
  enum Method { case get, head, post, put, delete, other }

  var method: Method
  /// The decoded and normalized path, without arguments and without the prefix of a ``Room``.
  var path: String
  /// The decoded arguments of the query string, each as `name=value`.
  var arguments: [String] = []
  /// The HTTP version in the request line.
  var version = "HTTP/1.1"
  /// The values of each header in order; repeated headers are suspicious.
  var host: [String] = []
  var origin: [String] = []
  var upgrade: [String] = []
  var connection: [String] = []
  var webSocketVersion: [String] = []
  var webSocketKey: [String] = []
  var subprotocols: [String] = []
  var contentLength: [String] = []
  var transferEncoding: [String] = []
  var ifNoneMatch: [String] = []
  var authorization: [String] = []
  var cookie: [String] = []
  var contentType: [String] = []
  /// Whether the client waits for an interim response before it sends the body.
  var expectsContinue = false
  /// The size of the URL and of all headers known to libwebsockets, in bytes.
  var byteCount = 0
}

extension RequestHead {
  /// The paths to which rows are sent.
  static let uploadPrefix = "/ingest/"

  /// The path of the list of views.
  static let viewsPath = "/views"
  /// The paths of views.
  static let viewPrefix = "/views/"
  /// The paths of short links to views.
  static let viewLinkPrefix = "/v/"

  /// Whether the request saves or deletes a view.
  var isViewChange: Bool { (method == .put || method == .delete) && path.hasPrefix(Self.viewPrefix) }

  /// Whether the request may have a body.
  var mayHaveBody: Bool { isUpload || (isViewChange && method == .put) }

  /// Whether the request sends rows.
  var isUpload: Bool { (method == .post || method == .put) && path.hasPrefix(Self.uploadPrefix) }

  /// Whether the length of the body is stated exactly once (RFC 9112, 6.3).
  var hasPlainFraming: Bool {
    guard transferEncoding.isEmpty else {
      return transferEncoding.map({ $0.lowercased() }) == ["chunked"] && contentLength.isEmpty && version == "HTTP/1.1"
    }
    guard let length = contentLength.first else { return true }
    return contentLength.count == 1 && (1...15).contains(length.utf8.count)
      && length.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// The media type without parameters in lower case, or empty.
  var mediaType: String {
    guard contentType.count == 1 else { return "" }
    return String(contentType[0].prefix { $0 != ";" }.trimmingBlanks()).lowercased()
  }

  /// Whether the client requests a persistent connection and the request cannot smuggle another
  /// one.
  var isKeepAlive: Bool {
    connection.count == 1 && connection[0].lowercased() == "keep-alive" && upgrade.isEmpty && contentLength.isEmpty
      && transferEncoding.isEmpty
  }

  /// Whether the request asks for an upgrade of the connection (RFC 9110, 7.8).
  var requestsUpgrade: Bool {
    connection.flatMap { $0.split(separator: ",") }.contains { $0.trimmingBlanks().lowercased() == "upgrade" }
  }

  /// Whether the request has exactly one valid `Sec-WebSocket-Key`: 16 bytes in base64 (RFC 6455,
  /// 4.1).
  var hasWebSocketKey: Bool {
    webSocketKey.count == 1 && webSocketKey[0].utf8.count == 24 && Base64.standard.decode(webSocketKey[0])?.count == 16
  }

  /// Returns the value of the first argument with this name.
  func argument(_ name: String) -> String? {
    arguments.first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
  }

  /// The offered subprotocols.
  var offeredSubprotocols: [String] {
    subprotocols.flatMap { $0.split(separator: ",") }.map { String($0.trimmingBlanks()) }
  }

  /// The access tokens in the headers; a header that occurs more than once is ignored.
  var tokens: [String] {
    let offered = offeredSubprotocols.filter { $0.hasPrefix(AccessControl.subprotocolPrefix) }
      .map { String($0.dropFirst(AccessControl.subprotocolPrefix.utf8.count)) }
    let bearer = authorization.compactMap { value -> String? in
      let parts = value.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
      return String(parts[1].trimmingBlanks())
    }
    return (offered.count == 1 ? offered : []) + (authorization.count == 1 ? bearer : [])
  }

  /// Returns the values of the first four cookies with this name.
  func cookies(named name: String) -> [String] {
    let pairs = cookie.flatMap { $0.split(separator: ";") }.map { $0.trimmingBlanks() }
    return pairs.filter { $0.hasPrefix("\(name)=") }.prefix(4).map { String($0.dropFirst(name.count + 1)) }
  }
}

extension Substring {
  /// Returns the text without spaces and tabs at both ends.
  func trimmingBlanks() -> Substring {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
      return ""
    }
    return self[first...last]
  }
}
