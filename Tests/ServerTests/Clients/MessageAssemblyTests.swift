import Testing
import Wire

@testable import Server

/// Tests of reassembling messages, and of both limits from both sides.
@Suite struct MessageAssemblyTests {
  private func add(_ count: Int, missing: Int = 0, isFinal: Bool, to assembly: inout MessageAssembly) -> String {
    let piece = [UInt8](repeating: 0x78, count: count)
    return piece.withUnsafeBytes {
      switch assembly.add($0, missing: missing, isFinal: isFinal) {
      case .incomplete: "incomplete"
      case .message(let bytes): "\(bytes.count)"
      case .tooLong: "too long"
      }
    }
  }

  @Test func `joins pieces and frames into one message`() {
    var assembly = MessageAssembly()
    #expect(add(3, missing: 2, isFinal: false, to: &assembly) == "incomplete")
    #expect(add(2, isFinal: false, to: &assembly) == "incomplete")
    #expect(add(4, missing: 1, isFinal: true, to: &assembly) == "incomplete")
    #expect(add(1, isFinal: true, to: &assembly) == "10")
    // The next message starts empty.
    #expect(add(0, isFinal: true, to: &assembly) == "0")
    #expect(add(7, isFinal: true, to: &assembly) == "7")
  }

  @Test func `accepts 65,536 bytes and refuses one more`() {
    #expect(ClientMessage.greatestByteCount == 65_536)
    for first in [0, 1, 30_000, 65_536] {
      var fits = MessageAssembly()
      #expect(add(first, isFinal: false, to: &fits) == "incomplete")
      #expect(add(65_536 - first, isFinal: true, to: &fits) == "65536")
      var large = MessageAssembly()
      #expect(add(first, isFinal: false, to: &large) == "incomplete")
      #expect(add(65_537 - first, isFinal: true, to: &large) == "too long")
    }
  }

  @Test func `refuses a frame by its declared length`() {
    var most = MessageAssembly()
    #expect(add(36, missing: 65_500, isFinal: true, to: &most) == "incomplete")
    for missing in [65_501, 1 << 32, Int.max] {
      var assembly = MessageAssembly()
      #expect(add(36, missing: missing, isFinal: true, to: &assembly) == "too long", "\(missing)")
    }
  }

  @Test func `accepts 64 frames and refuses one more`() {
    for count in [0, 1] {
      var assembly = MessageAssembly()
      for _ in 0..<63 { #expect(add(count, isFinal: false, to: &assembly) == "incomplete") }
      var other = assembly
      #expect(add(count, isFinal: true, to: &assembly) == "\(64 * count)")
      #expect(add(count, isFinal: false, to: &other) == "incomplete")
      #expect(add(count, isFinal: true, to: &other) == "too long")
    }
  }

  @Test func `counts the pieces of a frame as one frame`() {
    var assembly = MessageAssembly()
    for rest in (1...200).reversed() { #expect(add(1, missing: rest, isFinal: true, to: &assembly) == "incomplete") }
    #expect(add(1, isFinal: true, to: &assembly) == "201")
  }
}
