import ListEngine
import Testing

@testable import Cluster

/// The chunks of a snapshot, as a relay reads them.
@Suite struct SnapshotWritingTests {
  private static func entry() -> SnapshotEntry {
    SnapshotEntry(table: "jobs", position: 0, fence: 7, id: "7-12", first: 0, chunks: 0, sequence: 12, time: 5)
  }

  private static func rows(_ keys: Range<Int64>, _ text: String) -> SourceEvent {
    var changes = Changeset()
    for key in keys { changes.upsert(.integer(key), [.integer(key), .text(text)]) }
    return .changes(changes)
  }

  @Test func `a relay reads the events of all chunks in order`() throws {
    // The second event is larger than a chunk.
    let long = String(repeating: "b", count: 400_000)
    let events = [Self.rows(0..<3, "a"), Self.rows(3..<5, long), Self.rows(5..<6, "c")]
    var writing = SnapshotWriting(Self.entry(), events: events, replacing: nil)
    var stored: [TableMessage] = []
    while let chunk = writing.next() {
      stored.append(chunk)
      writing.noteStored(at: 40 + UInt64(stored.count))
    }
    #expect(writing.entry.first == 41)
    #expect(writing.entry.chunks == UInt64(stored.count))
    #expect(stored.count > events.count)

    var assembly = SnapshotAssembly(writing.entry)
    var parts = PayloadParts()
    var read: [SourceEvent] = []
    for chunk in stored {
      #expect(assembly.take(chunk) == .next)
      guard let payload = try parts.join(chunk) else { continue }
      read += try #require(EventFrames.events(payload))
    }
    #expect(assembly.isWhole)
    #expect(read.compactMap { EventFrames.frame($0) } == events.compactMap { EventFrames.frame($0) })
  }

  @Test func `a snapshot without events has no chunks`() {
    var writing = SnapshotWriting(Self.entry(), events: [], replacing: nil)
    #expect(writing.next() == nil)
    #expect(writing.entry == Self.entry())
  }
}
