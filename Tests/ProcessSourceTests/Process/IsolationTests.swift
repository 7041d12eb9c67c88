import Foundation
import Glibc
import ListEngine
import SourceRuntime
import SourceTesting
import Testing

@testable import ProcessSource

/// Real programs that try forbidden actions.
///
/// They only send signal 0, which has no effect.
@Suite struct IsolationTests {
  let recorder = Recorder()

  /// Returns the output of a program that runs to its end under the given isolation.
  private func lines(_ isolation: Isolation, secrets: Secrets = Secrets(), _ script: String) throws -> [String] {
    var command = ChildCommand(
      "python3",
      [
        "-c",
        """
        import json, os, signal, subprocess, sys
        server = int(os.environ["SERVER"])
        def say(text): print(json.dumps({"id": text}), flush=True)
        def tried(name, call):
            try: call(); say(name + ": done")
            except OSError as error: say(f"{name}: {error.strerror}")

        """ + script,
      ])
    command.environment = ["SERVER": "\(getpid())"]
    command.isolation = isolation
    command.secrets = secrets
    let recorder = Recorder()
    let source = ChildSource(
      command, name: "child", log: { recorder.note($0, $1) }, events: { recorder.receive($0) })
    try source.start()
    try recorder.wait("the end") { $0.states.last == "live: Complete" || $0.states.last?.hasPrefix("failed") == true }
    #expect(source.stop())
    #expect(recorder.view.log.filter { $0.contains("Traceback") } == [])
    return recorder.view.rows.compactMap { if case .text(let text) = $0.key { text } else { nil } }
  }

  private static let attacks = """
    tried("server", lambda: os.kill(server, 0))
    tried("all", lambda: os.kill(-1, 0))
    tried("group", lambda: os.kill(-os.getpgid(server), 0))
    tried("handle", lambda: signal.pidfd_send_signal(os.pidfd_open(server), 0))
    tried("itself", lambda: os.kill(os.getpid(), 0))
    other = subprocess.Popen(["sleep", "100"])
    tried("its child", lambda: os.kill(other.pid, 0))
    other.kill()
    """

  @Test(arguments: [Isolation.light, .standard])
  func `a program's signals do not reach the server`(isolation: Isolation) throws {
    let said = try lines(isolation, Self.attacks)
    let refused = "Operation not permitted"
    #expect(
      said
        == ["server", "all", "group", "handle"].map { "\($0): \(refused)" } + ["itself: done", "its child: done"])
  }

  @Test func `a program without isolation can signal the server`() throws {
    let said = try lines(.none, Self.attacks)
    #expect(said.allSatisfy { $0.hasSuffix(": done") })
    #expect(said.count == 6)
  }

  /// Requires Linux 6.12.
  ///
  /// On older kernels the description reports the missing restriction.
  @Test func `a standard program's signals reach itself only`() throws {
    let bystander = try bystander()
    defer { end(bystander) }
    let attack = #"tried("other", lambda: os.kill(\#(bystander), 0))"#
    #expect(try lines(.light, attack) == ["other: done"])
    let isConfined = Confinement(ChildCommand("true")).description.contains("signals only within the program")
    #expect(try lines(.standard, attack) == [isConfined ? "other: Operation not permitted" : "other: done"])
  }

  @Test func `a standard program sees all processes`() throws {
    let said = try lines(.standard, #"say(open(f"/proc/{server}/comm").read().strip())"#)
    #expect(said == [try String(contentsOfFile: "/proc/self/comm", encoding: .utf8).trimmingCharacters(in: .newlines)])
  }

  @Test func `a program cannot read the tokens`() throws {
    try Workshop.withFolder { folder in
      let state = folder.appending(path: "state"), token = state.appending(path: "7777.token").path
      try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
      try Data("operator secret".utf8).write(to: URL(filePath: token))
      let apart = folder.appending(path: "tokens").path
      try Data("viewer secret".utf8).write(to: URL(filePath: apart))
      let neighbour = folder.appending(path: "rows").path
      try Data("row".utf8).write(to: URL(filePath: neighbour))
      var secrets = Secrets()
      secrets.folder = state.path
      secrets.file = apart
      let attack = """
        def read(path):
            try: return open(path).read()
            except OSError: return ""
        for path in ["\(token)", "\(apart)", f"/proc/{server}/root\(token)"]: say("read " + path[:5] + read(path))
        subprocess.run(["umount", "\(state.path)"], stderr=subprocess.DEVNULL)
        subprocess.run(["umount", "-l", "\(state.path)"], stderr=subprocess.DEVNULL)
        say("after: " + read("\(token)"))
        say("neighbour: " + read("\(neighbour)"))
        """
      var command = ChildCommand("true")
      command.secrets = secrets
      let hides = Confinement(command).description.contains("tokens hidden")
      #expect(hides || getuid() != 0)
      let said = try lines(.standard, secrets: secrets, attack)
      #expect(said.last == "neighbour: row")
      #expect(said.contains { $0.contains("secret") } == !hides)
      #expect(try lines(.none, secrets: secrets, attack).contains { $0.contains("secret") })
    }
  }

  /// The case of a server that is not root and has its state outside the home folder.
  @Test func `Landlock hides a folder and no files next to it`() throws {
    try Workshop.withFolder { folder in
      let state = folder.appending(path: "lib/state")
      try FileManager.default.createDirectory(at: state.appending(path: "deep"), withIntermediateDirectories: true)
      for path in ["lib/state/token", "lib/state/deep/token", "lib/rows", "rows", "lib/stat"] {
        try Data("text".utf8).write(to: folder.appending(path: path))
      }
      var command = ChildCommand(
        "sh",
        [
          "-c", #"for f in lib/state/token lib/state/deep/token lib/rows rows lib/stat; do cat $f || echo -n no; done"#,
        ],
        folder: folder.path)
      var secrets = Secrets()
      secrets.folder = realpath(state.path, nil).map { String(cString: $0) }
      command.secrets = secrets
      let confinement = Confinement(command, mounts: false, isHomeSpared: false)
      let process = try ChildProcess(command, confinement: confinement)
      _ = fcntl(process.output, F_SETFL, 0)
      let output = FileHandle(fileDescriptor: process.output, closeOnDealloc: true).readDataToEndOfFile()
      process.reap()
      let hides = confinement.description.contains("tokens hidden")
      #expect(String(decoding: output, as: UTF8.self) == (hides ? "nonotexttexttext" : "texttexttexttexttext"))
    }
  }

  @Test func `a strict program sees no process but its own, and no tokens`() throws {
    try Workshop.withFolder { folder in
      let token = folder.appending(path: "7777.token").path
      try Data("operator secret".utf8).write(to: URL(filePath: token))
      var secrets = Secrets()
      secrets.folder = folder.path
      let attack = """
        say("processes: " + str(sum(name.isdigit() for name in os.listdir("/proc")) < 10))
        say("token: " + str(os.path.exists("\(token)")))
        """
      guard Confinement.wrapper != nil else {
        var command = ChildCommand("true")
        command.isolation = .strict
        #expect(throws: ChildProcess.Fault.self) { _ = try ChildProcess(command) }
        return
      }
      #expect(try lines(.strict, secrets: secrets, attack) == ["processes: True", "token: False"])
    }
  }

  @Test func `processes that leave a program's session end with it`() throws {
    let said = try lines(
      .standard,
      """
      other = subprocess.Popen(["setsid", "sh", "-c", "setsid sleep 1000 & echo $!; exec sleep 1000"],
          stdout=subprocess.PIPE, text=True)
      say(str(int(other.stdout.readline())))
      say(str(other.pid))
      """)
    #expect(said.count == 2)
    for text in said {
      let process = try #require(pid_t(text))
      let deadline = monotonicNow.advanced(by: .seconds(60))
      while isThere(process), monotonicNow < deadline { _ = poll(nil, 0, 1) }
      #expect(!isThere(process))
    }
  }

  // MARK: Other processes

  private func isThere(_ process: pid_t) -> Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
    return !text.contains(") Z ")
  }

  /// Starts a process of this user that belongs to no program under test.
  private func bystander() throws -> pid_t {
    var words: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("1000"), nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    #expect(posix_spawnp(&process, "sleep", nil, nil, &words, environ) == 0)
    return process
  }

  private func end(_ process: pid_t) {
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
  }
}
