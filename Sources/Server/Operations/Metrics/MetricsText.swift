/// A writer of Prometheus' text format, version 0.0.4.
struct MetricsText {
  enum Kind: String { case counter, gauge, histogram }

  static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  private(set) var text = ""

  /// Writes the header of a metric; its samples follow.
  mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  mutating func sample(_ name: String, _ labels: [(name: String, value: String)], _ value: some BinaryInteger) {
    sample(name, labels, text: "\(value)")
  }

  mutating func sample(_ name: String, _ labels: [(name: String, value: String)], _ value: Double) {
    sample(
      name, labels, text: value == .infinity ? "+Inf" : value == -.infinity ? "-Inf" : value.isNaN ? "NaN" : "\(value)")
  }

  private mutating func sample(_ name: String, _ labels: [(name: String, value: String)], text value: String) {
    text += name
    if !labels.isEmpty {
      text += "{" + labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",") + "}"
    }
    text += " \(value)\n"
  }

  /// Writes a metric that has a single sample without labels.
  mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger) {
    begin(name, kind, help)
    sample(name, [], value)
  }

  mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
    begin(name, .histogram, help)
    var total: UInt64 = 0
    for (bound, count) in zip(Histogram.bounds, histogram.counts) {
      total += count
      sample("\(name)_bucket", [("le", "\(Double(bound) / 1e9)")], total)
    }
    sample("\(name)_bucket", [("le", "+Inf")], histogram.count)
    sample("\(name)_sum", [], Double(histogram.sum) / 1e9)
    sample("\(name)_count", [], histogram.count)
  }

  /// Escapes a label's value, so that a table's name cannot end the line.
  private static func escaped(_ value: String) -> String {
    var result = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "\n": result += "\\n"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F: result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
