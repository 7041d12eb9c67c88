import Wire

/// The reassembly of a client's messages from the pieces that libwebsockets delivers.
///
/// It limits bytes and frames, because libwebsockets has no limits of its own: it accepts a frame
/// of 2^62 bytes.
struct MessageAssembly {
  enum Outcome {
    /// More pieces must follow.
    case incomplete
    case message([UInt8])
    /// The message exceeds the limit of bytes or frames.
    case tooLong
  }

  static let greatestFrameCount = 64

  private var bytes: [UInt8] = []
  private var frames = 0

  /// Adds the next piece.
  ///
  /// - Parameters:
  ///   - missing: The number of bytes of the piece's frame that are still to come.
  ///   - isFinal: Whether the piece's frame is the last of the message.
  mutating func add(_ piece: UnsafeRawBufferPointer, missing: Int, isFinal: Bool) -> Outcome {
    // Check the declared length immediately, instead of collecting a message that is too long.
    guard missing <= ClientMessage.greatestByteCount,
      bytes.count + piece.count + missing <= ClientMessage.greatestByteCount
    else { return .tooLong }
    if missing == 0 { frames += 1 }
    guard frames <= Self.greatestFrameCount else { return .tooLong }
    bytes.append(contentsOf: piece)
    guard missing == 0, isFinal else { return .incomplete }
    defer {
      bytes = []
      frames = 0
    }
    return .message(bytes)
  }
}
