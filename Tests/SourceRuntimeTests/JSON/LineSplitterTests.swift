import Testing

@testable import SourceRuntime

@Suite struct LineSplitterTests {
  /// Splits chunks of input; an overlong third line is returned as `-3-`.
  private func lines(_ pieces: [String], limit: Int = 10, chunk: Int = 4) -> [String] {
    var splitter = LineSplitter(limit: limit, chunk: chunk)
    var result: [String] = []
    func note(_ line: LineSplitter.Line) {
      switch line {
      case .whole(let bytes, let number): result.append("\(number):\(String(decoding: bytes, as: UTF8.self))")
      case .tooLong(let number): result.append("-\(number)-")
      }
    }
    for piece in pieces {
      var rest = Array(piece.utf8)[...]
      while !rest.isEmpty {
        let room = splitter.room()
        let count = min(room.count, rest.count)
        UnsafeMutableRawBufferPointer(rebasing: room[..<count]).copyBytes(from: rest.prefix(count))
        splitter.take(count)
        rest = rest.dropFirst(count)
        while let line = splitter.next() { note(line) }
        splitter.shrink()
      }
    }
    if let line = splitter.rest() { note(line) }
    return result
  }

  @Test func `splits input into numbered lines, whatever the pieces`() {
    #expect(lines(["a\nbc\n"]) == ["1:a", "2:bc"])
    #expect(lines(["a", "b\nc", "", "d\n"]) == ["1:ab", "2:cd"])
    #expect(lines(["\n\n"]) == ["1:", "2:"])
    #expect(lines([]) == [])
  }

  @Test func `returns a last line without a line feed`() { #expect(lines(["a\nb"]) == ["1:a", "2:b"]) }

  @Test func `strips a carriage return only at the end of a line`() {
    #expect(lines(["a\r\nb\r\n\r\nc\r"]) == ["1:a", "2:b", "3:", "4:c"])
    #expect(lines(["a\rb\n"]) == ["1:a\rb"])
  }

  @Test func `accepts lines up to the limit and rejects longer ones`() {
    #expect(lines(["0123456789\nx\n"]) == ["1:0123456789", "2:x"])
    #expect(lines(["0123456789\r\nx\n"]) == ["1:0123456789", "2:x"])
    #expect(lines(["0123456789x\nx\n"]) == ["-1-", "2:x"])
    #expect(lines(["0123456789"]) == ["1:0123456789"])
    #expect(lines(["0123456789x"]) == ["-1-"])
  }

  @Test func `skips an overlong line of any length`() {
    let long = String(repeating: "y", count: 100_000)
    #expect(lines(["a\n", long, long, "\nb\n"]) == ["1:a", "-2-", "3:b"])
    #expect(lines([long]) == ["-1-"])
  }

  @Test func `shrinks its buffer after a long line`() {
    var splitter = LineSplitter(limit: 1_000, chunk: 10)
    func take(_ text: String) {
      for byte in text.utf8 {
        splitter.room()[0] = byte
        splitter.take(1)
      }
    }
    let small = splitter.capacity
    take(String(repeating: "x", count: 900))
    splitter.shrink()
    let before = splitter.next()
    #expect(before == nil)
    let isInside = splitter.isInsideLine
    #expect(isInside, "a line that waits for its end stays")
    take("\n")
    guard case .whole(let bytes, 1)? = splitter.next(), bytes.count == 900 else { Issue.record("no line"); return }
    let grown = splitter.capacity
    #expect(grown >= 900)
    splitter.shrink()
    let left = splitter.capacity
    #expect(left == small)
    take("yy\n")
    guard case .whole(let more, 2)? = splitter.next(), more.elementsEqual("yy".utf8) else {
      Issue.record("no second line")
      return
    }
  }

  @Test func `offers bounded room within an endless line`() {
    var splitter = LineSplitter(limit: 1 << 20)
    for _ in 0..<1_000 {
      let room = splitter.room()
      #expect(room.count >= 1 << 16 && room.count <= 1 << 22)
      room.initializeMemory(as: UInt8.self, repeating: 0x78)
      splitter.take(room.count)
      #expect(splitter.next() == nil)
    }
  }
}
