extension ExamReport {
  /// The report as a JUnit XML test suite for build servers, with one test case per rule.
  package var junit: String {
    let rules = rules
    let skipped = rules.filter { outcome(of: $0) == .notSeen }.count
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    text +=
      "<testsuite name=\"\(Self.escaped(plugin))\" tests=\"\(rules.count)\" failures=\"\(broken.count)\" errors=\"0\" skipped=\"\(skipped)\">\n"
    for rule in rules {
      text += "  <testcase classname=\"rowcast.level\(rule.level)\" name=\"\(rule.rawValue)\""
      switch outcome(of: rule) {
      case .passed: text += "/>\n"
      case .notSeen: text += "><skipped/></testcase>\n"
      case .failed:
        let found = findings.filter { $0.rule == rule }
        text += ">\n    <failure message=\"\(Self.escaped(found[0].message))\">"
        for finding in found {
          text += Self.escaped("in \(finding.part): \(finding.message)\n")
          if !finding.output.isEmpty { text += Self.escaped("line \(finding.line ?? 0): \(finding.output)\n") }
        }
        text +=
          Self.escaped(remedies(for: rule).map { "do: \($0)" }.joined(separator: "\n")) + "</failure>\n  </testcase>\n"
      }
    }
    return text + "</testsuite>\n"
  }

  /// Escapes a text for XML and replaces characters that XML does not allow.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n", "\t": result.unicodeScalars.append(scalar)
      case "\u{0}"..<"\u{20}", "\u{7F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
