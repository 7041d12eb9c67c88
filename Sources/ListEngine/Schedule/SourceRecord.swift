/// The state of a table's source, which is sent to sessions.
struct SourceRecord {
  private(set) var state = SourceState.starting
  private var message = ""
  /// The time at which the source is tried again.
  private var retryAt: Instant?
  private var lastChange: Instant
  /// The number of status changes, including those of replaced tables.
  private(set) var changes: UInt64
  /// The number of rejected rows and contradictions when they were last reported.
  private var reported: UInt64 = 0
  /// The throttle that limits status messages to one per second.
  private var throttle = Throttle(interval: .seconds(1))

  /// Creates the record of a source that starts; status changes are counted from `changes`.
  init(after changes: UInt64, at now: Instant) {
    self.changes = changes &+ 1
    lastChange = now
  }

  /// Records that the source has sent data.
  mutating func noteData(at now: Instant) {
    if state == .starting { set(.live, "", at: now) }
    noteAnswer(at: now)
  }

  /// Records that the source has loaded a deferred cell.
  mutating func noteAnswer(at now: Instant) { lastChange = now }

  /// Sets the state that the source reports.
  mutating func set(_ state: SourceState, _ message: String, retry: Duration? = nil, at now: Instant) {
    let retryAt = retry.map { now.advanced(by: $0) }
    guard state != self.state || message != self.message || retryAt != self.retryAt else { return }
    self.state = state
    self.message = message
    self.retryAt = retryAt
    changes &+= 1
    throttle.noteChange(at: now)
  }

  /// Reports rows that the table has rejected since the last call.
  mutating func noteRejections(of table: Table, at now: Instant) {
    let count = table.rejected &+ table.contradictions.total
    guard count != reported else { return }
    reported = count
    throttle.noteChange(at: now)
  }

  /// Returns the status for clients.
  func status(of table: Table, at now: Instant) -> SourceStatus {
    var status = SourceStatus(
      state: state, message: message, rejected: table.rejected, lastRejection: table.lastRejection,
      age: max(.zero, lastChange.duration(to: now)), retry: retryAt.map { max(.zero, now.duration(to: $0)) })
    status.rejections = table.rejections.reasons
    status.contradictions = table.contradictions.total
    status.contradicted = table.contradictions.reasons
    return status
  }

  /// Returns whether the status must be sent now, and records that it is.
  mutating func takeFlush(at now: Instant) -> Bool { throttle.takeFlush(at: now) }

  /// The time at which the status must be sent, or `nil` if it has not changed.
  var deadline: Instant? { throttle.deadline }
}
