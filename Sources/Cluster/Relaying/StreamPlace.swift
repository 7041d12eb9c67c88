/// The place of a relay in a table's stream, and its verdict on each message.
///
///     var place = StreamPlace(after: entry)
///     switch place.take(message, number: 17) { ... }
struct StreamPlace: Hashable {
  /// The meaning of a message for a relay.
  enum Verdict: Hashable {
    /// The message follows the former one.
    case apply
    /// The message was read before, or comes from a publisher that has lost its lease.
    case ignore
    /// The rows must be read again, from a snapshot that ``StreamPlace/accepts(_:)``.
    case restart
    /// The messages before this heartbeat are not those that the publisher has written.
    case differs
  }

  /// The fencing number of the publisher that the relay follows.
  private(set) var fence: UInt64
  /// The number of the next message.
  private(set) var next: UInt64
  /// The digest of the messages so far; `nil` after a snapshot of an older publisher.
  private var digest: StreamDigest?
  /// The least number of a message that a snapshot must contain, if it has the same fence.
  private var needed: UInt64
  /// The snapshot that must not be read again.
  private var abandoned: String?

  /// Creates the place of a relay that has no rows.
  init() { (fence, next, needed) = (0, 1, 0) }

  /// Creates the place after a snapshot.
  init(after entry: SnapshotEntry) {
    fence = entry.fence
    // An entry comes from outside.
    next = entry.sequence == .max ? .max : entry.sequence + 1
    needed = entry.sequence
    digest = entry.digest.map { StreamDigest($0) }
  }

  /// Whether a snapshot is new enough to go on with.
  func accepts(_ entry: SnapshotEntry) -> Bool {
    guard entry.id != abandoned else { return false }
    return entry.fence > fence || entry.fence == fence && entry.sequence >= needed
  }

  /// Takes the next message of the stream.
  ///
  /// - Parameter message: `nil` for one that is damaged.
  mutating func take(_ message: TableMessage?, number: UInt64) -> Verdict {
    guard number >= next else { return .ignore }
    // The snapshot may end right before the message.
    guard number == next, let message else { return restart(containing: number - 1) }
    guard message.fence >= fence else {
      next += 1
      return .ignore
    }
    if message.fence > fence || message.kind == .begin {
      fence = message.fence
      // The publisher has lost what came before this message.
      return restart(containing: number)
    }
    let written = StreamDigest(in: message)
    if let written, let digest, written != digest { return .differs }
    digest = digest ?? written
    digest?.add(message, number: number)
    next += 1
    return .apply
  }

  /// Requires a snapshot that was made after the stream lost the messages before this one.
  mutating func skip(to first: UInt64) { if first > 0 { _ = restart(containing: first - 1) } }

  /// Requires another snapshot, because this one was unreadable or belongs to a former stream.
  mutating func abandon(_ entry: SnapshotEntry) {
    needed = 0
    abandoned = entry.id
  }

  /// Allows the snapshot after which this place lies to be read again.
  mutating func readAgain() { needed = 0 }

  private mutating func restart(containing number: UInt64) -> Verdict {
    needed = number
    return .restart
  }
}
