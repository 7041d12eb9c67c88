/// A violation of a rule by a plugin.
package struct ExamFinding: Hashable, Sendable {
  /// The violated rule.
  package var rule: ExamRule
  /// The part of the exam, such as “the first start”.
  package var part: String
  /// A description of the violation.
  package var message: String
  /// The offending line of the plugin's output, counted from 1 in this start.
  package var line: Int?
  /// The beginning of the offending line.
  package var output = ""
  /// The remedy, if the rule's general one does not fit.
  package var advice: String?

  /// The remedy for the plugin's author.
  package var remedy: String { advice ?? rule.remedy }
}

/// The result of an ``Exam``.
package struct ExamReport: Hashable, Sendable {
  /// The outcome of one rule.
  package enum Outcome: String, Sendable {
    /// The rule was checked without findings.
    case passed
    /// The rule was violated.
    case failed
    /// The exam had no occasion to check the rule.
    case notSeen = "not seen"
  }

  /// The name of the plugin.
  package var plugin: String
  /// The level that the plugin has shown or claimed: 0 rows, 1 messages, 2 deferred cells, 3 remote
  /// tables or actions.
  package var level: Int
  /// The rules that were checked.
  package var seen: Set<ExamRule>
  /// The findings, in the order of the exam.
  package var findings: [ExamFinding]
  /// The first lines of the plugin's standard error.
  package var log: [String]

  /// Whether the plugin has passed the exam.
  package var isPassed: Bool { findings.isEmpty }
  /// The rules that were violated.
  package var broken: Set<ExamRule> { Set(findings.map(\.rule)) }

  /// Returns the outcome of a rule.
  package func outcome(of rule: ExamRule) -> Outcome {
    broken.contains(rule) ? .failed : seen.contains(rule) ? .passed : .notSeen
  }

  /// Returns the distinct remedies for the findings on a rule.
  func remedies(for rule: ExamRule) -> [String] {
    var remedies: [String] = []
    for finding in findings where finding.rule == rule && !remedies.contains(finding.remedy) {
      remedies.append(finding.remedy)
    }
    return remedies
  }

  /// The rules of the plugin's level and below, and all violated rules.
  package var rules: [ExamRule] { ExamRule.allCases.filter { $0.level <= level || broken.contains($0) } }
}
