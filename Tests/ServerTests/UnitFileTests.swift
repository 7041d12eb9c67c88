import Foundation
import Testing

/// Tests of packaging/rowcast.service with systemd's own tools.
@Suite struct UnitFileTests {
  private static let unit = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "packaging/rowcast.service")

  /// Runs a program from `PATH`, and returns its exit status and output.
  private func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, text: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C", "SYSTEMD_COLORS": "0"]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  @Test func `systemd accepts every line of the unit file`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // An existing program stands for the one to be installed.
    let text = try String(contentsOf: Self.unit, encoding: .utf8)
    let installed = text.replacingOccurrences(of: "ExecStart=/usr/bin/rowcast ", with: "ExecStart=/bin/true ")
    #expect(installed != text)
    let copy = folder.appending(path: "rowcast.service")
    try installed.write(to: copy, atomically: true, encoding: .utf8)
    let verdict = try run("systemd-analyze", ["verify", copy.path])
    let words = verdict.text.split(separator: "\n").filter { $0.contains("rowcast.service") }
    #expect(verdict.status == 0 && words.isEmpty, "\(verdict.text)")
  }

  @Test func `the unit's systemd exposure level is below 2`() throws {
    let verdict = try run(
      "systemd-analyze", ["security", "--offline=true", "--threshold=20", "--no-pager", Self.unit.path])
    #expect(verdict.status == 0, "\(verdict.text.suffix(300))")
    #expect(verdict.text.contains("Overall exposure level for rowcast.service: 1."))
  }
}
