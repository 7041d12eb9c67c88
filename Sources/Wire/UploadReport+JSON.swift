import ListEngine

extension UploadReport {
  /// The report as a JSON object.
  ///
  ///     {"accepted":998,"rejected":2,"faults":2,"reasons":["line 17: it has no “id”", ...]}
  ///
  /// - Parameter note: A further explanation, sent as `note`.
  package func json(note: String? = nil) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("accepted", accepted)
    writer.member("rejected", rejected)
    writer.member("faults", faults)
    writer.member("reasons", reasons) { $0.text($1) }
    if let failure {
      writer.member("failure", failure.reason)
    }
    if let note {
      writer.member("note", note)
    }
    writer.endObject()
    return writer.bytes
  }
}
