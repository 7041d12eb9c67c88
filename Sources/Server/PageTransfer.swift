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

  enum Piece {
    case head([UInt8])
    case body(ArraySlice<UInt8>)
  }

  /// What is to be written next; `nil` when all was.
  mutating func nextPiece() -> Piece? {
    if !isHeadWritten {
      isHeadWritten = true
      return .head(response.head)
    }
    guard written < response.body.count else { return nil }
    let end = min(written + Self.pieceSize, response.body.count)
    defer { written = end }
    return .body(response.body[written..<end])
  }
}
