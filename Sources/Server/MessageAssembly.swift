import Wire

/// Puts a page's message together from the pieces in which libwebsockets hands it over.
///
/// libwebsockets has no bound of its own (it awaits a frame of 2^62 bytes), so both bounds are kept here: bytes and frames.
struct MessageAssembly {
  enum Outcome {
    /// More is to come.
    case incomplete
    case message([UInt8])
    /// More bytes or frames than a message may have.
    case tooLong
  }

  static let greatestFrameCount = 64

  private var bytes: [UInt8] = []
  private var frames = 0

  /// Takes the next piece.
  ///
  /// - Parameters:
  ///   - missing: how many bytes of the piece's frame are still to come.
  ///   - isFinal: whether the piece's frame is the message's last.
  mutating func add(_ piece: UnsafeRawBufferPointer, missing: Int, isFinal: Bool) -> Outcome {
    // What a frame declares counts at once, so that nothing is collected in vain.
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
