import ListEngine

/// Who wants to see what goes on, and what was counted in the last seconds.
///
/// While nobody looks nothing is counted, and nobody is woken.
struct StatsFeed {
  /// What was counted up to a moment.
  struct Moment {
    var at: Instant
    var counters: EngineCounters
    /// The changed rows of each table so far.
    var changes: [UInt64]
  }

  /// How often pages are told.
  static let pause: Duration = .seconds(1)
  /// Rates are of so many pauses.
  static let span = 10

  private(set) var watchers: Set<SessionID> = []
  private(set) var moments: [Moment] = []
  /// When ``takeDue(at:)`` has something to say; `nil` when nobody looks.
  private(set) var deadline: Instant?

  mutating func watch(_ id: SessionID, at now: Instant) {
    watchers.insert(id)
    if deadline == nil { deadline = now }
  }

  mutating func unwatch(_ id: SessionID) {
    guard watchers.remove(id) != nil, watchers.isEmpty else { return }
    deadline = nil
    moments = []
  }

  /// Whether everyone who looks is to be told now.
  mutating func takeDue(at now: Instant) -> Bool {
    guard let deadline, deadline <= now else { return false }
    self.deadline = now.advanced(by: Self.pause)
    return true
  }

  mutating func note(_ moment: Moment) {
    moments.append(moment)
    if moments.count > Self.span + 1 { moments.removeFirst() }
  }

  /// How many changes a flush of the throttle carried lately.
  var coalescing: Double? {
    guard let first = moments.first, let last = moments.last else { return nil }
    let flushes = last.counters.throttledFlushes &- first.counters.throttledFlushes
    guard flushes > 0 else { return nil }
    return Double(last.counters.changes &- first.counters.changes) / Double(flushes)
  }

  /// How many rows of a table changed a second lately.
  func changes(of table: Int) -> Double? {
    guard let first = moments.first, let last = moments.last, last.changes.indices.contains(table) else { return nil }
    let seconds = Double(first.at.duration(to: last.at).nanoseconds) / 1e9
    guard seconds > 0 else { return nil }
    let before = first.changes.indices.contains(table) ? first.changes[table] : 0
    return Double(last.changes[table] &- before) / seconds
  }
}
