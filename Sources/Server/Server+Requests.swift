import CWebSockets

extension Server {
  /// The first look at a plain request.
  func admitPageRequest(_ socket: OpaquePointer) -> Bool {
    let head = RequestHead(of: socket)
    guard case .refuse(let status, let reason) = guardian.verdict(onPage: head) else { return true }
    return refuse(socket, status, reason, head)
  }

  /// The look at an upgrade, before anything is answered.
  func admitUpgrade(_ socket: OpaquePointer) -> Bool {
    // A second request that turns out to be an upgrade is what CVE-2025-11677 is about; no browser sends one.
    guard !connections.hasAnswered(socket) else { return false }
    let head = RequestHead(of: socket)
    // To an upgrade that it does not know libwebsockets has answered 403 already, and the request may be gone.
    guard head.upgrade.count == 1, ["websocket", "h2c"].contains(head.upgrade[0].lowercased()) else { return false }
    guard !isStopping else { return refuse(socket, 503, "The server stops.", head) }
    if case .refuse(let status, let reason) = guardian.verdict(onUpgrade: head) {
      return refuse(socket, status, reason, head)
    }
    switch access.verdict(onUpgrade: head, from: address(of: socket), at: EventLoop.now) {
    case .allow(let pass):
      admitted[socket] = pass
      return true
    case .refuse(let status, let reason): return refuse(socket, status, reason, head)
    }
  }

  private func refuse(_ socket: OpaquePointer, _ status: Int, _ reason: String, _ head: RequestHead) -> Bool {
    metrics.refusals[status, default: 0] += 1
    logger.debug("a request is refused", metadata: ["status": "\(status)", "reason": "\(reason)"])
    let response = secured(HTTPResponse(refusal: status, reason: reason, to: head.method))
    // Small enough for any socket's buffer; the connection ends here either way.
    _ = write(response.head + response.body, to: socket, with: clws_write_http_head)
    return false
  }

  func answerPageRequest(_ socket: OpaquePointer) -> Bool {
    let head = RequestHead(of: socket)
    // What HEAD is answered is what GET would be: who asks so may have to wait as well.
    if head.method == .head { headsOnly.insert(socket) }
    if let response = response(to: head, on: socket) { answer(socket, with: response) }
    return true
  }

  /// With TLS on an address that others reach, browsers are told to use nothing else for a year. Not on the loopback: there the word
  /// would hold for every other server at `localhost`.
  private func secured(_ response: HTTPResponse) -> HTTPResponse {
    guard configuration.certificate != nil, !configuration.address.isLocal else { return response }
    return response.with("Strict-Transport-Security", "max-age=31536000")
  }

  /// Answers a request, now or when there is something to say.
  func answer(_ socket: OpaquePointer, with response: HTTPResponse) {
    let response = secured(response)
    transfers[socket] = PageTransfer(headsOnly.remove(socket) == nil ? response : response.withoutBody)
    lws_callback_on_writable(socket)
  }

  /// Where a request comes from, as far as wrong tokens are counted.
  func address(of socket: OpaquePointer) -> String {
    Self.remoteAddress(of: lws_get_socket_fd(socket)) ?? "this machine"
  }

  /// Writes the next piece of an answer; when there is none left the connection ends, once the browser has all of it, or waits for the
  /// next request.
  func continueTransfer(on socket: OpaquePointer) -> Bool {
    goOn(socket)
    // Nothing to write: it waits for a source, or for the next request.
    guard var transfer = transfers[socket] else { return downloads[socket] == nil || continueDownload(on: socket) }
    guard let piece = transfer.nextPiece() else {
      guard transfer.keepsConnection, !isStopping else { return continueDownload(on: socket) }
      transfers[socket] = nil
      return lws_http_transaction_completed(socket) == 0
    }
    transfers[socket] = transfer
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
  /// Reads what libwebsockets has parsed.
  fileprivate init(of socket: OpaquePointer) {
    var uri: UnsafeMutablePointer<CChar>?
    var length: Int32 = 0
    let number = lws_http_get_uri_and_method(socket, &uri, &length)
    method = Int(number) == LWSHUMETH_GET ? .get : Int(number) == LWSHUMETH_HEAD ? .head : .other
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
    // Of a question mark with nothing behind it libwebsockets makes a `/`.
    arguments = Self.values(of: WSI_TOKEN_HTTP_URI_ARGS, on: socket).filter { $0 != "/" && !$0.isEmpty }
    authorization = Self.values(of: WSI_TOKEN_HTTP_AUTHORIZATION, on: socket)
    cookie = Self.values(of: WSI_TOKEN_HTTP_COOKIE, on: socket)
    byteCount = Self.byteCount(on: socket)
  }

  /// The bytes of all values that libwebsockets knows the names of.
  private static func byteCount(on socket: OpaquePointer) -> Int {
    (0..<WSI_TOKEN_COUNT.rawValue).reduce(0) { sum, token in
      sum + max(0, Int(lws_hdr_total_length(socket, lws_token_indexes(token))))
    }
  }

  /// Every value that came under a name.
  private static func values(of token: lws_token_indexes, on socket: OpaquePointer) -> [String] {
    var values: [String] = []
    var index: Int32 = 0
    // Larger than all headers together may be (`max_http_header_data`): what did not fit would look as if it were not there.
    var buffer = [CChar](repeating: 0, count: 2 * RequestGuard.greatestHead + 1)
    // Not by lws_hdr_total_length(): it is 0 for a header that is there and empty.
    while true {
      let length = lws_hdr_copy_fragment(socket, &buffer, Int32(buffer.count), token, index)
      guard length >= 0 else { break }
      values.append(String(decoding: buffer[..<Int(length)].map(UInt8.init(bitPattern:)), as: UTF8.self))
      index += 1
    }
    return values
  }
}
