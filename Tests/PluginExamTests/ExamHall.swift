import Foundation
import PluginExam
import ProcessSource
import SourceTesting
import Testing

/// Runs the exams of all plugins in Tests/Fixtures/plugins/exam.py in parallel, because they mostly
/// wait.
enum ExamHall {
  /// A plugin with the rule that it violates, or `nil` for a correct plugin.
  struct Fixture: CustomTestStringConvertible, Sendable {
    var name: String
    var rule: ExamRule?
    var testDescription: String { name }
  }

  /// The program with all plugins; its argument selects one.
  static let program = Workshop.root.appending(path: "Tests/Fixtures/plugins/exam.py")

  /// The plugins that the program registers.
  static let fixtures: [Fixture] = {
    let text = (try? String(contentsOf: program, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { $0.hasPrefix("@plugin(") }.map { line in
      let name = line.split(separator: "\"")[1]
      return Fixture(name: String(name), rule: ExamRule(rawValue: String(name.prefix { $0 != "/" })))
    }
  }()

  /// Options with long timeouts, because the exams run in parallel with many other tests.
  static let options: ExamOptions = {
    var options = ExamOptions()
    options.patience = .seconds(300)
    options.longestList = .seconds(300)
    options.answer = .seconds(120)
    options.termination = .seconds(120)
    options.watch = .milliseconds(300)
    options.stall = .milliseconds(300)
    options.quiet = .milliseconds(200)
    return options
  }()

  /// Options with shorter timeouts for plugins that violate rules, some of them by not answering.
  static let brokenOptions: ExamOptions = {
    var broken = options
    // On a busy machine, a program that ends because of a disturbance needs a while to do so.
    broken.watch = .seconds(2)
    broken.quiet = .seconds(1)
    broken.patience = .seconds(20)
    broken.longestList = .seconds(60)
    broken.answer = .seconds(8)
    broken.termination = .seconds(8)
    return broken
  }()

  /// The reports by plugin.
  ///
  /// Waiting for them does not block a thread of the test runner.
  static let reports = Task {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: holdAll()) }
    }
  }

  /// Returns the report on one plugin.
  static func report(of name: String) async -> ExamReport? { await reports.value[name] }

  /// Runs all exams with a copy of the program, because some plugins create files next to it.
  private static func holdAll() -> [String: ExamReport] {
    let kept = Reports()
    let folder = FileManager.default.temporaryDirectory.appending(path: "rowcast-exam-\(UUID().uuidString)")
    let copy = folder.appending(path: "exam.py")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try? FileManager.default.copyItem(at: program, to: copy)
    defer { try? FileManager.default.removeItem(at: folder) }
    let turns = DispatchSemaphore(value: 14)
    let all = DispatchGroup()
    for fixture in fixtures {
      turns.wait()
      all.enter()
      Thread.detachNewThread {
        let report = Exam.hold(
          of: ChildCommand(copy.path, [fixture.name]), named: fixture.name,
          fixture.rule == nil ? options : brokenOptions)
        kept.keep(report, of: fixture.name)
        turns.signal()
        all.leave()
      }
    }
    all.wait()
    return kept.reports
  }

  private final class Reports: @unchecked Sendable {
    private let lock = NSLock()
    private var kept: [String: ExamReport] = [:]
    func keep(_ report: ExamReport, of name: String) { lock.withLock { kept[name] = report } }
    var reports: [String: ExamReport] { lock.withLock { kept } }
  }
}
