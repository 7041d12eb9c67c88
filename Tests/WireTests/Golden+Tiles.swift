import ListEngine

extension Golden {
  static func tile(_ json: [String: Any]) throws -> TileOutcome {
    if json["pending"] != nil { return .pending }
    if json["error"] != nil {
      return .refused(.unknownColumn(table: "processes", column: "x"))
    }
    var report = TileReport(cell(json["value"]))
    guard let seconds = json["seconds"] as? Int, let course = json["course"] as? [Any] else { return .value(report) }
    (report.before, report.seconds) = (cell(json["before"]), seconds)
    report.course = course.map { $0 as? Double }
    return .value(report)
  }

  private static func cell(_ json: Any?) -> Cell {
    switch json {
    case let text as String: Int64(text).map { .integer($0) } ?? .text(text)
    case let whole as Int: .integer(Int64(whole))
    case let number as Double: .number(number)
    default: .null
    }
  }
}
