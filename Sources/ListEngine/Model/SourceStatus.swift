/// The state of a source.
public enum SourceState: String, Codable, Sendable {
  /// The source has not delivered rows yet.
  case starting
  /// The source is connected and reports its changes.
  case live
  /// The source is down or silent; its rows are kept.
  case stale
  /// The source is down and restarts after a delay; its rows are kept.
  case backingOff
  /// The operator has disabled the source; its rows are kept.
  case disabled
  /// The source has failed and does not restart by itself.
  case failed
}

/// The state of a table's source, for display.
public struct SourceStatus: Hashable, Sendable {
  /// The source's state.
  public var state: SourceState
  /// The reason for the state, for display.
  public var message: String
  /// The total number of rejected rows.
  public var rejected: UInt64
  /// The last rejected row and the reason, or an empty string.
  public var lastRejection: String
  /// Counts of rejected rows by reason, with at most eight reasons.
  public var rejections: [RejectionReason] = []
  /// The number of answers of a windowed source that contradict the request.
  public var contradictions: UInt64 = 0
  /// Counts of contradictory answers by kind, with at most eight kinds.
  public var contradicted: [RejectionReason] = []
  /// The time since the last change.
  public var age: Duration
  /// The delay until the next attempt to restart the source, or `nil` if none is planned.
  public var retry: Duration? = nil

  /// Creates a source status.
  public init(
    state: SourceState, message: String, rejected: UInt64, lastRejection: String, age: Duration, retry: Duration? = nil
  ) {
    self.state = state
    self.message = message
    self.rejected = rejected
    self.lastRejection = lastRejection
    self.age = age
    self.retry = retry
  }
}
