import Foundation
import PluginExam
import ProcessSource
import SourceTesting
import Testing

/// Runs the exams of all plugins in Tests/Fixtures/plugins/exam in parallel, because they mostly
/// wait.
enum ExamHall {
  /// A plugin with the rule that it violates, or `nil` for a correct plugin.
  struct Fixture: CustomTestStringConvertible, Sendable {
    var file: String
    var rule: ExamRule?
    var testDescription: String { file }
  }

  /// All plugins in the folder.
  static let fixtures: [Fixture] = {
    let folder = Workshop.root.appending(path: "Tests/Fixtures/plugins/exam")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().map { name in
      let text = (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? ""
      let word = text.split(separator: "\n").first { $0.hasPrefix("# breaks: ") }?.dropFirst("# breaks: ".count)
      return Fixture(file: name, rule: word.flatMap { ExamRule(rawValue: String($0)) })
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
    broken.patience = .seconds(20)
    broken.longestList = .seconds(60)
    broken.answer = .seconds(8)
    broken.termination = .seconds(8)
    return broken
  }()

  /// The reports by file name.
  ///
  /// Waiting for them does not block a thread of the test runner.
  static let reports = Task {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: holdAll()) }
    }
  }

  /// Returns the report on one plugin.
  static func report(of file: String) async -> ExamReport? { await reports.value[file] }

  /// Runs all exams in a copy of the folder, because some plugins leave files behind.
  private static func holdAll() -> [String: ExamReport] {
    let kept = Reports()
    let copy = FileManager.default.temporaryDirectory.appending(path: "rowcast-exam-\(UUID().uuidString)")
    try? FileManager.default.copyItem(at: Workshop.root.appending(path: "Tests/Fixtures/plugins/exam"), to: copy)
    defer { try? FileManager.default.removeItem(at: copy) }
    let turns = DispatchSemaphore(value: 14)
    let all = DispatchGroup()
    for fixture in fixtures {
      turns.wait()
      all.enter()
      Thread.detachNewThread {
        let report = Exam.hold(
          of: ChildCommand(copy.appending(path: fixture.file).path), named: fixture.file,
          fixture.rule == nil ? options : brokenOptions)
        kept.keep(report, of: fixture.file)
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
    func keep(_ report: ExamReport, of file: String) { lock.withLock { kept[file] = report } }
    var reports: [String: ExamReport] { lock.withLock { kept } }
  }
}
