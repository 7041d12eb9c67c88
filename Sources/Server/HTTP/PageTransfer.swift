/// A response in the process of being written.
struct PageTransfer {
  private let response: HTTPResponse
  private var written = 0
  private var isHeadWritten = false

  /// The maximum size of a write; libwebsockets copies the part that the socket does not accept.
  private static let pieceSize = 32_768

  init(_ response: HTTPResponse) { self.response = response }

  /// Whether another request may follow on the same connection.
  var keepsConnection: Bool { response.keepsConnection }

  /// Returns the next piece to write, or `nil` after the last one.
  ///
  /// The head and the beginning of the body form one piece, because one write per small file is
  /// faster than two.
  mutating func nextPiece() -> [UInt8]? {
    let head = isHeadWritten ? [] : response.head
    isHeadWritten = true
    let end = min(written + max(Self.pieceSize - head.count, 0), response.body.count)
    defer { written = end }
    let piece = head + response.body[written..<end]
    return piece.isEmpty ? nil : piece
  }
}
