import Testing

@testable import Cluster

/// The digest of a stream's messages.
@Suite struct StreamDigestTests {
  private static func message(_ text: String) -> TableMessage {
    TableMessage(.events, fence: 5, time: 0, payload: Array(text.utf8))
  }

  private static func digest(_ messages: [TableMessage], from number: UInt64 = 10) -> StreamDigest {
    var digest = StreamDigest()
    for (place, message) in messages.enumerated() { digest.add(message, number: number + UInt64(place)) }
    return digest
  }

  @Test func `a missed, changed, moved or added message changes the digest`() {
    let messages = ["a", "b", "c"].map { Self.message($0) }
    let digest = Self.digest(messages)
    #expect(digest == Self.digest(messages))
    #expect(digest != Self.digest([messages[0], messages[2]]))
    #expect(digest != Self.digest([messages[0], Self.message("B"), messages[2]]))
    #expect(digest != Self.digest([messages[1], messages[0], messages[2]]))
    #expect(digest != Self.digest(messages + [messages[2]]))
    #expect(digest != Self.digest(messages, from: 11))
  }

  @Test func `a heartbeat carries the digest`() {
    let digest = Self.digest([Self.message("a")])
    let heartbeat = TableMessage(.heartbeat, fence: 5, time: 0, payload: digest.payload)
    #expect(StreamDigest(in: heartbeat) == digest)
    #expect(StreamDigest(digest.value) == digest)
    #expect(StreamDigest(in: TableMessage(.heartbeat, fence: 5, time: 0)) == nil)
    #expect(StreamDigest(in: Self.message("four")) == nil)
  }

  @Test(arguments: [nil, TablePart(.everything, .integer, publisher: "p")])
  func `the entry of a snapshot carries the digest`(_ part: TablePart?) throws {
    var entry = SnapshotEntry(
      table: "jobs", position: 0, fence: 5, id: "a", first: 1, chunks: 1, sequence: 9, time: 0, part: part)
    for digest in [nil, 0, UInt32.max] {
      entry.digest = digest
      #expect(SnapshotEntry(decoding: entry.encoded) == entry)
    }
  }
}
