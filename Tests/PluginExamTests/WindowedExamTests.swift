import Foundation
import PluginExam
import ProcessSource
import SourceTesting
import Testing

/// The exam finds each fault of a remote table that Tests/Fixtures/plugins/windowed.py can
/// simulate.
@Suite struct WindowedExamTests {
  /// A simulated fault, with the table's size, the paging mode, and the rules that it violates.
  struct Lie: CustomTestStringConvertible, Sendable {
    var name: String
    var rows = 150
    var paging = "offset"
    var rules: Set<ExamRule>
    var testDescription: String { "\(name) in \(rows) rows by \(paging)" }
  }

  static let truths = [
    Lie(name: "nothing", rules: []), Lie(name: "nothing", rows: 2_345, rules: []),
    Lie(name: "nothing", paging: "keysetAndOffset", rules: []), Lie(name: "nothing", paging: "keyset", rules: []),
    Lie(name: "nothing", rows: 2_345, paging: "keysetAndOffset", rules: []), Lie(name: "nothing", rows: 0, rules: []),
    Lie(name: "nothing", rows: 1, rules: []), Lie(name: "nothing", rows: 2, paging: "keysetAndOffset", rules: []),
  ]

  static let lies = [
    Lie(name: "ignores-sort", rules: [.order]), Lie(name: "ignores-sort", rows: 2_345, rules: [.order]),
    Lie(name: "ignores-descending", rules: [.order]), Lie(name: "empty-first", rules: [.order]),
    Lie(name: "ignores-filter", rules: [.filter]), Lie(name: "ignores-search", rules: [.filter]),
    Lie(name: "heeds-case", rules: [.filter]), Lie(name: "loses-a-row", rules: [.filter]),
    Lie(name: "starts-at-second", rules: [.pages]), Lie(name: "first-page-late", rules: [.pages, .counts]),
    Lie(name: "overlaps", rules: [.pages]),
    Lie(name: "overlaps", rows: 2_345, paging: "keysetAndOffset", rules: [.pages]),
    Lie(name: "leaves-gaps", rules: [.pages, .counts]), Lie(name: "ignores-skip", rules: [.pages]),
    Lie(name: "counts-one-more", rules: [.counts]), Lie(name: "counts-one-more", rows: 2_345, rules: [.counts]),
    Lie(name: "counts-all", rules: [.counts]), Lie(name: "moves-between-sections", rules: [.sections]),
  ]

  private static func report(of lie: Lie) async -> ExamReport {
    let file = Workshop.root.appending(path: "Tests/Fixtures/plugins/windowed.py").path
    let command = ChildCommand(file, [lie.name, "\(lie.rows)", lie.paging])
    // The exam blocks, so it must not run on a thread of the test runner.
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(returning: Exam.hold(of: command, named: "people", ExamHall.options))
      }
    }
  }

  @Test(arguments: truths) func `a correct windowed table passes`(_ truth: Lie) async {
    let report = await Self.report(of: truth)
    #expect(report.isPassed, "\(report.text)")
    for rule in [ExamRule.order, .filter, .pages, .counts] { #expect(report.outcome(of: rule) == .passed) }
  }

  @Test(arguments: lies) func `a faulty windowed table fails the rules that it breaks`(_ lie: Lie) async {
    let report = await Self.report(of: lie)
    #expect(report.broken.isSuperset(of: lie.rules), "\(report.text)")
    // Faulty paging also affects the order and number of rows. Counts are also compared with those
    // of the sections.
    var alsoBroken: Set<ExamRule> = lie.rules.contains(.counts) ? [.sections] : []
    if lie.rules.contains(.pages) { alsoBroken = [.counts, .order, .filter, .sections, .rows, .messages] }
    #expect(report.broken.subtracting(lie.rules).isSubset(of: alsoBroken), "\(report.text)")
    for finding in report.findings where lie.rules.contains(finding.rule) {
      #expect(finding.line != nil && finding.output.contains("\"page\""), "\(finding)")
    }
  }

  @Test func `an unstable order among ties is detected`() async {
    let report = await Self.report(of: Lie(name: "shuffles-ties", rules: []))
    #expect(!report.broken.isDisjoint(with: [.order, .pages]), "\(report.text)")
  }

  @Test func `a finding names the rows and the query`() async throws {
    let report = await Self.report(of: Lie(name: "ignores-filter", rules: []))
    let finding = try #require(report.findings.first { $0.rule == .filter })
    #expect(finding.message.hasPrefix("filtered by “"), "\(finding)")
    #expect(finding.message.hasSuffix("came, which does not pass"), "\(finding)")
    #expect(finding.remedy.contains("filterColumns"))
  }
}
