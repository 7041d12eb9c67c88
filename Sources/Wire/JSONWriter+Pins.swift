import ListEngine

extension JSONWriter {
  /// Appends the members of `pins`, without the closing brace.
  mutating func pins(_ reports: PinReports) {
    beginObject()
    type("pins")
    member("id", reports.id)
    member("rows", reports.rows) { writer, entry in
      writer.byte("[")
      writer.integer(entry.place)
      writer.byte(",")
      if let row = entry.row { writer.row(row) } else { writer.raw("null") }
      writer.byte("]")
    }
    if let error = reports.error {
      member("error") {
        $0.member("code", error.code)
        $0.member("reason", error.reason)
      }
    }
  }
}
