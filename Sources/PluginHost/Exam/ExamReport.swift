/// Something that a plugin did and should not have, or did not do.
public struct ExamFinding: Hashable, Sendable {
  /// What it is against.
  public var rule: ExamRule
  /// In which part of the exam, such as “the first start”.
  public var part: String
  /// What was found.
  public var message: String
  /// The line of the plugin's output that shows it, counted from 1 since this start.
  public var line: Int?
  /// The beginning of that line.
  public var output = ""
  /// What to do about it, where the advice for its rule does not fit.
  public var advice: String?

  /// What an author does about it.
  public var remedy: String { advice ?? rule.remedy }
}

/// What came of an ``Exam``.
public struct ExamReport: Hashable, Sendable {
  /// What became of a rule.
  public enum Outcome: String, Sendable {
    /// It was looked at, and nothing was found.
    case passed
    /// Something was found.
    case failed
    /// There was no occasion to look.
    case notSeen = "not seen"
  }

  /// What the plugin is called.
  public var plugin: String
  /// What the plugin has shown or claimed to be: 0 rows, 1 messages, 2 deferred cells, 3 windows or actions.
  public var level: Int
  /// The rules that were looked at.
  public var seen: Set<ExamRule>
  /// What was found, in the order of the exam.
  public var findings: [ExamFinding]
  /// What it wrote to standard error, the first lines.
  public var log: [String]

  /// Whether it has passed.
  public var isPassed: Bool { findings.isEmpty }
  /// The rules that were broken.
  public var broken: Set<ExamRule> { Set(findings.map(\.rule)) }

  /// What became of a rule.
  public func outcome(of rule: ExamRule) -> Outcome {
    broken.contains(rule) ? .failed : seen.contains(rule) ? .passed : .notSeen
  }

  /// What an author does about what was found against a rule, each advice once.
  func remedies(for rule: ExamRule) -> [String] {
    var remedies: [String] = []
    for finding in findings where finding.rule == rule && !remedies.contains(finding.remedy) {
      remedies.append(finding.remedy)
    }
    return remedies
  }

  /// The rules of the levels that the plugin has, and what else was found.
  public var rules: [ExamRule] { ExamRule.allCases.filter { $0.level <= level || broken.contains($0) } }
}
