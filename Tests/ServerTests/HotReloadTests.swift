import Foundation
import Testing

/// Tests that clients see the new rows after a change of a plugin's file or settings.
@Suite struct HotReloadTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// A client that opens a table and records its messages.
  private final class TableClient {
    private let client: WebSocketClient
    private(set) var received: [String] = []

    init(_ table: String, port: Int) throws {
      client = try WebSocketClient.greeted(port: port)
      client.send(#"{"type":"open","table":"\#(table)","request":1}"#)
    }

    /// Receives messages until one contains this text.
    func wait(for text: String) throws {
      try client.wait { message in
        guard message["type"] as? String != "tables" else { return false }
        received.append("\(message)")
        return received.last!.contains(text)
      }
    }
  }

  private func end(_ command: RunningCommand) throws -> String {
    command.send(signal: SIGTERM)
    #expect(try command.end(within: WebSocketClient.longPatience) == 0)
    return command.complaints
  }

  @Test func `a changed program takes over unless it fails`() throws {
    let scratch = try Scratch()
    let file = try scratch.write("jobs.sh", Scratch.jobs(#"[1,"build"],[2,"one"]"#))
    let command = try RunningCommand(["serve", "--port", "0", "--no-token", "--plugin", file])
    let client = try TableClient("jobs", port: command.port)
    try client.wait(for: "one")
    try scratch.write("jobs.sh", Scratch.jobs(#"[1,"build"],[2,"two"]"#))
    try client.wait(for: "two")
    #expect(!client.received.last!.contains("build"), "only what is different travels: \(client.received.last!)")
    try scratch.write("jobs.sh", "#!/bin/sh\nexit 3\n")
    try command.waitForComplaint("the new instance is not used, the old one stays: exited with code 3")
    try scratch.write("jobs.sh", Scratch.jobs(#"[1,"build"],[2,"four"]"#))
    try client.wait(for: "four")
    for message in client.received {
      #expect(!message.contains("stale") && !message.contains("backingOff"), "pages see no trouble: \(message)")
    }
    let complaints = try end(command)
    #expect(complaints.ranges(of: "the new instance has taken over").count == 2, "\(complaints)")
  }

  @Test func `a changed program takes over while rows keep arriving`() throws {
    let scratch = try Scratch()
    func rows(_ text: String) -> String {
      "#!/bin/sh\nwhile :; do echo '{\"id\":1,\"a\":\"\(text)\"}'; sleep 0.2; done\n"
    }
    let file = try scratch.write("jobs.sh", rows("one"))
    let command = try RunningCommand(["serve", "--port", "0", "--no-token", "--plugin", file])
    let client = try TableClient("jobs", port: command.port)
    try client.wait(for: "one")
    try scratch.write("jobs.sh", rows("two"))
    try client.wait(for: "two")
    _ = try end(command)
  }

  @Test func `a program with other columns replaces the table`() throws {
    let scratch = try Scratch()
    let file = try scratch.write("jobs.sh", Scratch.jobs(#"[1,"one"]"#))
    let command = try RunningCommand(["serve", "--port", "0", "--no-token", "--plugin", file])
    try WebSocketClient.waitFor("one", in: "jobs", port: command.port)
    try scratch.write("jobs.sh", Scratch.jobs(#"[1,"two"]"#, column: "headline"))
    // A client that opens the table earlier gets no rows of the new one.
    try WebSocketClient.waitForTables(with: "headline", port: command.port)
    try WebSocketClient.waitFor("two", in: "jobs", port: command.port)
    let complaints = try end(command)
    #expect(complaints.contains("a source has changed its columns"), "\(complaints)")
  }

  @Test func `a program that restarts with other columns replaces the table`() throws {
    let scratch = try Scratch()
    let sign = "\(scratch.path)/again"
    // The second run leaves a mark, because the sign may appear before the first run looks for it.
    let mark = "\(scratch.path)/restarted"
    let column = #"'$(if [ -e "\#(sign)" ]; then : > "\#(mark)"; echo headline; else echo name; fi)'"#
    let wait = #"[ -e "\#(mark)" ] || { until [ -e "\#(sign)" ]; do sleep 0.05; done; exit 3; }"#
    let file = try scratch.write("jobs.sh", Scratch.jobs(#"[1,"one"]"#, column: column, then: wait))
    let command = try RunningCommand(["serve", "--port", "0", "--no-token", "--plugin", file])
    try WebSocketClient.waitFor("one", in: "jobs", port: command.port)
    try scratch.write("again", "")
    try WebSocketClient.waitForTables(with: "headline", port: command.port)
    try WebSocketClient.waitFor("one", in: "jobs", port: command.port)
    let complaints = try end(command)
    #expect(complaints.contains("a source has changed its columns"), "\(complaints)")
  }

  @Test func `a changed library takes over`() throws {
    let scratch = try Scratch()
    func build(_ text: String) throws {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = [
        "cc", "-std=c11", "-shared", "-fPIC", "-I", Self.root.appending(path: "Sources/CListPlugin/include").path,
        "-DTEXT=\"\(text)\"", "-o", "\(scratch.path)/libjobs.new",
        Self.root.appending(path: "Tests/Fixtures/plugins/examined.c").path,
      ]
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      #expect(rename("\(scratch.path)/libjobs.new", "\(scratch.path)/libjobs.so") == 0)
    }
    try build("a first job")
    let command = try RunningCommand(["serve", "--port", "0", "--no-token", "--plugin", "\(scratch.path)/libjobs.so"])
    let client = try TableClient("jobs", port: command.port)
    try client.wait(for: "a first job")
    try build("a second job")
    try client.wait(for: "a second job")
    _ = try end(command)
  }

  @Test func `a hangup applies changed settings and sources`() throws {
    let scratch = try Scratch()
    let manager = DatagramSocket()
    let text = Scratch.jobs(#"[1,"build"]"#).replacing(
      #"'{"type":"upsert","rows":[[1,"build"]]}'"#,
      with: #"'{"type":"upsert","rows":[[1,"'"$(printf %s "$configure" | tr -d '{}":,')"'"]]}'"#)
    let file = try scratch.write("jobs.sh", text)
    func configure(_ sources: String) throws -> String {
      try scratch.write("rowcast.yaml", "port: 0\nno-token: true\nsources:\n\(sources)")
    }
    let configuration = try configure("  - plugin: \(file)\n    settings: {mood: happy}\n")
    let command = try RunningCommand(["--config", configuration], environment: ["NOTIFY_SOCKET": manager.path])
    #expect(manager.message()?.hasPrefix("READY=1") == true)
    func reload() {
      command.send(signal: SIGHUP)
      #expect(manager.message()?.hasPrefix("RELOADING=1") == true)
      #expect(manager.message()?.hasPrefix("READY=1") == true)
    }
    let client = try TableClient("jobs", port: command.port)
    try client.wait(for: "moodhappy")
    _ = try configure("  - plugin: \(file)\n    settings: {mood: sad}\n  - plugin: clock\n")
    reload()
    try client.wait(for: "moodsad")
    try WebSocketClient.waitFor("UTC", in: "clock", port: command.port)
    _ = try configure("  - plugin: clock\n")
    reload()
    try client.wait(for: "it was removed from the configuration")
    _ = try configure("  - plugin: clock\n  - plugin: \(file)\n    settings: {mood: better}\n")
    reload()
    try client.wait(for: "moodbetter")
    _ = try end(command)
  }

  @Test func `serves a pinned file only with the configured digest`() throws {
    let scratch = try Scratch()
    let file = try scratch.write("jobs.sh", Scratch.jobs(#"[1,"build"]"#))
    func digest(_ path: String) throws -> String {
      let pipe = Pipe()
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["sha256sum", path]
      process.standardOutput = pipe
      try process.run()
      let output = pipe.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return String(decoding: output.prefix(64), as: UTF8.self)
    }
    func configure(_ sha256: String) throws -> String {
      try scratch.write(
        "rowcast.yaml", "port: 0\nno-token: true\nsources:\n  - plugin: \(file)\n    sha256: \(sha256)\n")
    }
    let wrong = String(repeating: "0", count: 64)
    let refused = try RunningCommand(["--config", try configure(wrong)], waits: false)
    #expect(try refused.end() == 1)
    let found = try digest(file)
    #expect(
      refused.complaints
        == "rowcast: \(file): not the file that was pinned: its SHA-256 is \(found), and \(wrong) is wanted\n")
    let manager = DatagramSocket()
    let command = try RunningCommand(
      ["--config", try configure(found)], environment: ["NOTIFY_SOCKET": manager.path])
    #expect(manager.message()?.hasPrefix("READY=1") == true)
    let client = try TableClient("jobs", port: command.port)
    try client.wait(for: "build")
    try scratch.write("jobs.sh", Scratch.jobs(#"[1,"evil"]"#))
    let other = try digest(file)
    command.send(signal: SIGHUP)
    #expect(manager.message()?.hasPrefix("RELOADING=1") == true)
    #expect(manager.message()?.hasPrefix("READY=1") == true)
    // A file that matches its pinned digest is accepted.
    try scratch.write("jobs.sh", Scratch.jobs(#"[1,"good"]"#))
    _ = try configure(try digest(file))
    command.send(signal: SIGHUP)
    try client.wait(for: "good")
    let complaints = try end(command)
    #expect(complaints.contains("not the file that was pinned: its SHA-256 is \(other)"), "\(complaints)")
    #expect(!client.received.contains { $0.contains("evil") })
  }
}
