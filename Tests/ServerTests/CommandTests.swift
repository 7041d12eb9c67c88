import Foundation
import Testing

@testable import Server

/// Tests of `rowcast serve` as a process.
@Suite struct CommandTests {
  @Test(arguments: [
    ["--nope"], ["serve", "--nope"], ["nope"], ["--port", "x"], ["--port", "-1"], ["--port", "65536"], ["--port"],
    ["--listen", "0.0.0.0"], ["--listen", "::"], ["--listen", "192.168.0.1"], ["--listen", "example.org"],
    ["--listen", "127.0.0.2"], ["--listen", "0.0.0.0", "--token-file", "/nowhere/t"],
    ["--listen", "0.0.0.0", "--no-token", "--tls-certificate", "c", "--tls-key", "k"],
    ["--tls-certificate", "c"], ["--tls-key", "k"], ["--no-token", "--token-file", "t"],
    ["--no-token", "--public-url", "https://rows.example.org"],
    ["--no-token", "--unix", "/nowhere/s", "--public-url", "https://rows.example.org"],
    ["--public-url", "example.org"],
    ["url", "--role", "admin"], ["url", "--port", "x"],
    ["--sessions-per-token", "0"], ["--sessions-per-token", "10001"], ["--exports-per-token", "0"],
    ["--exports-per-token", "9"], ["--export-rate", "-1"], ["--export-time", "0"], ["--export-time", "86401"],
    ["--publish", "localhost"], ["--from", "http://a"], ["--publish", "nats://a", "--from", "nats://a"],
    ["--from", "nats://a", "--plugin", "processes"], ["--from", "nats://a", "--status"], ["--nats-ca", "x"],
    ["--publish", "nats://a", "--publish-retention", "0"], ["--publish-snapshots", "5"],
    ["--publish", "nats://a", "--publish-keys", "m..a"], ["--publish-keys", "a..m"],
    ["--publish", "nats://a,,b"], ["--publish", "nats://a", "--nats-replicas", "2"], ["--nats-replicas", "3"],
    ["replay", "x", "--publish", "nats://a"],
    ["--interval", "-1"], ["--interval", "60001"], ["--log-level", "loud"], ["--set", "x"], ["--set", "market.rows=1"],
    ["--set", "processes=1"], ["--plugin", "processes", "--plugin", "processes"],
    ["--plugin", "market", "--set", "market.rows=many"], ["--child", "x"], ["--child", "=true"],
    ["--child", "a b=true"],
    ["--child", "x= "], ["--child", "x=true", "--child", "x=true"], ["--child", "x=true", "--set", "y.z=1"],
    ["--child", "processes=true", "--plugin", "processes"], ["watch"], ["watch", "-n", "0", "--", "df"],
    ["watch", "--plugin", "market", "--", "df"], ["show", "--child", "x=true"], ["show", "--format", "xml"],
    ["show", "--delimiter", "ab"], ["show", "--types", "a=b"], ["show", "--types", "a"], ["show", "--pattern", "("],
    ["show", "--pattern", "syslog", "--format", "csv"],
    ["show", "--keep", "0"],
    ["show", "--key", ","],
    ["show", "--where", " "],
    ["watch", "--where", String(repeating: "x", count: 4_097), "df"],
  ])
  func `invalid arguments print one line and exit with 2`(_ arguments: [String]) throws {
    let command = try RunningCommand(arguments, waits: false)
    #expect(try command.end() == 2, "\(arguments)")
    let complaint = command.complaints
    #expect(complaint.hasPrefix("rowcast: "), "\(complaint)")
    #expect(complaint.filter { $0 == "\n" }.count == 1, "\(complaint)")
    #expect(command.remainingOutput == "")
  }

  @Test func `an invalid --where is one error line and exit code 2`() throws {
    let scratch = try Scratch()
    let path = try scratch.write("jobs.csv", "name,cpu\na,5\nb,60\n")
    let command = try RunningCommand([path, "--where", "cpu > 5 nam:x", "--port", "0"])
    #expect(try command.end() == 2)
    let lines = command.complaints.split(separator: "\n").filter { $0.hasPrefix("rowcast: ") }
    #expect(lines == ["rowcast: --where, character 9: there is no column “nam”: did you mean name?"])
  }

  @Test func `a valid --where is served as the first view`() throws {
    let scratch = try Scratch()
    let path = try scratch.write("jobs.csv", "name,cpu\na,5\nb,60\n")
    let command = try RunningCommand([path, "--where", "cpu > 5", "--port", "0", "--no-token"])
    try WebSocketClient.waitForTables(with: "cpu > 5", port: command.port)
    command.send(signal: SIGTERM)
    #expect(try command.end() == 0)
  }

  @Test(.enabled(if: geteuid() == 0), arguments: [["--public-url", "https://rows.example.org"]])
  func `root serves other machines only with --allow-root`(_ beyond: [String]) throws {
    let refused = try RunningCommand(beyond + ["--port", "0"], waits: false)
    #expect(try refused.end() == 2)
    #expect(refused.complaints.hasPrefix("rowcast: root does not serve other machines"), "\(refused.complaints)")
    #expect(refused.complaints.contains("--allow-root"))
    let allowed = try RunningCommand(beyond + ["--port", "0", "--allow-root"])
    allowed.send(signal: SIGTERM)
    #expect(try allowed.end() == 0)
  }

  @Test(arguments: [
    ["--web", "/nowhere"], ["--web", "/etc"], ["--plugin", "nowhere"], ["--plugin", "/etc/passwd"],
    ["--plugin", "/etc"], ["--token-file", "/nowhere/t"], ["--token-file", "/etc/passwd"], ["--token-file", "/tmp"],
    ["--tls-certificate", "/nowhere/c", "--tls-key", "/nowhere/k"], ["--publish", "nats://127.0.0.1:1"],
    ["--from", "nats://127.0.0.1:1"], ["--publish", "nats://127.0.0.1:1", "--nats-ca", "/nowhere/a"],
  ])
  func `an unusable environment prints one line and exits with 1`(_ arguments: [String]) throws {
    let command = try RunningCommand(arguments + ["--port", "0"], waits: false)
    #expect(try command.end() == 1, "\(arguments)")
    let complaint = command.complaints
    #expect(complaint.hasPrefix("rowcast: "), "\(complaint)")
    #expect(complaint.filter { $0 == "\n" }.count == 1, "\(complaint)")
  }

  @Test(arguments: ["/nowhere/s", "/etc/passwd"]) func `an unusable socket path is reported and exits with 1`(
    _ path: String
  ) throws {
    let command = try RunningCommand(["--unix", path], waits: false)
    #expect(try command.end() == 1)
    #expect(command.complaints.hasPrefix("rowcast: cannot listen on \(path)"))
  }

  @Test func `a port in use is reported and exits with 1`() throws {
    let server = try RunningServer()
    let command = try RunningCommand(["--port", "\(server.port)"], waits: false)
    #expect(try command.end() == 1)
    #expect(command.complaints.contains("cannot listen on 127.0.0.1:\(server.port)"))
  }

  @Test(arguments: [
    ["--child", #"jobs=echo '{"id":1,"name":"build"}'; exec sleep 100"#],
    ["--", "sh", "-c", #"echo '{"id":1,"name":"build"}'; exec sleep 100"#],
  ]) func `serves the rows of a child program as a table`(_ arguments: [String]) throws {
    let command = try RunningCommand(["serve", "--port", "0", "--no-token"] + arguments)
    try WebSocketClient.waitFor("build", in: arguments[0] == "--" ? "sh" : "jobs", port: command.port)
    command.send(signal: SIGTERM)
    #expect(try command.end() == 0)
  }

  @Test func `watch serves the output of a repeated command`() throws {
    let command = try RunningCommand([
      "watch", "-n", "0.2", "--port", "0", "--no-token", "--name", "disks", "--", "sh", "-c",
      "echo 'NAME  USE'; echo 'sda   45%'",
    ])
    try WebSocketClient.waitFor("sda", in: "disks", port: command.port)
    command.send(signal: SIGTERM)
    #expect(try command.end() == 0)
  }

  @Test func `serves a file on standard input as a table`() throws {
    let path = "/tmp/rowcast-input-\(UUID().uuidString)"
    try Data("name,n\nbuild,7\n".utf8).write(to: URL(filePath: path))
    defer { unlink(path) }
    let command = try RunningCommand(["--port", "0", "--no-token"], input: path)
    try WebSocketClient.waitFor("build", in: "input", port: command.port)
    command.send(signal: SIGTERM)
    #expect(try command.end() == 0)
  }

  @Test(arguments: [
    ["serve"], ["--child", "jobs=exec sleep 100"], ["watch", "--", "true"], ["show"], ["plugin", "run", "/bin/cat"],
  ]) func `a hangup ends a server without a configuration file`(_ arguments: [String]) throws {
    // The words after `--` must come last.
    let options = ["--port", "0", "--no-token"]
    let command = try RunningCommand(
      arguments.contains("--") ? ["watch"] + options + arguments.dropFirst() : arguments + options)
    command.send(signal: SIGHUP)
    #expect(try command.end(within: WebSocketClient.longPatience) == 0, "\(arguments)")
    #expect(!command.complaints.contains("was reloaded"), "\(command.complaints)")
  }

  @Test func `suggests chmod for a plugin that is not executable`() throws {
    let scratch = try Scratch()
    let file = try scratch.write("jobs.sh", "#!/bin/sh\n")
    chmod(file, 0o644)
    let command = try RunningCommand(["serve", "--port", "0", "--no-token", "--plugin", file], waits: false)
    #expect(try command.end() == 1)
    #expect(
      command.complaints.hasSuffix("; a program must be one that is executable (chmod +x)\n"), "\(command.complaints)")
  }

  @Test(arguments: [("show", "COMMAND | rowcast ["), ("watch", "rowcast watch [")])
  func `help prints the usage of show and watch`(_ name: String, _ usage: String) throws {
    let command = try RunningCommand([name, "--help"], waits: false)
    #expect(try command.end() == 0)
    #expect(command.remainingOutput.contains("USAGE: \(usage)"), "\(command.remainingOutput.prefix(400))")
  }

  @Test func `reports a row without an id while the source is starting`() throws {
    let command = try RunningCommand([
      "serve", "--port", "0", "--no-token", "--child", #"jobs=echo '{"name":"a"}'; exec sleep 100"#,
    ])
    try command.waitForComplaint("the source jobs is starting: line 1: it has no “id”")
    command.send(signal: SIGTERM)
    #expect(try command.end() == 0)
  }

  @Test(arguments: [SIGINT, SIGTERM]) func `serves until SIGINT or SIGTERM and exits with 0`(_ signal: Int32) throws {
    let command = try RunningCommand(["serve", "--port", "0", "--no-token"])
    #expect(command.announcement == "listening on http://127.0.0.1:\(command.port)/")
    #expect(try HTTPAnswer.get("/", port: command.port)?.status == 200)
    let client = try WebSocketClient.open("processes", port: command.port)
    command.send(signal: signal)
    #expect(client.closeCode() == 1001)
    #expect(try command.end() == 0)
    #expect(command.remainingOutput == "", "one line only")
  }

  @Test func `an unresponsive client does not delay the exit`() throws {
    let command = try RunningCommand(["--port", "0", "--no-token"])
    let silent = try WebSocketClient.open("processes", port: command.port)
    command.send(signal: SIGTERM)
    // This is much earlier than the keepalive would detect the lost client.
    #expect(try command.end(within: 10) == 0)
    withExtendedLifetime(silent) {}
  }

  @Test func `a second SIGTERM ends the process`() throws {
    let command = try RunningCommand(["--port", "0", "--no-token"])
    let silent = try WebSocketClient.open("processes", port: command.port)
    command.send(signal: SIGTERM)
    // The Close frame shows that the first signal was handled.
    _ = silent.socket.receive(until: RawSocket.now() + RawSocket.patience)
    command.send(signal: SIGTERM)
    let end = try command.end()
    #expect(end == -SIGTERM || end == 0)
  }

  @Test(arguments: [true, false]) func `flags or the file set the session limit of a token`(_ isFile: Bool) throws {
    let folder = try ConfigurationTests.Folder()
    let token = AccessToken(role: .viewer)
    let path = "\(folder.path)/tokens"
    try TokenFile.write([token, AccessToken(role: .operator)], to: path)
    try folder.write("sessions-per-token: 1\nexport-time: 1\n")
    let bounds = isFile ? ["--config", folder.file] : ["--sessions-per-token", "1", "--export-time", "1"]
    let command = try RunningCommand(["--port", "0", "--token-file", path, "--plugin", "clock"] + bounds)
    func client() throws -> WebSocketClient {
      let lines = WebSocketClient.upgrade(port: command.port, subprotocol: "rowcast.v1, rowcast.token.\(token.text)")
      return try WebSocketClient(port: command.port, lines: lines)
    }
    let first = try client()
    first.send(#"{"type":"hello","version":1}"#)
    _ = try first.message("hello")
    let refusal = try client().refusal()
    #expect(refusal.error == "tooManySessions" && refusal.close == 1008)
  }
}
