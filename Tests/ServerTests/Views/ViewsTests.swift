import Glibc
import Testing
import Threads

@testable import Server

/// Tests of saved views over real sockets.
@Suite struct ViewsTests {
  private let first = AccessToken(role: .operator)
  private let second = AccessToken(role: .operator)
  private let third = AccessToken(role: .operator)
  private let guest = AccessToken(role: .viewer)
  private let writer = AccessToken(role: .writer)
  private let scratch = try! Scratch()

  private var folder: String { "\(scratch.path)/views" }

  private func server(_ configure: (inout ServerConfiguration) -> Void = { _ in }) throws -> RunningServer {
    try RunningServer {
      $0.tokens = [first, second, third, guest, writer]
      $0.viewsFolder = folder
      configure(&$0)
    }
  }

  private static func body(
    title: String = "CPU hogs", table: String = "jobs", address: String = "#table=jobs&sort=-cpu", more: String = ""
  ) -> String { "title: \"\(title)\"\ntable: \(table)\naddress: \"\(address)\"\n\(more)" }

  private func send(
    _ method: String, _ path: String, _ body: String? = nil, as token: AccessToken?, headers: [String] = [],
    to server: RunningServer
  ) throws -> (status: Int, text: String) {
    var lines = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(server.port)"] + headers
    if let token { lines.append("Authorization: Bearer \(token.text)") }
    if let body { lines.append("Content-Length: \(body.utf8.count)") }
    let answer = try #require(
      try HTTPAnswer.to(lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""), port: server.port))
    return (answer.status, String(decoding: answer.body, as: UTF8.self))
  }

  private func save(
    _ name: String, _ body: String = body(), as token: AccessToken? = nil, to server: RunningServer
  ) throws -> (status: Int, text: String) { try send("PUT", "/views/\(name)", body, as: token ?? second, to: server) }

  private func files() throws -> [String] {
    let folder = try #require(opendir(folder))
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  @Test func `a saved view is listed and exported after a restart`() throws {
    do {
      let server = try server()
      let (status, text) = try save("cpu-hogs", to: server)
      #expect(status == 200)
      #expect(text.contains("\"name\":\"cpu-hogs\"") && text.contains("\"version\":1"))
      #expect(text.contains("\"mine\":true"))
      #expect(server.stop())
    }
    let server = try server()
    let list = try send("GET", "/views?table=jobs", as: guest, to: server)
    #expect(list.status == 200)
    #expect(list.text.contains("\"address\":\"#table=jobs&sort=-cpu\"") && list.text.contains("\"maySave\":false"))
    #expect(try send("GET", "/views?table=others", as: guest, to: server).text.hasPrefix("{\"views\":[],"))
    #expect(try !send("GET", "/views", as: guest, to: server).text.contains("address"))
    let yaml = try send("GET", "/views/cpu-hogs", as: guest, to: server).text
    #expect(yaml.hasPrefix("name: cpu-hogs\ntitle: \"CPU hogs\"\ntable: \"jobs\"\naddress: \"#table=jobs&sort=-cpu\""))
    // The export of one view is the import of another.
    let copy = yaml.replacing("name: cpu-hogs", with: "name: copied").replacing("version: 1\n", with: "")
    #expect(try save("copied", copy, to: server).status == 200)
    #expect(try files().count == 2)
    #expect(try files().allSatisfy { $0.hasSuffix(".yaml") && SavedView.isID($0.dropLast(5)) })
  }

  @Test func `a save over a newer version is refused`() throws {
    let server = try server()
    _ = try save("v", to: server)
    #expect(try save("v", to: server).status == 409, "without a version the view is a new one")
    let next = try save("v", Self.body(title: "Two", more: "version: 1\n"), to: server)
    #expect(next.status == 200 && next.text.contains("\"version\":2"))
    let late = try save("v", Self.body(title: "Three", more: "version: 1\n"), to: server)
    #expect(late.status == 409)
    #expect(late.text.contains("has version 2, yours is based on version 1"))
    #expect(try send("DELETE", "/views/v?version=1", as: second, to: server).status == 409)
    #expect(try send("DELETE", "/views/v?version=2", as: second, to: server).status == 200)
    #expect(try send("GET", "/views/v", as: second, to: server).status == 404)
    #expect(try files().isEmpty)
  }

  @Test func `a save over a deleted view is refused`() throws {
    let server = try server()
    #expect(try save("v", to: server).status == 200)
    #expect(try send("DELETE", "/views/v", as: second, to: server).status == 200)
    let late = try save("v", Self.body(more: "version: 1\n"), to: server)
    #expect(late.status == 409 && late.text.contains("The view “v” was deleted meanwhile: save yours as a new view."))
    #expect(try save("v", to: server).status == 200, "without a version the view is a new one")
  }

  @Test func `concurrent saves of one version have one winner`() throws {
    let server = try server()
    _ = try save("v", to: server)
    let sockets = try (0..<8).map { number in
      let body = Self.body(title: "Try \(number)", more: "version: 1\n")
      let socket = try RawSocket(port: server.port)
      socket.send(
        Array(
          ("PUT /views/v HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nAuthorization: Bearer \(second.text)\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)").utf8))
      return socket
    }
    let statuses = sockets.map { $0.readToEnd().flatMap { HTTPAnswer($0) }?.status }
    #expect(statuses.count { $0 == 200 } == 1)
    #expect(statuses.count { $0 == 409 } == 7)
  }

  @Test func `only the owner and the first operator change a view`() throws {
    let server = try server()
    _ = try save("v", as: second, to: server)
    let change = Self.body(more: "version: 1\n")
    #expect(try save("v", change, as: third, to: server).status == 403)
    #expect(try send("DELETE", "/views/v", as: third, to: server).status == 403)
    #expect(try save("v", change, as: guest, to: server).status == 403)
    #expect(try save("w", as: writer, to: server).status == 403)
    #expect(try send("GET", "/views", as: writer, to: server).status == 403)
    #expect(try send("GET", "/views", as: nil, to: server).status == 401)
    #expect(try send("PUT", "/views/v", change, as: nil, to: server).status == 401)
    let list = try send("GET", "/views", as: third, to: server).text
    #expect(list.contains("\"mine\":false,\"mayChange\":false") && list.contains("\"maySave\":true"))
    #expect(try save("v", change, as: first, to: server).status == 200)
    let other = try send("GET", "/views", as: second, to: server).text
    #expect(other.contains("\"mine\":true,\"mayChange\":true"), "the owner stays")
  }

  @Test func `a view for operators is hidden from viewers`() throws {
    let server = try server()
    _ = try save("secret", Self.body(more: "role: operator\n"), to: server)
    #expect(try send("GET", "/views/secret", as: guest, to: server).status == 404)
    #expect(try send("GET", "/views", as: guest, to: server).text.hasPrefix("{\"views\":[],"))
    #expect(try send("GET", "/views/secret", as: third, to: server).status == 200)
    #expect(try save("x", Self.body(more: "role: writer\n"), to: server).status == 422)
  }

  @Test func `a rename keeps the short link`() throws {
    let server = try server()
    let saved = try save("old", to: server).text
    let id = String(try #require(saved.split(separator: "\"id\":\"").last).prefix(10))
    _ = try save("taken", to: server)
    #expect(try save("old", Self.body(more: "name: taken\nversion: 1\n"), to: server).status == 409)
    #expect(try save("old", Self.body(more: "name: new\nversion: 1\n"), to: server).status == 200)
    #expect(try send("GET", "/views/old", as: guest, to: server).status == 404)
    #expect(try send("GET", "/views/~\(id)?as=json", as: guest, to: server).text.contains("\"name\":\"new\""))
    let link = try #require(try HTTPAnswer.get("/v/~\(id)", port: server.port))
    #expect(link.status == 303 && link.headers["location"] == "/#view=~\(id)")
    #expect(try HTTPAnswer.get("/v/new", port: server.port)?.headers["location"] == "/#view=new")
  }

  @Test(arguments: [
    "../x", "..%2Fx", "%2e%2e%2fx", "a/b", "a%2Fb", "A", "a_b", "-a", "a-", "a.yaml", "%00", "~", "~x", "ä", "a%20b",
    String(repeating: "a", count: 61),
  ])
  func `hostile names create no file`(name: String) throws {
    let server = try server()
    for method in ["PUT", "DELETE", "GET"] {
      let body = method == "PUT" ? Self.body() : nil
      let status = try send(method, "/views/\(name)", body, as: second, to: server).status
      #expect((400...405).contains(status), "\(method) \(name): \(status)")
    }
    let link = try #require(try HTTPAnswer.get("/v/\(name)", port: server.port))
    #expect(link.status == 404 || link.status == 400 || link.status == 403, "\(link.status)")
    #expect(try files().isEmpty)
    let inside = try save("good", Self.body(more: "name: \"\(name)\"\n"), to: server)
    #expect(inside.status == 422)
  }

  @Test(arguments: ["..", "a%00", "../../etc/passwd", "%2e%2e/%2e%2e/etc"])
  func `paths out of the folder create no file`(name: String) throws {
    let server = try server()
    for method in ["PUT", "DELETE"] {
      let body = method == "PUT" ? Self.body() : ""
      let request =
        "\(method) /views/\(name) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"
        + "Authorization: Bearer \(second.text)\r\n"
      let answer = try HTTPAnswer.to(
        request + (body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n") + "\r\n\(body)", port: server.port)
      #expect(answer.map { $0.status >= 400 } ?? true, "\(method) \(name)")
    }
    #expect(try files().isEmpty)
  }

  @Test(arguments: ["~../../etc", "~..%2F..%2Fetc"])
  func `dots in a path are resolved before the view is named`(path: String) throws {
    let server = try server()
    #expect(try send("PUT", "/views/\(path)", Self.body(), as: second, to: server).status == 200)
    #expect(try send("GET", "/views/etc", nil, as: second, to: server).status == 200)
    let files = try files()
    #expect(files.count == 1 && files.allSatisfy { !$0.contains("etc") }, "\(files)")
  }

  @Test(arguments: [
    ("", 413), ("title: x\n", 422), ("- a\n", 422), ("title: [x]\n", 422), ("a: &b c\n", 422), ("title: \"x\n", 422),
    ("title: x\ntitle: y\n", 422), (body(title: ""), 422), (body(title: "a\\u0007b"), 422),
    (body(title: "a\\u202eb"), 422),
    (body(title: "\\ud800"), 422), (body(address: "http://example.org"), 422), (body(address: "#a b"), 422),
    (body(address: "#" + String(repeating: "a", count: 20_000)), 422), (body(more: "version: 0\n"), 422),
    (body(more: "version: 99999999999999999999\n"), 422), (String(repeating: "#", count: 33_000), 413),
  ])
  func `malformed views are refused with a reason`(text: String, status: Int) throws {
    let server = try server()
    let answer = try save("v", text, to: server)
    #expect(answer.status == status)
    #expect(answer.text.utf8.count > 10)
    #expect(try files().isEmpty)
  }

  @Test func `other sites and cookies without an origin change no view`() throws {
    let server = try server()
    let foreign = ["Origin: http://evil.example"]
    #expect(try send("PUT", "/views/v", Self.body(), as: second, headers: foreign, to: server).status == 403)
    let cookie = ["Cookie: rowcast-\(server.port)=\(second.cookie)"]
    #expect(try send("PUT", "/views/v", Self.body(), as: nil, headers: cookie, to: server).status == 401)
    let own = cookie + ["Origin: http://127.0.0.1:\(server.port)"]
    #expect(try send("PUT", "/views/v", Self.body(), as: nil, headers: own, to: server).status == 200)
    #expect(try send("POST", "/views/v", Self.body(), as: second, to: server).status >= 400)
  }

  @Test func `a full disk is reported and the old view stays`() throws {
    let isFull = Guarded(false)
    let server = try server {
      $0.writeOfViews = { file, bytes, count in
        guard isFull.withLock({ $0 }) else { return write(file, bytes, count) }
        errno = ENOSPC
        return -1
      }
    }
    _ = try save("v", to: server)
    isFull.withLock { $0 = true }
    let answer = try save("v", Self.body(title: "Lost", more: "version: 1\n"), to: server)
    #expect(answer.status == 507)
    #expect(answer.text.contains("No space left on device"))
    #expect(try send("GET", "/views/v", as: guest, to: server).text.contains("CPU hogs"))
    #expect(try files().count == 1, "no temporary file is left")
    isFull.withLock { $0 = false }
    #expect(try save("v", Self.body(title: "Found", more: "version: 1\n"), to: server).status == 200)
  }

  @Test func `a deleted folder is reported`() throws {
    let server = try server()
    rmdir(folder)
    let answer = try save("v", to: server)
    #expect(answer.status == 507 && answer.text.contains("No such file or directory"))
  }

  @Test func `a server without a folder explains why it keeps no views`() throws {
    let server = try server { $0.viewsFolder = nil }
    let list = try send("GET", "/views", as: second, to: server)
    #expect(list.status == 200 && list.text.contains("--views") && list.text.contains("\"maySave\":false"))
    let answer = try save("v", to: server)
    #expect(answer.status == 404 && answer.text.contains("--views"))
  }

  @Test func `a file in place of the folder is an error`() throws {
    let path = try scratch.write("file", "x")
    #expect(throws: ServerError.viewsUnavailable(path, "Not a directory")) { try ViewFolder(path: path) }
  }

  @Test func `foreign files in the folder are skipped with a reason`() throws {
    mkdir(folder, 0o700)
    try scratch.write("views/aaaaaaaaaa.yaml", "name: a\n" + Self.body(more: "version: 1\nid: bbbbbbbbbb\n"))
    try scratch.write("views/cccccccccc.yaml", "not a view")
    try scratch.write("views/dddddddddd.yaml", "name: d\n" + Self.body(more: "version: 3\nid: dddddddddd\nowner: ''\n"))
    try scratch.write("views/notes.txt", "x")
    symlink("/etc/passwd", "\(folder)/eeeeeeeeee.yaml")
    let (library, faults) = try ViewFolder(path: folder).load()
    #expect(library.count == 1)
    #expect(library["d"]?.version == 3)
    #expect(faults.map(\.file) == ["aaaaaaaaaa.yaml", "cccccccccc.yaml", "eeeeeeeeee.yaml"])
  }
}
