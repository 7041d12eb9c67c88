import Foundation
import LibrarySource
import ListEngine
import SourceRuntime
import SourceTesting
import Testing

/// The actions of the plugin `processes` on real processes, which must affect only the row's
/// process.
@Suite struct ProcessActionsTests {
  let recorder = Recorder()

  private func start(_ settings: [String: String] = ["allow_actions": "true"]) throws -> PluginSource {
    let recorder = recorder
    let source = PluginSource(
      library: try PluginLibrary(path: Workshop.library("processes")), name: "processes",
      configuration: settings.merging(["interval": "0.05"]) { $1 }, log: { recorder.note($0, $1) },
      events: { recorder.receive($0) })
    try source.start()
    try recorder.wait("a look") { !$0.states.isEmpty }
    return source
  }

  /// Starts a process and returns it with its row key.
  private func victim() throws -> (process: Victim, key: Int64) {
    let process = try Victim()
    let pid = Int64(process.pid)
    var key: Int64?
    try recorder.wait("its row") { view in
      for row in view.rows where row.cells.first == .integer(pid) {
        if case .integer(let found) = row.key { key = found }
      }
      return key != nil
    }
    return (process, try #require(key))
  }

  /// Runs an action and returns its outcome.
  private func outcome(
    _ source: PluginSource, _ id: UInt64, _ action: String, _ key: Int64?,
    _ arguments: [(name: String, value: Cell)] = []
  ) throws -> ActionOutcome? {
    source.send(.act(ActionRequest(id: id, action: action, key: key.map { .integer($0) }, arguments: arguments)))
    var outcome: ActionOutcome?
    try recorder.wait("an answer") { view in
      for case .acted(id, let answer) in view.events { outcome = answer }
      return outcome != nil
    }
    return outcome
  }

  @Test(arguments: [[:], ["allow_actions": "false"]])
  func `offers and runs no action unless actions are allowed`(_ settings: [String: String]) throws {
    let source = try start(settings)
    #expect(recorder.view.schema?.actions == [])
    let (process, key) = try victim()
    #expect(
      try outcome(source, 1, "kill", key) == .failed(.sourceDown, "its source does not run, or can do nothing"))
    #expect(process.isRunning)
    #expect(source.stop(within: .seconds(30)))
  }

  @Test func `offers three actions and confirms the two dangerous ones`() throws {
    let source = try start()
    let actions = try #require(recorder.view.schema?.actions)
    #expect(actions.map(\.name) == ["terminate", "kill", "renice"])
    #expect(actions.map(\.isDangerous) == [true, true, false])
    #expect(actions.map { !$0.confirm.isEmpty } == [true, true, false])
    #expect(actions.map(\.appliesToRows) == [true, true, true])
    #expect(
      actions[2].arguments.map { [$0.minimum, $0.maximum] } == [[-20, 19]]
        && actions[2].arguments[0].standard == .integer(10))
    #expect(source.stop(within: .seconds(30)))
  }

  @Test(arguments: [("terminate", SIGTERM, "It was asked to end."), ("kill", SIGKILL, "It was killed.")])
  func `ends a process with the signal of the action, once`(_ action: String, _ signal: Int32, _ words: String) throws {
    let source = try start()
    let (process, key) = try victim()
    #expect(try outcome(source, 1, action, key) == .done("\(words) (\(process.pid))"))
    #expect(process.waitForSignal() == signal)
    // Clients may show the row for a moment longer.
    #expect(try outcome(source, 2, action, key) == .failed(.failed, "process \(process.pid) has ended"))
    #expect(source.stop(within: .seconds(30)))
  }

  @Test func `renices all threads of a process`() throws {
    let source = try start()
    let (process, key) = try victim()
    #expect(
      try outcome(source, 1, "renice", key, [("nice", .integer(7))])
        == .done("Its niceness is 7. (\(process.pid))"))
    #expect(process.niceness == [7, 7, 7])
    #expect(source.stop(within: .seconds(30)))
  }

  /// Simulates a reused process ID: the start time of the row differs from that of the process.
  @Test(arguments: ["terminate", "kill", "renice"])
  func `does not touch a process that reuses the row's PID`(_ action: String) throws {
    let source = try start()
    let (process, key) = try victim()
    let before = process.niceness
    for (number, unknown) in [key + 1 << 22, key - 1 << 22].enumerated() {
      #expect(
        try outcome(source, UInt64(number), action, unknown, [("nice", .integer(7))])
          == .failed(
            .failed,
            "process \(process.pid) has ended; its number belongs to another one now"))
    }
    #expect(process.isRunning)
    #expect(process.niceness == before)
    #expect(source.stop(within: .seconds(30)))
  }

  @Test func `refuses its own process, a missing key and an unknown key`() throws {
    let source = try start()
    let mine = Int64(getpid())
    var key: Int64?
    for row in recorder.view.rows where row.cells.first == .integer(mine) {
      if case .integer(let found) = row.key { key = found }
    }
    let own = try #require(key)
    #expect(
      try outcome(source, 1, "kill", own)
        == .failed(.failed, "process \(mine) is the one that you look through"))
    #expect(try outcome(source, 2, "kill", nil) == .failed(.failed, "it was not said to which process"))
    #expect(try outcome(source, 3, "kill", 0) == .failed(.failed, "the process is gone"))
    #expect(source.stop(within: .seconds(30)))
  }

  @Test func `refuses the actions setting for another proc directory`() throws {
    try Workshop.withFolder { folder in
      let source = PluginSource(
        library: try PluginLibrary(path: Workshop.library("processes")), name: "processes",
        configuration: ["proc": folder.path, "allow_actions": "yes"], events: { _ in true })
      #expect(
        throws: PluginError.badSetting(
          source: "processes", key: "allow_actions", message: "only the processes of /proc can be acted upon")
      ) { try source.start() }
    }
  }
}
