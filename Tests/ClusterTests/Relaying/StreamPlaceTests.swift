import Testing

@testable import Cluster

/// The verdicts of a relay on the messages of a stream.
@Suite struct StreamPlaceTests {
  private static func entry(_ fence: UInt64, _ sequence: UInt64, id: String = "a") -> SnapshotEntry {
    SnapshotEntry(table: "jobs", position: 0, fence: fence, id: id, first: 1, chunks: 1, sequence: sequence, time: 0)
  }

  private static func message(_ kind: TableMessage.Kind = .events, fence: UInt64 = 5) -> TableMessage {
    TableMessage(kind, fence: fence, time: 0)
  }

  @Test func `messages after the snapshot are applied in order, once`() {
    var place = StreamPlace(after: Self.entry(5, 9))
    #expect(place.take(Self.message(), number: 9) == .ignore)
    #expect(place.take(Self.message(), number: 10) == .apply)
    #expect(place.take(Self.message(), number: 10) == .ignore)
    #expect(place.take(Self.message(.heartbeat), number: 11) == .apply)
  }

  @Test func `a gap requires a snapshot that covers it`() {
    var place = StreamPlace(after: Self.entry(5, 9))
    #expect(place.take(Self.message(), number: 13) == .restart)
    #expect(!place.accepts(Self.entry(5, 11)))
    #expect(place.accepts(Self.entry(5, 12)))
    #expect(place.accepts(Self.entry(6, 1)))
  }

  @Test func `a damaged message requires a snapshot`() {
    var place = StreamPlace(after: Self.entry(5, 9))
    #expect(place.take(nil, number: 10) == .restart)
  }

  @Test func `a publisher without the lease is ignored`() {
    var place = StreamPlace(after: Self.entry(5, 9))
    for kind in [TableMessage.Kind.events, .begin, .heartbeat] {
      let number = place.next
      #expect(place.take(Self.message(kind, fence: 4), number: number) == .ignore)
    }
    #expect(place.take(Self.message(), number: 13) == .apply)
    #expect(!place.accepts(Self.entry(4, 99)))
  }

  @Test func `a new publisher requires its own snapshot`() {
    var place = StreamPlace(after: Self.entry(5, 9))
    #expect(place.take(Self.message(.begin, fence: 8), number: 10) == .restart)
    #expect(!place.accepts(Self.entry(5, 99)))
    #expect(!place.accepts(Self.entry(8, 9)))
    #expect(place.accepts(Self.entry(8, 10)))
  }

  @Test func `a second begin requires a snapshot taken after it`() {
    var place = StreamPlace(after: Self.entry(5, 9))
    #expect(place.take(Self.message(.begin), number: 10) == .restart)
    #expect(!place.accepts(Self.entry(5, 9)))
    #expect(place.accepts(Self.entry(5, 10)))
  }

  @Test func `rows that the stream has dropped require a later snapshot`() {
    var place = StreamPlace(after: Self.entry(5, 9))
    place.skip(to: 40)
    #expect(!place.accepts(Self.entry(5, 9)))
    #expect(place.accepts(Self.entry(5, 39)))
  }

  @Test func `a snapshot that was not readable is not read again`() {
    var place = StreamPlace()
    #expect(place.accepts(Self.entry(5, 9)))
    place.abandon(Self.entry(5, 9))
    #expect(!place.accepts(Self.entry(5, 9)))
    #expect(place.accepts(Self.entry(5, 3, id: "b")))
  }

  @Test func `the greatest numbers do not trap`() {
    var place = StreamPlace(after: Self.entry(.max, .max))
    #expect(place.take(Self.message(fence: .max), number: .max - 1) == .ignore)
    place.skip(to: 0)
    var other = StreamPlace()
    #expect(other.take(Self.message(), number: 0) == .ignore)
  }

  // MARK: Digests

  /// Returns a heartbeat after these messages, of which the first has the number 10.
  private static func heartbeat(after messages: [TableMessage], _ start: StreamDigest = .init()) -> TableMessage {
    var digest = start
    for (place, message) in messages.enumerated() { digest.add(message, number: 10 + UInt64(place)) }
    return TableMessage(.heartbeat, fence: 5, time: 0, payload: digest.payload)
  }

  private static func events(_ text: String) -> TableMessage {
    TableMessage(.events, fence: 5, time: 0, payload: Array(text.utf8))
  }

  @Test func `messages that differ from those of the publisher are noticed at its heartbeat`() {
    var entry = Self.entry(5, 9)
    entry.digest = 0
    for (read, verdict) in [("a", StreamPlace.Verdict.apply), ("b", .differs)] {
      var place = StreamPlace(after: entry)
      #expect(place.take(Self.events(read), number: 10) == .apply)
      #expect(place.take(Self.heartbeat(after: [Self.events("a")]), number: 11) == verdict)
    }
  }

  @Test func `a heartbeat is a part of the digest after it`() {
    var entry = Self.entry(5, 9)
    entry.digest = 0
    var place = StreamPlace(after: entry)
    let first = Self.heartbeat(after: [])
    #expect(place.take(first, number: 10) == .apply)
    #expect(place.take(Self.heartbeat(after: [first]), number: 11) == .apply)
    #expect(place.take(Self.heartbeat(after: [first]), number: 12) == .differs)
  }

  @Test func `the digest begins with that of the snapshot, or of the first heartbeat`() {
    let earlier = StreamDigest(77)
    var entry = Self.entry(5, 9)
    entry.digest = 77
    var place = StreamPlace(after: entry)
    let first = Self.heartbeat(after: [], earlier)
    #expect(place.take(first, number: 10) == .apply)

    place = StreamPlace(after: Self.entry(5, 9))
    #expect(place.take(first, number: 10) == .apply)
    #expect(place.take(Self.heartbeat(after: [first, first], earlier), number: 11) == .differs)
    #expect(place.take(Self.heartbeat(after: [first], earlier), number: 11) == .apply)
  }

  @Test func `heartbeats of an older publisher have no digest to compare`() {
    var entry = Self.entry(5, 9)
    entry.digest = 3
    var place = StreamPlace(after: entry)
    #expect(place.take(Self.message(.heartbeat), number: 10) == .apply)
  }
}
