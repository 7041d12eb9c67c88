import Foundation
import LibrarySource
import ListEngine
import SourceTesting
import Testing

@testable import ListPlugin

/// A polled source in a separate shared library, which lists the lines of a file.
@Suite struct PolledSourceTests {
  private static let code = """
    import Foundation
    import ListPlugin

    struct Unknown: Error, CustomStringConvertible { var description: String { "an error of its own" } }

    struct Lines: PolledSource {
      let schema = Schema("lines", key: .text, columns: [Column("line", .text)])
      let file: String
      var interval: Duration { .milliseconds(20) }

      init(_ configuration: Configuration) throws { file = configuration.text("file", default: "") }

      func list(_ rows: inout Batch) throws {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { throw HostError.refused("no file") }
        for line in text.split(separator: "\\n") {
          switch line {
          case "stopping": throw HostError.stopping
          case "unknown": throw Unknown()
          case "narrow": rows.beginRow(textKey: "narrow")
          default: rows.add(key: String(line), String(line))
          }
        }
      }
    }

    @c(list_plugin_entry_v1) public func entry() -> PluginEntry { export(Lines.self) }
    """

  /// The plugin, built once for all tests.
  private static let library = Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "rowcast-lines-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "Lines.swift")
    try code.write(to: file, atomically: true, encoding: .utf8)
    return try PluginLibrary(path: Workshop.buildSwift(file, into: folder))
  }

  /// Runs the source while its file contains first `first`, then `second`, which fails to load,
  /// then `third`.
  private static func states(_ first: String?, _ second: String?, _ third: String) throws -> Recorder {
    let recorder = Recorder()
    try Workshop.withFolder { folder in
      let file = folder.appending(path: "lines")
      func write(_ text: String?) throws {
        if let text {
          try text.write(to: file, atomically: true, encoding: .utf8)
        } else {
          try? FileManager.default.removeItem(at: file)
        }
      }
      try write(first)
      let source = PluginSource(
        library: try library.get(), name: "lines", configuration: ["file": file.path],
        log: { recorder.note($0, $1) }, events: { recorder.receive($0) })
      try source.start()
      if first != nil {
        try recorder.wait("the first rows") { $0.states == ["live: "] && !$0.rows.isEmpty }
        try write(second)
      }
      try recorder.wait("three failures") { $0.states.count(where: { $0.hasPrefix("stale") }) >= 3 }
      try write(third)
      try recorder.wait("live again") { $0.states.last == "live: " && $0.rows.last?.key == .text(third) }
      // Failures before the success no longer count.
      let before = recorder.view.states.count
      try write(second)
      // A source may report the live state more than once.
      func failure(_ view: Recorder.View) -> String? { view.states[before...].first { $0.hasPrefix("stale") } }
      try recorder.wait("a failure after the success") { failure($0) != nil }
      #expect(failure(recorder.view)?.hasSuffix("; trying again in 0.02 s") == true)
      #expect(source.stop(within: .seconds(30)))
    }
    return recorder
  }

  @Test(arguments: [
    (nil, "no file"), ("unknown", "an error of its own"), ("stopping", "the source is being stopped"),
    ("narrow", "the last row has 0 cells instead of 1"),
  ])
  func `marks its rows stale and lists again after any error`(second: String?, reason: String) throws {
    let recorder = try Self.states("one", second, "two")
    let stale = recorder.view.states.filter { $0.hasPrefix("stale") }
    #expect(
      stale.prefix(3) == [
        "stale: \(reason); trying again in 0.02 s", "stale: \(reason); trying again in 0.04 s",
        "stale: \(reason); trying again in 0.08 s",
      ])
    #expect(!recorder.view.states.contains { $0.hasPrefix("failed") })
    #expect(Set(recorder.view.rows.map(\.key)) == [.text("one"), .text("two")])
  }

  @Test func `lists again when its first list fails`() throws {
    let recorder = try Self.states(nil, nil, "two")
    #expect(recorder.view.states.first == "stale: no file; trying again in 0.02 s")
    #expect(recorder.view.states.contains("live: "))
  }

  @Test func `waits twice as long after each failure`() {
    var retry = RetryPause(.seconds(1))
    #expect(!retry.isFailing)
    #expect((0..<8).map { _ in retry.next() } == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
    #expect(retry.isFailing)
  }

  @Test(arguments: [
    (Duration.zero, ["0.01 s", "0.02 s"]), (.seconds(45), ["45 s", "60 s"]), (.seconds(3_600), ["3600 s", "3600 s"]),
    (.seconds(Int64.max), ["9.223372036854776e+18 s", "9.223372036854776e+18 s"]),
  ])
  func `waits at least the interval and no longer than a minute`(interval: Duration, pauses: [String]) {
    var retry = RetryPause(interval)
    #expect((0..<2).map { _ in RetryPause.written(retry.next()) } == pauses)
  }
}
