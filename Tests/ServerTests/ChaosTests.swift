import Foundation
import Testing

/// A small run of `make chaos`: kills, hangs, floods and garbage, and a server that goes on.
@Suite struct ChaosTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test func noPluginStopsTheServer() throws {
    let rowcast = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "rowcast").path
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    // Beside other tests the time of other tables says nothing, as long as it is not without end; make chaos measures it.
    process.arguments = [
      "python3", Self.root.appending(path: "Benchmarks/chaos/run").path, "--rowcast", rowcast, "--faults", "12",
      "--plugins", "4", "--calm", "2", "--shadow", "2", "--factor", "inf", "--seed", "1", "--longest", "300",
    ]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(text)")
    #expect(text.hasSuffix("kept\n"), "\(text)")
    #expect(text.contains("12 faults in"))
  }
}
