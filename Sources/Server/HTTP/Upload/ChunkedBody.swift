/// A decoder for the chunked transfer coding of a request's body (RFC 9112, 7.1).
///
/// libwebsockets passes such a body on as it was received.
struct ChunkedBody {
  enum Fault: Error { case malformed }

  private enum State {
    /// In the hexadecimal size.
    case size(digits: Int)
    /// In an extension behind the size, which is ignored.
    case `extension`
    case sizeLineFeed
    case data
    case dataReturn
    case dataLineFeed
    /// At the beginning of a line of the trailer, which is ignored.
    case trailerLine
    case trailer
    case lastLineFeed
    case end
  }

  /// The maximum number of digits of a size.
  private static let greatestDigitCount = 8
  /// The maximum number of bytes of extensions and trailers together.
  private static let greatestExtra = 4_096

  private var state = State.size(digits: 0)
  private var rest = 0
  private var extra = 0

  /// Whether the last chunk was decoded.
  var isAtEnd: Bool { if case .end = state { true } else { false } }

  /// Appends the data of the next bytes to `output`; bytes behind the end are ignored.
  mutating func decode(_ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) throws(Fault) {
    var index = 0
    while index < bytes.count, !isAtEnd {
      if case .data = state {
        let count = min(rest, bytes.count - index)
        output.append(contentsOf: bytes[index..<index + count])
        index += count
        rest -= count
        if rest == 0 { state = .dataReturn }
        continue
      }
      try step(bytes[index])
      index += 1
    }
  }

  private mutating func step(_ byte: UInt8) throws(Fault) {
    switch (state, byte) {
    case (.size(let digits), _) where Self.digit(byte) != nil:
      guard digits < Self.greatestDigitCount else { throw .malformed }
      rest = rest << 4 | Self.digit(byte)!
      state = .size(digits: digits + 1)
    case (.size(1...), 0x0D), (.extension, 0x0D): state = .sizeLineFeed
    case (.size(1...), UInt8(ascii: ";")), (.size(1...), 0x20), (.size(1...), 0x09): state = .extension
    case (.extension, _) where byte != 0x0A, (.trailer, _) where byte != 0x0A && byte != 0x0D:
      extra += 1
      guard extra <= Self.greatestExtra else { throw .malformed }
    case (.sizeLineFeed, 0x0A): state = rest > 0 ? .data : .trailerLine
    case (.dataReturn, 0x0D): state = .dataLineFeed
    case (.dataLineFeed, 0x0A): state = .size(digits: 0)
    case (.trailerLine, 0x0D): state = .lastLineFeed
    case (.trailerLine, _) where byte != 0x0A: state = .trailer
    case (.trailer, 0x0D): break
    case (.trailer, 0x0A): state = .trailerLine
    case (.lastLineFeed, 0x0A): state = .end
    default: throw .malformed
    }
  }

  private static func digit(_ byte: UInt8) -> Int? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte) - 0x30
    case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte) - 0x57
    case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte) - 0x37
    default: nil
    }
  }
}
