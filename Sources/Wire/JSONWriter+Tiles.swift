import ListEngine

extension JSONWriter {
  /// Appends the members of `tiles`, without the closing brace.
  mutating func tiles(_ reports: TileReports) {
    beginObject()
    type("tiles")
    member("id", reports.id)
    member("tiles", reports.tiles) { writer, outcome in writer.object { $0.tile(outcome) } }
  }

  private mutating func tile(_ outcome: TileOutcome) {
    switch outcome {
    case .pending: member("pending", true)
    case .refused(let error):
      member("error") {
        $0.member("code", error.code)
        $0.member("reason", error.reason)
      }
    case .value(let report):
      name("value")
      cell(report.value)
      guard let before = report.before else { return }
      name("before")
      cell(before)
      member("seconds", report.seconds)
      member("course", report.course) { writer, point in
        if let point, point.isFinite { writer.number(point) } else { writer.raw("null") }
      }
    }
  }
}
