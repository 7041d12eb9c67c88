import Glibc
import ListEngine
import ProcessSource
import SourceRuntime
import Threads

/// A conformance test of a plugin, which starts it several times under the conditions of hosts,
/// clients and machines.
///
///     let report = Exam.hold(of: ChildCommand("./market.py"), named: "market")
///     report.isPassed
///
/// The plugin is the real one and runs in real time. The engine and the supervisor are the
/// server's, but under a virtual clock. The clock jumps to each deadline, so that the exam does not
/// wait for back-off delays or health checks.
package struct Exam {
  private let bench: ExamBench
  private let make: PluginUnderTestMaker
  private let name: String
  private var hasEnded = false

  /// Examines a program and returns the report.
  package static func hold(of command: ChildCommand, named name: String, _ options: ExamOptions = ExamOptions())
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
        (.hello, "it prints rows without a hello, which is level 0")
      } else if wanted == 2 {
        (.answers, "it has no deferred columns and no images, and keeps no rows itself, which is level \(bench.level)")
      } else {
        (.actions, "it has no actions, which is level \(bench.level)")
      }
    bench.find(
      rule, in: "the exam", "\(lack); level \(wanted) was asked for",
      advice: bench.level == 0
        ? nil : "ask for no more than level \(bench.level), or let it say more in its schema: docs/plugins/exam.md")
  }

  // MARK: Parts of the exam

  /// Runs the first start, with everything that a host may do in sequence.
  ///
  /// Returns whether it ended inside a reload; `nil` if the exam should not continue.
  private mutating func first() -> Bool? {
    guard let examRun = start("the first start") else { return nil }
    guard listen(examRun) else {
      finish(examRun, byForce: true)
      return nil
    }
    bench.keys.append(examRun.keys)
    examRun.receive(for: bench.options.watch) { false }
    // If it is in the middle of a line, it gets the time of an answer to complete it.
    if examRun.isInsideLine { examRun.receive(for: bench.options.answer) { !examRun.isInsideLine } }
    if examRun.isStuckInLine { bench.find(.wholeLines, in: examRun.part, Self.stuck) }
    if isThere(examRun, after: "it was watched for a while") { disturb(examRun) }
    finish(examRun)
    return examRun.isInsideList
  }

  /// Runs a start with a late, slow reader, and kills the plugin in the middle of the list.
  private mutating func slowReader(_ isInsideList: Bool) -> Bool? {
    guard let examRun = start("the start with a slow reader", pipeBytes: 4_096, isInsideList) else { return nil }
    pause(bench.options.stall)
    let deadline = examRun.now.advanced(by: .seconds(1))
    examRun.receive(for: bench.options.patience, atMost: 512) {
      examRun.isListed || examRun.now > deadline && !examRun.keys.isEmpty
    }
    guard hasComeBack(examRun) else { return end(examRun) }
    examRun.kill()
    let wasInside = drain(examRun)
    _ = leave(examRun)
    return wasInside
  }

  private func end(_ examRun: ExamRun) -> Bool? {
    finish(examRun, byForce: true)
    return nil
  }

  /// Runs a start after the kill, ended by SIGTERM.
  private mutating func comeBack(_ isInsideList: Bool) {
    guard let examRun = start("the start after a sudden end", isInsideList) else { return }
    examRun.receive(for: bench.options.patience) { examRun.isListed }
    examRun.receive(for: bench.options.quiet) { false }
    bench.seen.insert(.restart)
    guard hasComeBack(examRun) else { return finish(examRun, byForce: true) }
    compareKeys(examRun)
    finish(examRun, byTerminating: true)
  }

  /// Returns whether a later start has delivered the list again.
  private func hasComeBack(_ examRun: ExamRun) -> Bool {
    guard examRun.refusal == nil else {
      if !bench.hasFound(.restart) { examRun.find(.restart, "it works no more: \(examRun.refusal!)") }
      return false
    }
    // Unanswered queries were reported before. Which queries had the list differs from start to
    // start.
    guard !examRun.isListed, examRun.keys.isEmpty, !bench.hasFound(.commit), !bench.hasFound(.answers) else {
      return true
    }
    if examRun.isAtEnd, let exit = waitForExit(examRun, bench.options.answer) {
      bench.find(.restart, in: examRun.part, "\(Self.words(exit)) before it had sent its list again")
    } else {
      bench.find(.restart, in: examRun.part, "it sent no list again within \(bench.options.patience)")
    }
    return false
  }

  private func compareKeys(_ examRun: ExamRun) {
    guard examRun.isListed, let before = bench.keys.first, before.count >= 3, examRun.keys.count >= 3 else { return }
    bench.seen.insert(.keys)
    if before.isDisjoint(with: examRun.keys) {
      bench.find(.keys, in: examRun.part, "none of the first \(examRun.keys.count) rows has a key of the first start")
    }
  }

  /// Runs a start with a meaningless setting.
  ///
  /// If the plugin has declared its settings, the host refuses it.
  private mutating func wrongSettings() {
    guard bench.level > 0, !hasEnded, !bench.hasFound(.restart) else { return }
    bench.seen.insert(.settings)
    let options = bench.options
    guard let examRun = start("the start with a wrong setting", settings: { Self.wrongSetting($0, options) })
    else { return }
    defer { finish(examRun, byForce: true) }
    examRun.receive(for: bench.options.patience) { examRun.isListed }
    if let refusal = examRun.refusal {
      guard !refusal.contains("refuses its settings without a word") else {
        return bench.find(.settings, in: examRun.part, "it refused a setting without a reason")
      }
      guard refusal.contains(Self.wrongName) || refusal.contains("plugin.") else {
        return examRun.find(.settings, "it refused a setting without naming it: \(refusal)")
      }
      return
    }
    if let exit = examRun.hasFailed ? examRun.pluginUnderTest.exit : nil {
      bench.find(
        .settings, in: examRun.part, "it was given the unknown setting “\(Self.wrongName)”, and \(Self.words(exit))")
    } else if !examRun.isListed, !bench.hasFound(.commit) {
      bench.find(
        .settings, in: examRun.part,
        "it was given the unknown setting “\(Self.wrongName)”, and neither refused it nor sent a list")
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
  private func disturb(_ examRun: ExamRun) {
    bench.seen.insert(.stays)
    let speaks = examRun.hello != nil
    if speaks {
      if examRun.hello!.capabilities.contains("health") { requestHealth(examRun, "while it was watched") }
      examRun.send(Array("{\"type\":\"rowcast-exam\",\"members\":{\"that\":[\"nobody\",\"knows\"]}}\n".utf8))
      guard stays(examRun, after: "it was sent a message of a type that it does not know") else { return }
      examRun.send((1...500).flatMap { HostLine.health(UInt64($0)) })
      guard stays(examRun, after: "it was sent 500 messages at once") else { return }
      requestUnknownItems(examRun)
      if bench.level > 1 {
        DeferredExam(examRun).run()
        guard isThere(examRun, after: "its deferred cells were asked for and cancelled") else { return }
        WindowedExam(examRun).run()
        guard isThere(examRun, after: "its pages were asked for and cancelled") else { return }
        SectionsExam(examRun).run()
        guard isThere(examRun, after: "its sections were asked for") else { return }
        if var queries = QueriesExam(examRun) { queries.run() }
        guard isThere(examRun, after: "its rows were asked for, sorted and filtered") else { return }
        ImagesExam(examRun).run()
        guard isThere(examRun, after: "its images were asked for and cancelled") else { return }
      }
    }
    // Simulate suspend and resume of the machine: the clocks of the plugin and of the exam jump.
    examRun.pluginUnderTest.hold(true)
    pause(bench.options.stall)
    bench.pass(.seconds(3_600))
    examRun.pluginUnderTest.hold(false)
    guard stays(examRun, after: "it was stopped and went on") else { return }
    // Stop reading the output.
    pause(bench.options.stall)
    guard stays(examRun, after: "its output was not read for a while") else { return }
    if speaks, examRun.hello!.capabilities.contains("health"), !bench.hasFound(.health) {
      requestHealth(examRun, "after all that")
    }
  }

  /// Requests an unknown action on a missing row, which must not have any effect.
  private func requestUnknownItems(_ examRun: ExamRun) {
    guard let schema = bench.schema, !schema.actions.isEmpty else { return }
    bench.seen.insert(.actions)
    let id: UInt64 = 4_711
    examRun.send(
      HostLine.action(
        ActionRequest(id: id, action: "rowcast-exam", key: DeferredExam.missingKey(schema), arguments: [])))
    examRun.receive(for: bench.options.answer) { examRun.outcomes[id] != nil }
    // An exit is reported as a separate finding.
    guard !examRun.isAtEnd else { return }
    switch examRun.outcomes[id] {
    case nil:
      let others = examRun.outcomes.keys.sorted().map(String.init).joined(separator: ", ")
      bench.find(
        .actions, in: examRun.part,
        "the action \(id) was not answered within \(bench.options.answer)" + (others.isEmpty ? "" : "; \(others) was"))
    case .done: bench.find(.actions, in: examRun.part, "it says that it has done an action that there is not")
    case .failed: break
    }
  }

  private func requestHealth(_ examRun: ExamRun, _ moment: String) {
    bench.seen.insert(.health)
    // The health check is sent only to a silent plugin. Other output counts as an answer, too.
    let commands = bench.supervise(.received) + bench.jump()
    guard commands.contains(.requestHealth) else { return }
    let before = examRun.receivedCount
    examRun.send(Array("{\"type\":\"health\",\"id\":7,\"since\":{\"nobody\":[\"knows\"]}}\n".utf8))
    guard !examRun.receive(for: bench.options.answer, until: { examRun.receivedCount > before }) else { return }
    let isEnded = bench.jump().contains(.terminate)
    precondition(isEnded, "the supervisor keeps a plugin that does not answer")
    if isThere(examRun, after: "it was asked whether it is well") {
      bench.find(
        .health, in: examRun.part,
        "it did not answer within \(bench.options.answer) when it was asked how it is, \(moment)")
    }
  }

  private func stays(_ examRun: ExamRun, after what: String) -> Bool {
    examRun.receive(for: bench.options.quiet) { false }
    return isThere(examRun, after: what)
  }

  /// Returns whether the plugin still runs.
  ///
  /// Exiting with 0 after its complete list is not a fault.
  private func isThere(_ examRun: ExamRun, after what: String) -> Bool {
    guard examRun.isAtEnd || examRun.pluginUnderTest.exit != nil else { return true }
    examRun.receive(for: .seconds(1)) { false }
    guard let exit = waitForExit(examRun, bench.options.answer) else {
      bench.find(.stays, in: examRun.part, "it closed its output and went on, after \(what)")
      return false
    }
    if exit != .code(0) || !examRun.isListed {
      bench.find(.stays, in: examRun.part, "\(Self.words(exit)) by itself, after \(what)")
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
  private func listen(_ examRun: ExamRun) -> Bool {
    bench.seen.insert(.start)
    let began = examRun.now
    let options = bench.options
    // The timeout applies to silence, because a long list may take its time.
    examRun.receive(for: options.longestList) {
      // Do not wait for a list if the settings are invalid or all rows are rejected.
      examRun.isListed
        || examRun.hello == nil && bench.hasFound(.rows) && began.duration(to: examRun.now) >= options.patience
        || examRun.hello.map { settingsFault($0) != nil } ?? false
        || examRun.receivedAt.duration(to: examRun.now) >= options.patience
          && began.duration(to: examRun.now) >= options.patience
    }
    if let hello = examRun.hello, let fault = settingsFault(hello) {
      bench.find(
        .start, in: examRun.part, "its settings are not right, or incomplete: \(fault)",
        advice: "say its settings with --set KEY=VALUE, as it describes them in its hello")
      return false
    }
    if let refusal = examRun.refusal {
      if bench.findings.isEmpty {
        bench.find(
          .start, in: examRun.part, "it refuses to work: \(refusal)",
          advice: "give it what it asks for: --set KEY=VALUE")
      }
      return false
    }
    if examRun.isInsideList, !examRun.isAtEnd {
      bench.seen.insert(.commit)
      examRun.find(.commit, "a list has begun, and no commit has come for \(options.patience)")
      return true
    }
    if examRun.hello != nil { bench.seen.insert(.commit) }
    guard !examRun.isListed else { return true }
    if examRun.isAtEnd, let exit = waitForExit(examRun, options.answer) {
      if bench.findings.isEmpty { bench.find(.start, in: examRun.part, "\(Self.words(exit)) before it had sent a row") }
    } else if examRun.isStuckInLine {
      bench.find(.wholeLines, in: examRun.part, Self.stuck)
    } else if bench.findings.isEmpty {
      bench.find(.start, in: examRun.part, "it has sent no row and no list within \(options.patience)")
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
  private func finish(_ examRun: ExamRun, byTerminating: Bool = false, byForce: Bool = false) {
    guard examRun.pluginUnderTest.exit == nil else {
      drain(examRun)
      leave(examRun)
      return
    }
    if !byForce { bench.seen.insert(.end) }
    if !byTerminating {
      examRun.pluginUnderTest.closeInput()
      // A plugin that does not read its input is ended by the signal and gets less time, as in a
      // host.
      drain(examRun, within: examRun.hello != nil && !byForce ? bench.options.answer : .milliseconds(250))
    }
    if examRun.pluginUnderTest.exit == nil {
      if examRun.hello != nil, !byTerminating, !byForce {
        bench.find(.end, in: examRun.part, "it went on for \(bench.options.answer) after its standard input had ended")
      }
      examRun.terminate()
      drain(examRun, within: bench.options.termination)
      if examRun.pluginUnderTest.exit == nil, !byForce {
        bench.find(.end, in: examRun.part, "it went on for \(bench.options.termination) after SIGTERM")
      }
    }
    if examRun.pluginUnderTest.exit == nil {
      examRun.kill()
      drain(examRun)
    }
    leave(examRun)
  }

  /// Reads the remaining output until the plugin has ended; returns whether it ended inside a
  /// reload.
  @discardableResult
  private func drain(_ examRun: ExamRun, within bound: Duration = .seconds(5)) -> Bool {
    let deadline = examRun.now.advanced(by: bound)
    while examRun.pluginUnderTest.exit == nil || !examRun.isAtEnd, examRun.now < deadline {
      if !examRun.receive(within: .milliseconds(20)), examRun.isAtEnd, examRun.pluginUnderTest.exit == nil {
        pause(.milliseconds(5))
      }
      // A descendant of the plugin holds the pipe open.
      if examRun.pluginUnderTest.exit != nil, examRun.receivedAt.duration(to: examRun.now) > .milliseconds(300) {
        break
      }
    }
    return examRun.isInsideList
  }

  /// Reaps the plugin, and advances the supervisor to the next start.
  @discardableResult
  private func leave(_ examRun: ExamRun) -> Int {
    bench.keep(log: examRun.pluginUnderTest.takeLog())
    let left = examRun.pluginUnderTest.reap()
    if left > 0 {
      bench.find(.end, in: examRun.part, "it has ended, and left \(left) of its processes behind")
    }
    _ = bench.supervise(.exited(examRun.pluginUnderTest.exit ?? .signal(SIGKILL)))
    var commands = bench.supervise(.drained) + bench.jump()
    if !commands.contains(.spawn) { commands += bench.supervise(.start) }
    precondition(commands.contains(.spawn), "the supervisor does not start it again")
    return left
  }

  private func waitForExit(_ examRun: ExamRun, _ bound: Duration) -> Supervisor.Exit? {
    let deadline = examRun.now.advanced(by: bound)
    while examRun.pluginUnderTest.exit == nil, examRun.now < deadline { pause(.milliseconds(5)) }
    return examRun.pluginUnderTest.exit
  }

  private func pause(_ time: Duration) { _ = poll(nil, 0, Int32(time.nanoseconds / 1_000_000)) }

  private static func words(_ exit: Supervisor.Exit) -> String {
    switch exit {
    case .code(let code): "it ended with code \(code)"
    case .signal(let signal): "killed by signal \(signal)"
    }
  }
}
