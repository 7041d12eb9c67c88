import ListEngine
import SourceRuntime

/// The schema members for limits, retention, collation and format.
extension ChildSchema {
  /// Reads `limits`: `{"rows":1000,"bytes":1000000}`, both optional.
  static func limits(_ value: JSONElement) throws(Fault) -> TableLimits {
    guard value.kind == .object else { throw Fault(reason: "schema.limits is \(value.name), not an object") }
    var limits = TableLimits()
    for (member, value) in value.members {
      if member.spells("rows") {
        limits.rows = try count(value, "limits.rows")
      } else if member.spells("bytes") {
        limits.bytes = try count(value, "limits.bytes")
      }
    }
    return limits
  }

  /// Reads `keep`: `{"rows":100000}` or `{"milliseconds":3600000}`.
  static func retention(_ value: JSONElement) throws(Fault) -> Retention {
    guard value.kind == .object else { throw Fault(reason: "schema.keep is \(value.name), not an object") }
    switch (value["rows"], value["milliseconds"]) {
    case (let rows?, nil): return .last(try count(rows, "keep.rows"))
    case (nil, let time?):
      let milliseconds = try count(time, "keep.milliseconds")
      guard milliseconds <= 1_000_000_000_000 else {
        throw Fault(reason: "keep.milliseconds is more than thirty years")
      }
      return .recent(.milliseconds(milliseconds))
    default: throw Fault(reason: "schema.keep must have either “rows” or “milliseconds”")
    }
  }

  private static func count(_ value: JSONElement, _ place: String) throws(Fault) -> Int {
    guard let number = value.integer, number > 0 else { throw Fault(reason: "\(place) must be a whole number above 0") }
    return Int(number)
  }

  static func collation(_ value: JSONElement, _ index: Int) throws(Fault) -> Collation {
    guard let text = value.text, let collation = Collation(text) else {
      throw Fault(reason: "columns[\(index)].collation must be “natural” or a language’s tag, such as “de”")
    }
    return collation
  }

  /// Reads `format`: `"plain"`, `"grouped.2"`, `"datetime.3"`.
  static func format(_ value: JSONElement, _ index: Int) throws(Fault) -> ColumnFormat {
    guard let text = value.text, let format = ColumnFormat(text) else {
      let given = value.text.map { "“\($0.prefix(100))”" } ?? value.name
      throw Fault(reason: "columns[\(index)].format is \(given): \(ColumnFormat.rule)")
    }
    return format
  }

  /// Reads `better`: `"higher"` or `"lower"`.
  static func better(_ value: JSONElement, _ index: Int) throws(Fault) -> BetterDirection {
    guard let better = value.text.flatMap(BetterDirection.init) else {
      let given = value.text.map { "“\($0.prefix(100))”" } ?? value.name
      throw Fault(reason: "columns[\(index)].better is \(given): use higher or lower, or leave it out")
    }
    return better
  }
}
