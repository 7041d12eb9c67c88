import ListEngine
import Wire

/// An encoded HTTP response.
struct HTTPResponse {
  /// The security headers of every response.
  ///
  /// The page may only run its own scripts and connect to its own server.
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
  /// The caching of the page's files: revalidated on each use, unless the URL names a revision.
  ///
  /// All other responses are not cached.
  static let fileCaching = (name: "Cache-Control", value: "no-cache")
  private static let lastingCaching = (name: "Cache-Control", value: "public, max-age=31536000, immutable")
  private static let otherCaching = (name: "Cache-Control", value: "no-store")

  private static let phrases = [
    200: "OK", 303: "See Other", 304: "Not Modified", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden",
    404: "Not Found", 405: "Method Not Allowed", 409: "Conflict", 411: "Length Required", 413: "Content Too Large",
    422: "Unprocessable Content", 426: "Upgrade Required", 429: "Too Many Requests",
    431: "Request Header Fields Too Large",
    502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
    507: "Insufficient Storage",
  ]

  private(set) var head: [UInt8]
  /// The body; empty in a response to HEAD.
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
    // Close after a refusal, and after a request that could smuggle a second one.
    text += "Connection: \(keepsConnection ? "keep-alive" : "close")\r\n\r\n"
    self.keepsConnection = keepsConnection
    head = Array(text.utf8)
    self.body = isBodySent ? body : []
  }

  /// Returns a copy with one more header.
  func with(_ name: String, _ value: String) -> HTTPResponse {
    var response = self
    // Insert before the empty line that ends the head.
    response.head.insert(contentsOf: Array("\(name): \(value)\r\n".utf8), at: head.count - 2)
    return response
  }

  /// A copy without body, for a response to HEAD.
  var withoutBody: HTTPResponse {
    var response = self
    response.body = []
    return response
  }

  /// Creates a response with a file of the page, or with status 304.
  ///
  /// Persistent connections load the page's many small files faster than one connection per file.
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

  /// Creates a refusal with a plain-text reason.
  ///
  /// - Parameter allowsRows: Whether the path takes rows, and nothing else.
  init(refusal status: Int, reason: String, to method: RequestHead.Method = .get, allowsRows: Bool = false) {
    var headers = [(name: "Content-Type", value: "text/plain; charset=utf-8"), Self.otherCaching]
    switch status {
    case 503: headers.append(("Retry-After", "5"))
    case 401: headers.append(("WWW-Authenticate", "Bearer realm=\"rowcast\""))
    case 405 where !allowsRows: headers.append(("Allow", "GET, HEAD"))
    case 405: headers.append(("Allow", "POST, PUT"))
    case 426: headers.append(("Sec-WebSocket-Version", "13"))
    case 429: headers.append(("Retry-After", "1"))
    default: break
    }
    self.init(status: status, headers: headers, body: Array("\(reason)\n".utf8), isBodySent: method != .head)
  }

  /// Creates a refusal with an HTML page, which lets the user sign in where required.
  init(refusal status: Int, page: PageFile) {
    self.init(
      status: status, headers: [("Content-Type", page.contentType), Self.otherCaching], body: page.bytes,
      isBodySent: true)
  }

  /// Creates a redirect to the page, with an optional cookie.
  init(toPageWith cookie: String?, at path: String = "/") {
    var headers = [(name: "Location", value: path), Self.otherCaching]
    if let cookie { headers.append(("Set-Cookie", cookie)) }
    self.init(status: 303, headers: headers, body: [], isBodySent: false)
  }

  /// Creates a response with an image, cached indefinitely because its key identifies its bytes.
  init(image bytes: [UInt8], _ kind: ImageKind) {
    let headers = [
      (name: "Content-Type", value: kind.rawValue),
      (name: "Cache-Control", value: "private, max-age=604800, immutable"),
    ]
    self.init(status: 200, headers: headers, body: bytes, isBodySent: true)
  }

  /// Creates the head of a download of unknown length; the body follows in chunks.
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

  /// Creates the answer to an upload of rows.
  ///
  /// - Parameter isCutOff: Whether the body had more bytes than one request may have.
  init(_ report: UploadReport, isCutOff: Bool = false) {
    let status =
      switch report.failure {
      case .conflict: 409
      case .unreadable: 422
      case .unavailable: 503
      case nil: report.accepted == 0 && report.rejected > 0 ? 422 : 200
      }
    let note =
      isCutOff
      ? "A chunked body has at most 96 MiB: send the rest, from line \(report.lines + 1) on, in another request." : nil
    self.init(
      status: status, headers: [("Content-Type", "application/json"), Self.otherCaching],
      body: report.json(note: note) + [0x0A], isBodySent: true)
  }

  /// Creates a response with generated content that is not cached.
  init(_ body: [UInt8], type: String, to method: RequestHead.Method) {
    self.init(
      status: 200, headers: [("Content-Type", type), Self.otherCaching], body: body, isBodySent: method != .head)
  }
}
