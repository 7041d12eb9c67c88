import CWebSockets

extension Server {
  /// Checks a plain request before it is answered.
  func admitPageRequest(_ socket: OpaquePointer) -> Bool {
    let head = RequestHead(of: socket)
    guard case .refuse(let status, let reason) = exchanges.requestGuard.verdict(onPage: head) else { return true }
    return refuse(socket, status, reason, head)
  }

  /// Checks an upgrade before it is answered.
  func admitUpgrade(_ socket: OpaquePointer) -> Bool {
    // CVE-2025-11677 affects upgrades that follow another request; no browser sends one.
    guard !exchanges.connections.hasAnswered(socket) else { return false }
    let head = RequestHead(of: socket)
    // libwebsockets has already answered unknown upgrades with 403, and may have freed the request.
    guard head.upgrade.count == 1, ["websocket", "h2c"].contains(head.upgrade[0].lowercased()) else { return false }
    guard !isStopping else { return refuse(socket, 503, "The server is stopping.", head) }
    if case .refuse(let status, let reason) = exchanges.requestGuard.verdict(onUpgrade: head) {
      return refuse(socket, status, reason, head)
    }
    switch access.verdict(onUpgrade: head, from: address(of: socket), at: EventLoop.now) {
    case .allow(let pass):
      guard pass.role.mayView else { return refuse(socket, 403, "A writer may only send rows.", head) }
      exchanges.admit(socket, with: pass)
      return true
    case .refuse(let status, let reason): return refuse(socket, status, reason, head)
    }
  }

  private func refuse(_ socket: OpaquePointer, _ status: Int, _ reason: String, _ head: RequestHead) -> Bool {
    operations.metrics.refusals[status, default: 0] += 1
    operations.logger.debug("a request is refused", metadata: ["status": "\(status)", "reason": "\(reason)"])
    let response = secured(HTTPResponse(refusal: status, reason: reason, to: head.method))
    // The response fits into any socket's buffer; the connection is closed either way.
    _ = write(response.head + response.body, to: socket, with: clws_write_http_head)
    return false
  }

  func answerPageRequest(_ socket: OpaquePointer) -> Bool {
    let head = RequestHead(of: socket)
    // HEAD takes the same path as GET, including its waits.
    if head.method == .head { exchanges.noteHead(on: socket) }
    if let response = response(to: head, on: socket) {
      if head.mayHaveBody { exchanges.beginDiscarding(on: socket, at: EventLoop.now) }
      answer(socket, with: response)
    }
    return true
  }

  /// Adds Strict-Transport-Security for one year if the server uses TLS on a public address.
  ///
  /// On the loopback address the header would apply to every other server at `localhost`.
  private func secured(_ response: HTTPResponse) -> HTTPResponse {
    guard configuration.certificate != nil, !configuration.address.isLocal else { return response }
    return response.with("Strict-Transport-Security", "max-age=31536000")
  }

  /// Begins to send a response.
  func answer(_ socket: OpaquePointer, with response: HTTPResponse) {
    exchanges.begin(secured(response), on: socket)
    lws_callback_on_writable(socket)
  }

  /// Returns the origin of a request for the counting of wrong tokens.
  func address(of socket: OpaquePointer) -> String {
    Self.remoteAddress(of: lws_get_socket_fd(socket)) ?? "this machine"
  }

  /// Writes the next piece of a response.
  ///
  /// After the last piece the connection is closed, or waits for the next request.
  func continueTransfer(on socket: OpaquePointer) -> Bool {
    goOn(socket)
    // There is nothing to write while the answer waits for a source or the connection for a
    // request.
    guard var transfer = exchanges[transfer: socket] else {
      return exchanges[export: socket] == nil || continueExport(on: socket)
    }
    guard let piece = transfer.nextPiece() else {
      guard !exchanges.isDiscarding(socket) else {
        linger(socket)
        return true
      }
      guard transfer.keepsConnection, !isStopping else { return continueExport(on: socket) }
      exchanges[transfer: socket] = nil
      return lws_http_transaction_completed(socket) == 0
    }
    exchanges[transfer: socket] = transfer
    guard write(piece, to: socket, with: clws_write_http_body) else { return false }
    writeMore(to: socket)
    return true
  }

  func write(
    _ bytes: [UInt8], to socket: OpaquePointer,
    with function: (OpaquePointer?, UnsafeMutablePointer<UInt8>?, Int) -> Int32
  ) -> Bool {
    var padded = [UInt8](repeating: 0, count: CLWS_PRE)
    padded += bytes
    return padded.withUnsafeMutableBufferPointer { function(socket, $0.baseAddress! + CLWS_PRE, bytes.count) >= 0 }
  }
}

extension RequestHead {
  /// Creates the head of the request that libwebsockets has parsed.
  fileprivate init(of socket: OpaquePointer) {
    var uri: UnsafeMutablePointer<CChar>?
    var length: Int32 = 0
    let number = lws_http_get_uri_and_method(socket, &uri, &length)
    method =
      switch Int(number) {
      case LWSHUMETH_GET: .get
      case LWSHUMETH_HEAD: .head
      case LWSHUMETH_POST: .post
      case LWSHUMETH_PUT: .put
      case LWSHUMETH_DELETE: .delete
      default: .other
      }
    let uriText = uri.map { String(decoding: UnsafeRawBufferPointer(start: $0, count: Int(length)), as: UTF8.self) }
    path = Room.strip(uriText ?? "")
    version = Self.values(of: WSI_TOKEN_HTTP, on: socket).first ?? ""
    host = Self.values(of: WSI_TOKEN_HOST, on: socket)
    origin = Self.values(of: WSI_TOKEN_ORIGIN, on: socket)
    upgrade = Self.values(of: WSI_TOKEN_UPGRADE, on: socket)
    connection = Self.values(of: WSI_TOKEN_CONNECTION, on: socket)
    webSocketVersion = Self.values(of: WSI_TOKEN_VERSION, on: socket)
    webSocketKey = Self.values(of: WSI_TOKEN_KEY, on: socket)
    subprotocols = Self.values(of: WSI_TOKEN_PROTOCOL, on: socket)
    contentLength = Self.values(of: WSI_TOKEN_HTTP_CONTENT_LENGTH, on: socket)
    transferEncoding = Self.values(of: WSI_TOKEN_HTTP_TRANSFER_ENCODING, on: socket)
    ifNoneMatch = Self.values(of: WSI_TOKEN_HTTP_IF_NONE_MATCH, on: socket)
    // libwebsockets turns an empty query string into a `/`.
    arguments = Self.values(of: WSI_TOKEN_HTTP_URI_ARGS, on: socket).filter { $0 != "/" && !$0.isEmpty }
    authorization = Self.values(of: WSI_TOKEN_HTTP_AUTHORIZATION, on: socket)
    cookie = Self.values(of: WSI_TOKEN_HTTP_COOKIE, on: socket)
    contentType = Self.values(of: WSI_TOKEN_HTTP_CONTENT_TYPE, on: socket)
    expectsContinue = Self.values(of: WSI_TOKEN_HTTP_EXPECT, on: socket).map { $0.lowercased() } == ["100-continue"]
    byteCount = Self.byteCount(on: socket)
  }

  /// Returns the size of all headers whose names libwebsockets knows.
  private static func byteCount(on socket: OpaquePointer) -> Int {
    (0..<WSI_TOKEN_COUNT.rawValue).reduce(0) { sum, token in
      sum + max(0, Int(lws_hdr_total_length(socket, lws_token_indexes(token))))
    }
  }

  /// Returns the values of all headers with this name.
  private static func values(of token: lws_token_indexes, on socket: OpaquePointer) -> [String] {
    var values: [String] = []
    var index: Int32 = 0
    // Larger than the limit of all headers (`max_http_header_data`), because longer values would
    // seem absent.
    var buffer = [CChar](repeating: 0, count: 2 * RequestGuard.greatestHead + 1)
    // lws_hdr_total_length() returns 0 for an empty header, so it does not show whether one exists.
    while true {
      let length = lws_hdr_copy_fragment(socket, &buffer, Int32(buffer.count), token, index)
      guard length >= 0 else { break }
      values.append(String(decoding: buffer[..<Int(length)].map(UInt8.init(bitPattern:)), as: UTF8.self))
      index += 1
    }
    return values
  }
}
