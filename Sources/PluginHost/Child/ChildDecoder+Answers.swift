import ListEngine

/// What a child answers when it was asked to do something.
extension ChildDecoder {
  /// What is shown of a result or reason.
  private static let messageLimit = 1_000

  mutating func readActed(_ root: JSONElement) throws(Fault) {
    let schema = try described()
    guard !schema.actions.isEmpty else { throw Fault("its schema has no actions") }
    guard let id = root["id"]?.integer, id >= 0 else { throw Fault("it has no “id”") }
    let outcome: ActionOutcome
    if let error = root["error"], !error.isNull {
      guard let reason = error.text else { throw Fault("“error” is \(error.name), not a text") }
      outcome = .failed(.failed, String(reason.prefix(Self.messageLimit)))
    } else {
      let result = root["result"]
      guard result == nil || result?.isNull == true || result?.kind == .text else {
        throw Fault("“result” is \(result!.name), not a text")
      }
      outcome = .done(String((result?.text ?? "").prefix(Self.messageLimit)))
    }
    // What was told before it is seen before it.
    flush()
    note(.acted(UInt64(id), outcome))
  }
}
