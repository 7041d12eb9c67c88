import Foundation
import ListEngine
import SourceTesting
import Testing

@testable import ProcessSource

/// Actions offered and answered by programs.
@Suite struct ChildActionTests {
  private static let hello = #"{"type":"hello","version":1}"#

  private static func schema(_ actions: String) -> String {
    #"{"type":"schema","name":"jobs","key":"text","columns":[{"name":"n","type":"text"}],"actions":"# + actions + "}"
  }

  private func actions(_ written: String) -> [Action]? { decode([Self.hello, Self.schema(written)]).schema?.actions }

  @Test func `reads all members of actions, or their defaults`() {
    #expect(
      actions(
        #"[{"name":"stop"},{"name":"renice","title":"Priority","confirm":"Sure?","danger":true,"rows":false,"patience":500,"arguments":[{"name":"nice","label":"Niceness","type":"integer","choices":[0,5.0],"default":5,"minimum":-20,"maximum":19.5},{"name":"why","type":"text","default":null}]}]"#
      ) == [
        Action("stop"),
        Action(
          "renice", title: "Priority", confirm: "Sure?", isDangerous: true, appliesToRows: false,
          arguments: [
            ActionArgument(
              "nice", .integer, label: "Niceness", choices: [.integer(0), .integer(5)], standard: .integer(5),
              minimum: -20, maximum: 19.5), ActionArgument("why", .text),
          ], patience: .milliseconds(500)),
      ])
    #expect(actions("[]") == [])
    #expect(Action("stop").patience == .seconds(30))
  }

  @Test(arguments: [
    ("{}", "schema.actions is an object, not a list"), ("[7]", "actions[0] is a number, not an object"),
    ("[{}]", "actions[0].name is missing"), (#"[{"name":"a"},{"name":"a"}]"#, "two actions are called “a”"),
    (#"[{"name":"a","danger":1}]"#, "actions[0].danger is a number"),
    (#"[{"name":"a","patience":0}]"#, "actions[0].patience must be 1 to 600000 milliseconds"),
    (#"[{"name":"a","patience":600001}]"#, "actions[0].patience must be 1 to 600000 milliseconds"),
    (
      #"[{"name":"a","arguments":[{"name":"x","type":"series"}]}]"#,
      "actions[0].arguments[0].type must be “integer”, “number”, “text” or “boolean”"
    ),
    (
      #"[{"name":"a","arguments":[{"name":"x","type":"text"},{"name":"x","type":"text"}]}]"#,
      "actions[0] has two arguments “x”"
    ),
    (
      #"[{"name":"a","arguments":[{"name":"x","type":"text","choices":[]}]}]"#,
      "actions[0].arguments[0].choices must be a list with something in it"
    ),
    (
      #"[{"name":"a","arguments":[{"name":"x","type":"integer","default":9,"maximum":8}]}]"#,
      "actions[0].arguments[0].default is invalid: the argument “x” must be at most 8"
    ),
    (
      #"[{"name":"a","arguments":[{"name":"x","type":"text","choices":["a"],"default":"b"}]}]"#,
      "actions[0].arguments[0].default is invalid: the argument “x” is none of its choices"
    ),
  ]) func `refuses invalid actions with a reason`(_ written: String, _ reason: String) {
    #expect(decode([Self.hello, Self.schema(written)]).refusals == ["its schema is invalid: \(reason)"])
  }

  @Test func `accepts 64 actions and refuses 65`() {
    func many(_ count: Int) -> String { "[" + (0..<count).map { "{\"name\":\"a\($0)\"}" }.joined(separator: ",") + "]" }
    #expect(actions(many(64))?.count == 64)
    #expect(actions(many(65)) == nil)
  }

  // MARK: Answers

  private func answers(_ lines: String..., actions: String = #"[{"name":"stop"}]"#) -> [String] {
    decode([Self.hello, Self.schema(actions)] + lines).compactMap {
      switch $0 {
      case .source(.acted(let number, let outcome)): "\(number) \(outcome)"
      case .source(.changes): "rows"
      case .badLine(let reason): reason
      default: nil
      }
    }
  }

  @Test func `decodes results and errors of actions`() {
    #expect(
      answers(
        #"{"type":"acted","id":5,"result":"it is over"}"#, #"{"type":"acted","id":6}"#,
        #"{"type":"acted","id":7,"error":"no such job"}"#, #"{"type":"acted","id":8,"error":null,"result":null}"#)
        == [
          #"5 done("it is over")"#, #"6 done("")"#,
          #"7 failed(ListEngine.ActionOutcome.Failure.failed, "no such job")"#,
          #"8 done("")"#,
        ])
  }

  @Test func `reports rows before the outcome that follows them`() {
    #expect(
      answers(#"{"type":"upsert","key":"a","cells":["a"]}"#, #"{"type":"acted","id":5}"#) == ["rows", #"5 done("")"#])
  }

  @Test(arguments: [
    (#"{"type":"acted"}"#, "it has no “id”"), (#"{"type":"acted","id":-1}"#, "it has no “id”"),
    (#"{"type":"acted","id":"5"}"#, "it has no “id”"),
    (#"{"type":"acted","id":5,"error":7}"#, "“error” is a number, not a text"),
    (#"{"type":"acted","id":5,"result":[]}"#, "“result” is a list, not a text"),
  ]) func `skips an invalid outcome with a reason`(_ line: String, _ reason: String) {
    #expect(answers(line).filter { $0 != "rows" } == ["line 3: \(reason)"])
  }

  @Test func `skips an outcome if the schema has no actions`() {
    #expect(
      answers(#"{"type":"acted","id":5}"#, actions: "[]").filter { $0 != "rows" }
        == ["line 3: its schema has no actions"])
  }

  // MARK: A real process

  private static let worker = """
    import json, sys
    def say(**message): print(json.dumps(message), flush=True)
    say(type="hello", version=1)
    say(type="schema", name="jobs", key="text", columns=[{"name": "n", "type": "text"}],
        actions=[{"name": "stop", "arguments": [{"name": "grace", "type": "integer"}]}])
    say(type="upsert", key="a", cells=["a"])
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "action":
            if message["arguments"]["grace"] == 13: sys.exit(13)
            say(type="acted", id=message["id"], result=line.strip())
            say(type="acted", id=message["id"], error="twice")
    """

  private func outcomes(_ view: Recorder.View) -> [String] {
    view.events.compactMap { if case .acted(let number, let outcome) = $0 { "\(number) \(outcome)" } else { nil } }
  }

  @Test func `reports a program's first answer, or unanswered if it exits`() throws {
    let recorder = Recorder()
    let source = ChildSource(
      ChildCommand("python3", ["-c", Self.worker]), name: "jobs", log: { recorder.note($0, $1) },
      events: { recorder.receive($0) })
    try source.start()
    try recorder.wait("rows") { !$0.rows.isEmpty }
    source.send(.act(ActionRequest(id: 1, action: "stop", key: .text("a\"b"), arguments: [("grace", .integer(5))])))
    source.send(.act(ActionRequest(id: 2, action: "stop", key: nil, arguments: [("grace", .integer(-5))])))
    try recorder.wait("answers") { outcomes($0).count == 2 }
    #expect(
      outcomes(recorder.view) == [
        "1 "
          + "\(ActionOutcome.done(#"{"type":"action","id":1,"action":"stop","key":"a\"b","arguments":{"grace":5}}"#))",
        "2 " + "\(ActionOutcome.done(#"{"type":"action","id":2,"action":"stop","arguments":{"grace":-5}}"#))",
      ])
    source.send(.act(ActionRequest(id: 3, action: "stop", key: nil, arguments: [("grace", .integer(13))])))
    try recorder.wait("an end") { outcomes($0).count == 3 }
    #expect(outcomes(recorder.view)[2].hasPrefix("3 failed(ListEngine.ActionOutcome.Failure.unanswered"))
    #expect(source.stop())
    source.send(.act(ActionRequest(id: 4, action: "stop", key: nil, arguments: [("grace", .integer(1))])))
    #expect(recorder.log == [])
  }

  @Test func `an action fails with source down if the program is missing`() throws {
    let recorder = Recorder()
    let source = ChildSource(
      ChildCommand("/no/such/program"), name: "jobs", log: { recorder.note($0, $1) }, events: { recorder.receive($0) })
    try source.start()
    source.send(.act(ActionRequest(id: 1, action: "stop", key: nil, arguments: [])))
    try recorder.wait("an answer") { outcomes($0).count == 1 }
    #expect(outcomes(recorder.view)[0].hasPrefix("1 failed(ListEngine.ActionOutcome.Failure.sourceDown"))
    #expect(source.stop())
  }
}
