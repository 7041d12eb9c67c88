import Foundation
import Glibc
import ListEngine
import SourceRuntime
import SourceTesting
import Testing

@testable import ProcessSource

/// Child sources with real processes: the supervisor's commands take effect.
@Suite struct ChildSourceTests {
  let recorder = Recorder()

  /// Creates a source with short timeouts for ending, to keep the tests fast, and long ones for
  /// answers.
  ///
  /// The long ones prevent failures on a busy machine.
  private func source(
    _ line: String, configuration: [String: String] = [:],
    _ change: (inout SupervisionPolicy, inout ChildCommand) -> Void = { _, _ in }
  ) -> ChildSource {
    var policy = SupervisionPolicy()
    policy.shortestPause = .milliseconds(10)
    policy.longestPause = .milliseconds(40)
    policy.heartbeat = .milliseconds(100)
    policy.patience = .seconds(60)
    policy.inputGrace = .milliseconds(50)
    policy.terminationGrace = .milliseconds(200)
    policy.lastGrace = .milliseconds(200)
    policy.drainGrace = .milliseconds(200)
    var command = ChildCommand.shell(line)
    change(&policy, &command)
    let recorder = recorder
    return ChildSource(
      command, name: "child", configuration: configuration, policy: policy, log: { recorder.note($0, $1) },
      events: { recorder.receive($0) })
  }

  private static let hello = #"echo '{"type":"hello","version":1,"capabilities":["health"]}';"#
  private static let schema =
    #"echo '{"type":"schema","name":"t","key":"integer","columns":[{"name":"pid","type":"integer"},{"name":"w","type":"text","deferred":true}]}';"#
  /// Sends its process ID and answers nothing.
  private static let silent = hello + schema + #"echo "{\"type\":\"upsert\",\"key\":1,\"cells\":[$$,null]}";"#

  private func pids() -> [pid_t] {
    recorder.view.rows.compactMap { if case .integer(let pid) = $0.cells[0] { pid_t(pid) } else { nil } }
  }

  private func isThere(_ pid: pid_t) -> Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return false }
    return !text.contains(") Z ")  // a zombie counts as gone
  }

  /// Whether a killed process disappears.
  ///
  /// Even after closing its files it may take a moment to exit.
  private func goes(_ pid: pid_t) -> Bool {
    let deadline = monotonicNow.advanced(by: .seconds(60))
    while isThere(pid), monotonicNow < deadline { _ = poll(nil, 0, 1) }
    return !isThere(pid)
  }

  // MARK: Three lines of shell

  @Test func `three lines of shell serve a table`() throws {
    let source = source(
      """
      for user in root daemon; do
        echo "{\\"id\\":\\"$user\\",\\"uid\\":$(id -u $user),\\"busy\\":false}"
      done; exec sleep 100
      """)
    try source.start()
    try recorder.wait("rows") { $0.states.contains("live: ") }
    #expect(source.stop())
    let view = recorder.view
    #expect(view.schema?.name == "child")
    #expect(view.schema?.columns.map(\.name) == ["id", "uid", "busy"])
    #expect(view.schema?.columns.map(\.type) == [.text, .number, .boolean])
    #expect(
      view.rows == [
        PlainRow(.upsert, .text("root"), [.text("root"), .number(0), .boolean(false)]),
        PlainRow(.upsert, .text("daemon"), [.text("daemon"), .number(1), .boolean(false)]),
      ])
  }

  @Test func `reports Complete when the program exits with 0`() throws {
    let source = source(#"echo '{"id":1}'; printf '{"id":2}'"#)
    try source.start()
    try recorder.wait("the end") { $0.states.last == "live: Complete" }
    #expect(recorder.view.rows.count == 2)
    #expect(source.stop())
  }

  // MARK: F3: the plugin crashes

  @Test func `restarts a killed program each time`() throws {
    let source = source(Self.silent + "exec cat >/dev/null")
    try source.start()
    for count in 1...3 {
      try recorder.wait("process \(count)") { $0.rows.count == count && $0.states.last == "live: " }
      kill(pids().last!, SIGKILL)
    }
    try recorder.wait("the fourth") { $0.rows.count == 4 }
    #expect(source.stop())
    #expect(recorder.view.states.contains { $0.hasPrefix("backingOff: killed by signal 9") })
    #expect(Set(pids()).count == 4)
    for pid in pids() { #expect(goes(pid)) }
  }

  @Test func `reports a missing program and keeps trying`() throws {
    let source = source("") { $1 = ChildCommand("/no/such/program") }
    try source.start()
    try recorder.wait("a word") { $0.states.count >= 2 }
    #expect(source.stop())
    #expect(
      recorder.view.states.allSatisfy {
        $0.hasPrefix("backingOff: no program “/no/such/program” that is executable")
      })
  }

  @Test func `reports a file that the system cannot execute`() throws {
    try Workshop.withFolder { folder in
      let file = folder.appending(path: "plugin")
      try Data([0x7F, 0x45, 0x4C, 0x46, 1, 2, 3]).write(to: file)
      chmod(file.path, 0o755)
      let source = source("") { $1 = ChildCommand(file.path) }
      try source.start()
      try recorder.wait("a word") { !$0.states.isEmpty }
      #expect(source.stop())
      #expect(recorder.view.states[0] == "backingOff: it cannot be started: exec: Exec format error")
    }
  }

  @Test func `leaks no file descriptors over 40 restarts`() throws {
    func files() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0 }
    let before = files()
    let source = source(#"echo '{"id":1}'; exit 1"#)
    try source.start()
    try recorder.wait("many ends") { $0.states.filter { $0.hasPrefix("backingOff") }.count >= 40 }
    #expect(source.stop())
    // Tests running in parallel have processes of their own. Their files get closed, but a leak
    // stays.
    let deadline = monotonicNow.advanced(by: .seconds(60))
    while files() >= before + 40, monotonicNow < deadline { _ = poll(nil, 0, 20) }
    #expect(files() < before + 40)
  }

  /// Returns a program whose only column is `c` and the number of its start, and which exits when
  /// it receives a query for deferred cells of that column.
  private func counting(in folder: URL) -> String {
    let count = "'\(folder.appending(path: "count").path)'"
    return "n=$(cat \(count) || echo 0); echo $((n + 1)) >\(count);" + #"echo '{"type":"hello","version":1}';"#
      + #"echo '{"type":"schema","name":"t","key":"integer","columns":[{"name":"c'$n'","type":"text","deferred":true}]}';"#
      + #"echo '{"type":"upsert","key":'$n',"cells":[null]}';"#
      + #"while read -r line; do case $line in *load*) echo "$n: $line" >&2; exit 3;; esac; done"#
  }

  @Test func `a program may come back with other columns`() throws {
    try Workshop.withFolder { folder in
      let source = source(counting(in: folder))
      try source.start()
      try recorder.wait("the first row") { $0.rows.count == 1 && $0.states.last == "live: " }
      let former = try #require(recorder.view.schema)
      source.send(.load([DeferredCell(.integer(0), column: 0)]), of: former)
      try recorder.wait("the second row") { $0.rows.count == 2 && $0.states.last == "live: " }
      let schemas = recorder.view.events.compactMap { if case .schema(let schema) = $0 { schema } else { nil } }
      #expect(schemas.map { $0.columns.map(\.name) } == [["c0"], ["c1"]])
      // Requests for the former columns do not reach it.
      source.send(.load([DeferredCell(.integer(0), column: 0)]), of: former)
      source.send(.act(ActionRequest(id: 7, action: "end", key: nil, arguments: [])), of: former)
      try recorder.wait("the answer") {
        $0.events.contains { if case .acted(7, .failed(.sourceDown, _)) = $0 { true } else { false } }
      }
      source.send(.load([DeferredCell(.integer(1), column: 0)]), of: schemas[1])
      try recorder.wait("the request") { $0.log.contains { $0.hasPrefix("1: ") } }
      #expect(recorder.view.log.filter { $0.hasPrefix("1: ") }.allSatisfy { $0.contains(#"[1,"c1"]"#) })
      #expect(source.stop())
    }
  }

  @Test func `columns that change at each start fail the source`() throws {
    try Workshop.withFolder { folder in
      let program = counting(in: folder).replacing("while read", with: "sleep 0.05; exit 3; while read")
      let source = source(program) { policy, _ in policy.columnChanges = 3 }
      try source.start()
      try recorder.wait("the failure") { $0.states.last?.hasPrefix("failed: ") == true }
      #expect(
        recorder.view.states.last
          == "failed: its columns have changed 3 times in 10 minutes: declare the same ones at each start, then restart the source"
      )
      let schemas = recorder.view.events.compactMap { if case .schema(let schema) = $0 { schema } else { nil } }
      #expect(schemas.map { $0.columns.map(\.name) } == [["c0"], ["c1"], ["c2"], ["c3"]])
      #expect(source.stop())
    }
  }

  // MARK: F4: the plugin hangs

  @Test func `kills and restarts a program that does not answer`() throws {
    // Ignores SIGTERM and the closed input.
    let source = source("trap '' TERM;" + Self.silent + "while :; do sleep 100; done") { policy, _ in
      policy.patience = .milliseconds(300)
    }
    try source.start()
    try recorder.wait("another process") { $0.rows.count >= 2 }
    #expect(source.stop())
    #expect(recorder.view.states.contains { $0.hasPrefix("stale: it has not answered") })
    for pid in pids() { #expect(goes(pid)) }
  }

  @Test func `does not end a program that answers health checks`() throws {
    let source = source(
      Self.silent
        + #"while read -r line; do case $line in *health*) echo "asked" >&2; echo "$line";; esac; done"#
    ) { policy, _ in policy.patience = .seconds(2) }
    try source.start()
    // With ten checks per second, the timeout of the first one would have passed.
    try recorder.wait("many questions") { $0.log.filter { $0 == "asked" }.count >= 25 }
    #expect(recorder.view.states == ["live: "])
    #expect(source.stop())
  }

  @Test func `ends and restarts a program that a signal stopped`() throws {
    let source = source(#"echo "{\"id\":$$}"; exec sleep 100"#) { policy, _ in policy.patience = .milliseconds(300) }
    try source.start()
    try recorder.wait("rows") { $0.states.last == "live: " }
    kill(pids()[0], SIGSTOP)
    try recorder.wait("another process") { $0.rows.count >= 2 }
    #expect(recorder.view.states.contains("stale: it was stopped by a signal"))
    #expect(source.stop())
  }

  // MARK: F5: the plugin writes garbage

  @Test func `skips one unreadable line and ends a program after ten`() throws {
    let source = source(
      #"echo '{"id":1}'; head -c 3000000 /dev/zero | tr '\0' x; echo; echo '{"id":2}'; exec sleep 100"#)
    try source.start()
    try recorder.wait("the second row") { $0.rows.count == 2 }
    #expect(recorder.view.changes.reduce(0) { $0 + $1.unnamedRejections } == 1)
    #expect(source.stop())
    let other = Recorder()
    let bad = ChildSource(
      .shell("while :; do echo oops; done"), name: "bad", log: { _, _ in }, events: { other.receive($0) })
    try bad.start()
    try other.wait("its end") { $0.states.contains { $0.hasPrefix("backingOff: 10 lines were not readable") } }
    #expect(bad.stop())
  }

  // MARK: F6: the plugin floods

  @Test func `holds back a flooding program and can stop it`() throws {
    let source = source(#"i=0; while :; do echo "{\"id\":1,\"n\":$((i=i+1))}"; done"#)
    recorder.close()
    try source.start()
    try recorder.wait("someone at the gate") { $0.held == 1 }
    recorder.open()
    try recorder.wait("rows") { $0.rows.count > 1_000 }
    recorder.end()
    #expect(source.stop())
  }

  // MARK: The whole process group

  @Test func `stop ends the child processes of a program`() throws {
    let source = source(#"sleep 1000 & echo "{\"id\":$!}"; sleep 1000 & echo "{\"id\":$!}"; echo '{"id":0}'; wait"#)
    try source.start()
    try recorder.wait("rows") { $0.rows.count == 3 }
    let children = pids().dropLast()
    for pid in children { #expect(isThere(pid)) }
    #expect(source.stop())
    for pid in children { #expect(goes(pid)) }
  }

  @Test func `ends the child processes of a killed program`() throws {
    let source = source(#"sleep 1000 & echo "{\"id\":1,\"pid\":$!}"; echo "{\"id\":2,\"pid\":$$}"; wait"#)
    try source.start()
    try recorder.wait("rows") { $0.rows.count == 2 }
    let pids = recorder.view.rows.compactMap { if case .number(let pid) = $0.cells[1] { pid_t(pid) } else { nil } }
    kill(pids[1], SIGKILL)
    try recorder.wait("another process") { $0.rows.count >= 4 }
    #expect(goes(pids[0]))
    #expect(source.stop())
  }

  @Test func `a process outside the group does not delay the restart`() throws {
    let source = source(#"setsid sleep 3 & echo '{"id":1}'; exit 1"#)
    try source.start()
    try recorder.wait("another process") { $0.rows.count >= 2 }
    #expect(source.stop())
  }

  @Test func `ends a program whose processes exceed the total memory`() throws {
    let hold =
      #"python3 -c 'import signal; x = bytearray(b"x") * (40 << 20); print("ready", flush=True); signal.pause()'"#
    let source = source(
      """
      echo '{"id":1}'; \(hold) >&2 & \(hold) >&2 & setsid \(hold) >&2 & wait
      """
    ) {
      $0.measurePause = .milliseconds(1)
      $1.totalMemory = 100 << 20
    }
    try source.start()
    try recorder.wait("the end of it") { view in
      view.states.contains {
        $0.hasPrefix("backingOff: its processes take 1") && $0.hasSuffix(" MiB of memory, and may take 100")
      }
    }
    #expect(source.stop())
  }

  @Test func `counts memory that processes share only once`() throws {
    // A process of 80 MiB and three copies of it that write nothing: 80 MiB, and not 320.
    let program = """
      import os, signal
      block = bytearray(b"x") * (80 << 20)
      os.fork() or signal.pause()
      os.fork() or signal.pause()
      os.fork() or signal.pause()
      os.write(1, b"ready")
      signal.pause()
      """
    var command = ChildCommand("python3", ["-c", program])
    let process = try ChildProcess(command)
    defer {
      process.reap()
      close(process.output)
    }
    var file = pollfd(fd: process.output, events: Int16(POLLIN), revents: 0)
    #expect(poll(&file, 1, 60_000) == 1)
    command.totalMemory = 200 << 20
    #expect(process.excess(over: command) == nil)
    command.totalMemory = 70 << 20
    let excess = try #require(process.excess(over: command))
    #expect(excess.hasPrefix("its processes take ") && excess.hasSuffix(" MiB of memory, and may take 70"))
    let size = try #require(excess.split(separator: " ").dropFirst(3).first.flatMap { Int($0) })
    #expect((80...150).contains(size), "\(excess)")
  }

  @Test func `ends a program with too many processes`() throws {
    let source = source("echo '{\"id\":1}'; for i in 1 2 3 4 5 6; do sleep 1000 & done; wait") {
      $0.measurePause = .milliseconds(1)
      $1.greatestProcessCount = 5
    }
    try source.start()
    try recorder.wait("the end of it") {
      // The sixth process may already be one too many when they are counted.
      $0.states.contains {
        ["6", "7"].map { "backingOff: it has \($0) processes, and may have 5" }.contains($0)
      }
    }
    #expect(source.stop())
  }

  // MARK: Environment and limits

  @Test func `a program gets three files, limits and its own environment`() throws {
    setenv("ROWCAST_TEST_SECRET", "x", 1)
    setenv("LC_ROWCAST", "kept", 1)
    let source = source(
      #"for f in /proc/self/fd/*; do echo "{\"id\":\"fd ${f##*/}\"}"; done; env | sed 's/"//g; s/\(.*\)/{"id":"env \1"}/'; "#
        + #"ulimit -n | sed 's/\(.*\)/{"id":"files \1"}/'; ulimit -c | sed 's/\(.*\)/{"id":"core \1"}/'; "#
        + #"ulimit -d | sed 's/\(.*\)/{"id":"data \1"}/'; grep NoNewPrivs /proc/self/status | sed 's/\t/ /; s/\(.*\)/{"id":"\1"}/'; "#
        + #"echo "{\"id\":\"session $(( $(cut -d' ' -f6 /proc/$$/stat) == $$ ))\"}"; pwd | sed 's/\(.*\)/{"id":"pwd \1"}/'; trap"#
    ) {
      $1.environment = ["EXTRA": "yes"]
      $1.folder = "/usr"
    }
    try source.start()
    try recorder.wait("the end") { $0.states.last == "live: Complete" }
    #expect(source.stop())
    let said = recorder.view.rows.compactMap { if case .text(let text) = $0.key { text } else { nil } }
    // The shell itself opens the folder that it lists.
    #expect(Set(said.filter { $0.hasPrefix("fd ") }).subtracting(["fd 3"]) == ["fd 0", "fd 1", "fd 2"])
    #expect(said.contains("env EXTRA=yes") && said.contains("env LC_ROWCAST=kept"))
    #expect(said.contains { $0.hasPrefix("env PATH=") })
    #expect(!said.contains { $0.contains("SECRET") })
    #expect(said.contains("files 256") && said.contains("core 0") && said.contains("data \(2 << 20)"))
    #expect(said.contains("NoNewPrivs: 1") && said.contains("session 1") && said.contains("pwd /usr"))
  }

  /// Also checks the session's niceness if the kernel schedules by session (autogroup).
  @Test func `a program runs at a lower priority than the server`() throws {
    let mine = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
    let source = source(
      #"nice | sed 's/\(.*\)/{"id":"nice \1"}/'; sed 's/.* nice \(.*\)/{"id":"group \1"}/' /proc/self/autogroup"#)
    try source.start()
    try recorder.wait("rows") { $0.rows.count >= 1 && !$0.states.isEmpty }
    #expect(source.stop())
    let said = recorder.view.rows.compactMap { if case .text(let text) = $0.key { text } else { nil } }
    #expect(said.contains("nice \(mine + 5)"))
    if FileManager.default.fileExists(atPath: "/proc/self/autogroup") { #expect(said.contains("group 5")) }
  }

  /// Under memory pressure the kernel kills a program before the server.
  @Test func `sets the OOM score adjustment of a program to 500`() throws {
    // The server writes the value after starting the program, so the script polls until it is
    // there.
    let source = source(
      #"until grep -qx 500 /proc/self/oom_score_adj; do :; done; echo '{"id":"offered"}'"#)
    try source.start()
    try recorder.wait("rows") { view in view.rows.contains { $0.key == .text("offered") } }
    #expect(source.stop())
  }

  @Test func `a program's allocation beyond its memory limit fails`() throws {
    let source = source(
      #"python3 -c 'x = bytearray(1 << 30)' 2>/dev/null && echo '{"id":"got it"}' || echo '{"id":"refused"}'"#
    ) { $1.memory = 512 << 20 }
    try source.start()
    try recorder.wait("the end") { $0.states.last == "live: Complete" }
    #expect(source.stop())
    #expect(recorder.view.rows.map(\.key) == [.text("refused")])
  }

  // MARK: Messages to the process

  @Test func `sends hello, settings, loads and cancels of pending cells`() throws {
    let source = source(
      Self.hello + Self.schema
        + #"echo '{"type":"upsert","key":7,"cells":[0,null]}'; while read -r line; do echo "$line" >&2; case $line in "#
        + #"*'"load"'*) echo '{"type":"loaded","key":7,"column":"w","value":"here"}';; esac; done"#,
      configuration: ["depth": "3"])
    try source.start()
    try recorder.wait("rows") { $0.states.last == "live: " }
    source.send(.load([DeferredCell(.integer(7), column: 1), DeferredCell(.integer(8), column: 1)]))
    try recorder.wait("an answer") { $0.events.contains { if case .loaded = $0 { true } else { false } } }
    source.send(.cancel([DeferredCell(.integer(8), column: 1), DeferredCell(.integer(7), column: 1)]))
    try recorder.wait("the cancel") { $0.log.contains { $0.contains("cancel") } }
    #expect(source.stop())
    #expect(
      recorder.view.log.filter { !$0.contains("health") } == [
        #"{"type":"hello","version":1,"host":"rowcast 0.1.0"}"#, #"{"type":"configure","settings":{"depth":"3"}}"#,
        #"{"type":"load","cells":[[7,"w"],[8,"w"]]}"#, #"{"type":"cancel","cells":[[8,"w"]]}"#,
      ])
  }

  @Test func `reports pending cells as not loaded when the program exits`() throws {
    let source = source(
      Self.silent + #"while read -r line; do case $line in *load*) exit 1;; *health*) echo "$line";; esac; done"#)
    try source.start()
    try recorder.wait("rows") { $0.states.last == "live: " }
    source.send(.load([DeferredCell(.integer(1), column: 1)]))
    try recorder.wait("a failure") {
      $0.events.contains { if case .notLoaded(.integer(1), 1, "its source has ended") = $0 { true } else { false } }
    }
    #expect(source.stop())
    source.send(.load([DeferredCell(.integer(1), column: 1)]))  // has no effect after the stop
  }

  @Test func `fails on an invalid setting without a retry`() throws {
    let source = source(
      #"echo '{"type":"hello","version":1,"settings":{"properties":{"rows":{"type":"integer"}}}}'; cat >/dev/null"#,
      configuration: ["rows": "many"])
    try source.start()
    try recorder.wait("a refusal") { $0.states == ["failed: child.rows: 'many' is not a whole number"] }
    #expect(source.stop())
  }

  @Test func `refuses settings for a program that prints rows only`() throws {
    let source = source(#"echo '{"id":1}'; exec sleep 100"#, configuration: ["rows": "7"])
    try source.start()
    try recorder.wait("a refusal") {
      $0.states.last == "failed: child.rows: unknown setting: the program prints rows only"
    }
    #expect(source.stop())
  }

  @Test func `does not trust a program that everyone can write`() throws {
    try Workshop.withFolder { folder in
      let path = folder.appending(path: "plugin.sh").path
      try Data("#!/bin/sh\n".utf8).write(to: URL(filePath: path))
      chmod(path, 0o755)
      try ChildCommand(path).checkTrust()
      chmod(path, 0o757)
      #expect(throws: PluginError.untrusted(path, reason: "it can be written by everyone (chmod o-w)")) {
        try ChildCommand(path).checkTrust()
      }
    }
  }
}
