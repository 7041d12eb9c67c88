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

  @Test func aSmallAnswerGoesOutInOnePieceWithItsHead() {
    for count in [0, 1, 20_000] {
      let (pieces, whole) = pieces(ofBody: count)
      #expect(pieces == [whole])
    }
  }

  @Test func aLargeAnswerGoesOutInPiecesOf32KiBAtMostThatAreTheWhole() {
    for count in [32_768, 65_536, 200_000] {
      let (pieces, whole) = pieces(ofBody: count)
      #expect(pieces.count > 1)
      #expect(pieces.allSatisfy { !$0.isEmpty && $0.count <= 32_768 })
      #expect(Array(pieces.joined()) == whole)
    }
  }

  @Test func whatHEADIsAnsweredIsAHeadAlone() {
    let (pieces, whole) = pieces(ofBody: 5_000, to: .head)
    #expect(pieces == [whole])
  }
}
