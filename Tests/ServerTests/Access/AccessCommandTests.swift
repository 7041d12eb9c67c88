import Foundation
import Testing

@testable import Server

/// Tests of signing in to a server that the `rowcast` command runs.
@Suite struct AccessCommandTests {
  private final class Folder {
    let path = FileManager.default.temporaryDirectory.appending(path: "rowcast-\(UUID().uuidString)").path
    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }

    func tokens(port: Int) throws -> [AccessToken] { try TokenFile.read("\(path)/rowcast/\(port).token") }
  }

  private func role(_ headers: [String], port: Int) throws -> String? {
    try HTTPAnswer.get("/session", port: port, headers: headers).map { String(decoding: $0.body, as: UTF8.self) }
  }

  private func cookie(from answer: HTTPAnswer?) -> String? {
    answer?.headers["set-cookie"].map { "Cookie: \($0.prefix { $0 != ";" })" }
  }

  @Test func `the printed URL signs in once, and a stop deletes the tokens`() throws {
    let folder = try Folder()
    let command = try RunningCommand(["--port", "0"], folder: folder.path)
    let code = try #require(command.code)
    #expect(command.announcement == "listening on http://127.0.0.1:\(command.port)/?code=\(code)")
    #expect(try role([], port: command.port) == "{\"role\":null}\n")
    let client = try WebSocketClient.status(of: WebSocketClient.upgrade(port: command.port), port: command.port)
    #expect(client == 401)
    let cookie = try #require(cookie(from: try HTTPAnswer.get("/?code=\(code)", port: command.port)))
    #expect(try role([cookie], port: command.port) == "{\"role\":\"operator\"}\n")
    #expect(try HTTPAnswer.get("/?code=\(code)", port: command.port)?.status == 403)
    // The token file has a token of each role, and is deleted with a server on a port chosen by the
    // system.
    let tokens = try folder.tokens(port: command.port)
    #expect(tokens.map(\.role) == [.operator, .viewer, .writer])
    for token in tokens {
      #expect(
        try role(["Authorization: Bearer \(token.text)"], port: command.port)
          == "{\"role\":\"\(token.role.rawValue)\"}\n")
    }
    command.send(signal: SIGTERM)
    #expect(try command.end() == 0)
    #expect(throws: TokenFile.Failure.self) { try folder.tokens(port: command.port) }
  }

  @Test func `the url command prints a sign-in URL for the requested role`() throws {
    let folder = try Folder()
    let command = try RunningCommand(["--port", "0"], folder: folder.path)
    for (role, arguments) in [("operator", []), ("viewer", ["--role", "viewer"])] {
      let print = try RunningCommand(["url", "--port", "\(command.port)"] + arguments, folder: folder.path)
      #expect(print.announcement.hasPrefix("http://127.0.0.1:\(command.port)/?code="))
      let code = try #require(print.code)
      #expect(try print.end() == 0)
      let cookie = try #require(cookie(from: try HTTPAnswer.get("/?code=\(code)", port: command.port)))
      #expect(try self.role([cookie], port: command.port) == "{\"role\":\"\(role)\"}\n")
    }
    let nowhere = try RunningCommand(["url", "--port", "1"], waits: false, folder: folder.path)
    #expect(try nowhere.end() == 1)
    #expect(
      nowhere.complaints.contains("no server of this user runs on port 1; running: http://127.0.0.1:\(command.port)/"))
  }

  /// Starts a server on a port outside the system's ephemeral range, so that it stays free between
  /// runs.
  private static func start(in folder: Folder) throws -> (RunningCommand, port: Int) {
    for port in (20_000..<30_000).shuffled().prefix(100) {
      let command = try RunningCommand(["--port", "\(port)"], folder: folder.path)
      if command.port == port { return (command, port) }
    }
    throw RawSocket.Failure.notConnected(EADDRINUSE)
  }

  @Test(arguments: [SIGTERM, SIGKILL])
  func `the server keeps its tokens across a restart on the same port`(signal: Int32) throws {
    let folder = try Folder()
    let (first, port) = try Self.start(in: folder)
    let tokens = try folder.tokens(port: port)
    let cookie = "Cookie: rowcast-\(port)=\(tokens[0].cookie)"
    first.send(signal: signal)
    #expect(try first.end() == (signal == SIGKILL ? -SIGKILL : 0))
    let second = try RunningCommand(["--port", "\(port)"], folder: folder.path)
    #expect(try folder.tokens(port: port) == tokens)
    #expect(try role([cookie], port: port) == "{\"role\":\"operator\"}\n")
    var status = stat()
    #expect(stat("\(folder.path)/rowcast/\(port).token", &status) == 0 && status.st_mode & 0o777 == 0o600)
    _ = second
  }

  @Test func `a token file that others can read prevents the start`() throws {
    let folder = try Folder()
    let (first, port) = try Self.start(in: folder)
    let path = "\(folder.path)/rowcast/\(port).token"
    first.send(signal: SIGTERM)
    #expect(try first.end() == 0)
    for (path, mode) in [(path, mode_t(0o640)), ("\(folder.path)/rowcast", 0o770)] {
      chmod(path, mode)
      let second = try RunningCommand(["--port", "\(port)"], waits: false, folder: folder.path)
      #expect(try second.end() == 1)
      #expect(second.complaints.contains(path) && second.complaints.contains("chmod"))
      chmod(path, mode & 0o700)
    }
  }

  @Test func `rotating the tokens ends the sessions of the old ones`() throws {
    let folder = try Folder()
    let (command, port) = try Self.start(in: folder)
    let tokens = try folder.tokens(port: port)
    let subprotocol = "rowcast.v1, rowcast.token.\(tokens[0].text)"
    let client = try WebSocketClient(
      port: port, lines: WebSocketClient.upgrade(port: port, subprotocol: subprotocol))
    client.send(#"{"type":"hello","version":1}"#)
    _ = try client.message("hello")
    let rotate = try RunningCommand(["token", "rotate"], folder: folder.path)
    #expect(try rotate.end() == 0)
    #expect(client.closeCode() == 1008)
    let fresh = try folder.tokens(port: port)
    #expect(fresh.map(\.role) == tokens.map(\.role) && Set(fresh).isDisjoint(with: tokens))
    #expect(try role(["Authorization: Bearer \(tokens[0].text)"], port: port) == "{\"role\":null}\n")
    #expect(try role(["Authorization: Bearer \(fresh[0].text)"], port: port) == "{\"role\":\"operator\"}\n")
    _ = command
  }

  @Test func `the sessions command lists and ends sign-ins across a restart`() throws {
    let folder = try Folder()
    let (command, port) = try Self.start(in: folder)
    let token = try folder.tokens(port: port)[0]
    func signIn() throws -> String {
      try #require(cookie(from: HTTPAnswer.get("/?code=\(token.loginCode(at: BootClock.milliseconds))", port: port)))
    }
    let (kept, ended) = (try signIn(), try signIn())
    let lines = WebSocketClient.upgrade(port: port, origin: ["http://127.0.0.1:\(port)"], extra: [ended])
    let client = try WebSocketClient(port: port, lines: lines)
    client.send(#"{"type":"hello","version":1}"#)
    _ = try client.message("hello")
    func id(_ cookie: String) throws -> String {
      try #require(SessionCookie(text: String(cookie.split(separator: "=", maxSplits: 1)[1]))).id
    }
    // The server writes its sign-ins within a second or two.
    func list() throws -> String {
      let command = try RunningCommand(["sessions"], waits: false, folder: folder.path)
      #expect(try command.end() == 0)
      return command.remainingOutput
    }
    let deadline = RawSocket.now() + RawSocket.patience
    while try !list().contains(id(ended)), RawSocket.now() < deadline {}
    let listed = try list()
    #expect(try listed.contains(id(kept)) && listed.contains("operator  ") && listed.contains("this machine"))
    let unknown = try RunningCommand(["sessions", "--end", "AAAAAAAA"], waits: false, folder: folder.path)
    #expect(try unknown.end() == 1 && unknown.complaints.contains("unknown sign-in AAAAAAAA"))
    let dashed = try RunningCommand(["sessions", "--end", "-AAAAAAA"], waits: false, folder: folder.path)
    #expect(try dashed.end() == 1 && dashed.complaints.contains("unknown sign-in -AAAAAAA"))
    let end = try RunningCommand(["sessions", "--end", id(ended)], waits: false, folder: folder.path)
    #expect(try end.end() == 0)
    #expect(client.closeCode() == 1008)
    #expect(try !list().contains(id(ended)))
    command.send(signal: SIGTERM)
    #expect(try command.end() == 0)
    let second = try RunningCommand(["--port", "\(port)"], folder: folder.path)
    #expect(try role([ended], port: port) == "{\"role\":null}\n")
    #expect(try role([kept], port: port) == "{\"role\":\"operator\"}\n")
    let all = try RunningCommand(["sessions", "--end-all"], waits: false, folder: folder.path)
    #expect(try all.end() == 0)
    while try role([kept], port: port) != "{\"role\":null}\n", RawSocket.now() < deadline {}
    #expect(try role([kept], port: port) == "{\"role\":null}\n")
    let wrong = try RunningCommand(["sessions", "--end-all", "--end", "x"], waits: false, folder: folder.path)
    #expect(try wrong.end() == 2 && wrong.complaints.contains("use --end or --end-all, not both"))
    _ = second
  }

  @Test func `the url command finds the running server or lists several ports`() throws {
    let folder = try Folder()
    let none = try RunningCommand(["url"], waits: false, folder: folder.path)
    #expect(try none.end() == 1)
    #expect(none.complaints.contains("no server of this user runs; start one with “rowcast serve”"))
    let first = try RunningCommand(["--port", "0"], folder: folder.path)
    let link = try RunningCommand(["url"], folder: folder.path)
    #expect(link.announcement.hasPrefix("http://127.0.0.1:\(first.port)/?code="))
    let open = try RunningCommand(["--port", "0", "--no-token"], folder: folder.path)
    let several = try RunningCommand(["url"], waits: false, folder: folder.path)
    #expect(try several.end() == 1)
    for port in [first.port, open.port] { #expect(several.complaints.contains("--port \(port)")) }
    let named = try RunningCommand(["url", "--port", "\(open.port)"], folder: folder.path)
    #expect(named.announcement == "http://127.0.0.1:\(open.port)/")
    first.send(signal: SIGKILL)
    _ = try first.end()
    #expect(try RunningCommand(["url"], folder: folder.path).announcement == "http://127.0.0.1:\(open.port)/")
  }

  /// With `DynamicUser=`, systemd names a symbolic link.
  @Test func `accepts a symbolic link as the systemd state directory`() throws {
    let folder = try Folder()
    try FileManager.default.createDirectory(atPath: "\(folder.path)/private", withIntermediateDirectories: true)
    let link = "\(folder.path)/state"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "private")
    let environment = ["STATE_DIRECTORY": "\(link):/nowhere"]
    let command = try RunningCommand(["--port", "0"], folder: folder.path, environment: environment)
    #expect(try TokenFile.read("\(folder.path)/private/\(command.port).token").count == 3)
    let url = try RunningCommand(["url"], folder: folder.path, environment: environment)
    #expect(url.announcement.hasPrefix("http://127.0.0.1:\(command.port)/?code="))
  }

  @Test func `creates the given token file and keeps it when it stops`() throws {
    let folder = try Folder()
    let path = "\(folder.path)/mine"
    for _ in 0..<2 {
      let command = try RunningCommand(["--port", "0", "--token-file", path, "--read-only"], folder: folder.path)
      let token = try #require(try TokenFile.read(path).first)
      #expect(token.role == .operator)
      #expect(try role(["Authorization: Bearer \(token.text)"], port: command.port) == "{\"role\":\"viewer\"}\n")
      command.send(signal: SIGTERM)
      #expect(try command.end() == 0)
    }
    #expect(FileManager.default.fileExists(atPath: path))
  }

  @Test func `keeps tokens out of its output, arguments and environment`() throws {
    let folder = try Folder()
    let command = try RunningCommand(["--port", "0", "--log-level", "trace"], folder: folder.path)
    let token = try folder.tokens(port: command.port)[0]
    let port = command.port
    for headers in [
      ["Authorization: Bearer \(token.text)"], ["Cookie: rowcast-\(port)=\(token.text)"], ["Host: \(token.text)"],
    ] {
      _ = try HTTPAnswer.get("/session", port: port, headers: headers)
      _ = try HTTPAnswer.get("/\(token.text)?code=\(token.text)", port: port, headers: headers)
    }
    for subprotocol in ["rowcast.v1, rowcast.token.\(token.text)", "rowcast.token.\(token.text)", "\(token.text)"] {
      _ = try WebSocketClient.status(of: WebSocketClient.upgrade(port: port, subprotocol: subprotocol), port: port)
    }
    let client = try WebSocketClient(
      port: port, lines: WebSocketClient.upgrade(port: port, subprotocol: "rowcast.v1, rowcast.token.\(token.text)"))
    client.send(#"{"type":"hello","version":2}"#)
    _ = client.closeCode()
    for file in ["cmdline", "environ"] {
      let text = String(
        decoding: try Data(contentsOf: URL(filePath: "/proc/\(command.process)/\(file)")), as: UTF8.self)
      #expect(!text.contains(token.text), "\(file)")
    }
    command.send(signal: SIGTERM)
    #expect(try command.end() == 0)
    #expect(!command.complaints.isEmpty, "nothing was logged at all")
    for text in [command.announcement, command.remainingOutput, command.complaints] {
      #expect(!text.contains(token.text) && !text.contains(token.cookie))
    }
  }
}
