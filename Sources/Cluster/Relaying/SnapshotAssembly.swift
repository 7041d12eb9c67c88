/// The chunks of one snapshot in their order, and which of them is expected next.
///
///     var assembly = SnapshotAssembly(entry)
///     switch assembly.take(message) {
///     case .next: ...       // its payload follows the former one
///     case .ignored: ...    // it came twice, or belongs to another snapshot
///     case .missing: ...    // a chunk is lost: begin again
///     }
///     assembly.isWhole
struct SnapshotAssembly {
  /// The verdict about a chunk.
  enum Verdict: Hashable {
    case next, ignored, missing
  }

  private let entry: SnapshotEntry
  /// The number of the next chunk.
  private var expected: UInt64 = 0

  init(_ entry: SnapshotEntry) { self.entry = entry }

  /// Whether all chunks have arrived.
  var isWhole: Bool { expected >= entry.chunks }

  /// Takes the next message on the snapshot's subject.
  mutating func take(_ message: TableMessage) -> Verdict {
    guard message.kind == .chunk, message.fence == entry.fence, message.number >= expected,
      message.number < entry.chunks
    else { return .ignored }
    guard message.number == expected else { return .missing }
    expected += 1
    return .next
  }
}
