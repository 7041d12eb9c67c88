import Foundation
import PluginExam
import ProcessSource
import SourceTesting
import Testing

/// The exam fails each faulty plugin for exactly the rule it violates, and passes the correct ones.
@Suite struct ExamTests {
  @Test(arguments: ExamHall.fixtures) func `a faulty plugin fails its rule and no other`(_ fixture: ExamHall.Fixture)
    async throws
  {
    let report = try #require(await ExamHall.report(of: fixture.name))
    #expect(report.broken == Set([fixture.rule].compactMap(\.self)), "\(report.text)")
    for finding in report.findings { #expect(!finding.message.isEmpty && !finding.part.isEmpty) }
  }

  @Test func `the fixtures violate every rule`() {
    let broken = Set(ExamHall.fixtures.compactMap(\.rule)).union(WindowedExamTests.lies.flatMap(\.rules))
    #expect(ExamRule.allCases.filter { !broken.contains($0) } == [])
    #expect(ExamHall.fixtures.filter { $0.rule == nil }.allSatisfy { $0.name.hasPrefix("good-") })
  }

  @Test(arguments: [
    ("good-rows", 0), ("good-list", 0), ("good-messages", 1), ("good-refusal", 1), ("good-deferred", 2),
    ("good-windowed", 2), ("good-sections", 2), ("good-images", 2), ("good-actions", 3),
  ]) func `a correct plugin passes at its level`(_ name: String, _ level: Int) async throws {
    let report = try #require(await ExamHall.report(of: name))
    #expect(report.level == level)
    #expect(report.isPassed, "\(report.text)")
  }

  @Test func `a finding contains the line that violates the rule`() async throws {
    let report = try #require(await ExamHall.report(of: "rows/a text for a number"))
    let finding = try #require(report.findings.first)
    #expect(finding.line == 4)
    #expect(finding.output.contains(#""40 %""#))
    #expect(finding.message.contains("its cell “done” is a text, the column is of type number"))
    let noise = try #require(await ExamHall.report(of: "lines/text for people")?.findings.first)
    #expect(noise.line == 1)
    #expect(noise.output == "Loading jobs...")
  }

  @Test func `the report contains the log and exit code of the plugin`() async throws {
    let report = try #require(await ExamHall.report(of: "start/ends at once"))
    #expect(report.log == ["no configuration found"])
    #expect(report.findings.map(\.message) == ["it ended with code 3 before it had sent a row"])
  }

  @Test func `checks the rules up to the level of the plugin`() async throws {
    let report = try #require(await ExamHall.report(of: "good-deferred"))
    // The plugin has neither a remote table nor images.
    #expect(
      report.rules.filter { report.outcome(of: $0) != .passed } == [
        .sections, .order, .filter, .pages, .counts, .images,
      ])
    let sections = try #require(await ExamHall.report(of: "good-sections"))
    #expect(sections.outcome(of: .sections) == .passed)
    let images = try #require(await ExamHall.report(of: "good-images"))
    #expect(images.outcome(of: .images) == .passed)
    #expect(report.rules == ExamRule.allCases.filter { $0.level <= 2 })
    let rows = try #require(await ExamHall.report(of: "good-rows"))
    #expect(rows.rules == ExamRule.allCases.filter { $0.level == 0 })
  }

  @Test func `a missing program fails the start rule with a remedy`() {
    let report = Exam.hold(of: ChildCommand("/nowhere/plugin"), named: "nowhere", ExamHall.options)
    #expect(report.broken == [.start])
    #expect(report.findings.map(\.remedy) == ["name a program that is there and may be run (chmod +x)"])
    #expect(report.text.contains("do: name a program") && !report.text.contains("flush"))
  }

  @Test func `rows without a key fail the rows rule only`() throws {
    var options = ExamHall.brokenOptions
    options.patience = .seconds(3)
    let report = Exam.hold(
      of: .shell(#"while sleep 0.2; do echo '{"name":"a","v":1}'; done"#), named: "nameless", options)
    #expect(report.broken == [.rows], "\(report.text)")
    let finding = try #require(report.findings.first)
    #expect(finding.message == "line 1: it has no “id”" && finding.line == 1)
    #expect(finding.output == #"{"name":"a","v":1}"#)
  }

  @Test func `ratings, files and sqlite pass at level 2`() throws {
    try Workshop.withFolder { folder in
      let file = folder.appending(path: "things.db").path
      let rows = "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1])\nc.executescript(sys.argv[2])"
      try Workshop.run(
        try Workshop.compiler(["python3"]),
        [
          "-c", rows, file,
          "CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO things VALUES (1, 'a'), (2, 'b'), (3, 'c')",
        ])
      for (name, settings) in [
        ("ratings", ["shortest": "0", "longest": "0.05"]), ("files", ["path": folder.path]),
        ("sqlite", ["path": file, "table": "things"]),
      ] {
        var options = ExamHall.options
        options.settings = settings
        options.level = 2
        let command = ChildCommand(Workshop.root.appending(path: "Plugins/\(name)/\(name).py").path)
        let report = Exam.hold(of: command, named: name, options)
        #expect(report.isPassed, "\(report.text)")
      }
    }
  }

  @Test func `the Python market passes at level 1`() {
    var options = ExamHall.options
    options.settings = ["rows": "2000"]
    let program = Workshop.root.appending(path: "Plugins/market-python/market.py").path
    let report = Exam.hold(of: ChildCommand(program), named: "market", options)
    #expect(report.isPassed, "\(report.text)")
    #expect(report.level == 1)
  }

  @Test func `fails a plugin below the required level or with bad settings`() {
    var options = ExamHall.options
    options.level = 1
    let command = ChildCommand(ExamHall.program.path, ["good-rows"])
    #expect(Exam.hold(of: command, named: "rows", options).broken == [.hello])
    options.level = 3
    let rows = Exam.hold(of: command, named: "rows", options)
    #expect(rows.broken == [.hello])
    #expect(
      rows.findings.map(\.message) == ["it prints rows without a hello, which is level 0; level 3 was asked for"])
    options.level = 0
    options.settings = ["rows": "7"]
    let market = Workshop.root.appending(path: "Plugins/market-python/market.py").path
    options.settings = ["rows": "many"]
    let report = Exam.hold(of: ChildCommand(market), named: "market", options)
    #expect(
      report.findings.map(\.message) == [
        "its settings are not right, or incomplete: rows: 'many' is not a whole number"
      ])
    #expect(
      report.findings.map(\.remedy) == ["say its settings with --set KEY=VALUE, as it describes them in its hello"])
  }
}
