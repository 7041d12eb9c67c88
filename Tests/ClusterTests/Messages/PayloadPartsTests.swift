import Testing

@testable import Cluster

/// The cutting of frames into payloads, and the chunks of a snapshot.
@Suite struct PayloadPartsTests {
  private static func frame(_ length: Int, _ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: length) }

  @Test(arguments: [[1, 2, 3], [10, 10], [11], [35], [4, 40, 4], [10, 1], [20, 20]])
  func `cut frames are joined again, a large frame into one payload`(lengths: [Int]) throws {
    let frames = lengths.enumerated().map { Self.frame($1, UInt8($0)) }
    let parts = PayloadParts.cut(frames, greatest: 10)
    #expect(parts.allSatisfy { (1...10).contains($0.payload.count) })
    var joiner = PayloadParts()
    var joined: [[UInt8]] = []
    for part in parts {
      let message = TableMessage(.events, fence: 1, time: 0, goesOn: part.goesOn, payload: part.payload)
      if let whole = try joiner.join(message) { joined.append(whole) }
    }
    #expect(Array(joined.joined()) == Array(frames.joined()))
    #expect(parts.last?.goesOn == false)
    for frame in frames where frame.count > 10 { #expect(joined.contains(frame)) }
  }

  @Test func `no frames make no payload`() { #expect(PayloadParts.cut([]).isEmpty) }

  @Test func `an event beyond the size limit is refused`() throws {
    var joiner = PayloadParts()
    let part = Self.frame(TableMessage.greatestPayload, 0)
    let message = TableMessage(.events, fence: 1, time: 0, goesOn: true, payload: part)
    for _ in 0..<PayloadParts.greatestJoined / part.count { #expect(try joiner.join(message) == nil) }
    #expect(throws: ClusterError.self) { try joiner.join(message) }
  }

  @Test func `a reset discards a partial event`() throws {
    var joiner = PayloadParts()
    #expect(try joiner.join(TableMessage(.chunk, fence: 1, time: 0, goesOn: true, payload: [1])) == nil)
    joiner.reset()
    #expect(try joiner.join(TableMessage(.chunk, fence: 1, time: 0, payload: [2])) == [2])
  }

  private static let entry = SnapshotEntry(
    table: "jobs", position: 0, fence: 5, id: "a", first: 1, chunks: 3, sequence: 9, time: 0)

  private static func chunk(_ number: UInt64, fence: UInt64 = 5) -> TableMessage {
    TableMessage(.chunk, fence: fence, number: number, time: 0, payload: [0])
  }

  @Test func `a snapshot is whole after its last chunk`() {
    var assembly = SnapshotAssembly(Self.entry)
    for number in 0..<3 as Range<UInt64> {
      #expect(!assembly.isWhole)
      #expect(assembly.take(Self.chunk(number)) == .next)
    }
    #expect(assembly.isWhole)
  }

  @Test func `a repeated chunk is ignored`() {
    var assembly = SnapshotAssembly(Self.entry)
    #expect(assembly.take(Self.chunk(0)) == .next)
    #expect(assembly.take(Self.chunk(0)) == .ignored)
    #expect(assembly.take(Self.chunk(1)) == .next)
  }

  @Test func `a missing chunk is detected`() {
    var assembly = SnapshotAssembly(Self.entry)
    #expect(assembly.take(Self.chunk(1)) == .missing)
    #expect(!assembly.isWhole)
  }

  @Test func `chunks of another publisher or beyond the end are ignored`() {
    var assembly = SnapshotAssembly(Self.entry)
    #expect(assembly.take(Self.chunk(0, fence: 6)) == .ignored)
    #expect(assembly.take(Self.chunk(3)) == .ignored)
    #expect(assembly.take(TableMessage(.events, fence: 5, time: 0)) == .ignored)
  }

  @Test func `an entry is decoded as encoded, and invalid ones are refused`() {
    #expect(SnapshotEntry(decoding: Self.entry.encoded) == Self.entry)
    #expect(SnapshotEntry(decoding: []) == nil)
    #expect(SnapshotEntry(decoding: Array("{}".utf8)) == nil)
  }
}
