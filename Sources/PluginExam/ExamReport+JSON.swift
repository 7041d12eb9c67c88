import Wire

extension ExamReport {
  /// The report as one JSON object, with the members documented in docs/plugins/exam.md.
  package var json: String {
    var writer = JSONWriter()
    writer.raw("{\"plugin\":")
    writer.text(plugin)
    writer.raw(",\"level\":")
    writer.integer(Int64(level))
    writer.raw(isPassed ? ",\"passed\":true" : ",\"passed\":false")
    writer.raw(",\"rules\":[")
    for (number, rule) in rules.enumerated() {
      if number > 0 { writer.byte(",") }
      write(rule, to: &writer)
    }
    writer.raw("],\"log\":[")
    for (number, line) in log.enumerated() {
      if number > 0 { writer.byte(",") }
      writer.text(line)
    }
    writer.raw("]}\n")
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private func write(_ rule: ExamRule, to writer: inout JSONWriter) {
    writer.raw("{\"rule\":")
    writer.text(rule.rawValue)
    writer.raw(",\"level\":")
    writer.integer(Int64(rule.level))
    writer.raw(",\"title\":")
    writer.text(rule.title)
    writer.raw(",\"outcome\":")
    writer.text(outcome(of: rule).rawValue)
    writer.raw(",\"findings\":[")
    for (number, finding) in findings.filter({ $0.rule == rule }).enumerated() {
      if number > 0 { writer.byte(",") }
      writer.raw("{\"part\":")
      writer.text(finding.part)
      writer.raw(",\"message\":")
      writer.text(finding.message)
      if let line = finding.line {
        writer.raw(",\"line\":")
        writer.integer(Int64(line))
        writer.raw(",\"output\":")
        writer.text(finding.output)
      }
      writer.raw(",\"remedy\":")
      writer.text(finding.remedy)
      writer.byte("}")
    }
    writer.raw("]}")
  }
}
