extension ExamReport {
  /// The report as human-readable text.
  package var text: String {
    var text = "\(plugin): level \(level)\n\n"
    for rule in rules {
      let outcome = outcome(of: rule)
      let mark = outcome == .failed ? "FAILED" : outcome.rawValue
      text += "  \(mark.padded(to: 9)) \(rule.rawValue.padded(to: 12)) \(rule.title)\n"
      for finding in findings where finding.rule == rule {
        text += "              in \(finding.part): \(finding.message)\n"
        if !finding.output.isEmpty { text += "              line \(finding.line ?? 0): \(finding.output)\n" }
      }
      for remedy in remedies(for: rule) { text += "              do: \(remedy)\n" }
    }
    if !isPassed, !log.isEmpty {
      text += "\n  on standard error it said:\n" + log.prefix(10).map { "    \($0)\n" }.joined()
    }
    let count = broken.count
    return text + "\n" + (isPassed ? "passed" : "failed: \(count) rule\(count == 1 ? " is" : "s are") broken") + "\n"
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
