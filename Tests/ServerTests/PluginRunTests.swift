import Foundation
import Testing

/// Tests of `rowcast plugin run` and `rowcast plugin replay` as processes.
@Suite struct PluginRunTests {
  private func run(_ arguments: [String]) throws -> RunningCommand {
    try RunningCommand(["plugin"] + arguments + ["--no-token", "--port", "0"])
  }

  private func end(_ command: RunningCommand) throws {
    command.send(signal: SIGTERM)
    #expect(try command.end(within: WebSocketClient.longPatience) == 0)
  }

  @Test func `serves the plugin and its log, and reloads a changed file`() throws {
    let scratch = try Scratch()
    let file = try scratch.write("jobs.sh", Scratch.jobs(#"[1,"one"]"#, then: "echo 'warning: the disk is full' >&2"))
    let command = try run(["run", file, "--set", "mood=happy"])
    #expect(command.announcement == "listening on http://127.0.0.1:\(command.port)/#beside=table%3Dlog")
    try WebSocketClient.waitFor("one", in: "jobs", port: command.port)
    try WebSocketClient.waitFor("the disk is full", in: "log", port: command.port)
    try WebSocketClient.waitFor("happy", in: "log", port: command.port)
    try scratch.write("jobs.sh", Scratch.jobs(#"[1,"two"]"#))
    try WebSocketClient.waitFor("two", in: "jobs", port: command.port)
    try WebSocketClient.waitFor("the new instance has taken over", in: "log", port: command.port)
    try scratch.write("jobs.sh", "#!/bin/sh\nexit 3\n")
    try WebSocketClient.waitFor("the old one stays: exited with code 3", in: "log", port: command.port)
    try WebSocketClient.waitFor("two", in: "jobs", port: command.port)
    try end(command)
  }

  @Test func `new columns replace the table without disconnecting clients`() throws {
    let scratch = try Scratch()
    let file = try scratch.write("jobs.sh", Scratch.jobs(#"[1,"one"]"#))
    let command = try run(["run", file, "--set", "mood=happy"])
    let client = try WebSocketClient.open("jobs", port: command.port)
    try WebSocketClient.waitFor("happy", in: "log", port: command.port)
    try scratch.write("jobs.sh", Scratch.jobs(#"[1,"two"]"#, column: "headline"))
    // The client stays connected, is notified, and opens the new table.
    try client.wait { message in
      let tables = message["tables"] as? [[String: Any]]
      return tables?.contains { $0["name"] as? String == "jobs" && $0["generation"] as? Int == 1 } == true
    }
    client.send(#"{"type":"open","table":"jobs","request":2,"query":{"sort":[{"column":"headline"}]}}"#)
    try client.wait { "\($0)".contains("two") && $0["request"] as? Int == 2 }
    // The log continues.
    try WebSocketClient.waitFor("happy", in: "log", port: command.port)
    try WebSocketClient.waitFor("the new instance has taken over", in: "log", port: command.port)
    try end(command)
  }

  @Test func `the printed URL has the code before the fragment`() throws {
    let command = try RunningCommand(["plugin", "run", "--port", "0", "--", "sh", "-c", "exec sleep 1000"])
    let code = try #require(command.code)
    #expect(command.announcement == "listening on http://127.0.0.1:\(command.port)/?code=\(code)")
    #expect(code.hasSuffix("#beside=table%3Dlog") && code.filter { $0 == "#" }.count == 1)
    #expect(try HTTPAnswer.get("/?code=\(code.prefix { $0 != "#" })", port: command.port)?.status == 303)
    try end(command)
  }

  @Test func `a plugin without a table still has a log`() throws {
    let command = try RunningCommand([
      "plugin", "run", "--no-token", "--port", "0", "--", "sh", "-c", "echo 'no such file: jobs.txt' >&2; exit 4",
    ])
    try WebSocketClient.waitFor("no such file: jobs.txt", in: "log", port: command.port)
    try WebSocketClient.waitFor("exited with code 4", in: "log", port: command.port)
    try end(command)
  }

  @Test func `plugin replay serves a trace without the plugin`() throws {
    let scratch = try Scratch()
    let file = try scratch.write("jobs.sh", Scratch.jobs(#"[1,"one"]"#, then: "echo 'a word' >&2"))
    let trace = "\(scratch.path)/jobs.trace"
    let command = try run(["run", file, "--trace", trace])
    try WebSocketClient.waitFor("one", in: "jobs", port: command.port)
    try end(command)
    let kept = try String(contentsOfFile: trace, encoding: .utf8)
    #expect(
      kept.contains(#""from":"host""#) && kept.contains(#""from":"plugin""#)
        && kept.contains(#""from":"log","line":"a word""#))
    unlink(file)
    let replay = try run(["replay", trace, "--speed", "0"])
    #expect(replay.announcement == "listening on http://127.0.0.1:\(replay.port)/#beside=table%3Dlog")
    try WebSocketClient.waitFor("one", in: "jobs", port: replay.port)
    try WebSocketClient.waitFor("a word", in: "log", port: replay.port)
    try end(replay)
  }

  @Test(arguments: ["", "{\"at\":0,\"eve", "ROWCAST\u{1}", "#!/bin/sh\n"])
  func `plugin replay refuses a file that is not a trace`(_ text: String) throws {
    let scratch = try Scratch()
    let file = try scratch.write("jobs.trace", text)
    let command = try RunningCommand(["plugin", "replay", file, "--no-token", "--port", "0"], waits: false)
    #expect(try command.end() == 1)
    #expect(command.complaints.hasPrefix("rowcast: \(file): ") && command.complaints.filter { $0 == "\n" }.count == 1)
    #expect(command.remainingOutput == "")
  }

  @Test func `does not overwrite a file that is not a trace`() throws {
    let scratch = try Scratch()
    let file = try scratch.write("notes.txt", "my notes\n")
    let command = try RunningCommand(["plugin", "run", "/bin/cat", "--trace", file, "--port", "0"], waits: false)
    #expect(try command.end() == 1)
    #expect(command.complaints == "rowcast: \(file): the file exists and is not a trace\n")
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "my notes\n")
  }

  private static let wrong: [([String], Int32)] = [
    (["plugin", "run"], 2), (["plugin", "run", "a", "--", "b"], 2), (["plugin", "run", "/nowhere/a"], 1),
    (["plugin", "run", "/etc/passwd"], 1), (["plugin", "run", "/bin/sh", "--trace", "/nowhere/t"], 1),
    (["plugin", "run", "/bin/sh", "--port", "70000"], 2), (["plugin", "replay"], 2),
    (["plugin", "replay", "/nowhere/t", "--port", "0"], 1), (["plugin", "replay", "/etc", "--port", "0"], 1),
    (["plugin", "replay", "t", "--speed", "fast"], 2),
    (["plugin", "replay", "t", "--speed=-1"], 2),
  ]

  @Test(arguments: wrong) func `invalid arguments print one line and exit with 1 or 2`(
    _ arguments: [String], _ code: Int32
  ) throws {
    let command = try RunningCommand(arguments, waits: false)
    #expect(try command.end() == code, "\(arguments)")
    #expect(command.complaints.hasPrefix("rowcast: ") && command.complaints.filter { $0 == "\n" }.count == 1)
  }
}
