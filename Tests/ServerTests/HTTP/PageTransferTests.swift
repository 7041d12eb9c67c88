import Testing

@testable import Server

@Suite struct PageTransferTests {
  /// Returns the pieces of a response with a body of this size, and the expected bytes.
  private func pieces(ofBody count: Int, to method: RequestHead.Method = .get) -> (pieces: [[UInt8]], whole: [UInt8]) {
    let response = HTTPResponse((0..<count).map { UInt8($0 % 251) }, type: "text/plain", to: method)
    var transfer = PageTransfer(response)
    var pieces: [[UInt8]] = []
    while let piece = transfer.nextPiece() { pieces.append(piece) }
    return (pieces, response.head + response.body)
  }

  @Test func `sends a small response in one piece with its head`() {
    for count in [0, 1, 20_000] {
      let (pieces, whole) = pieces(ofBody: count)
      #expect(pieces == [whole])
    }
  }

  @Test func `sends a large response in pieces of at most 32 KiB`() {
    for count in [32_768, 65_536, 200_000] {
      let (pieces, whole) = pieces(ofBody: count)
      #expect(pieces.count > 1)
      #expect(pieces.allSatisfy { !$0.isEmpty && $0.count <= 32_768 })
      #expect(Array(pieces.joined()) == whole)
    }
  }

  @Test func `sends the response to HEAD in one piece`() {
    let (pieces, whole) = pieces(ofBody: 5_000, to: .head)
    #expect(pieces == [whole])
  }
}
