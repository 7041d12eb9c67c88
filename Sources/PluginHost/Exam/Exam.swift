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
  private let make: ExamineeMaker
  private let name: String
  private var hasEnded = false

  /// Examines a program and returns the report.
  public static func hold(of command: ChildCommand, named name: String, _ options: ExamOptions = ExamOptions())
    -> ExamReport
  {
    hold(named: name, options) { try ProgramExaminee(command, pipeBytes: $0) }
  }

  /// Runs the exam on its own thread with signals blocked, because a child process ends with the
  /// thread that started it.
  static func hold(named name: String, _ options: ExamOptions, by make: @escaping ExamineeMaker) -> ExamReport {
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

  private init(bench: ExamBench, make: @escaping ExamineeMaker, name: String) {
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
    guard let sitting = start("the first start") else { return nil }
    guard listen(sitting) else {
      finish(sitting, byForce: true)
      return nil
    }
    bench.keys.append(sitting.keys)
    sitting.hear(for: bench.options.watch) { false }
    // If it is in the middle of a line, it gets the time of an answer to complete it.
    if sitting.isInsideLine { sitting.hear(for: bench.options.answer) { !sitting.isInsideLine } }
    if sitting.isStuckInLine { bench.find(.wholeLines, in: sitting.part, Self.stuck) }
    if isThere(sitting, after: "it was watched for a while") { disturb(sitting) }
    finish(sitting)
    return sitting.isInsideList
  }

  /// Runs a start with a late, slow reader, and kills the plugin in the middle of the list.
  private mutating func slowReader(_ isInsideList: Bool) -> Bool? {
    guard let sitting = start("the start with a slow reader", pipeBytes: 4_096, isInsideList) else { return nil }
    pause(bench.options.stall)
    let deadline = sitting.now.advanced(by: .seconds(1))
    sitting.hear(for: bench.options.patience, atMost: 512) {
      sitting.isListed || sitting.now > deadline && !sitting.keys.isEmpty
    }
    guard hasComeBack(sitting) else { return end(sitting) }
    sitting.kill()
    let wasInside = drain(sitting)
    _ = leave(sitting)
    return wasInside
  }

  private func end(_ sitting: Sitting) -> Bool? {
    finish(sitting, byForce: true)
    return nil
  }

  /// Runs a start after the kill, ended by SIGTERM.
  private mutating func comeBack(_ isInsideList: Bool) {
    guard let sitting = start("the start after a sudden end", isInsideList) else { return }
    sitting.hear(for: bench.options.patience) { sitting.isListed }
    sitting.hear(for: bench.options.quiet) { false }
    bench.seen.insert(.restart)
    guard hasComeBack(sitting) else { return finish(sitting, byForce: true) }
    compareKeys(sitting)
    finish(sitting, byTerminating: true)
  }

  /// Returns whether a later start has delivered the list again.
  private func hasComeBack(_ sitting: Sitting) -> Bool {
    guard sitting.refusal == nil else {
      if !bench.hasFound(.restart) { sitting.find(.restart, "it works no more: \(sitting.refusal!)") }
      return false
    }
    // Unanswered queries were reported before. Which queries had the list differs from start to
    // start.
    guard !sitting.isListed, sitting.keys.isEmpty, !bench.hasFound(.commit), !bench.hasFound(.answers) else {
      return true
    }
    if sitting.isAtEnd, let exit = waitForExit(sitting, bench.options.answer) {
      bench.find(.restart, in: sitting.part, "\(Self.words(exit)) before it had told its list again")
    } else {
      bench.find(.restart, in: sitting.part, "it told no list again within \(bench.options.patience)")
    }
    return false
  }

  private func compareKeys(_ sitting: Sitting) {
    guard sitting.isListed, let before = bench.keys.first, before.count >= 3, sitting.keys.count >= 3 else { return }
    bench.seen.insert(.keys)
    if before.isDisjoint(with: sitting.keys) {
      bench.find(.keys, in: sitting.part, "none of the first \(sitting.keys.count) rows has a key of the first start")
    }
  }

  /// Runs a start with a meaningless setting.
  ///
  /// If the plugin has declared its settings, the host refuses it.
  private mutating func wrongSettings() {
    guard bench.level > 0, !hasEnded, !bench.hasFound(.restart) else { return }
    bench.seen.insert(.settings)
    let options = bench.options
    guard let sitting = start("the start with a wrong setting", settings: { Self.wrongSetting($0, options) })
    else { return }
    defer { finish(sitting, byForce: true) }
    sitting.hear(for: bench.options.patience) { sitting.isListed }
    if let refusal = sitting.refusal {
      guard !refusal.contains("refuses its settings without a word") else {
        return bench.find(.settings, in: sitting.part, "it refused a setting without a reason")
      }
      guard refusal.contains(Self.wrongName) || refusal.contains("plugin.") else {
        return sitting.find(.settings, "it refused a setting and did not say which: \(refusal)")
      }
      return
    }
    if let exit = sitting.hasFailed ? sitting.examinee.exit : nil {
      bench.find(
        .settings, in: sitting.part, "it was given the unknown setting “\(Self.wrongName)”, and \(Self.words(exit))")
    } else if !sitting.isListed, !bench.hasFound(.commit) {
      bench.find(
        .settings, in: sitting.part,
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
  private func disturb(_ sitting: Sitting) {
    bench.seen.insert(.stays)
    let speaks = sitting.hello != nil
    if speaks {
      if sitting.hello!.capabilities.contains("health") { askHealth(sitting, "while it was watched") }
      sitting.say(Array("{\"type\":\"rowcast-exam\",\"members\":{\"that\":[\"nobody\",\"knows\"]}}\n".utf8))
      guard stays(sitting, after: "it was sent a message of a type that it does not know") else { return }
      sitting.say((1...500).flatMap { HostLine.health(UInt64($0)) })
      guard stays(sitting, after: "it was sent 500 messages at once") else { return }
      askForWhatThereIsNot(sitting)
      if bench.level > 1 {
        DeferredExam(sitting).run()
        guard isThere(sitting, after: "its deferred cells were asked for and cancelled") else { return }
        WindowedExam(sitting).run()
        guard isThere(sitting, after: "its pages were asked for and cancelled") else { return }
        SectionsExam(sitting).run()
        guard isThere(sitting, after: "its sections were asked for") else { return }
        if var queries = QueriesExam(sitting) { queries.run() }
        guard isThere(sitting, after: "its rows were asked for, sorted and filtered") else { return }
        ImagesExam(sitting).run()
        guard isThere(sitting, after: "its images were asked for and cancelled") else { return }
      }
    }
    // Simulate suspend and resume of the machine: the clocks of the plugin and of the exam jump.
    sitting.examinee.hold(true)
    pause(bench.options.stall)
    bench.pass(.seconds(3_600))
    sitting.examinee.hold(false)
    guard stays(sitting, after: "it was stopped and went on") else { return }
    // Stop reading the output.
    pause(bench.options.stall)
    guard stays(sitting, after: "its output was not read for a while") else { return }
    if speaks, sitting.hello!.capabilities.contains("health"), !bench.hasFound(.health) {
      askHealth(sitting, "after all that")
    }
  }

  /// Requests an unknown action on a missing row, which must not have any effect.
  private func askForWhatThereIsNot(_ sitting: Sitting) {
    guard let schema = bench.schema, !schema.actions.isEmpty else { return }
    bench.seen.insert(.actions)
    let id: UInt64 = 4_711
    sitting.say(
      HostLine.action(
        ActionRequest(id: id, action: "rowcast-exam", key: DeferredExam.missingKey(schema), arguments: [])))
    sitting.hear(for: bench.options.answer) { sitting.outcomes[id] != nil }
    // An exit is reported as a separate finding.
    guard !sitting.isAtEnd else { return }
    switch sitting.outcomes[id] {
    case nil:
      let others = sitting.outcomes.keys.sorted().map(String.init).joined(separator: ", ")
      bench.find(
        .actions, in: sitting.part,
        "the action \(id) was not answered within \(bench.options.answer)" + (others.isEmpty ? "" : "; \(others) was"))
    case .done: bench.find(.actions, in: sitting.part, "it says that it has done an action that there is not")
    case .failed: break
    }
  }

  private func askHealth(_ sitting: Sitting, _ moment: String) {
    bench.seen.insert(.health)
    // The health check is sent only to a silent plugin. Other output counts as an answer, too.
    let commands = bench.supervise(.heard) + bench.jump()
    guard commands.contains(.askHealth) else { return }
    let before = sitting.heardCount
    sitting.say(Array("{\"type\":\"health\",\"id\":7,\"since\":{\"nobody\":[\"knows\"]}}\n".utf8))
    guard !sitting.hear(for: bench.options.answer, until: { sitting.heardCount > before }) else { return }
    let isEnded = bench.jump().contains(.terminate)
    precondition(isEnded, "the supervisor keeps a plugin that does not answer")
    if isThere(sitting, after: "it was asked whether it is well") {
      bench.find(
        .health, in: sitting.part,
        "it did not answer within \(bench.options.answer) when it was asked how it is, \(moment)")
    }
  }

  private func stays(_ sitting: Sitting, after what: String) -> Bool {
    sitting.hear(for: bench.options.quiet) { false }
    return isThere(sitting, after: what)
  }

  /// Returns whether the plugin still runs.
  ///
  /// Exiting with 0 after its complete list is not a fault.
  private func isThere(_ sitting: Sitting, after what: String) -> Bool {
    guard sitting.isAtEnd || sitting.examinee.exit != nil else { return true }
    sitting.hear(for: .seconds(1)) { false }
    guard let exit = waitForExit(sitting, bench.options.answer) else {
      bench.find(.stays, in: sitting.part, "it closed its output and went on, after \(what)")
      return false
    }
    if exit != .code(0) || !sitting.isListed {
      bench.find(.stays, in: sitting.part, "\(Self.words(exit)) by itself, after \(what)")
    }
    return false
  }

  // MARK: Start and end

  private mutating func start(
    _ part: String, pipeBytes: Int32 = 0, _ isReloading: Bool = false, settings: ((ChildHello) -> [UInt8]?)? = nil
  ) -> Sitting? {
    let options = bench.options
    do {
      let examinee = try make(pipeBytes)
      return Sitting(part, examinee, bench, isReloading: isReloading) { hello in
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
  private func listen(_ sitting: Sitting) -> Bool {
    bench.seen.insert(.start)
    let began = sitting.now
    let options = bench.options
    // The timeout applies to silence, because a long list may take its time.
    sitting.hear(for: options.longestList) {
      // Do not wait for a list if the settings are invalid or all rows are rejected.
      sitting.isListed
        || sitting.hello == nil && bench.hasFound(.rows) && began.duration(to: sitting.now) >= options.patience
        || sitting.hello.map { settingsFault($0) != nil } ?? false
        || sitting.heardAt.duration(to: sitting.now) >= options.patience
          && began.duration(to: sitting.now) >= options.patience
    }
    if let hello = sitting.hello, let fault = settingsFault(hello) {
      bench.find(
        .start, in: sitting.part, "its settings are not right, or incomplete: \(fault)",
        advice: "say its settings with --set KEY=VALUE, as it describes them in its hello")
      return false
    }
    if let refusal = sitting.refusal {
      if bench.findings.isEmpty {
        bench.find(
          .start, in: sitting.part, "it refuses to work: \(refusal)",
          advice: "give it what it asks for: --set KEY=VALUE")
      }
      return false
    }
    if sitting.isInsideList, !sitting.isAtEnd {
      bench.seen.insert(.commit)
      sitting.find(.commit, "a list has begun, and no commit has come for \(options.patience)")
      return true
    }
    if sitting.hello != nil { bench.seen.insert(.commit) }
    guard !sitting.isListed else { return true }
    if sitting.isAtEnd, let exit = waitForExit(sitting, options.answer) {
      if bench.findings.isEmpty { bench.find(.start, in: sitting.part, "\(Self.words(exit)) before it had told a row") }
    } else if sitting.isStuckInLine {
      bench.find(.wholeLines, in: sitting.part, Self.stuck)
    } else if bench.findings.isEmpty {
      bench.find(.start, in: sitting.part, "it has told no row and no list within \(options.patience)")
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
  private func finish(_ sitting: Sitting, byTerminating: Bool = false, byForce: Bool = false) {
    guard sitting.examinee.exit == nil else {
      drain(sitting)
      leave(sitting)
      return
    }
    if !byForce { bench.seen.insert(.end) }
    if !byTerminating {
      sitting.examinee.closeInput()
      // A plugin that does not read its input is ended by the signal and gets less time, as in a
      // host.
      drain(sitting, within: sitting.hello != nil && !byForce ? bench.options.answer : .milliseconds(250))
    }
    if sitting.examinee.exit == nil {
      if sitting.hello != nil, !byTerminating, !byForce {
        bench.find(.end, in: sitting.part, "it went on for \(bench.options.answer) after its standard input had ended")
      }
      sitting.terminate()
      drain(sitting, within: bench.options.termination)
      if sitting.examinee.exit == nil, !byForce {
        bench.find(.end, in: sitting.part, "it went on for \(bench.options.termination) after SIGTERM")
      }
    }
    if sitting.examinee.exit == nil {
      sitting.kill()
      drain(sitting)
    }
    leave(sitting)
  }

  /// Reads the remaining output until the plugin has ended; returns whether it ended inside a
  /// reload.
  @discardableResult
  private func drain(_ sitting: Sitting, within bound: Duration = .seconds(5)) -> Bool {
    let deadline = sitting.now.advanced(by: bound)
    while sitting.examinee.exit == nil || !sitting.isAtEnd, sitting.now < deadline {
      if !sitting.hear(within: .milliseconds(20)), sitting.isAtEnd, sitting.examinee.exit == nil {
        pause(.milliseconds(5))
      }
      // A descendant of the plugin holds the pipe open.
      if sitting.examinee.exit != nil, sitting.heardAt.duration(to: sitting.now) > .milliseconds(300) { break }
    }
    return sitting.isInsideList
  }

  /// Reaps the plugin, and advances the supervisor to the next start.
  @discardableResult
  private func leave(_ sitting: Sitting) -> Int {
    bench.keep(log: sitting.examinee.takeLog())
    let left = sitting.examinee.reap()
    if left > 0 {
      bench.find(.end, in: sitting.part, "it has ended, and left \(left) of its processes behind")
    }
    _ = bench.supervise(.exited(sitting.examinee.exit ?? .signal(SIGKILL)))
    var commands = bench.supervise(.drained) + bench.jump()
    if !commands.contains(.spawn) { commands += bench.supervise(.start) }
    precondition(commands.contains(.spawn), "the supervisor does not start it again")
    return left
  }

  private func waitForExit(_ sitting: Sitting, _ bound: Duration) -> Supervisor.Exit? {
    let deadline = sitting.now.advanced(by: bound)
    while sitting.examinee.exit == nil, sitting.now < deadline { pause(.milliseconds(5)) }
    return sitting.examinee.exit
  }

  private func pause(_ time: Duration) { _ = poll(nil, 0, Int32(time.nanoseconds / 1_000_000)) }

  private static func words(_ exit: Supervisor.Exit) -> String {
    switch exit {
    case .code(let code): "it ended with code \(code)"
    case .signal(let signal): "killed by signal \(signal)"
    }
  }
}
