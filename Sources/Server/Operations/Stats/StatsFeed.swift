import DequeModule
import ListEngine

/// The sessions that watch the server's statistics, and recent samples of the counters.
///
/// Without watchers, it takes no samples and has no deadline.
struct StatsFeed {
  /// A sample of the counters.
  struct Moment {
    var at: Instant
    var counters: EngineCounters
    /// The number of changed rows of each table since the start.
    var changes: [UInt64]
  }

  /// The interval between two samples.
  static let pause: Duration = .seconds(1)
  /// The number of intervals over which rates are averaged.
  static let span = 10

  private(set) var watchers: Set<SessionID> = []
  private(set) var moments: Deque<Moment> = []
  /// The time of the next sample; `nil` without watchers.
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

  /// Returns whether a sample is due, and schedules the next one.
  mutating func takeDue(at now: Instant) -> Bool {
    guard let deadline, deadline <= now else { return false }
    self.deadline = now.advanced(by: Self.pause)
    return true
  }

  mutating func note(_ moment: Moment) {
    moments.append(moment)
    if moments.count > Self.span + 1 { moments.removeFirst() }
  }

  /// The average number of changes per throttled flush in the recent samples.
  var coalescing: Double? {
    guard let first = moments.first, let last = moments.last else { return nil }
    let flushes = last.counters.throttledFlushes &- first.counters.throttledFlushes
    guard flushes > 0 else { return nil }
    return Double(last.counters.changes &- first.counters.changes) / Double(flushes)
  }

  /// Returns the recent rate of changed rows of a table, per second.
  func changes(of table: Int) -> Double? {
    guard let first = moments.first, let last = moments.last, last.changes.indices.contains(table) else { return nil }
    let seconds = Double(first.at.duration(to: last.at).nanoseconds) / 1e9
    guard seconds > 0 else { return nil }
    let before = first.changes.indices.contains(table) ? first.changes[table] : 0
    return Double(last.changes[table] &- before) / seconds
  }
}
