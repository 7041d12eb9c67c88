import Wire

/// A 32-bit digest of the messages of a stream since its publisher began.
///
/// A publisher writes it into its heartbeats and its snapshots. A relay whose digest differs has
/// missed a message or read another one, although the numbers of its messages follow each other:
/// replicas of a NATS server may differ.
///
/// Each step is the CRC-32C of the value before, the number of the message and its first 38 bytes,
/// which have the CRC-32C of the payload. A difference in one message stays in all later values.
struct StreamDigest: Hashable {
  /// The current value.
  private(set) var value: UInt32 = 0

  /// Creates the digest of no messages, at the message with which a publisher begins.
  init() {}

  /// Creates a digest that a publisher has written.
  init(_ value: UInt32) { self.value = value }

  /// Returns the digest in the payload of a heartbeat; `nil` from an older publisher.
  init?(in message: TableMessage) {
    guard message.kind == .heartbeat, message.payload.count == 4 else { return nil }
    value = message.payload.littleEndian(UInt32.self, at: 0)
  }

  /// Adds the next message.
  ///
  /// - Parameter number: The number of the message in the stream.
  mutating func add(_ message: TableMessage, number: UInt64) {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: value)
    bytes.append(littleEndian: number)
    value = Checksum.of(bytes + message.head)
  }

  /// The payload of a heartbeat.
  var payload: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: value)
    return bytes
  }
}
