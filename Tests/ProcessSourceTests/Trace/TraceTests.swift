import Foundation
import ListEngine
import SourceRuntime
import SourceTesting
import Testing

@testable import ProcessSource

/// Traces record the exchange between host and plugin exactly, and replay the same events.
@Suite struct TraceTests {
  private let recorder = Recorder()

  private func entries(of path: String) throws -> [TraceEntry] {
    let reader = TraceReader()
    return try Data(contentsOf: URL(filePath: path)).split(separator: 0x0A).map { line in
      try #require(reader.read(Array(line))).entry
    }
  }

  private func note(_ listener: any TraceListener, _ direction: TraceDirection, _ bytes: [UInt8]) {
    bytes.withUnsafeBytes { listener.note(direction, $0) }
  }

  @Test func `joins pieces into lines of each direction`() throws {
    try Workshop.withFolder { folder in
      let path = folder.appending(path: "trace").path
      let writer = try TraceWriter(path) { Issue.record("\($0)") }.instance()
      writer.begin()
      note(writer, .plugin, Array("{\"a\":1}\n{\"b\"".utf8))
      note(writer, .host, Array("hello\n".utf8))
      note(writer, .plugin, Array(":2}\n".utf8))
      note(writer, .log, [0x4D, 0xFC, 0x0A])
      note(writer, .plugin, Array("no end".utf8))
      writer.end()
      #expect(
        try entries(of: path) == [
          .begin, .line(.plugin, Array(#"{"a":1}"#.utf8)), .line(.host, Array("hello".utf8)),
          .line(.plugin, Array(#"{"b":2}"#.utf8)), .line(.log, [0x4D, 0xFC]), .line(.plugin, Array("no end".utf8)),
          .end,
        ])
      let first = try String(contentsOfFile: path, encoding: .isoLatin1).split(separator: "\n")[1]
      #expect(first.hasSuffix(#","from":"plugin","line":"{\"a\":1}"}"#) && first.hasPrefix(#"{"at":"#), "\(first)")
    }
  }

  @Test(arguments: [
    "", "{}", #"{"at":1}"#, #"{"at":-1,"event":"start"}"#, #"{"at":1,"event":"pause"}"#,
    #"{"at":1,"from":"me","line":""}"#,
    #"{"at":1,"instance":0,"event":"start"}"#, #"{"at":1,"instance":"2","event":"start"}"#,
    #"{"at":1,"from":"plugin"}"#, #"{"at":1,"from":"plugin","bytes":[256]}"#, #"{"at":"1","event":"start"}"#,
  ]) func `returns nil for an invalid trace line`(_ line: String) {
    #expect(TraceReader().read(Array(line.utf8)) == nil)
  }

  @Test func `reports a full disk and a missing directory`() throws {
    let failures = Recorder()
    let writer = try TraceWriter("/dev/full") { failures.note(.error, $0) }.instance()
    writer.begin()
    writer.end()
    #expect(failures.log == ["error: the trace ends here: No space left on device"])
    #expect(throws: PluginError.noTrace("/nowhere/trace", reason: "No such file or directory")) {
      _ = try TraceWriter("/nowhere/trace") { _ in }
    }
  }

  @Test func `overwrites empty files and traces, but no other file`() throws {
    try Workshop.withFolder { folder in
      let file = folder.appending(path: "trace")
      try Data("my thesis\n".utf8).write(to: file)
      #expect(throws: PluginError.noTrace(file.path, reason: "the file exists and is not a trace")) {
        _ = try TraceWriter(file.path) { _ in }
      }
      #expect(try Data(contentsOf: file) == Data("my thesis\n".utf8))
      for text in ["", "{\"at\":0,\"event\":\"start\"}\n", "{\"a"] {
        try Data(text.utf8).write(to: file)
        try TraceWriter(file.path) { Issue.record("\($0)") }.instance().begin()
        #expect(try entries(of: file.path) == [.begin], "after \(text)")
      }
    }
  }

  /// A program and its trace deliver the same events.
  @Test(arguments: [
    #"echo '{"id":1,"name":"build"}'; echo 'a word' >&2; echo '{"id":2,"name":"test"}'"#,
    #"echo '{"type":"hello","version":1}'; echo '{"type":"schema","name":"jobs","key":"integer","columns":[{"name":"n","type":"text"}]}'; echo '{"type":"reload"}'; echo '{"type":"upsert","rows":[[1,"build"],[2,"test"]]}'; echo '{"type":"commit"}'; echo '{"type":"delete","key":1}'; echo 'a word' >&2; read -r a; read -r b"#,
  ]) func `a trace replay reports the schema, rows and log again`(_ script: String) throws {
    try Workshop.withFolder { folder in
      let path = folder.appending(path: "trace").path
      let (once, again) = (recorder, Recorder())
      let source = ChildSource(
        .shell(script), name: "jobs", trace: try TraceWriter(path) { _ in }.instance(), log: { once.note($0, $1) },
        events: { once.receive($0) })
      try source.start()
      try once.wait("the end") { $0.states.last == "live: Complete" }
      #expect(source.stop())
      let replay = TraceSource(
        path, name: "jobs", speed: 0, log: { again.note($0, $1) }, events: { again.receive($0) })
      try replay.start()
      try again.wait("the end") { $0.states.last == "stale: the trace is over" }
      #expect(again.view.schema == once.view.schema)
      #expect(again.view.rows == once.view.rows)
      #expect(once.view.rows.count >= 2)
      #expect(again.log == once.log && again.log == ["info: a word"])
      #expect(again.view.states.first == "live: ")
      let said = try entries(of: path)
      #expect(said.first == .begin && said.last == .end)
      // A program that reads nothing may have exited before the hello was sent.
      guard script.contains("read") else { return }
      #expect(
        said.contains {
          if case .line(.host, let line) = $0 { line == Array(HostLine.hello.dropLast()) } else { false }
        })
    }
  }

  private func trace(_ lines: [(instance: Int?, said: String)]) -> Data {
    let text = lines.map { line in
      let instance = line.instance.map { #""instance":\#($0),"# } ?? ""
      let said = line.said.replacing("\"", with: "\\\"")
      return ["start", "end"].contains(line.said)
        ? #"{"at":0,\#(instance)"event":"\#(line.said)"}"# : #"{"at":0,\#(instance)"from":"plugin","line":"\#(said)"}"#
    }
    return Data((text.joined(separator: "\n") + "\n").utf8)
  }

  /// Replays a trace to its end.
  private func replay(_ path: String) throws {
    let recorder = recorder
    let source = TraceSource(
      path, name: "jobs", speed: 0, log: { recorder.note($0, $1) }, events: { recorder.receive($0) })
    try source.start()
    try recorder.wait("the end") { $0.states.last == "stale: the trace is over" }
  }

  private static let notWritten = "this is not a trace: rowcast plugin run --trace has not written its first line"

  @Test(arguments: [
    ("", "the file is empty: nothing was kept in it"), ("\n", notWritten), ("root:x:0:0\n{}\n", notWritten),
    ("hello", notWritten),
    ("{\"at\":0,\"event\":\"start\"}", "the file ends within its first line: nothing was kept in it"),
    ("{\"at\":0,\"eve", "the file ends within its first line: nothing was kept in it"),
    ("ROWCAST\u{1}B\n", "this is a recording, no trace: rowcast replay serves it again"),
    ("ROWCAST\u{1}", "this is a recording, no trace: rowcast replay serves it again"),
  ]) func `refuses a file that is not a trace with a reason`(_ text: String, _ reason: String) throws {
    try Workshop.withFolder { folder in
      let path = folder.appending(path: "trace").path
      try Data(text.utf8).write(to: URL(filePath: path))
      expectRefusal(path, reason)
    }
  }

  /// Not an argument of the test above, because the runner prints arguments.
  @Test func `refuses a file whose first line exceeds 8 MiB`() throws {
    try Workshop.withFolder { folder in
      let path = folder.appending(path: "trace").path
      try Data(repeating: UInt8(ascii: "x"), count: (8 << 20) + 2).write(to: URL(filePath: path))
      expectRefusal(path, Self.notWritten)
    }
  }

  @Test func `refuses a directory and a missing file`() throws {
    try Workshop.withFolder { folder in
      expectRefusal(folder.path, "a folder is no trace")
      expectRefusal(folder.appending(path: "nothing").path, "No such file or directory")
    }
  }

  private func expectRefusal(_ path: String, _ reason: String) {
    let recorder = recorder
    let source = TraceSource(
      path, name: "jobs", speed: 0, log: { recorder.note($0, $1) }, events: { recorder.receive($0) })
    #expect(throws: PluginError.noTrace(path, reason: reason)) { try source.start() }
    #expect("\(PluginError.noTrace(path, reason: reason))" == "\(path): \(reason)")
    #expect(recorder.view.states.isEmpty && recorder.log.isEmpty)
    #expect(source.stop(within: .zero))
  }

  @Test func `logs the first ten invalid lines and replays the others`() throws {
    try Workshop.withFolder { folder in
      let path = folder.appending(path: "trace").path
      for (invalid, more) in [(10, 0), (11, 1)] {
        let row = #"{"at":0,"from":"plugin","line":"{\"id\":1}"}"# + "\n"
        let text =
          #"{"at":0,"event":"start"}"# + "\n" + String(repeating: "?\n", count: invalid) + row
          + #"{"at":1,"from":"plugin","line":"{\"id"#
        try Data(text.utf8).write(to: URL(filePath: path))
        let recorder = Recorder()
        let source = TraceSource(
          path, name: "jobs", speed: 0, log: { recorder.note($0, $1) }, events: { recorder.receive($0) })
        try source.start()
        try recorder.wait("the end") { $0.states.last == "stale: the trace is over" }
        #expect(recorder.view.rows.count == 1)
        let named = (2...11).map { "warning: \(path): line \($0) is not a line of a trace" }
        let cut = "warning: \(path): the file ends within line \(invalid + 3)"
        let rest = more > 0 ? ["warning: \(path): 11 lines are no lines of a trace"] : []
        #expect(recorder.log == named + [cut] + rest)
      }
    }
  }

  private static let hello = #"{"type":"hello","version":1}"#
  private static let schema = #"{"type":"schema","name":"jobs","key":"integer","columns":[{"name":"n","type":"text"}]}"#
  private static func list(_ name: String) -> [String] {
    [#"{"type":"reload"}"#, #"{"type":"upsert","key":1,"row":{"n":"\#(name)"}}"#, #"{"type":"commit"}"#]
  }

  /// The old instance continues while the new one starts, and ends after the new one's list.
  @Test func `replays a handover between two instances in its order`() throws {
    try Workshop.withFolder { folder in
      let path = folder.appending(path: "trace").path
      let old = ["start", Self.hello, Self.schema] + Self.list("old")
      let new = Self.list("new")
      let lines =
        old.map { (nil, $0) } + ["start", Self.hello, Self.schema, new[0], new[1]].map { (2, $0) }
        + [(nil, #"{"type":"upsert","key":2,"row":{"n":"still the old one"}}"#), (2, new[2]), (nil, "end")]
        + [(2, #"{"type":"upsert","key":3,"row":{"n":"later"}}"#)]
      try trace(lines).write(to: URL(filePath: path))
      try replay(path)
      let reported: [[Cell?]] = [[.text("old")], [.text("still the old one")], [.text("new")], [.text("later")]]
      #expect(recorder.view.rows.map(\.cells) == reported)
      #expect(recorder.view.states == ["live: ", "live: ", "stale: the trace is over"])
      #expect(recorder.log.isEmpty)
    }
  }

  @Test func `does not replay an instance that never takes over`() throws {
    try Workshop.withFolder { folder in
      let path = folder.appending(path: "trace").path
      let lines =
        (["start", Self.hello, Self.schema] + Self.list("old")).map { (nil, $0) }
        + ["start", Self.hello, Self.schema.replacing("\"n\"", with: "\"other\""), "end"].map { (2, $0) }
        + [(nil, #"{"type":"upsert","key":2,"row":{"n":"still here"}}"#)]
      try trace(lines).write(to: URL(filePath: path))
      try replay(path)
      #expect(recorder.view.rows.count == 2)
      #expect(recorder.view.states == ["live: ", "stale: the trace is over"])
      #expect(recorder.view.schema?.columns.map(\.name) == ["n"])
    }
  }

  @Test func `keeps interleaved lines of two instances apart`() throws {
    try Workshop.withFolder { folder in
      let path = folder.appending(path: "trace").path
      let writer = try TraceWriter(path) { Issue.record("\($0)") }
      let (first, second) = (writer.instance(), writer.instance())
      func note(_ listener: any TraceListener, _ text: String) {
        Array(text.utf8).withUnsafeBytes { listener.note(.plugin, $0) }
      }
      first.begin()
      note(first, "one ")
      second.begin()
      note(second, "two ")
      note(first, "first\n")
      first.end()
      note(second, "second\n")
      second.end()
      let reader = TraceReader()
      let read = try Data(contentsOf: URL(filePath: path)).split(separator: 0x0A).map { line in
        try #require(reader.read(Array(line)))
      }
      #expect(read.map(\.instance) == [1, 2, 1, 1, 2, 2])
      #expect(
        read.map(\.entry) == [
          .begin, .begin, .line(.plugin, Array("one first".utf8)), .end, .line(.plugin, Array("two second".utf8)), .end,
        ])
    }
  }

  @Test func `stops a replay within a pause`() throws {
    try Workshop.withFolder { folder in
      let path = folder.appending(path: "trace").path
      let trace =
        #"{"at":0,"event":"start"}"# + "\n" + #"{"at":0,"from":"plugin","line":"{\"id\":1}"}"# + "\n"
        + #"{"at":3600000,"event":"end"}"# + "\n"
      try Data(trace.utf8).write(to: URL(filePath: path))
      let recorder = recorder
      let replay = TraceSource(
        path, name: "jobs", speed: 1, log: { recorder.note($0, $1) }, events: { recorder.receive($0) })
      try replay.start()
      try recorder.wait("the row, understood in the pause") { $0.rows.count == 1 }
      #expect(replay.stop(within: .seconds(10)))
      #expect(recorder.view.states == ["live: "])
    }
  }
}
