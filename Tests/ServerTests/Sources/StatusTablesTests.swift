import Foundation
import Testing

@testable import Server

/// The tables about the sources, and the commands of operators.
@Suite struct StatusTablesTests {
  /// A program with one setting, which all its rows show.
  private static let program = """
    #!/usr/bin/python3
    import json, sys
    def say(**message):
        print(json.dumps(message), flush=True)
    say(type="hello", version=1, settings={"type": "object", "properties": {
        "word": {"type": "string", "title": "Word", "default": "before"},
        "api_key": {"type": "string"},
        "count": {"type": "integer", "minimum": 1, "maximum": 3, "default": 1}}})
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] != "configure":
            continue
        settings = message.get("settings", {})
        if settings.get("word") == "broken":
            sys.exit("no rows with this word")
        print("the word is " + settings.get("word", "before"), file=sys.stderr, flush=True)
        say(type="schema", name="words", key="integer", columns=[{"name": "word", "type": "text"}])
        say(type="reload")
        say(type="upsert", rows=[[n, settings.get("word", "before")] for n in range(settings.get("count", 1))])
        say(type="commit")
    """

  private struct Setup {
    let scratch: Scratch
    let command: RunningCommand
    let client: WebSocketClient

    init() throws {
      scratch = try Scratch()
      let program = try scratch.write("words.py", StatusTablesTests.program)
      let configuration = try scratch.write(
        "rowcast.yaml",
        """
        port: 0
        no-token: true
        status: true
        sources:
          - child: words=\(program)
        """)
      command = try RunningCommand(["--config", configuration])
      try WebSocketClient.waitForTables(with: "settings-words", port: command.port)
      client = try WebSocketClient.greeted(port: command.port)
      client.send(#"{"type":"open","table":"rowcast-sources","request":1}"#)
      try client.wait { "\($0)".contains("words") }
    }

    /// Runs an action and returns its result, or the reason of its failure.
    func act(_ id: Int, _ action: String, _ rest: String) throws -> String {
      client.send(#"{"type":"act","id":\#(id),"table":"rowcast-sources","action":"\#(action)"\#(rest)}"#)
      var result = ""
      try client.wait {
        guard $0["type"] as? String == "acted", $0["id"] as? Int == id else { return false }
        result = $0["result"] as? String ?? ($0["error"] as? [String: Any])?["reason"] as? String ?? ""
        return true
      }
      return result
    }

    func export(_ table: String) throws -> String {
      String(decoding: try HTTPAnswer.get("/tables/\(table).csv", port: command.port)?.body ?? [], as: UTF8.self)
    }

    /// Waits for a text in a table whose columns stay.
    func wait(for text: String, in table: String) throws {
      try WebSocketClient.waitFor(text, in: table, port: command.port)
    }
  }

  @Test func `operators stop, start and restart a source`() throws {
    let setup = try Setup()
    let id = try #require(try rowID(in: setup))
    let place = #","row":\#(id)"#
    #expect(try setup.act(1, "start", place) == "it runs already")
    #expect(try setup.act(2, "stop", place) == "words is stopped")
    try setup.wait(for: "disabled", in: "rowcast-sources")
    #expect(try setup.export("words").contains("before"))
    #expect(try setup.act(3, "stop", place) == "it does not run")
    #expect(try setup.act(4, "start", place) == "words was started")
    try setup.wait(for: "live", in: "rowcast-sources")
    #expect(try setup.act(5, "restart", place) == "words was restarted")
    try setup.wait(for: "live", in: "rowcast-sources")
    try setup.wait(for: "stopped by an operator", in: "rowcast-log")
  }

  @Test func `operators change settings, and a bad change keeps the instance`() throws {
    let setup = try Setup()
    try setup.wait(for: "the word is before", in: "rowcast-log")
    let answer = try setup.act(1, "settings-words", #","arguments":{"word":"after","count":2}"#)
    #expect(answer.hasPrefix("A new instance of words takes over"))
    try setup.wait(for: "after", in: "words")
    try setup.wait(for: "the new instance has taken over", in: "rowcast-log")
    #expect(try setup.export("rowcast-sources").contains("word=after"))
    #expect(
      try setup.act(2, "settings-words", #","arguments":{"word":"after","count":4}"#).contains("at most 3"))
    _ = try setup.act(3, "settings-words", #","arguments":{"word":"broken","count":2}"#)
    try setup.wait(for: "the new instance is not used, the old one stays", in: "rowcast-log")
    #expect(try setup.export("words").contains("after"))
    #expect(try setup.export("rowcast-sources").contains("word=after"))
  }

  @Test func `operators test settings without changing anything`() throws {
    let setup = try Setup()
    try setup.wait(for: "the word is before", in: "rowcast-log")
    let arguments = #","arguments":{"word":"tried","count":2}"#
    #expect(try setup.act(1, "test-words", arguments) == "It works: 1 column and 2 rows.")
    try setup.wait(for: "the word is tried", in: "rowcast-log")
    #expect(
      try setup.act(2, "test-words", #","arguments":{"word":"broken","count":2}"#).contains("exited with code 1"))
    #expect(try setup.act(3, "test-words", #","arguments":{"word":"x","count":4}"#).contains("at most 3"))
    #expect(try setup.export("words").contains("before"))
    #expect(try !setup.export("rowcast-sources").contains("tried"))
  }

  @Test func `a settings form does not contain secrets`() throws {
    let setup = try Setup()
    let client = try WebSocketClient(port: setup.command.port)
    client.send(#"{"type":"hello","version":1}"#)
    let hello = "\(try client.message("hello"))"
    #expect(hello.contains("settings-words") && hello.contains("Word"))
    #expect(!hello.contains("api_key"))
  }

  /// Returns the identifier of the only row in the client's window.
  private func rowID(in setup: Setup) throws -> Int? {
    let client = try WebSocketClient.greeted(port: setup.command.port)
    client.send(#"{"type":"open","table":"rowcast-sources","request":1}"#)
    var id: Int?
    try client.wait {
      guard let items = $0["items"] as? [[Any]], let first = items.first else { return false }
      id = first.first as? Int
      return id != nil
    }
    return id
  }
}
