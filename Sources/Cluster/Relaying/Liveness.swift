import ListEngine

/// The state of a relayed table as its clients see it, by the age of the newest message.
///
/// It is a state machine without a clock. Each method returns the state to report, if it changes.
///
///     liveness.note(.live, "")                 // the publisher's state
///     liveness.noteWhole(at: now)              // the rows were read
///     liveness.noteSign(delayed: age, at: now) // a message has arrived
///     liveness.check(at: now)                  // called several times a second
struct Liveness {
  /// A state to report, and whether the publisher of the table gives heartbeats.
  struct Report: Hashable {
    var state: SourceState
    var message: String
    var isLive: Bool
  }

  private enum Phase {
    /// No snapshot was read to its end, so there are no rows that may be old.
    case incomplete
    /// The rows are there, and no message after them. The publisher's state is not reported yet.
    case unconfirmed
    /// The newest message is recent. The server has the publisher's state.
    case live
    /// The newest message is old. The server has the state ``SourceState/stale``.
    case stale
  }

  /// The age of the newest message after which the rows count as stale.
  ///
  /// Clients learn it within 3 s, so half a second is left for the way to them.
  static let silence = Duration.milliseconds(2_500)

  private var phase = Phase.incomplete
  /// The time from which the newest message comes, by the clock of this machine.
  private var newest: Instant
  /// The last state that the publisher reported.
  private var publisher: (state: SourceState, message: String) = (.starting, "")

  /// Creates the state of a table that is not read yet.
  init(at now: Instant) { newest = now }

  /// Records the state that the publisher reports.
  mutating func note(_ state: SourceState, _ message: String) -> Report? {
    publisher = (state, message)
    return phase == .live ? publisherState : nil
  }

  /// Records that the rows were read, which may be old by now.
  mutating func noteWhole(at now: Instant) -> Report? {
    if phase == .incomplete { phase = .unconfirmed }
    return check(at: now)
  }

  /// Records a message. After a delayed one the rows stay stale.
  mutating func noteSign(delayed age: Duration, at now: Instant) -> Report? {
    newest = max(newest, now.advanced(by: .zero - age))
    guard age < Self.silence else { return check(at: now) }
    guard phase != .live else { return nil }
    phase = .live
    return publisherState
  }

  /// Marks the rows as stale because messages were missed, until they were read again.
  mutating func noteMissed() -> Report? {
    guard phase == .live || phase == .unconfirmed else { return nil }
    phase = .stale
    return Report(state: .stale, message: "changes were missed, and the rows are read again", isLive: false)
  }

  /// Marks the rows as stale if the newest message is too old.
  mutating func check(at now: Instant) -> Report? {
    guard phase == .live || phase == .unconfirmed, quiet(at: now) >= Self.silence else { return nil }
    phase = .stale
    return Report(state: .stale, message: "nothing new has come from the publisher for 3 s", isLive: false)
  }

  /// Returns the age of the newest message.
  func quiet(at now: Instant) -> Duration { newest.duration(to: now) }

  private var publisherState: Report { Report(state: publisher.state, message: publisher.message, isLive: true) }
}
