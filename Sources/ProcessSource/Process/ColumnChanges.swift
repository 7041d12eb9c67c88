import ListEngine

/// Limits how often a program may come back with other columns.
///
/// Each change replaces the table, and every client loads it again.
///
///     changes.note(at: now)
///     changes.refusal(at: now)     // nil while another change is accepted
struct ColumnChanges {
  private let most: Int
  private let span: Duration
  /// The times of the last changes, `most` at most.
  private var times: [Instant] = []

  /// Accepts `most` changes within a period.
  init(most: Int, within span: Duration) {
    self.most = most
    self.span = span
  }

  /// Records a change.
  mutating func note(at now: Instant) {
    times.append(now)
    if times.count > most { times.removeFirst() }
  }

  /// Returns the reason why another change is refused, or `nil` if it is accepted.
  func refusal(at now: Instant) -> String? {
    guard times.count == most, let first = times.first, first.duration(to: now) < span else { return nil }
    return "its columns have changed \(most) times in \(span.components.seconds / 60) minutes: "
      + "declare the same ones at each start, then restart the source"
  }
}
