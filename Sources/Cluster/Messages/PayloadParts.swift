/// The cutting of frames into the payloads of messages, and their joining.
///
/// A payload holds whole frames, unless one frame is larger than a payload. Such a frame is cut,
/// and all its parts but the last one go on in the next message.
struct PayloadParts {
  /// Returns the payloads for these frames, each with whether it goes on.
  static func cut(
    _ frames: [[UInt8]], greatest: Int = TableMessage.greatestPayload
  ) -> [(payload: [UInt8], goesOn: Bool)] {
    var parts: [(payload: [UInt8], goesOn: Bool)] = []
    var open: [UInt8] = []
    func close() {
      if !open.isEmpty { parts.append((open, false)) }
      open = []
    }
    for frame in frames {
      if open.count + frame.count > greatest { close() }
      guard frame.count > greatest else {
        open += frame
        continue
      }
      var rest = frame[...]
      while rest.count > greatest {
        parts.append((Array(rest.prefix(greatest)), true))
        rest = rest.dropFirst(greatest)
      }
      parts.append((Array(rest), false))
    }
    close()
    return parts
  }

  /// The greatest size of a joined payload, beyond which a stream is invalid.
  static let greatestJoined = 64 << 20
  private var open: [UInt8] = []

  /// Adds the payload of a message. Returns the joined payload once it is whole.
  ///
  /// - Throws: ``ClusterError`` if the parts exceed the limit.
  mutating func join(_ message: TableMessage) throws(ClusterError) -> [UInt8]? {
    guard open.count + message.payload.count <= Self.greatestJoined else {
      throw .failed("an event has more than \(Self.greatestJoined) bytes")
    }
    if open.isEmpty, !message.goesOn { return message.payload }
    open += message.payload
    guard !message.goesOn else { return nil }
    defer { open = [] }
    return open
  }

  /// Forgets an event of which only a part has arrived.
  mutating func reset() { open = [] }
}
