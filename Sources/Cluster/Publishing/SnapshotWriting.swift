import ListEngine

/// A snapshot that is written chunk by chunk, while the changes after it go on.
///
///     var writing = SnapshotWriting(entry, events: shadow.events(at: now), replacing: previous)
///     while let chunk = writing.next() {
///       writing.noteStored(at: place)     // the number of the chunk in the stream of snapshots
///     }
///     writing.entry                       // names all chunks
struct SnapshotWriting {
  /// The former entry of the table, with the revision of its key.
  struct Previous {
    /// `nil` if it is not readable.
    var entry: SnapshotEntry?
    var revision: UInt64
  }

  /// The entry with the chunks that are stored so far.
  private(set) var entry: SnapshotEntry
  /// The entry that this one replaces.
  let previous: Previous?
  private var events: IndexingIterator<[SourceEvent]>
  /// The payloads of the last event that are not in a chunk yet.
  private var payloads: ArraySlice<(payload: [UInt8], goesOn: Bool)> = []

  /// - Parameters:
  ///   - entry: The entry without chunks.
  ///   - events: The rows of the table after the message `entry.sequence` of its stream.
  init(_ entry: SnapshotEntry, events: [SourceEvent], replacing previous: Previous?) {
    self.entry = entry
    self.previous = previous
    self.events = events.makeIterator()
  }

  /// Returns the next chunk; `nil` after the last one.
  mutating func next() -> TableMessage? {
    while payloads.isEmpty {
      guard let event = events.next() else { return nil }
      if let frame = EventFrames.frame(event) { payloads = PayloadParts.cut([frame])[...] }
    }
    guard let (payload, goesOn) = payloads.popFirst() else { return nil }
    return TableMessage(
      .chunk, fence: entry.fence, number: entry.chunks, time: entry.time, goesOn: goesOn, payload: payload)
  }

  /// Records that the chunk returned last is stored.
  mutating func noteStored(at place: UInt64) {
    if entry.chunks == 0 { entry.first = place }
    entry.chunks += 1
  }
}
