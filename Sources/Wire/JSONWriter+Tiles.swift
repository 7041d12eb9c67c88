import ListEngine

extension JSONWriter {
  mutating func tiles(_ reports: TileReports) {
    raw("{\"type\":\"tiles\",\"id\":")
    unsigned(reports.id)
    raw(",\"tiles\":")
    list(reports.tiles) { $0.tile($1) }
  }

  private mutating func tile(_ outcome: TileOutcome) {
    switch outcome {
    case .pending: raw("{\"pending\":true}")
    case .refused(let error):
      raw("{\"error\":{\"code\":")
      text(error.code)
      raw(",\"reason\":")
      text(error.reason)
      raw("}}")
    case .value(let report):
      raw("{\"value\":")
      cell(report.value)
      if let before = report.before {
        raw(",\"before\":")
        cell(before)
        raw(",\"seconds\":")
        integer(report.seconds)
        raw(",\"course\":")
        list(report.course) { writer, point in
          if let point, point.isFinite { writer.number(point) } else { writer.raw("null") }
        }
      }
      byte("}")
    }
  }
}
