import Foundation
import LibrarySource
import ListEngine
import PluginExam
import ProcessSource
import SourceTesting
import Testing

/// Tests that a shared library behaves like a program, for a source and for the exam.
@Suite struct HostedLibraryTests {
  private static let host = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appending(path: "rowcast").path

  private func command(_ name: String) throws -> ChildCommand {
    ChildCommand(Self.host, ["plugin-host", try Workshop.library(name)])
  }

  @Test func `market reports the same rows hosted and in process`() throws {
    let settings = ["rows": "3000", "rate": "0"]
    let (inside, outside) = (Recorder(), Recorder())
    let library = PluginSource(
      library: try PluginLibrary(path: Workshop.library("market")), name: "market", configuration: settings,
      log: { inside.note($0, $1) }, events: { inside.receive($0) })
    let program = ChildSource(
      try command("market"), name: "market", configuration: settings, log: { outside.note($0, $1) },
      events: { outside.receive($0) })
    try library.start()
    try program.start()
    for recorder in [inside, outside] {
      try recorder.wait("the end") { $0.states.last == "live: Complete" }
    }
    library.stop()
    program.stop()
    #expect(inside.view.schema == outside.view.schema)
    #expect(inside.view.rows == outside.view.rows)
    #expect(inside.view.rows.count == 3_000)
    #expect(outside.log == [])
  }

  @Test func `a blocked program whose input ends finishes its last line`() throws {
    let program = Process()
    program.executableURL = URL(filePath: Self.host)
    program.arguments = ["plugin-host", try Workshop.library("market")]
    let (input, output) = (Pipe(), Pipe())
    (program.standardInput, program.standardOutput) = (input, output)
    let ended = DispatchSemaphore(value: 0)
    program.terminationHandler = { _ in ended.signal() }
    try program.run()
    let configure = #"{"type":"configure","settings":{"rows":"100000","rate":"0"}}"#
    try input.fileHandleForWriting.write(contentsOf: Data("\(configure)\n".utf8))
    // The list is under way, and more than the pipe holds.
    var text = try #require(try output.fileHandleForReading.read(upToCount: 65_536))
    try input.fileHandleForWriting.close()
    // It may not end within a line, however long the reader takes.
    #expect(ended.wait(timeout: .now() + 3) == .timedOut)
    text += try output.fileHandleForReading.readToEnd() ?? Data()
    #expect(ended.wait(timeout: .now() + 60) == .success)
    #expect(program.terminationStatus == 0)
    #expect(text.last == UInt8(ascii: "\n"))
  }

  @Test(arguments: [
    (["rows": "many"], "failed: market.rows: 'many' is not a whole number"),
    (["speed": "1"], "failed: market.speed: unknown setting; the settings are batches, change, rate, rows, seed"),
  ]) func `a hosted library refuses invalid settings with a reason`(_ settings: [String: String], _ state: String)
    throws
  {
    let recorder = Recorder()
    let source = ChildSource(
      try command("market"), name: "market", configuration: settings, log: { recorder.note($0, $1) },
      events: { recorder.receive($0) })
    try source.start()
    try recorder.wait("a refusal") { !$0.states.isEmpty }
    #expect(recorder.view.states == [state])
    source.stop()
  }

  @Test func `hosting a file that is not a library fails with a reason`() throws {
    let recorder = Recorder()
    let source = ChildSource(
      ChildCommand(Self.host, ["plugin-host", "/etc/passwd"]), name: "x", log: { recorder.note($0, $1) },
      events: { recorder.receive($0) })
    try source.start()
    try recorder.wait("a refusal") { $0.states.first?.hasPrefix("failed: /etc/passwd: cannot be loaded: ") ?? false }
    source.stop()
  }

  @Test func `a hosted library loses no row while the engine is busy`() throws {
    let recorder = Recorder()
    let source = ChildSource(
      try command("market"), name: "market", configuration: ["rows": "100000", "rate": "0"],
      log: { recorder.note($0, $1) }, events: { recorder.receive($0) })
    recorder.close()
    try source.start()
    try recorder.wait("somebody at the gate") { $0.held == 1 }
    #expect(recorder.view.rows.isEmpty)
    recorder.open()
    try recorder.wait("the end") { $0.states.last == "live: Complete" }
    #expect(recorder.view.rows.count == 100_000)
    source.stop()
  }

  /// The exam has the same findings inside this process and in a child process.
  @Test(arguments: ["clock", "load", "processes", "market"])
  func `bundled libraries pass equally hosted and in process`(_ name: String) throws {
    var options = ExamHall.options
    if name == "market" { options.settings = ["rows": "2000"] }
    let inside = Exam.hold(ofLibrary: try Workshop.library(name), named: name, options)
    let outside = Exam.hold(of: try command(name), named: name, options)
    #expect(inside.isPassed, "\(inside.text)")
    #expect(outside.isPassed, "\(outside.text)")
    #expect(inside == outside)
    #expect(inside.level == 1)
  }

  @Test(arguments: [("BAD_ROW", ExamRule.rows), ("BAD_KEYS", .keys), ("NO_LIST", .start), ("EARLY_END", .start)])
  func `a faulty library fails the same rule hosted and in process`(_ fault: String, _ rule: ExamRule) throws {
    try Workshop.withFolder { folder in
      let source = Workshop.root.appending(path: "Tests/Fixtures/plugins/examined.c")
      let library = try Workshop.build(source, into: folder, defining: [fault])
      let inside = Exam.hold(ofLibrary: library, named: fault, ExamHall.brokenOptions)
      let outside = Exam.hold(
        of: ChildCommand(Self.host, ["plugin-host", library]), named: fault, ExamHall.brokenOptions)
      #expect(inside.broken == [rule], "\(inside.text)")
      #expect(outside.broken == [rule], "\(outside.text)")
      #expect(inside.findings.map(\.message) == outside.findings.map(\.message))
    }
  }

  @Test(arguments: [(["ACTIONS"], 3), (["DEFERRED"], 2), (["IMAGES"], 2), (["ACTIONS", "DEFERRED", "IMAGES"], 3)])
  func `a library with requests passes hosted and in process`(_ macros: [String], _ level: Int) throws {
    try Workshop.withFolder { folder in
      let source = Workshop.root.appending(path: "Tests/Fixtures/plugins/examined.c")
      let library = try Workshop.build(source, into: folder, defining: macros)
      let inside = Exam.hold(ofLibrary: library, named: "jobs", ExamHall.options)
      let outside = Exam.hold(of: ChildCommand(Self.host, ["plugin-host", library]), named: "jobs", ExamHall.options)
      #expect(inside.isPassed, "\(inside.text)")
      #expect(inside.level == level)
      #expect(inside == outside, "\(outside.text)")
      if macros.contains("ACTIONS") { #expect(inside.outcome(of: .actions) == .passed) }
      if macros.contains("IMAGES") { #expect(inside.outcome(of: .images) == .passed) }
      if macros.contains("DEFERRED") { #expect(inside.outcome(of: .answers) == .passed) }
    }
  }

  @Test(arguments: [
    (["ACTIONS", "SILENT"], ExamRule.actions), (["ACTIONS", "OBLIGING"], .actions),
    (["IMAGES", "FACELESS"], .images), (["IMAGES", "HUGE"], .images), (["IMAGES", "NO_IMAGE"], .images),
    (["DEFERRED", "UNANSWERED"], .answers), (["DEFERRED", "BAD_VALUE"], .values),
  ])
  func `bad answers fail the same rule hosted and in process`(_ macros: [String], _ rule: ExamRule) throws {
    try Workshop.withFolder { folder in
      let source = Workshop.root.appending(path: "Tests/Fixtures/plugins/examined.c")
      let library = try Workshop.build(source, into: folder, defining: macros)
      let inside = Exam.hold(ofLibrary: library, named: "jobs", ExamHall.brokenOptions)
      let outside = Exam.hold(
        of: ChildCommand(Self.host, ["plugin-host", library]), named: "jobs", ExamHall.brokenOptions)
      #expect(inside.broken == [rule], "\(inside.text)")
      #expect(outside.broken == [rule], "\(outside.text)")
      #expect(Set(inside.findings.map(\.message)) == Set(outside.findings.map(\.message)))
    }
  }
}
