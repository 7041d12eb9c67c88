import ListEngine
import Testing

@testable import Cluster

/// The bytes of messages, and events in them.
@Suite struct TableMessageTests {
  private static let message = TableMessage(
    .events, fence: 0x0102, number: 3, time: 0x0A0B_0C0D, goesOn: true, payload: [1, 2, 3])

  @Test func `a message is encoded to the expected bytes`() {
    let head: [UInt8] = [0x52, 0x43, 0x54, 0x31, 2, 1]
    let numbers: [UInt8] = [2, 1, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0x0D, 0x0C, 0x0B, 0x0A, 0, 0, 0, 0]
    // The CRC-32C of 1, 2, 3 is 0xF130F21E.
    let end: [UInt8] = [3, 0, 0, 0, 0x1E, 0xF2, 0x30, 0xF1, 1, 2, 3]
    #expect(Self.message.encoded == head + numbers + end)
    #expect(TableMessage(decoding: Self.message.encoded) == Self.message)
  }

  @Test func `a damaged, truncated or extended message is not decoded`() {
    let bytes = Self.message.encoded
    for place in [0, 4, 30] + Array(34..<bytes.count) {
      var damaged = bytes
      damaged[place] ^= 0x40
      #expect(TableMessage(decoding: damaged) == nil, "byte \(place)")
    }
    for count in 0..<bytes.count { #expect(TableMessage(decoding: Array(bytes.prefix(count))) == nil) }
    #expect(TableMessage(decoding: bytes + [0]) == nil)
  }

  @Test func `events keep their order and content`() throws {
    var changes = Changeset()
    changes.beginsReload = true
    changes.upsert(.text("a"), [.integer(1), .text("x"), .series([1, 2])])
    changes.delete(.text("b"))
    let schema = Schema(name: "jobs", key: .text, columns: [Column("n", .integer)])
    let sent: [SourceEvent] = [
      .schema(schema), .changes(changes), .state(.stale, message: "down"), .columnsAdded(schema),
    ]
    let frames = sent.compactMap { EventFrames.frame($0) }
    #expect(frames.count == 4)
    let events = try #require(EventFrames.events(Array(frames.joined())))
    guard events.count == 4, case .schema(schema) = events[0], case .changes(let read) = events[1],
      case .state(.stale, "down", nil) = events[2], case .columnsAdded(schema) = events[3]
    else {
      Issue.record("\(events)")
      return
    }
    #expect(read.encoded == changes.encoded)
  }

  @Test func `events that are answers to one server are not published`() {
    #expect(EventFrames.frame(.acted(1, .done(""))) == nil)
    #expect(EventFrames.frame(.pageFailed(BlockRequestID(rawValue: 1), reason: "")) == nil)
  }

  @Test func `cut or invalid frames are refused`() {
    let frame = EventFrames.frame(.state(.live, message: "yes"))!
    for count in 1..<frame.count { #expect(EventFrames.events(Array(frame.prefix(count))) == nil) }
    #expect(EventFrames.events([9, 0, 0, 0, 0]) == nil)
    #expect(EventFrames.events([3, 255, 255, 255, 255]) == nil)
    #expect(EventFrames.events([])?.isEmpty == true)
  }

  @Test func `the name of a table is a valid part of a subject`() {
    #expect(TableNames("jobs-2_A").token == "jobs-2_A")
    #expect(TableNames("a.b *>é\n=").token == "a=2Eb=20=2A=3E=C3=A9=0A=3D")
    #expect(TableNames("a").stream != TableNames("b").stream)
    #expect(TableNames("SNAPSHOTS").stream != TableNames.snapshotStream)
  }

  @Test func `only URLs of NATS are accepted`() {
    #expect(ClusterOptions.isURL("nats://127.0.0.1:4222"))
    #expect(ClusterOptions.isURL("tls://rows.example.org"))
    for text in ["", "nats://", "127.0.0.1:4222", "http://a", "nats://a b"] { #expect(!ClusterOptions.isURL(text)) }
  }
}
