/// What a request says about itself, before anything is done for it.
struct RequestHead {
  enum Method { case get, head, other }

  var method: Method
  /// As libwebsockets has decoded it: without arguments, percent signs and dots resolved; and without a ``Room``.
  var path: String
  /// What stands behind the question mark, one `name=value` each, decoded.
  var arguments: [String] = []
  /// What stands behind the path in the first line.
  var version = "HTTP/1.1"
  /// Every value that came under the name, in order; more than one is suspicious.
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
  /// The bytes of the address and of all headers whose names libwebsockets knows.
  var byteCount = 0
}

extension RequestHead {
  /// Whether who asks wants to ask for more on the same connection, and has said nothing that could hide a second request.
  var wishesForMore: Bool {
    connection.count == 1 && connection[0].lowercased() == "keep-alive" && upgrade.isEmpty && contentLength.isEmpty
      && transferEncoding.isEmpty
  }

  /// Whether it asks for the connection to become something else (RFC 9110, 7.8).
  var asksForUpgrade: Bool {
    connection.flatMap { $0.split(separator: ",") }.contains { $0.trimmingBlanks().lowercased() == "upgrade" }
  }

  /// Whether it has the one key that a handshake has: 16 bytes in base64 (RFC 6455, 4.1).
  var hasWebSocketKey: Bool {
    guard webSocketKey.count == 1 else { return false }
    let text = webSocketKey[0]
    guard text.utf8.count == 24, text.hasSuffix("=="), !text.utf8.contains(where: { $0 == 0x2D || $0 == 0x5F }) else {
      return false
    }
    let alphabet = text.dropLast(2).map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
    return Base64URL.decode(String(alphabet))?.count == 16
  }

  /// The first argument of a name.
  func argument(_ name: String) -> String? {
    arguments.first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
  }

  /// The subprotocols offered.
  var offeredSubprotocols: [String] {
    subprotocols.flatMap { $0.split(separator: ",") }.map { String($0.trimmingBlanks()) }
  }

  /// Every token that came in a header. More than one of a kind is nobody's honest wish.
  var tokens: [String] {
    let offered = offeredSubprotocols.filter { $0.hasPrefix(AccessControl.subprotocolPrefix) }
      .map { String($0.dropFirst(AccessControl.subprotocolPrefix.utf8.count)) }
    let borne = authorization.compactMap { value -> String? in
      let parts = value.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
      return String(parts[1].trimmingBlanks())
    }
    return (offered.count == 1 ? offered : []) + (authorization.count == 1 ? borne : [])
  }

  /// The values of the cookies of a name; a few at most.
  func cookies(named name: String) -> [String] {
    let pairs = cookie.flatMap { $0.split(separator: ";") }.map { $0.trimmingBlanks() }
    return pairs.filter { $0.hasPrefix("\(name)=") }.prefix(4).map { String($0.dropFirst(name.count + 1)) }
  }
}

extension Substring {
  /// Without blanks at both ends.
  func trimmingBlanks() -> Substring {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
      return ""
    }
    return self[first...last]
  }
}
