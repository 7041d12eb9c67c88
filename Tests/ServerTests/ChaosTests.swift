import Foundation
import Testing

/// A short run of `make chaos`: a server that survives kills, hangs, floods and invalid input.
@Suite struct ChaosTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test func `the server survives 12 random faults of its plugins`() throws {
    // Next to other tests, the delays of other tables are not meaningful; `make chaos` measures
    // them.
    let text = try kept(
      "run",
      [
        "--faults", "12", "--plugins", "4", "--calm", "2", "--shadow", "2", "--factor", "inf", "--seed", "1",
        "--longest", "300",
      ])
    #expect(text.contains("12 faults in"))
  }

  @Test(arguments: ["nonsense", "flood", "crash"]) func `bad lines, floods and crashes stay within their cost limits`(
    _ fault: String
  ) throws {
    let text = try kept("figures", ["--small", fault])
    #expect(text.hasPrefix("\(fault)"))
  }

  /// Returns the output of a script that checks the guarantees.
  private func kept(_ script: String, _ options: [String]) throws -> String {
    let rowcast = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "rowcast").path
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      ["python3", Self.root.appending(path: "Benchmarks/chaos/\(script)").path, "--rowcast", rowcast] + options
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(text)")
    #expect(text.hasSuffix("kept\n"), "\(text)")
    return text
  }
}
