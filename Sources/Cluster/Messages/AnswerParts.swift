/// The cutting of a long answer into messages, and their joining.
///
/// A message is the number of its part (4 bytes, little-endian), whether others follow (1), and the
/// part itself.
struct AnswerParts {
  private static let headLength = 5

  /// Returns the messages of an answer, at least one.
  static func cut(_ answer: [UInt8], greatest: Int = TableMessage.greatestPayload) -> [[UInt8]] {
    stride(from: 0, to: max(1, answer.count), by: greatest).enumerated().map { number, start in
      let end = min(start + greatest, answer.count)
      var message: [UInt8] = []
      message.append(littleEndian: UInt32(number))
      message.append(end < answer.count ? 1 : 0)
      return message + answer[start..<end]
    }
  }

  /// The outcome of a message.
  enum Step: Equatable {
    case whole([UInt8])
    case waiting
    /// A part is missing or invalid, or there are too many.
    case broken
  }

  private var bytes: [UInt8] = []
  private var next: UInt32 = 0

  /// Takes the next message of an answer.
  mutating func take(_ message: [UInt8]) -> Step {
    guard message.count >= Self.headLength, message[4] <= 1 else { return .broken }
    guard message.littleEndian(UInt32.self, at: 0) == next, bytes.count + message.count <= PayloadParts.greatestJoined
    else { return .broken }
    next += 1
    bytes += message[Self.headLength...]
    return message[4] == 1 ? .waiting : .whole(bytes)
  }
}
