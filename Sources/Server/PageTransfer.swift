/// An answer on its way out.
struct PageTransfer {
  private let response: HTTPResponse
  private var written = 0
  private var isHeadWritten = false

  /// The largest piece handed over at once; libwebsockets copies what the socket does not take.
  private static let pieceSize = 32_768

  init(_ response: HTTPResponse) { self.response = response }

  /// Whether another request may follow on the same connection once all is written.
  var keepsConnection: Bool { response.keepsConnection }

  /// What is to be written next; `nil` when all was.
  ///
  /// The head goes out with the beginning of the body. The page is many small files, and a browser that is told of each of them once, instead
  /// of twice, has them sooner.
  mutating func nextPiece() -> [UInt8]? {
    let head = isHeadWritten ? [] : response.head
    isHeadWritten = true
    let end = min(written + max(Self.pieceSize - head.count, 0), response.body.count)
    defer { written = end }
    let piece = head + response.body[written..<end]
    return piece.isEmpty ? nil : piece
  }
}
