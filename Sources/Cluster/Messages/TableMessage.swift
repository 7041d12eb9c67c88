import Wire

/// A message of a table's stream, or a chunk of a snapshot.
///
/// The encoding is 38 bytes, with integers in little-endian order, and the payload:
/// 1. `RCT1` (4 bytes)
/// 2. the kind (1) and whether the payload goes on in the next message (1)
/// 3. the fencing number of the publisher's lease (8)
/// 4. the number of the chunk in its snapshot, from 0; in events and heartbeats the time of the
///    oldest event by the publisher's monotonic clock, in nanoseconds, or 0 if it is unknown (8)
/// 5. the time of the oldest event in the message, in nanoseconds since 1970 (8)
/// 6. the length of the payload (4) and its CRC-32C (4)
struct TableMessage: Hashable {
  /// The kinds of message.
  enum Kind: UInt8 {
    /// A publisher begins: a snapshot follows, which contains everything before.
    case begin = 1
    /// Events, encoded by ``EventFrames``.
    case events
    /// A heartbeat. Its payload is the ``StreamDigest`` of the messages before it (4 bytes), or
    /// nothing from older publishers.
    case heartbeat
    /// A part of a snapshot, encoded like events.
    case chunk
  }

  var kind: Kind
  var goesOn = false
  var fence: UInt64
  var number: UInt64 = 0
  var time: Int64
  let payload: [UInt8]
  /// The CRC-32C of the payload.
  private let checksum: UInt32

  /// The greatest payload of a message, below the standard limit of a server for a message.
  static let greatestPayload = 512 << 10
  private static let magic = Array("RCT1".utf8)
  private static let headLength = 38

  /// The message as bytes.
  var encoded: [UInt8] { head + payload }

  /// The bytes before the payload.
  var head: [UInt8] {
    var bytes = Self.magic + [kind.rawValue, goesOn ? 1 : 0]
    bytes.reserveCapacity(Self.headLength)
    bytes.append(littleEndian: fence)
    bytes.append(littleEndian: number)
    bytes.append(littleEndian: time)
    bytes.append(littleEndian: UInt32(payload.count))
    bytes.append(littleEndian: checksum)
    return bytes
  }

  init(_ kind: Kind, fence: UInt64, number: UInt64 = 0, time: Int64, goesOn: Bool = false, payload: [UInt8] = []) {
    (self.kind, self.fence, self.number, self.time) = (kind, fence, number, time)
    (self.goesOn, self.payload, checksum) = (goesOn, payload, Checksum.of(payload))
  }

  /// Decodes a message; `nil` if the bytes are invalid or damaged.
  init?(decoding bytes: [UInt8]) {
    guard bytes.count >= Self.headLength, bytes.starts(with: Self.magic), let kind = Kind(rawValue: bytes[4]),
      bytes[5] <= 1
    else { return nil }
    let payload = Array(bytes[Self.headLength...])
    self.init(
      kind, fence: bytes.littleEndian(UInt64.self, at: 6), number: bytes.littleEndian(UInt64.self, at: 14),
      time: Int64(bitPattern: bytes.littleEndian(UInt64.self, at: 22)), goesOn: bytes[5] == 1, payload: payload)
    guard payload.count == Int(bytes.littleEndian(UInt32.self, at: 30)),
      checksum == bytes.littleEndian(UInt32.self, at: 34)
    else { return nil }
  }
}

extension [UInt8] {
  /// Returns the integer at an offset, in little-endian order.
  ///
  /// - Precondition: The integer lies within the bytes.
  func littleEndian<Value: FixedWidthInteger>(_: Value.Type, at offset: Int) -> Value {
    withUnsafeBytes { Value(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Value.self)) }
  }

  /// Appends an integer in little-endian order.
  mutating func append(littleEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
