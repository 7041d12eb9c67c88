import CNats

/// A received message, copied out of the library.
struct NatsMessage: Sendable {
  var subject: String
  /// The subject for the answer; `nil` if none is expected.
  var reply: String?
  var bytes: [UInt8]
  /// The number in the stream; 0 if it comes from none.
  var sequence: UInt64 = 0
  /// The number of messages of the stream that follow and are not delivered yet.
  var pending: UInt64 = 0
  /// Whether the server reports that nothing answers a request.
  var hasNoResponders = false

  /// Copies a message and destroys the original.
  ///
  /// - Parameter isStored: Whether it comes from a stream.
  init(taking message: OpaquePointer, isStored: Bool) {
    defer { natsMsg_Destroy(message) }
    subject = natsMsg_GetSubject(message).map { String(cString: $0) } ?? ""
    reply = natsMsg_GetReply(message).map { String(cString: $0) }
    let length = Int(natsMsg_GetDataLength(message))
    bytes =
      natsMsg_GetData(message).map { data in
        Array(UnsafeRawBufferPointer(start: data, count: length))
      } ?? []
    hasNoResponders = natsMsg_IsNoResponders(message)
    guard isStored else { return }
    var metadata: UnsafeMutablePointer<jsMsgMetaData>?
    if natsMsg_GetMetaData(&metadata, message) == NATS_OK, let metadata {
      sequence = metadata.pointee.Sequence.Stream
      pending = metadata.pointee.NumPending
      jsMsgMetaData_Destroy(metadata)
    } else {
      sequence = natsMsg_GetSequence(message)
    }
  }
}
