import Foundation
import LibrarySource
import ListEngine
import PluginExam
import SourceTesting
import Testing

/// The examples in `docs/plugins/` compile unchanged, and the plugins among them run.
@Suite struct PluginDocumentTests {
  private static func text(_ path: String) throws -> String {
    try String(contentsOf: Workshop.root.appending(path: path), encoding: .utf8)
  }

  /// Returns the examples in a language, those of the tutorial first.
  private static func examples(_ language: String) throws -> [String] {
    let pages = ["tutorial", "libraries", "programs", "windowed", "exam", "README"]
    return try pages.flatMap { page in
      try text("docs/plugins/\(page).md").components(separatedBy: "```\(language)\n").dropFirst().map {
        $0.components(separatedBy: "```")[0]
      }
    }
  }

  @Test func `the first Swift example equals the load plugin`() throws {
    let first = try #require(try Self.examples("swift").first)
    #expect(first == (try Self.text("Plugins/load/Load.swift")))
  }

  @Test func `the Swift examples compile without warnings`() throws {
    let examples = try Self.examples("swift")
    #expect(examples.count == 7)
    let products = URL(filePath: try Workshop.library("load")).deletingLastPathComponent()
    for (index, example) in examples.enumerated() {
      try Workshop.withFolder { folder in
        if example.hasPrefix("// swift-tools-version") {
          try example.write(to: folder.appending(path: "Package.swift"), atomically: true, encoding: .utf8)
          try Workshop.run(
            Workshop.compiler(["swift"]),
            ["package", "--disable-sandbox", "--package-path", folder.path, "dump-package"])
        } else {
          let file = folder.appending(path: "Example\(index).swift")
          try example.write(to: file, atomically: true, encoding: .utf8)
          try Workshop.run(
            Workshop.compiler(["swiftc"]),
            [
              "-typecheck", "-parse-as-library", "-swift-version", "6", "-warnings-as-errors", "-module-cache-path",
              folder.path, "-I", products.appending(path: "Modules").path, "-Xcc",
              "-fmodule-map-file=\(products.appending(path: "CListPlugin.build/module.modulemap").path)", "-Xcc",
              "-I\(Workshop.include)", file.path,
            ])
        }
      }
    }
  }

  @Test func `the C example compiles and reports a row`() throws {
    let examples = try Self.examples("c")
    #expect(examples.count == 1)
    let recorder = Recorder()
    let source = try Workshop.withFolder { folder in
      let file = folder.appending(path: "counter.c")
      try examples[0].write(to: file, atomically: true, encoding: .utf8)
      return PluginSource(
        library: try PluginLibrary(path: Workshop.build(file, into: folder)), name: "counter",
        log: { recorder.note($0, $1) }, events: { recorder.receive($0) })
    }
    try source.start()
    try recorder.wait("a row") { !$0.states.isEmpty }
    #expect(source.stop(within: .seconds(30)))
    #expect(recorder.view.rows.first == PlainRow(.upsert, .integer(0), [.integer(0), .boolean(true)]))
    #expect(recorder.log == [])
  }

  @Test func `the C example passes the exam`() throws {
    let example = try #require(try Self.examples("c").first)
    try Workshop.withFolder { folder in
      let file = folder.appending(path: "counter.c")
      try example.write(to: file, atomically: true, encoding: .utf8)
      let report = Exam.hold(
        ofLibrary: try Workshop.build(file, into: folder), named: "counter", ExamHall.options)
      #expect(report.isPassed, "\(report.text)")
    }
  }

  /// Every function of the C interface must be documented.
  @Test func `the document explains the functions of the C interface`() throws {
    let document = try Self.text("docs/plugins/libraries.md")
    for name in [
      "list_plugin_entry_v1", "create", "configure", "run", "stop", "destroy", "declare", "push", "wait", "set_state",
      "fail",
      "log", "get_extension", "LIST_UPSERT", "LIST_UPDATE", "LIST_DELETE", "LIST_MOVE", "LIST_RELOAD_BEGIN",
      "LIST_RELOAD_END", "LIST_STOPPING", "LIST_REFUSED", "LIST_STATE_STALE",
      "LIST_ACTIONS", "LIST_DEFERRED", "LIST_DONE", "LIST_FAILED", "offer", "act", "acted", "load", "cancel", "loaded",
      "failed", "forget",
    ] {
      #expect(document.contains("`\(name)"), "\(name) is not explained")
    }
  }
}
