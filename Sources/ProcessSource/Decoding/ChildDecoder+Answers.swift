import ListEngine
import SourceRuntime
import Wire

/// Answers of a child to actions and image requests.
extension ChildDecoder {
  mutating func readActed(_ root: JSONElement) throws(Fault) {
    let schema = try described()
    guard !schema.actions.isEmpty else { throw Fault("its schema has no actions") }
    guard let id = root["id"]?.integer, id >= 0 else { throw Fault("it has no “id”") }
    let outcome: ActionOutcome
    if let error = root["error"], !error.isNull {
      guard let reason = error.message() else { throw Fault("“error” is \(error.name), not a text") }
      outcome = .failed(.failed, reason)
    } else {
      let result = root["result"]
      guard result == nil || result?.isNull == true || result?.kind == .text else {
        throw Fault("“result” is \(result!.name), not a text")
      }
      outcome = .done(result?.message() ?? "")
    }
    // Deliver earlier changes before the answer.
    flush()
    note(.acted(UInt64(id), outcome))
  }

  mutating func readImage(_ root: JSONElement) throws(Fault) {
    guard try described().loadsImages else { throw Fault("neither its hello nor its schema says that it has “images”") }
    guard let id = root["id"]?.integer, id >= 0 else { throw Fault("it has no “id”") }
    if let error = root["error"], !error.isNull {
      return note(.image(UInt64(id), .failed(error.message() ?? "the plugin gave no reason")))
    }
    guard let data = root["data"] else { throw Fault("it has neither “data” nor “error”") }
    guard !data.isNull else { return note(.image(UInt64(id), .none)) }
    guard data.kind == .text, let bytes = Base64.standard.decode(data.bytes) else {
      note(.image(UInt64(id), .failed("its “data” is no base64")))
      throw Fault("“data” is no base64")
    }
    note(.image(UInt64(id), .bytes(bytes)))
  }
}
