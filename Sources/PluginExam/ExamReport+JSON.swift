import Wire

extension ExamReport {
  /// The report as one JSON object, with the members documented in docs/plugins/exam.md.
  package var json: String {
    var writer = JSONWriter()
    writer.object {
      $0.member("plugin", plugin)
      $0.member("level", level)
      $0.member("passed", isPassed)
      $0.member("rules", rules) { writer, rule in writer.object { write(rule, to: &$0) } }
      $0.member("log", log) { $0.text($1) }
    }
    writer.byte("\n")
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private func write(_ rule: ExamRule, to writer: inout JSONWriter) {
    writer.member("rule", rule.rawValue)
    writer.member("level", rule.level)
    writer.member("title", rule.title)
    writer.member("outcome", outcome(of: rule).rawValue)
    writer.member("findings", findings.filter { $0.rule == rule }) { writer, finding in
      writer.object {
        $0.member("part", finding.part)
        $0.member("message", finding.message)
        if let line = finding.line {
          $0.member("line", line)
          $0.member("output", finding.output)
        }
        $0.member("remedy", finding.remedy)
      }
    }
  }
}
