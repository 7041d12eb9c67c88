import Foundation
import Testing

@testable import PluginExam

/// The exam report as text, JSON and JUnit XML.
@Suite struct ExamReportTests {
  private let report = ExamReport(
    plugin: "jobs & <co>", level: 0, seen: [.start, .lines, .rows],
    findings: [
      ExamFinding(
        rule: .rows, part: "the first start", message: "line 2: it has no “id”", line: 2, output: #"{"name":"\#u{1}"}"#)
    ], log: ["one <line>"])

  @Test func `the text report lists rules with outcomes and remedies`() {
    let text = report.text
    #expect(text.hasPrefix("jobs & <co>: level 0\n"))
    #expect(text.contains("  passed    start        it starts, and declares its schema\n"))
    #expect(text.contains("  FAILED    rows         each row can be taken\n"))
    #expect(text.contains("in the first start: line 2: it has no “id”\n"))
    #expect(text.contains("do: \(ExamRule.rows.remedy)\n"))
    #expect(text.contains("  not seen  keys"))
    #expect(text.contains("    one <line>\n"))
    #expect(text.hasSuffix("\nfailed: 1 rule is broken\n"))
    #expect(!text.contains("hello"), "rules of levels that it has not are not its business")
  }

  @Test func `the JSON report lists rules with outcomes and findings`() throws {
    let object = try #require(try JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any])
    #expect(object["plugin"] as? String == "jobs & <co>")
    #expect(object["level"] as? Int == 0)
    #expect(object["passed"] as? Bool == false)
    #expect(object["log"] as? [String] == ["one <line>"])
    let rules = try #require(object["rules"] as? [[String: Any]])
    #expect(rules.map { $0["rule"] as? String } == report.rules.map(\.rawValue))
    let outcomes = rules.reduce(into: [:]) { $0[$1["rule"] as! String] = $1["outcome"] as? String }
    #expect(outcomes["rows"] == "failed" && outcomes["lines"] == "passed" && outcomes["keys"] == "not seen")
    let findings = try #require(rules.first { $0["rule"] as? String == "rows" }?["findings"] as? [[String: Any]])
    #expect(findings.count == 1)
    #expect(findings[0]["line"] as? Int == 2)
    #expect(findings[0]["output"] as? String == "{\"name\":\"\u{1}\"}")
    #expect(findings[0]["remedy"] as? String == ExamRule.rows.remedy)
  }

  @Test func `the JUnit report is well-formed and counts its rules`() throws {
    let xml = report.junit
    let parser = XMLReading(xml)
    #expect(parser.isWellFormed, "\(xml)")
    #expect(parser.attributes["testsuite"]?["name"] == "jobs & <co>")
    #expect(parser.attributes["testsuite"]?["tests"] == "\(report.rules.count)")
    #expect(parser.attributes["testsuite"]?["failures"] == "1")
    #expect(parser.attributes["testsuite"]?["skipped"] == "\(report.rules.count - 3)")
    #expect(parser.attributes["failure"]?["message"] == "line 2: it has no “id”")
    #expect(parser.counts["testcase"] == report.rules.count)
  }
}
