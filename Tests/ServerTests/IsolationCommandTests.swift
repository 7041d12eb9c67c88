import Foundation
import Glibc
import Testing

/// Tests of the reported restrictions of source programs.
@Suite(.serialized) struct IsolationCommandTests {
  @Test func `the log and the statistics list the restrictions in force`() throws {
    let command = try RunningCommand([
      "serve", "--port", "0", "--no-token", "--child", #"rows=echo '{"id":1}'; exec sleep 1000"#,
    ])
    try command.waitForComplaint("isolation standard: no new privileges")
    let client = try WebSocketClient.open("rows", port: command.port)
    client.send(#"{"type":"stats","wanted":true}"#)
    let source = try #require((try client.message("stats")["sources"] as? [[String: Any]])?.first)
    let isolation = try #require(source["isolation"] as? String)
    #expect(isolation.hasPrefix("standard: no new privileges, no core dumps"))
    #expect(isolation.contains("no signals to the server"))
    command.send(signal: SIGTERM)
    #expect(try command.end() == 0)
  }

  @Test func `the server's limit for core dumps is 0`() throws {
    let command = try RunningCommand(["serve", "--port", "0", "--no-token", "--plugin", "load"])
    let limits = try String(contentsOfFile: "/proc/\(command.process)/limits", encoding: .utf8)
    let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
    #expect(line.split(separator: " ").dropLast().suffix(2) == ["0", "0"])
    command.send(signal: SIGTERM)
    #expect(try command.end() == 0)
  }

  @Test func `standard isolation under root hides the server's tokens`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "rowcast-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let script =
      "grep -rhs operator \(folder) >/dev/null && echo '{\"id\":\"has read it\"}' || echo '{\"id\":\"has not\"}'; exec sleep 1000"
    let file = "\(folder)-c.yaml"
    defer { unlink(file) }
    for (isolation, word) in [("none", "has read it"), ("standard", getuid() == 0 ? "has not" : "has read it")] {
      try "sources:\n  - child: \"rows=sh \(folder)-s.sh\"\n    isolation: \(isolation)\n".write(
        toFile: file, atomically: true, encoding: .utf8)
      try script.write(toFile: "\(folder)-s.sh", atomically: true, encoding: .utf8)
      defer { unlink("\(folder)-s.sh") }
      let token = "\(folder)/rowcast/1.token"
      try FileManager.default.createDirectory(atPath: "\(folder)/rowcast", withIntermediateDirectories: true)
      chmod("\(folder)/rowcast", 0o700)
      try "operator x\n".write(toFile: token, atomically: true, encoding: .utf8)
      let command = try RunningCommand(["serve", "--port", "0", "--no-token", "--config", file], folder: folder)
      try WebSocketClient.waitFor(word, in: "rows", port: command.port)
      command.send(signal: SIGTERM)
      #expect(try command.end() == 0)
    }
  }

  /// The descriptors run out before the program restarts, and are released later.
  @Test func `a program restarts once file descriptors are available again`() throws {
    let command = try RunningCommand([
      "serve", "--port", "0", "--no-token", "--child", #"rows=echo '{"id":"here"}'; sleep 0.2; exit 1"#,
    ])
    try command.waitForComplaint("the source rows is live")
    func limit(_ files: String) throws {
      let process = try Process.run(
        URL(filePath: "/usr/bin/prlimit"), arguments: ["--pid", "\(command.process)", "--nofile=\(files):"])
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
    try limit("3")
    try command.waitForComplaint("Too many open files")
    try limit("1024")
    try command.waitForComplaint("the source rows is live")
    command.send(signal: SIGTERM)
    #expect(try command.end() == 0)
  }
}
