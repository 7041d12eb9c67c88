import Glibc
import ListEngine

/// A conformance test of a plugin, which starts it several times under the conditions of hosts,
/// clients and machines.
///
///     let report = Exam.hold(of: ChildCommand("./market.py"), named: "market")
///     report.isPassed
///
/// The plugin is the real one and runs in real time. The engine and the supervisor are the
/// server's, but under a virtual clock. The clock jumps to each deadline, so that the exam does not
/// wait for back-off delays or health checks.
public struct Exam {
  private let bench: ExamBench
  private let make: PluginUnderTestMaker
  private let name: String
  private var hasEnded = false

  /// Examines a program and returns the report.
  public static func hold(of command: ChildCommand, named name: String, _ options: ExamOptions = ExamOptions())
    -> ExamReport
  {
    hold(named: name, options) { try ProgramUnderTest(command, pipeBytes: $0) }
  }

  /// Runs the exam on its own thread with signals blocked, because a child process ends with the
  /// thread that started it.
  static func hold(named name: String, _ options: ExamOptions, by make: @escaping PluginUnderTestMaker) -> ExamReport {
    let monitor = Monitor()
    nonisolated(unsafe) var report: ExamReport?
    let code = startThread("exam") {
      var exam = Exam(bench: ExamBench(options), make: make, name: name)
      exam.run()
      let bench = exam.bench
      monitor.withLock {
        report = ExamReport(
          plugin: name, level: bench.level, seen: bench.seen, findings: bench.findings, log: bench.log)
        monitor.wakeAll()
      }
    }
    precondition(code == 0, "no thread for an exam (error \(code))")
    return monitor.withLock {
      _ = monitor.wait(nanoseconds: .max) { report != nil }
      return report!
    }
  }

  private init(bench: ExamBench, make: @escaping PluginUnderTestMaker, name: String) {
    self.bench = bench
    self.make = make
    self.name = name
  }

  private mutating func run() {
    guard let isInsideList = first() else { return }
    if let isInsideList = slowReader(isInsideList) { comeBack(isInsideList) }
    wrongSettings()
    if bench.level < bench.options.level { findMissingLevel() }
  }

  /// Reports the first missing capability of the requested level.
  private func findMissingLevel() {
    let wanted = bench.options.level
    let (rule, lack): (ExamRule, String) =
      if bench.level == 0 {
        (.hello, "it prints rows and says no hello, which is level 0")
      } else if wanted == 2 {
        (.answers, "it has no deferred columns and no images, and keeps no rows itself, which is level \(bench.level)")
      } else {
        (.actions, "it has no actions, which is level \(bench.level)")
      }
    bench.find(
      rule, in: "the exam", "\(lack); level \(wanted) was asked for",
      advice: bench.level == 0
        ? nil : "ask for no more than level \(bench.level), or let it say more in its schema: docs/plugins.md")
  }

  // MARK: Parts of the exam

  /// Runs the first start, with everything that a host may do in sequence.
  ///
  /// Returns whether it ended inside a reload; `nil` if the exam should not continue.
  private mutating func first() -> Bool? {
    guard let run = start("the first start") else { return nil }
    guard listen(run) else {
      finish(run, byForce: true)
      return nil
    }
    bench.keys.append(run.keys)
    run.hear(for: bench.options.watch) { false }
    // If it is in the middle of a line, it gets the time of an answer to complete it.
    if run.isInsideLine { run.hear(for: bench.options.answer) { !run.isInsideLine } }
    if run.isStuckInLine { bench.find(.wholeLines, in: run.part, Self.stuck) }
    if isThere(run, after: "it was watched for a while") { disturb(run) }
    finish(run)
    return run.isInsideList
  }

  /// Runs a start with a late, slow reader, and kills the plugin in the middle of the list.
  private mutating func slowReader(_ isInsideList: Bool) -> Bool? {
    guard let run = start("the start with a slow reader", pipeBytes: 4_096, isInsideList) else { return nil }
    pause(bench.options.stall)
    let deadline = run.now.advanced(by: .seconds(1))
    run.hear(for: bench.options.patience, atMost: 512) {
      run.isListed || run.now > deadline && !run.keys.isEmpty
    }
    guard hasComeBack(run) else { return end(run) }
    run.kill()
    let wasInside = drain(run)
    _ = leave(run)
    return wasInside
  }

  private func end(_ run: ExamRun) -> Bool? {
    finish(run, byForce: true)
    return nil
  }

  /// Runs a start after the kill, ended by SIGTERM.
  private mutating func comeBack(_ isInsideList: Bool) {
    guard let run = start("the start after a sudden end", isInsideList) else { return }
    run.hear(for: bench.options.patience) { run.isListed }
    run.hear(for: bench.options.quiet) { false }
    bench.seen.insert(.restart)
    guard hasComeBack(run) else { return finish(run, byForce: true) }
    compareKeys(run)
    finish(run, byTerminating: true)
  }

  /// Returns whether a later start has delivered the list again.
  private func hasComeBack(_ run: ExamRun) -> Bool {
    guard run.refusal == nil else {
      if !bench.hasFound(.restart) { run.find(.restart, "it works no more: \(run.refusal!)") }
      return false
    }
    // Unanswered queries were reported before. Which queries had the list differs from start to
    // start.
    guard !run.isListed, run.keys.isEmpty, !bench.hasFound(.commit), !bench.hasFound(.answers) else {
      return true
    }
    if run.isAtEnd, let exit = waitForExit(run, bench.options.answer) {
      bench.find(.restart, in: run.part, "\(Self.words(exit)) before it had told its list again")
    } else {
      bench.find(.restart, in: run.part, "it told no list again within \(bench.options.patience)")
    }
    return false
  }

  private func compareKeys(_ run: ExamRun) {
    guard run.isListed, let before = bench.keys.first, before.count >= 3, run.keys.count >= 3 else { return }
    bench.seen.insert(.keys)
    if before.isDisjoint(with: run.keys) {
      bench.find(.keys, in: run.part, "none of the first \(run.keys.count) rows has a key of the first start")
    }
  }

  /// Runs a start with a meaningless setting.
  ///
  /// If the plugin has declared its settings, the host refuses it.
  private mutating func wrongSettings() {
    guard bench.level > 0, !hasEnded, !bench.hasFound(.restart) else { return }
    bench.seen.insert(.settings)
    let options = bench.options
    guard let run = start("the start with a wrong setting", settings: { Self.wrongSetting($0, options) })
    else { return }
    defer { finish(run, byForce: true) }
    run.hear(for: bench.options.patience) { run.isListed }
    if let refusal = run.refusal {
      guard !refusal.contains("refuses its settings without a word") else {
        return bench.find(.settings, in: run.part, "it refused a setting without a reason")
      }
      guard refusal.contains(Self.wrongName) || refusal.contains("plugin.") else {
        return run.find(.settings, "it refused a setting and did not say which: \(refusal)")
      }
      return
    }
    if let exit = run.hasFailed ? run.pluginUnderTest.exit : nil {
      bench.find(
        .settings, in: run.part, "it was given the unknown setting “\(Self.wrongName)”, and \(Self.words(exit))")
    } else if !run.isListed, !bench.hasFound(.commit) {
      bench.find(
        .settings, in: run.part,
        "it was given the unknown setting “\(Self.wrongName)”, and neither refused it nor told a list")
    }
  }

  private static let stuck = "it has written the beginning of a line, and not its end"
  private static let wrongName = "rowcast-exam"

  private static func wrongSetting(_ hello: ChildHello, _ options: ExamOptions) -> [UInt8]? {
    var settings = options.settings
    settings[wrongName] = "no such thing"
    // The host's own check comes first. The plugin does not receive what the host refuses.
    if let written = try? SettingRules.written(settings, by: hello.settings) { return HostLine.configure(written) }
    return (try? SettingRules.written(options.settings, by: hello.settings)).map(HostLine.configure)
  }

  // MARK: Disturbances

  /// Exposes a running plugin to what hosts and machines do.
  private func disturb(_ run: ExamRun) {
    bench.seen.insert(.stays)
    let speaks = run.hello != nil
    if speaks {
      if run.hello!.capabilities.contains("health") { askHealth(run, "while it was watched") }
      run.say(Array("{\"type\":\"rowcast-exam\",\"members\":{\"that\":[\"nobody\",\"knows\"]}}\n".utf8))
      guard stays(run, after: "it was sent a message of a type that it does not know") else { return }
      run.say((1...500).flatMap { HostLine.health(UInt64($0)) })
      guard stays(run, after: "it was sent 500 messages at once") else { return }
      askForWhatThereIsNot(run)
      if bench.level > 1 {
        DeferredExam(run).run()
        guard isThere(run, after: "its deferred cells were asked for and cancelled") else { return }
        WindowedExam(run).run()
        guard isThere(run, after: "its pages were asked for and cancelled") else { return }
        SectionsExam(run).run()
        guard isThere(run, after: "its sections were asked for") else { return }
        if var queries = QueriesExam(run) { queries.run() }
        guard isThere(run, after: "its rows were asked for, sorted and filtered") else { return }
        ImagesExam(run).run()
        guard isThere(run, after: "its images were asked for and cancelled") else { return }
      }
    }
    // Simulate suspend and resume of the machine: the clocks of the plugin and of the exam jump.
    run.pluginUnderTest.hold(true)
    pause(bench.options.stall)
    bench.pass(.seconds(3_600))
    run.pluginUnderTest.hold(false)
    guard stays(run, after: "it was stopped and went on") else { return }
    // Stop reading the output.
    pause(bench.options.stall)
    guard stays(run, after: "its output was not read for a while") else { return }
    if speaks, run.hello!.capabilities.contains("health"), !bench.hasFound(.health) {
      askHealth(run, "after all that")
    }
  }

  /// Requests an unknown action on a missing row, which must not have any effect.
  private func askForWhatThereIsNot(_ run: ExamRun) {
    guard let schema = bench.schema, !schema.actions.isEmpty else { return }
    bench.seen.insert(.actions)
    let id: UInt64 = 4_711
    run.say(
      HostLine.action(
        ActionRequest(id: id, action: "rowcast-exam", key: DeferredExam.missingKey(schema), arguments: [])))
    run.hear(for: bench.options.answer) { run.outcomes[id] != nil }
    // An exit is reported as a separate finding.
    guard !run.isAtEnd else { return }
    switch run.outcomes[id] {
    case nil:
      let others = run.outcomes.keys.sorted().map(String.init).joined(separator: ", ")
      bench.find(
        .actions, in: run.part,
        "the action \(id) was not answered within \(bench.options.answer)" + (others.isEmpty ? "" : "; \(others) was"))
    case .done: bench.find(.actions, in: run.part, "it says that it has done an action that there is not")
    case .failed: break
    }
  }

  private func askHealth(_ run: ExamRun, _ moment: String) {
    bench.seen.insert(.health)
    // The health check is sent only to a silent plugin. Other output counts as an answer, too.
    let commands = bench.supervise(.heard) + bench.jump()
    guard commands.contains(.askHealth) else { return }
    let before = run.heardCount
    run.say(Array("{\"type\":\"health\",\"id\":7,\"since\":{\"nobody\":[\"knows\"]}}\n".utf8))
    guard !run.hear(for: bench.options.answer, until: { run.heardCount > before }) else { return }
    let isEnded = bench.jump().contains(.terminate)
    precondition(isEnded, "the supervisor keeps a plugin that does not answer")
    if isThere(run, after: "it was asked whether it is well") {
      bench.find(
        .health, in: run.part,
        "it did not answer within \(bench.options.answer) when it was asked how it is, \(moment)")
    }
  }

  private func stays(_ run: ExamRun, after what: String) -> Bool {
    run.hear(for: bench.options.quiet) { false }
    return isThere(run, after: what)
  }

  /// Returns whether the plugin still runs.
  ///
  /// Exiting with 0 after its complete list is not a fault.
  private func isThere(_ run: ExamRun, after what: String) -> Bool {
    guard run.isAtEnd || run.pluginUnderTest.exit != nil else { return true }
    run.hear(for: .seconds(1)) { false }
    guard let exit = waitForExit(run, bench.options.answer) else {
      bench.find(.stays, in: run.part, "it closed its output and went on, after \(what)")
      return false
    }
    if exit != .code(0) || !run.isListed {
      bench.find(.stays, in: run.part, "\(Self.words(exit)) by itself, after \(what)")
    }
    return false
  }

  // MARK: Start and end

  private mutating func start(
    _ part: String, pipeBytes: Int32 = 0, _ isReloading: Bool = false, settings: ((ChildHello) -> [UInt8]?)? = nil
  ) -> ExamRun? {
    let options = bench.options
    do {
      let pluginUnderTest = try make(pipeBytes)
      return ExamRun(part, pluginUnderTest, bench, isReloading: isReloading) { hello in
        if let settings { return settings(hello) }
        return (try? SettingRules.written(options.settings, by: hello.settings)).map(HostLine.configure)
      }
    } catch let fault as ChildProcess.Fault {
      bench.find(.start, in: part, fault.reason, advice: "name a program that is there and may be run (chmod +x)")
    } catch {
      bench.find(.start, in: part, "\(error)")
    }
    hasEnded = true
    return nil
  }

  /// Waits for the first complete list; returns false when none arrives.
  private func listen(_ run: ExamRun) -> Bool {
    bench.seen.insert(.start)
    let began = run.now
    let options = bench.options
    // The timeout applies to silence, because a long list may take its time.
    run.hear(for: options.longestList) {
      // Do not wait for a list if the settings are invalid or all rows are rejected.
      run.isListed
        || run.hello == nil && bench.hasFound(.rows) && began.duration(to: run.now) >= options.patience
        || run.hello.map { settingsFault($0) != nil } ?? false
        || run.heardAt.duration(to: run.now) >= options.patience
          && began.duration(to: run.now) >= options.patience
    }
    if let hello = run.hello, let fault = settingsFault(hello) {
      bench.find(
        .start, in: run.part, "its settings are not right, or incomplete: \(fault)",
        advice: "say its settings with --set KEY=VALUE, as it describes them in its hello")
      return false
    }
    if let refusal = run.refusal {
      if bench.findings.isEmpty {
        bench.find(
          .start, in: run.part, "it refuses to work: \(refusal)",
          advice: "give it what it asks for: --set KEY=VALUE")
      }
      return false
    }
    if run.isInsideList, !run.isAtEnd {
      bench.seen.insert(.commit)
      run.find(.commit, "a list has begun, and no commit has come for \(options.patience)")
      return true
    }
    if run.hello != nil { bench.seen.insert(.commit) }
    guard !run.isListed else { return true }
    if run.isAtEnd, let exit = waitForExit(run, options.answer) {
      if bench.findings.isEmpty { bench.find(.start, in: run.part, "\(Self.words(exit)) before it had told a row") }
    } else if run.isStuckInLine {
      bench.find(.wholeLines, in: run.part, Self.stuck)
    } else if bench.findings.isEmpty {
      bench.find(.start, in: run.part, "it has told no row and no list within \(options.patience)")
    }
    return false
  }

  private func settingsFault(_ hello: ChildHello) -> String? {
    do throws(SettingRules.Fault) {
      _ = try SettingRules.written(bench.options.settings, by: hello.settings)
      return nil
    } catch {
      return (error.key.map { "\($0): " } ?? "") + error.reason
    }
  }

  /// Ends the plugin as a host does, and reports it if it does not end.
  private func finish(_ run: ExamRun, byTerminating: Bool = false, byForce: Bool = false) {
    guard run.pluginUnderTest.exit == nil else {
      drain(run)
      leave(run)
      return
    }
    if !byForce { bench.seen.insert(.end) }
    if !byTerminating {
      run.pluginUnderTest.closeInput()
      // A plugin that does not read its input is ended by the signal and gets less time, as in a
      // host.
      drain(run, within: run.hello != nil && !byForce ? bench.options.answer : .milliseconds(250))
    }
    if run.pluginUnderTest.exit == nil {
      if run.hello != nil, !byTerminating, !byForce {
        bench.find(.end, in: run.part, "it went on for \(bench.options.answer) after its standard input had ended")
      }
      run.terminate()
      drain(run, within: bench.options.termination)
      if run.pluginUnderTest.exit == nil, !byForce {
        bench.find(.end, in: run.part, "it went on for \(bench.options.termination) after SIGTERM")
      }
    }
    if run.pluginUnderTest.exit == nil {
      run.kill()
      drain(run)
    }
    leave(run)
  }

  /// Reads the remaining output until the plugin has ended; returns whether it ended inside a
  /// reload.
  @discardableResult
  private func drain(_ run: ExamRun, within bound: Duration = .seconds(5)) -> Bool {
    let deadline = run.now.advanced(by: bound)
    while run.pluginUnderTest.exit == nil || !run.isAtEnd, run.now < deadline {
      if !run.hear(within: .milliseconds(20)), run.isAtEnd, run.pluginUnderTest.exit == nil {
        pause(.milliseconds(5))
      }
      // A descendant of the plugin holds the pipe open.
      if run.pluginUnderTest.exit != nil, run.heardAt.duration(to: run.now) > .milliseconds(300) { break }
    }
    return run.isInsideList
  }

  /// Reaps the plugin, and advances the supervisor to the next start.
  @discardableResult
  private func leave(_ run: ExamRun) -> Int {
    bench.keep(log: run.pluginUnderTest.takeLog())
    let left = run.pluginUnderTest.reap()
    if left > 0 {
      bench.find(.end, in: run.part, "it has ended, and left \(left) of its processes behind")
    }
    _ = bench.supervise(.exited(run.pluginUnderTest.exit ?? .signal(SIGKILL)))
    var commands = bench.supervise(.drained) + bench.jump()
    if !commands.contains(.spawn) { commands += bench.supervise(.start) }
    precondition(commands.contains(.spawn), "the supervisor does not start it again")
    return left
  }

  private func waitForExit(_ run: ExamRun, _ bound: Duration) -> Supervisor.Exit? {
    let deadline = run.now.advanced(by: bound)
    while run.pluginUnderTest.exit == nil, run.now < deadline { pause(.milliseconds(5)) }
    return run.pluginUnderTest.exit
  }

  private func pause(_ time: Duration) { _ = poll(nil, 0, Int32(time.nanoseconds / 1_000_000)) }

  private static func words(_ exit: Supervisor.Exit) -> String {
    switch exit {
    case .code(let code): "it ended with code \(code)"
    case .signal(let signal): "killed by signal \(signal)"
    }
  }
}
