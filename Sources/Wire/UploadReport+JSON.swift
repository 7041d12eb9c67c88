import ListEngine

extension UploadReport {
  /// The report as a JSON object.
  ///
  ///     {"accepted":998,"rejected":2,"faults":2,"reasons":["line 17: it has no “id”", ...]}
  ///
  /// - Parameter note: A further explanation, sent as `note`.
  package func json(note: String? = nil) -> [UInt8] {
    var writer = JSONWriter()
    writer.raw("{\"accepted\":")
    writer.integer(accepted)
    writer.raw(",\"rejected\":")
    writer.integer(rejected)
    writer.raw(",\"faults\":")
    writer.integer(faults)
    writer.raw(",\"reasons\":[")
    for (number, reason) in reasons.enumerated() {
      if number > 0 { writer.raw(",") }
      writer.text(reason)
    }
    writer.raw("]")
    if let failure {
      writer.raw(",\"failure\":")
      writer.text(failure.reason)
    }
    if let note {
      writer.raw(",\"note\":")
      writer.text(note)
    }
    writer.raw("}")
    return writer.bytes
  }
}
