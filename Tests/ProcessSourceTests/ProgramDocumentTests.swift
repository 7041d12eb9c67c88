import Foundation
import ListEngine
import SourceTesting
import Testing

@testable import ProcessSource

/// The example programs and messages in `docs/plugins/` work as documented.
@Suite struct ProgramDocumentTests {
  private static func examples(_ language: String, in file: String = "docs/plugins/programs.md") throws -> [String] {
    let text = try String(contentsOf: Workshop.root.appending(path: file), encoding: .utf8)
    return text.components(separatedBy: "```\(language)\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
  }

  @Test func `the shell example of tutorial and README serves a table`() throws {
    let script = try #require(try Self.examples("sh", in: "docs/plugins/tutorial.md").first)
    #expect(try Self.examples("sh", in: "README.md").contains(script))
    let recorder = Recorder()
    let source = ChildSource(
      .shell(script), name: "load", log: { recorder.note($0, $1) }, events: { recorder.receive($0) })
    try source.start()
    try recorder.wait("a row") { $0.states == ["live: "] }
    #expect(source.stop())
    #expect(recorder.view.schema?.columns.map(\.name) == ["id", "minute", "quarter"])
    #expect(recorder.view.schema?.columns.map(\.type) == [.text, .number, .number])
    #expect(recorder.view.rows.first?.key == .text("load"))
    #expect(recorder.log == [])
  }

  @Test func `the messages in the tutorial are a valid table`() throws {
    let example = try #require(try Self.examples("json", in: "docs/plugins/tutorial.md").first)
    let events = decode(example.split(separator: "\n").map(String.init))
    #expect(events.badLines == [] && events.refusals == [] && events.unnamed.count == 0)
    #expect(events.schema?.columns.map(\.name) == ["what", "size"])
    #expect(
      events.rows == [
        PlainRow(.upsert, .text("MemTotal"), [.text("MemTotal"), .integer(8_325_324_800)]),
        PlainRow(.upsert, .text("MemFree"), [.text("MemFree"), .integer(1_237_135_360)]),
      ])
  }

  @Test func `the example messages decode to the documented changes`() throws {
    let lines = try #require(try Self.examples("json").first).split(separator: "\n").map(String.init)
    let events = decode(lines)
    #expect(events.badLines == [] && events.refusals == [] && events.unnamed.count == 0)
    #expect(
      events.rows == [
        PlainRow(.upsert, .integer(1), [.text("build"), .number(40)]),
        PlainRow(.upsert, .integer(2), [.text("test"), .number(0)]),
        PlainRow(.upsert, .integer(3), [.text("deploy"), .null]), PlainRow(.update, .integer(1), [nil, .number(45.5)]),
        PlainRow(.delete, .integer(3), []),
      ])
  }

  @Test func `the example of formats is a valid table`() throws {
    let lines = try Self.examples("json")[1].replacing("[\n  {", with: "[{").replacing(",\n  {", with: ",{")
      .split(separator: "\n").map(String.init)
    let events = decode(lines)
    #expect(events.badLines == [] && events.refusals == [])
    let schema = try #require(events.schema)
    #expect(schema.label == "service")
    #expect(schema.columns.map(\.format) == [.plain(), nil, .grouped(decimals: 2), .time(decimals: 3)])
    #expect(schema.columns.map(\.better) == [nil, nil, .lower, nil])
  }

  @Test func `the example of a view is a valid table`() throws {
    let lines = try Self.examples("json")[2].replacing("\n ", with: "").split(separator: "\n").map(String.init)
    let events = decode(lines)
    #expect(events.badLines == [] && events.refusals == [])
    let view = try #require(events.schema?.presentation?.view)
    #expect(view.sort == [NamedSortTerm("used", descending: true)] && view.hidden == ["kind"])
    #expect(events.schema?.columns[2].presentation?.critical == .threshold(95))
  }

  @Test func `the example hello checks settings as documented`() throws {
    let line = try Self.examples("json")[3].replacing("\n", with: "")
    var rules: SettingRules?
    for case .hello(let hello) in decode([line]) { rules = hello.settings }
    #expect(rules != nil)
    let written = try SettingRules.written(["path": "/", "rows": "7", "side": "SELL"], by: rules)
    #expect(String(decoding: written, as: UTF8.self) == #"{"path":"/","rows":7,"side":"SELL"}"#)
    #expect(throws: SettingRules.Fault.self) { try SettingRules.written(["path": "/", "rows": "1001"], by: rules) }
  }

  @Test func `the example actions and outcomes decode as documented`() throws {
    let lines = try Self.examples("json")[4].replacing(",\n  {", with: ",{").replacing("[\n  {", with: "[{")
      .replacing("[\n    {", with: "[{").replacing(",\n    {", with: ",{").split(separator: "\n").map(String.init)
    let events = decode(lines)
    #expect(events.badLines == [] && events.refusals == [])
    #expect(events.schema?.actions.map(\.name) == ["stop", "clear"])
    #expect(events.schema?.actions[0].arguments.map(\.name) == ["grace", "how"])
    #expect(events.schema?.actions[0].patience == .seconds(10))
    let outcomes = events.compactMap { event -> ActionOutcome? in
      if case .source(.acted(_, let outcome)) = event { outcome } else { nil }
    }
    #expect(outcomes == [.done("build was stopped"), .failed(.failed, "there is nothing to remove")])
  }

  @Test func `the example of a remote table decodes as documented`() throws {
    let example = try #require(try Self.examples("json", in: "docs/plugins/windowed.md").first)
    let lines = example.replacing("{\n  ", with: "{").replacing(",\n  ", with: ",")
      .split(separator: "\n").map(String.init)
    let events = decode(lines)
    #expect(events.badLines == [] && events.refusals == [])
    let can = try #require(events.schema?.windowed)
    #expect(
      can.sort == [0, 1] && can.group == [0] && can.paging == .keysetAndOffset && can.tellsChanges && !can.searches)
    var answers: [String] = []
    for event in events {
      switch event {
      case .source(.page(let id, let block)):
        answers.append("\(id.rawValue) \(block.rows.map { "\($0.key)" }) \(block.hasMore) \(block.count ?? 0)")
        #expect(block.begin?.text == "[999999]" && block.end?.text == #"[177074,"se/upp"]"#)
      case .source(.sections(let id, let sections)): answers.append("\(id.rawValue) \(sections.map(\.count))")
      case .source(.pageFailed(let id, let reason)): answers.append("\(id.rawValue) \(reason)")
      case .source(.sourceChanged): answers.append("changed")
      default: break
      }
    }
    #expect(
      answers == [#"7 ["se/mal", "se/upp"] true 1990"#, "8 [1, 3]", "9 the database is locked", "changed"])
  }

  @Test func `the document explains every message`() throws {
    let document = try String(contentsOf: Workshop.root.appending(path: "docs/plugins/programs.md"), encoding: .utf8)
    for name in [
      "hello", "schema", "upsert", "update", "delete", "move", "reload", "commit", "state", "loaded", "failed",
      "forget", "acted", "refuse", "health", "configure", "load", "cancel",
      "action", "query", "page", "changed", "image",
    ] {
      #expect(document.contains("| `\(name)` |"), "\(name) is not explained")
    }
  }
}
