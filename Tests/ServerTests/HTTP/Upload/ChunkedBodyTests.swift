import Testing

@testable import Server

/// Tests of the chunked transfer coding of bodies.
@Suite struct ChunkedBodyTests {
  /// Decodes a text in pieces of this many bytes; `nil` for a malformed one.
  private func decode(_ text: String, pieces: Int) -> (data: String, isAtEnd: Bool)? {
    var body = ChunkedBody()
    var data: [UInt8] = []
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      let piece = Array(bytes[start..<min(start + pieces, bytes.count)])
      guard (try? piece.withUnsafeBytes { try body.decode($0, into: &data) }) != nil else { return nil }
    }
    return (String(decoding: data, as: UTF8.self), body.isAtEnd)
  }

  @Test(arguments: 1...40) func `chunks are joined for every split of the input`(pieces: Int) throws {
    let text = "5\r\nhello\r\nA;name=value\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\nGET / HTTP/1.1\r\n"
    let result = try #require(decode(text, pieces: pieces))
    #expect(result.data == "hello0123456789")
    #expect(result.isAtEnd)
  }

  @Test func `a body without the last chunk is not at its end`() throws {
    let result = try #require(decode("3\r\nabc\r\n0\r\n", pieces: 4))
    #expect(result.data == "abc")
    #expect(!result.isAtEnd)
  }

  @Test(arguments: [
    "\r\n", "g\r\n", "-1\r\n", "3\nabc\r\n", "3\r\nabcd\r\n", "3\r\nabc\n", "fffffffff\r\n", "1 \n",
    "0\r\n\n", "0\r\n\r\r", "1;" + String(repeating: "x", count: 5_000) + "\r\na\r\n",
  ])
  func `malformed chunks are refused`(text: String) { #expect(decode(text, pieces: 7) == nil) }
}
