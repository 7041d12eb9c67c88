import Wire

/// An answer to a plain request, as bytes.
struct HTTPResponse {
  /// Under every answer, whatever it is. The page may run its own scripts and speak to its own server, and nothing else.
  static let safetyHeaders: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; connect-src 'self'; "
        + "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        + "require-trusted-types-for 'script'; trusted-types rowcast"
    ),
    ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
  ]
  /// The page's files are kept and asked for again, unless their address names a revision; everything else is nobody's to keep.
  static let fileCaching = (name: "Cache-Control", value: "no-cache")
  private static let lastingCaching = (name: "Cache-Control", value: "public, max-age=31536000, immutable")
  private static let otherCaching = (name: "Cache-Control", value: "no-store")

  private static let phrases = [
    200: "OK", 303: "See Other", 304: "Not Modified", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden",
    404: "Not Found", 405: "Method Not Allowed", 426: "Upgrade Required", 429: "Too Many Requests",
    431: "Request Header Fields Too Large",
    502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
  ]

  private(set) var head: [UInt8]
  /// Empty in answer to HEAD.
  private(set) var body: [UInt8]
  /// Whether another request may follow on the same connection.
  let keepsConnection: Bool

  private init(
    status: Int, headers: [(name: String, value: String)], body: [UInt8], isBodySent: Bool, isStreamed: Bool = false,
    keepsConnection: Bool = false
  ) {
    var text = "HTTP/1.1 \(status) \(Self.phrases[status] ?? "Status")\r\n"
    for (name, value) in headers + Self.safetyHeaders { text += "\(name): \(value)\r\n" }
    if status != 304, !isStreamed { text += "Content-Length: \(body.count)\r\n" }
    // Whoever is refused, or sends what could hide a second request, is not listened to any longer.
    text += "Connection: \(keepsConnection ? "keep-alive" : "close")\r\n\r\n"
    self.keepsConnection = keepsConnection
    head = Array(text.utf8)
    self.body = isBodySent ? body : []
  }

  /// The same with one more header.
  func with(_ name: String, _ value: String) -> HTTPResponse {
    var response = self
    // In front of the empty line.
    response.head.insert(contentsOf: Array("\(name): \(value)\r\n".utf8), at: head.count - 2)
    return response
  }

  /// The same in answer to HEAD.
  var withoutBody: HTTPResponse {
    var response = self
    response.body = []
    return response
  }

  /// A file of the page, or the word that the browser has it already.
  ///
  /// The page is many small files: a browser that asks for them on a few connections, instead of one for each, has them sooner.
  init(_ file: PageFile, to request: RequestHead, keepsConnection: Bool = false) {
    let tags = request.ifNoneMatch.flatMap { $0.split(separator: ",") }.map { String($0.drop(while: { $0 == " " })) }
    let isKnown = tags.contains { $0 == file.tag || $0 == "W/" + file.tag || $0 == "*" }
    self.init(
      status: isKnown ? 304 : 200,
      headers: [
        ("Content-Type", file.contentType), ("ETag", file.tag), file.isLasting ? Self.lastingCaching : Self.fileCaching,
      ],
      body: isKnown ? [] : file.bytes, isBodySent: request.method != .head, keepsConnection: keepsConnection)
  }

  /// A refusal that says why.
  init(refusal status: Int, reason: String, to method: RequestHead.Method = .get) {
    var headers = [(name: "Content-Type", value: "text/plain; charset=utf-8"), Self.otherCaching]
    switch status {
    case 503: headers.append(("Retry-After", "5"))
    case 401: headers.append(("WWW-Authenticate", "Bearer realm=\"rowcast\""))
    case 405: headers.append(("Allow", "GET, HEAD"))
    case 426: headers.append(("Sec-WebSocket-Version", "13"))
    case 429: headers.append(("Retry-After", "1"))
    default: break
    }
    self.init(status: status, headers: headers, body: Array("\(reason)\n".utf8), isBodySent: method != .head)
  }

  /// A refusal in the form of the page, which asks the user to sign in where that is needed.
  init(refusal status: Int, page: PageFile) {
    self.init(
      status: status, headers: [("Content-Type", page.contentType), Self.otherCaching], body: page.bytes,
      isBodySent: true)
  }

  /// Off to the page, perhaps with a cookie.
  init(toPageWith cookie: String?, at path: String = "/") {
    var headers = [(name: "Location", value: path), Self.otherCaching]
    if let cookie { headers.append(("Set-Cookie", cookie)) }
    self.init(status: 303, headers: headers, body: [], isBodySent: false)
  }

  /// An image. Its key names these bytes for ever.
  init(image bytes: [UInt8], _ kind: ImageKind) {
    let headers = [
      (name: "Content-Type", value: kind.rawValue),
      (name: "Cache-Control", value: "private, max-age=604800, immutable"),
    ]
    self.init(status: 200, headers: headers, body: bytes, isBodySent: true)
  }

  /// The beginning of a file whose length is not known; it follows in chunks.
  init(streaming contentType: String, named name: String) {
    let isPlain: (Unicode.Scalar) -> Bool = {
      $0.isASCII
        && ($0.properties.isAlphabetic || $0.properties.numericType != nil || "-._".unicodeScalars.contains($0))
    }
    var file = String.UnicodeScalarView()
    for scalar in name.unicodeScalars.suffix(100) { file.append(isPlain(scalar) ? scalar : "_") }
    self.init(
      status: 200,
      headers: [
        ("Content-Type", contentType), ("Content-Disposition", "attachment; filename=\"\(file)\""),
        ("Transfer-Encoding", "chunked"), Self.otherCaching,
      ], body: [], isBodySent: false, isStreamed: true)
  }

  /// Something that is true now.
  init(_ body: [UInt8], type: String, to method: RequestHead.Method) {
    self.init(
      status: 200, headers: [("Content-Type", type), Self.otherCaching], body: body, isBodySent: method != .head)
  }
}
