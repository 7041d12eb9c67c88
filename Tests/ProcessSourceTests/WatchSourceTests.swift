import Foundation
import Glibc
import ListEngine
import ProcessSource
import SourceTesting
import Testing
import TextSource

/// Commands that run again and again as tables, with real processes.
@Suite struct WatchSourceTests {
  let recorder = Recorder()
  private static let guessed = "Columns were guessed from the header; --format lines shows the text as it is"

  private func watch(_ line: String, _ options: TextOptions = TextOptions(), patience: Duration? = nil) -> WatchSource {
    let recorder = recorder
    return WatchSource(
      .shell(line), name: "watch", pause: .milliseconds(20), patience: patience, options: options,
      log: { recorder.note($0, $1) },
      events: { recorder.receive($0) })
  }

  @Test func `a watched command may add columns in a later run`() throws {
    try Workshop.withFolder { folder in
      let path = folder.appending(path: "rows").path
      try Data("{\"id\":\"a\"}\n".utf8).write(to: URL(filePath: path))
      let source = watch("cat \(path)")
      try source.start()
      try recorder.wait("a run") { !$0.rows.isEmpty }
      try Data("{\"id\":\"a\"}\n{\"id\":\"b\",\"late\":1}\n".utf8).write(to: URL(filePath: path), options: .atomic)
      try recorder.wait("the column") { $0.rows.contains { $0.cells == [.text("b"), .number(1)] } }
      let events = recorder.view.events
      let place = try #require(events.firstIndex { if case .columnsAdded = $0 { true } else { false } })
      guard case .changes(let changes)? = events.dropFirst(place + 1).first else {
        Issue.record("no rows behind the columns")
        return
      }
      #expect(changes.beginsReload && changes.endsReload && changes.count == 2)
      source.stop()
    }
  }

  @Test func `a first run without valid rows is stale and sets no columns`() throws {
    try Workshop.withFolder { folder in
      var options = TextOptions()
      options.key = ["id"]
      let source = watch(
        "cd \(folder.path); echo >>n; case $(wc -l <n) in 1) printf 'a,b\\n1,2\\n3,4\\n';; *) printf 'id,b\\n1,2\\n';; esac",
        options)
      try source.start()
      try recorder.wait("a row") { !$0.rows.isEmpty }
      #expect(source.stop())
      #expect(
        recorder.view.states.prefix(2) == ["stale: line 3: it has no “id” (2 were left out)", "live: \(Self.guessed)"])
      #expect(recorder.view.changes.first?.unnamedRejections == 0)
      #expect(recorder.view.schema?.columns.map(\.name) == ["id", "b"])
    }
  }

  @Test func `a later run without valid rows is stale and keeps the rows`() throws {
    try Workshop.withFolder { folder in
      let source = watch(
        "cd \(folder.path); echo >>n; case $(wc -l <n) in 1) echo '[{\"id\":1}]';; 2) echo '[{\"a\":1},{\"a\":2}]';; *) echo '[]';; esac"
      )
      try source.start()
      try recorder.wait("an empty list") { $0.states.count >= 3 }
      #expect(source.stop())
      #expect(
        recorder.view.states.prefix(3) == ["live: ", "stale: item 2: it has no “id” (2 were left out)", "live: "])
      #expect(recorder.view.changes.prefix(2).map { PlainRow.rows(of: $0).count } == [1, 0])
    }
  }

  @Test func `reports the last of several rows with the same key`() throws {
    try Workshop.withFolder { folder in
      var options = TextOptions()
      options.key = ["name"]
      for (number, options) in [options].enumerated() {
        let recorder = Recorder()
        let source = WatchSource(
          .shell(
            "cd \(folder.path); echo 'name,v'; echo a,1; test \(number) = 1 && mkdir n || echo a,2; echo b,3"),
          name: "watch", pause: .milliseconds(20), options: options, log: { _, _ in }, events: { recorder.receive($0) })
        try source.start()
        try recorder.wait("two runs") { $0.changes.count >= 2 }
        #expect(source.stop())
        let rows = PlainRow.rows(of: recorder.view.changes[1])
        #expect(rows.map(\.key) == [.text("a"), .text("b")])
        #expect(rows.map { $0.cells.last } == [.number(2), .number(3)])
        #expect(recorder.view.changes.allSatisfy { $0.unnamedRejections == 0 })
      }
    }
  }

  @Test func `a run beyond its patience is stale until it ends`() throws {
    try Workshop.withFolder { folder in
      let source = watch(
        "cd \(folder.path); echo >>n; case $(wc -l <n) in 2) while ! test -e go; do sleep 0.05; done;; esac; echo '[{\"id\":1}]'",
        patience: .seconds(1))
      try source.start()
      try recorder.wait("a word") { $0.states.contains("stale: it has been running for 1 seconds") }
      try Data().write(to: folder.appending(path: "go"))
      try recorder.wait("its return") { $0.states.last == "live: " }
      #expect(source.stop())
    }
  }

  @Test func `runs a command repeatedly and reports each list as a reload`() throws {
    try Workshop.withFolder { folder in
      let source = watch("cd \(folder.path); echo >>n; echo 'NAME  COUNT'; echo \"a     $(wc -l <n)\"; echo 'b     7'")
      try source.start()
      try recorder.wait("three runs") { $0.changes.count >= 3 }
      #expect(source.stop())
      let view = recorder.view
      #expect(view.schema?.key == .text)
      #expect(view.schema?.columns == [Column("NAME", .text), Column("COUNT", .number, format: .plain())])
      for (index, changes) in view.changes.prefix(3).enumerated() {
        #expect(changes.beginsReload && changes.endsReload)
        #expect(
          PlainRow.rows(of: changes) == [
            PlainRow(.upsert, .text("a"), [.text("a"), .number(Double(index + 1))]),
            PlainRow(.upsert, .text("b"), [.text("b"), .number(7)]),
          ])
      }
      #expect(view.states == ["live: \(Self.guessed)"])
    }
  }

  @Test func `a failed run is stale with its exit code until the next run`() throws {
    try Workshop.withFolder { folder in
      let source = watch(
        "cd \(folder.path); echo >>n; case $(wc -l <n) in 2) echo broken >&2; exit 3;; *) echo '[{\"id\":1}]';; esac")
      try source.start()
      try recorder.wait("its return") { $0.states.count >= 3 }
      #expect(source.stop())
      #expect(recorder.view.states == ["live: ", "stale: exited with code 3", "live: "])
      #expect(recorder.log.contains("info: broken"))
    }
  }

  @Test(arguments: [
    ("printf '{\\n{\\n'", " (taken for json; --format names another)"),
    ("printf '{\\n\"items\":[]}\\n'", "it prints no rows"),
    ("true", "it prints no rows"),
  ]) func `reports why a command yields no rows`(_ line: String, _ reason: String) throws {
    let source = watch(line)
    try source.start()
    try recorder.wait("a word") { $0.states.last?.hasSuffix(reason) ?? false }
    #expect(source.stop())
  }

  @Test func `stop ends a command that hangs`() throws {
    let source = watch("echo $$ >&2; sleep 1000")
    try source.start()
    try recorder.wait("its beginning") { !$0.log.isEmpty }
    #expect(source.stop())
    let pid = try #require(pid_t(recorder.view.log[0]))
    #expect(kill(pid, 0) == -1)
  }

  @Test func `reads CRLF line ends and a byte order mark`() throws {
    let source = watch(#"printf '\357\273\277name,n\r\nx,1\r\ny,2\r\n'"#)
    try source.start()
    try recorder.wait("rows") { $0.rows.count >= 2 }
    #expect(source.stop())
    #expect(recorder.view.schema?.columns == [Column("name", .text), Column("n", .number, format: .plain())])
    #expect(recorder.view.rows.prefix(2).map(\.key) == [.text("x"), .text("y")])
  }

  @Test func `a header without rows waits for the first rows`() throws {
    try Workshop.withFolder { folder in
      let source = watch(
        "cd \(folder.path); echo >>n; echo 'NAME   COUNT'; case $(wc -l <n) in 1) ;; *) echo 'a      7';; esac")
      try source.start()
      try recorder.wait("a row") { !$0.rows.isEmpty }
      #expect(source.stop())
      #expect(recorder.view.states.prefix(2) == ["live: it prints no rows", "live: \(Self.guessed)"])
      #expect(recorder.view.schema?.columns == [Column("NAME", .text), Column("COUNT", .number, format: .plain())])
    }
  }

  @Test func `reads a JSON document with a byte order mark`() throws {
    let source = watch(#"printf '\357\273\277{\n "items": [\n {"name": "x"}\n ]\n}\n'"#)
    try source.start()
    try recorder.wait("a row") { !$0.rows.isEmpty }
    #expect(source.stop())
    #expect(recorder.view.rows.first?.key == .text("x"))
  }

  @Test func `reads a JSON document of several lines`() throws {
    let source = watch(#"printf '{\n "items": [\n {"name": "x", "n": 1},\n {"name": "y", "n": 2}\n ]\n}\n'"#)
    try source.start()
    try recorder.wait("rows") { $0.rows.count >= 2 }
    #expect(source.stop())
    #expect(recorder.view.rows.prefix(2).map(\.key) == [.text("x"), .text("y")])
  }
}
