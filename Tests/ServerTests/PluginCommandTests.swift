import Foundation
import Testing

/// Tests of `rowcast plugin` as a process.
@Suite struct PluginCommandTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let exam = root.appending(path: "Tests/Fixtures/plugins/exam.py").path

  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "rowcast-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  /// Runs a program to its end, and reports its output if it fails.
  private func run(_ program: String, _ arguments: [String], in folder: URL) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.currentDirectoryURL = folder
    let log = folder.appending(path: "build.log")
    _ = FileManager.default.createFile(atPath: log.path, contents: nil)
    process.standardOutput = try FileHandle(forWritingTo: log)
    process.standardError = process.standardOutput
    try process.run()
    process.waitUntilExit()
    let output = try String(contentsOf: log, encoding: .utf8)
    #expect(process.terminationStatus == 0, "\(output)")
  }

  @Test(arguments: [
    ["plugin", "check"], ["plugin", "check", "a", "--", "b"], ["plugin", "check", "a", "--level", "4"],
    ["plugin", "check", "a", "--format", "xml"], ["plugin", "check", "a", "--set", "x"],
    ["plugin", "check", "a", "--set", "=1"], ["plugin", "check", "a", "--patience", "0"],
    ["plugin", "check", "a", "--in-process"], ["plugin", "new"], ["plugin", "new", "a"],
    ["plugin", "new", "a/b", "--language", "c"], ["plugin", "new", "a", "--language", "cobol"], ["plugin-host"],
    ["plugin", "host"],
  ])
  func `invalid arguments print one line and exit with 2`(_ arguments: [String]) throws {
    let command = try RunningCommand(arguments, waits: false)
    #expect(try command.end() == 2, "\(arguments)")
    #expect(command.complaints.hasPrefix("rowcast: "))
    #expect(command.complaints.filter { $0 == "\n" }.count == 1, "\(command.complaints)")
  }

  @Test(arguments: ["/nowhere/plugin", "/etc/ssl", "/etc/passwd"])
  func `plugin check exits with 1 if the path is not a program`(_ path: String)
    throws
  {
    let command = try RunningCommand(["plugin", "check", path], waits: false)
    #expect(try command.end() == 1)
    #expect(command.complaints.hasPrefix("rowcast: \(path): "))
    #expect(command.remainingOutput == "")
  }

  @Test func `plugin check exits with 0 or 1 and prints a report`() throws {
    let good = try RunningCommand(
      ["plugin", "check", "--patience", "60", "--", Self.exam, "good-messages"], waits: false)
    let bad = try RunningCommand(
      ["plugin", "check", "--format", "json", "--", Self.exam, "rows/a text for a number"], waits: false)
    let ugly = try RunningCommand(
      ["plugin", "check", "--format", "junit", "--patience", "1", "--", "sh", "-c", "exit 3"], waits: false)
    #expect(try good.end(within: 300) == 0)
    #expect(good.remainingOutput.hasSuffix("\npassed\n"), "\(good.remainingOutput)")
    #expect(try bad.end(within: 300) == 1)
    let report = try #require(try JSONSerialization.jsonObject(with: Data(bad.remainingOutput.utf8)) as? [String: Any])
    #expect(report["passed"] as? Bool == false)
    #expect(report["plugin"] as? String == "\(Self.exam) rows/a text for a number")
    #expect(try ugly.end(within: 300) == 1)
    #expect(ugly.remainingOutput.contains("name=\"start\""))
    #expect(ugly.remainingOutput.contains("it ended with code 3 before it had sent a row"))
  }

  @Test func `plugin check outlives a plugin that closes its input`() throws {
    let hello = #"{"type":"hello","version":1,"capabilities":["health"],"settings":{}}"#
    let command = try RunningCommand(
      ["plugin", "check", "--patience", "1", "--", "sh", "-c", "exec 0<&-; echo '\(hello)'; exec sleep 30"],
      waits: false)
    #expect(try command.end(within: 300) == 1)
    #expect(command.remainingOutput.contains("FAILED"), "\(command.remainingOutput)")
  }

  @Test func `the patience of an exam is that for ending, too`() throws {
    let plugin = #"trap '' TERM; echo '{"id":1}'; while :; do sleep 1; done"#
    let command = try RunningCommand(
      ["plugin", "check", "--patience", "15", "--", "sh", "-c", plugin], waits: false)
    #expect(try command.end(within: 300) == 1)
    #expect(command.remainingOutput.contains("it went on for 3.0 seconds after SIGTERM"), "\(command.remainingOutput)")
  }

  /// A plugin created by `rowcast plugin new` builds, passes the exam and shows a table.
  @Test(arguments: [
    ("shell", "sh", "MemTotal"), ("python", "py", "MemTotal"), ("c", "so", "15 minutes"), ("swift", "so", "15 minutes"),
  ])
  func `a new plugin builds, passes the exam and shows a table`(_ language: String, _ suffix: String, _ text: String)
    throws
  {
    try withFolder { folder in
      let new = try RunningCommand(
        ["plugin", "new", "new-one", "--language", language, "--into", folder.path], waits: false)
      #expect(try new.end() == 0, "\(new.complaints)")
      let made = folder.appending(path: "new-one")
      let isBuilt = suffix == "so"
      // Otherwise the exam builds it with optimization, which takes long in Swift.
      if language == "swift" { try run("make", ["SWIFTFLAGS=-Onone"], in: made) }
      let product = made.appending(path: isBuilt ? "libnew-one.so" : "new-one.\(suffix)").path
      let check = try RunningCommand(["plugin", "check", "--patience", "60", made.path], waits: false)
      #expect(try check.end(within: 300) == 0, "\(check.complaints) \(check.remainingOutput)")
      if language == "c" { try run("make", ["-B", "CFLAGS=-Wall -Wextra -Werror -pedantic"], in: made) }
      let run = try RunningCommand(["plugin", "run", "--port", "0", "--no-token", made.path + "/"])
      try WebSocketClient.waitFor(text, in: "new-one", port: run.port)
      run.send(signal: SIGTERM)
      #expect(try run.end() == 0)
      let serve = try RunningCommand(["serve", "--port", "0", "--no-token", "--plugin", product])
      try WebSocketClient.waitFor(text, in: "new-one", port: serve.port)
      serve.send(signal: SIGTERM)
      #expect(try serve.end() == 0)
      #expect(
        try String(contentsOf: made.appending(path: "README.md"), encoding: .utf8).contains(
          product.split(separator: "/").last!))
      // Existing files are never overwritten.
      let again = try RunningCommand(
        ["plugin", "new", "new-one", "--language", language, "--into", folder.path], waits: false)
      #expect(try again.end() == 1)
      #expect(again.complaints.contains("exists already"))
    }
  }
}
