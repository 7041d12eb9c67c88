import Foundation
import Testing

@testable import Server

/// Tests of requests for the page's files, by browsers and attackers.
@Suite struct PageTests {
  /// A folder with a page, and with files that must never be served.
  private final class Folder {
    let path: String
    static let script = String(repeating: "export const line = 1;\n", count: 40_000)

    init() throws {
      path = FileManager.default.temporaryDirectory.appending(path: "rowcast-\(UUID().uuidString)").path
      try FileManager.default.createDirectory(atPath: path + "/parts/deep", withIntermediateDirectories: true)
      try FileManager.default.createDirectory(atPath: path + "/.hidden", withIntermediateDirectories: true)
      for (name, text) in [
        "index.html": "<!doctype html><title>x</title>", "app.js": "export {};", "parts/style.css": "p{}",
        "parts/deep/icon.svg": "<svg/>", "large.js": Self.script, "empty.css": "", "secret.txt": "no",
        "README.md": "no",
        "no-suffix": "no", ".env.js": "no", ".hidden/a.js": "no", "odd name.js": "no", "map.js.txt": "no",
      ] {
        try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
      }
      try FileManager.default.createSymbolicLink(atPath: path + "/link.js", withDestinationPath: "/etc/hostname")
      try FileManager.default.createSymbolicLink(atPath: path + "/links", withDestinationPath: "/etc")
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func server() throws -> RunningServer {
      let files = try PageFiles(folder: path)
      return try RunningServer { $0.page = files }
    }
  }

  @Test func `lists only page files and refuses a folder without an index`() throws {
    let folder = try Folder()
    #expect(
      try PageFiles(folder: folder.path).paths
        == ["/app.js", "/empty.css", "/index.html", "/large.js", "/parts/deep/icon.svg", "/parts/style.css"])
    #expect(throws: PageFiles.Failure.noFolder("/nowhere")) { try PageFiles(folder: "/nowhere") }
    #expect(throws: PageFiles.Failure.noFolder(folder.path + "/app.js")) {
      try PageFiles(folder: folder.path + "/app.js")
    }
    #expect(throws: PageFiles.Failure.noIndex(folder.path + "/parts")) { try PageFiles(folder: folder.path + "/parts") }
  }

  @Test func `refuses a page of more than 1,000 files`() throws {
    let folder = try Folder()
    let already = try PageFiles(folder: folder.path).paths.count
    for number in already..<1_000 { try Data().write(to: URL(filePath: "\(folder.path)/more\(number).js")) }
    #expect(try PageFiles(folder: folder.path).paths.count == 1_000)
    try Data().write(to: URL(filePath: "\(folder.path)/another.js"))
    #expect(throws: PageFiles.Failure.self) { try PageFiles(folder: folder.path) }
  }

  @Test func `refuses a page larger than 32 MiB`() throws {
    let folder = try Folder()
    let files = try PageFiles(folder: folder.path)
    let already = files.paths.reduce(0) { $0 + (files.file(at: $1)?.bytes.count ?? 0) }
    let path = "\(folder.path)/more.js"
    try Data().write(to: URL(filePath: path))
    #expect(truncate(path, off_t(33_554_432 - already)) == 0)
    #expect(try PageFiles(folder: folder.path).file(at: "/more.js")?.bytes.count == 33_554_432 - already)
    #expect(truncate(path, off_t(33_554_433 - already)) == 0)
    #expect(throws: PageFiles.Failure.self) { try PageFiles(folder: folder.path) }
  }

  @Test func `reads folders eight levels deep and ignores deeper ones`() throws {
    let folder = try Folder()
    let eighth = Array(repeating: "d", count: 8).joined(separator: "/")
    try FileManager.default.createDirectory(atPath: "\(folder.path)/\(eighth)/d", withIntermediateDirectories: true)
    for place in [eighth, "\(eighth)/d"] { try Data().write(to: URL(filePath: "\(folder.path)/\(place)/a.js")) }
    let files = try PageFiles(folder: folder.path)
    #expect(files.file(at: "/\(eighth)/a.js") != nil)
    #expect(files.file(at: "/\(eighth)/d/a.js") == nil)
  }

  @Test func `serves each file with its content type and length`() throws {
    let folder = try Folder()
    let server = try folder.server()
    for (path, type) in [
      ("/", "text/html; charset=utf-8"), ("/index.html", "text/html; charset=utf-8"),
      ("/app.js", "text/javascript; charset=utf-8"), ("/parts/style.css", "text/css; charset=utf-8"),
      ("/parts/deep/icon.svg", "image/svg+xml"), ("/app.js?v=1", "text/javascript; charset=utf-8"),
    ] {
      let answer = try #require(try HTTPAnswer.get(path, port: server.port))
      #expect(answer.status == 200, "\(path)")
      #expect(answer.headers["content-type"] == type, "\(path)")
      #expect(answer.headers["content-length"] == "\(answer.body.count)", "\(path)")
    }
    #expect(try HTTPAnswer.get("/large.js", port: server.port)?.body == Array(Folder.script.utf8))
    #expect(try HTTPAnswer.get("/empty.css", port: server.port)?.body == [])
    let head = try #require(try HTTPAnswer.get("/app.js", port: server.port, method: "HEAD"))
    #expect(head.status == 200)
    #expect(head.body == [])
    #expect(head.headers["content-length"] == "10")
  }

  @Test func `answers 304 as long as the ETag matches`() throws {
    let folder = try Folder()
    let server = try folder.server()
    let tag = try #require(try HTTPAnswer.get("/app.js", port: server.port)?.headers["etag"])
    for condition in [tag, "\"x\", \(tag)", "W/\(tag)", "*"] {
      let answer = try HTTPAnswer.get("/app.js", port: server.port, headers: ["If-None-Match: \(condition)"])
      #expect(answer?.status == 304, "\(condition)")
      #expect(answer?.body == [])
    }
    let other = try HTTPAnswer.get("/app.js", port: server.port, headers: ["If-None-Match: \"x\""])
    #expect(other?.status == 200)
    try Data("changed".utf8).write(to: URL(filePath: folder.path + "/app.js"))
    let restarted = try folder.server()
    let changed = try HTTPAnswer.get("/app.js", port: restarted.port, headers: ["If-None-Match: \(tag)"])
    #expect(changed?.body == Array("changed".utf8))
  }

  @Test func `the index refers to files by immutable revision URLs`() throws {
    let folder = try Folder()
    let index = URL(filePath: folder.path + "/index.html")
    let html = """
      <link rel="stylesheet" href="parts/style.css"><script src="app.js"></script><script src="gone.js"></script>
      <a href="https://x.example/app.js">app.js</a><p title="app.js" data-src="app.js">"app.js"</p>
      """
    try Data(html.utf8).write(to: index)
    let server = try folder.server()
    let revision = try PageFiles(folder: folder.path).revision
    let page = try #require(try HTTPAnswer.get("/", port: server.port))
    #expect(
      String(decoding: page.body, as: UTF8.self)
        == html.replacingOccurrences(of: " href=\"parts/style.css\"", with: " href=\"/r/\(revision)/parts/style.css\"")
        .replacingOccurrences(of: " src=\"app.js\"", with: " src=\"/r/\(revision)/app.js\""))
    #expect(page.headers["cache-control"] == "no-cache", "its own address stays the same")
    for (path, name) in [("app.js", "text/javascript; charset=utf-8"), ("parts/deep/icon.svg", "image/svg+xml")] {
      let plain = try #require(try HTTPAnswer.get("/\(path)", port: server.port))
      #expect(plain.headers["cache-control"] == "no-cache")
      let kept = try #require(try HTTPAnswer.get("/r/\(revision)/\(path)", port: server.port))
      #expect(kept.body == plain.body)
      #expect(kept.headers["content-type"] == name)
      #expect(kept.headers["cache-control"] == "public, max-age=31536000, immutable")
      let old = try #require(try HTTPAnswer.get("/r/0123456789abcdef/\(path)", port: server.port))
      #expect(old.body == plain.body, "a page that stands since before a restart finds what it loads late")
      #expect(old.headers["cache-control"] == "no-cache")
    }
    for path in [
      "/r/\(revision)/index.html", "/r/\(revision)/", "/r/\(revision)", "/r//app.js", "/r/app.js",
      "/r/\(revision)/secret.txt",
      "/R/\(revision)/app.js", "/r/0123456789abcdef0/app.js", "/r/ABCDEF/app.js", "/r/x/app.js",
      "/r/\(revision)/r/\(revision)/app.js",
    ] {
      #expect(try HTTPAnswer.get(path, port: server.port)?.status == 404, "\(path)")
    }
  }

  @Test func `changed or renamed files change the revision`() throws {
    let folder = try Folder()
    let revision = try PageFiles(folder: folder.path).revision
    #expect(try PageFiles(folder: folder.path).revision == revision)
    try Data("q{}".utf8).write(to: URL(filePath: folder.path + "/parts/style.css"))
    let changed = try PageFiles(folder: folder.path).revision
    #expect(changed != revision)
    try FileManager.default.moveItem(atPath: folder.path + "/app.js", toPath: folder.path + "/application.js")
    #expect(try PageFiles(folder: folder.path).revision != changed)
  }

  @Test func `sends the security headers with every response`() throws {
    let folder = try Folder()
    let server = try folder.server()
    let policy =
      "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
      + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types rowcast"
    for (path, method) in [
      ("/", "GET"), ("/", "HEAD"), ("/app.js", "GET"), ("/nothing", "GET"), ("/ws", "GET"), ("/", "POST"), ("*", "GET"),
    ] {
      let answer = try #require(try HTTPAnswer.get(path, port: server.port, method: method), "\(method) \(path)")
      let headers = answer.headers
      #expect(headers["content-security-policy"] == policy, "\(method) \(path)")
      #expect(headers["x-content-type-options"] == "nosniff", "\(method) \(path)")
      #expect(headers["referrer-policy"] == "no-referrer", "\(method) \(path)")
      #expect(headers["cross-origin-opener-policy"] == "same-origin", "\(method) \(path)")
      #expect(headers["cross-origin-resource-policy"] == "same-origin", "\(method) \(path)")
      #expect(
        headers["cache-control"] == (answer.status == 200 || path == "*" ? "no-cache" : "no-store"), "\(method) \(path)"
      )
      #expect(!headers.keys.contains { $0.hasPrefix("access-control-") }, "\(method) \(path)")
      #expect(headers["server"] == nil, "\(method) \(path)")
    }
  }

  @Test func `serves only page files, whatever the path`() throws {
    let folder = try Folder()
    let server = try folder.server()
    let climbs = [
      "..", "%2e%2e", "%2e.", ".%2e", "..;", "..%00", "%c0%ae%c0%ae", "..%5c", "%252e%252e", "....", "..%2f", "．．",
    ]
    let targets = [
      "etc/passwd", "secret.txt", "app.js", "README.md", "%65tc/passwd", "etc%2fpasswd", "proc/self/environ",
    ]
    var paths: [String] = [
      "/secret.txt", "/README.md", "/no-suffix", "/.env.js", "/.hidden/a.js", "/odd%20name.js", "/map.js.txt",
      "/link.js",
      "/links/hostname", "/links", "/parts", "/parts/", "/parts/deep", "/APP.JS", "/app.js/", "/app.js%00",
      "/app.js%00.html",
      "/app.js%20", "/app.js.", "/app.js;x", "/app%2ejs%2f", "/index.html/index.html", "/%", "/%4", "/%zz", "/\u{7f}",
      "/\\..\\..\\etc\\passwd", "/~root", "/C:/windows/win.ini", "/%2f%2fetc%2fpasswd", "/?/../../etc/passwd",
      "/#/../etc/passwd",
      "/*", "/" + String(repeating: "a", count: 3_000), "/" + String(repeating: "../", count: 900) + "etc/passwd",
    ]
    for climb in climbs {
      for depth in [1, 2, 8] {
        for target in targets {
          paths.append("/" + String(repeating: climb + "/", count: depth) + target)
          paths.append("/parts/" + String(repeating: climb + "\\", count: depth) + target)
        }
      }
    }
    #expect(paths.count >= 500)
    // However a path is interpreted, only files of the page are returned.
    let page = Set(
      try PageFiles(folder: folder.path).paths.map { try PageFiles(folder: folder.path).file(at: $0)!.bytes })
    for path in paths {
      let answer = try HTTPAnswer.get(path, port: server.port)
      if let answer, answer.status == 200 { #expect(page.contains(answer.body), "\(path)") }
    }
    for path in paths.prefix(24) {
      #expect(try HTTPAnswer.get(path, port: server.port)?.status != 200, "\(path)")
    }
  }

  @Test func `refuses methods other than GET and HEAD`() throws {
    let server = try RunningServer()
    for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
      let answer = try HTTPAnswer.get("/", port: server.port, method: method)
      #expect(answer?.status == 405, "\(method)")
      #expect(answer?.headers["allow"] == "GET, HEAD", "\(method)")
    }
    for method in ["CONNECT", "TRACE", "PROPFIND", "XGET", "GETX", "", "G", "HEAD GET", "\u{0}GET"] {
      let answer = try HTTPAnswer.get("/", port: server.port, method: method)
      #expect(answer == nil || answer!.status >= 400, "\(method)")
    }
  }

  @Test func `refuses bodies and does not answer requests hidden in them`() throws {
    let server = try RunningServer()
    let host = "Host: 127.0.0.1:\(server.port)\r\n"
    let hidden = "GET /index.html HTTP/1.1\r\n\(host)\r\n"
    let lengths = [
      "Content-Length: \(hidden.utf8.count)", "Content-Length: 5", "Content-Length: -1", "Content-Length: 0x5",
      "Content-Length: 99999999999999999999", "Content-Length: 0\r\nContent-Length: 5",
      "Content-Length: 5\r\nContent-Length: 0",
      "Content-Length: 0, 5", "Content-Length: +0", "Transfer-Encoding: chunked", "Transfer-Encoding: identity",
      "Transfer-Encoding: chunked\r\nContent-Length: 0", "Content-Length: 0\r\nTransfer-Encoding: chunked",
      "Transfer-Encoding: xchunked", "transfer-encoding: Chunked",
    ]
    for method in ["GET", "HEAD", "POST"] {
      for length in lengths {
        let request = "\(method) / HTTP/1.1\r\n\(host)\(length)\r\n\r\n0\r\n\r\n\(hidden)"
        let answer = try HTTPAnswer.to(request, port: server.port)
        #expect(answer == nil || (answer!.count == 1 && answer!.status >= 400), "\(method) with \(length)")
      }
    }
    // Further data on the connection is not read.
    let twice = try HTTPAnswer.to(hidden + hidden, port: server.port)
    #expect(twice?.count == 1)
    #expect(twice?.headers["connection"] == "close")
  }

  @Test func `16 KiB of request headers are accepted, and more answer 431`() throws {
    let server = try RunningServer()
    func status(_ count: Int) throws -> Int? {
      try HTTPAnswer.get(
        "/healthz", port: server.port, headers: ["Cookie: a=" + String(repeating: "x", count: count)])?.status
    }
    #expect(try status(4_096) == 200)
    #expect(try status(16_000) == 200)
    #expect(try status(16_500) == 431)
    #expect(try status(30_000) == 431)
    let lines = WebSocketClient.upgrade(port: server.port) + ["Cookie: a=" + String(repeating: "x", count: 20_000)]
    #expect(try WebSocketClient.status(of: lines, port: server.port) == 431)
    #expect(try status(10) == 200)
  }

  @Test func `refuses huge headers and closes incomplete requests`() throws {
    let server = try RunningServer()
    let huge = try HTTPAnswer.get("/", port: server.port, headers: ["X: " + String(repeating: "x", count: 90_000)])
    #expect(huge == nil || huge!.status >= 400)
    let many = try HTTPAnswer.get("/", port: server.port, headers: (0..<20_000).map { "X-\($0): y" })
    #expect(many == nil || many!.status >= 400)
    let slow = try RawSocket(port: server.port)
    slow.send("GET / HTTP/1.1\r\nHost: 127")
    #expect(try HTTPAnswer.get("/", port: server.port)?.status == 200)
    #expect(slow.readToEnd(within: 30) != nil, "half a request keeps its connection")
  }
}
