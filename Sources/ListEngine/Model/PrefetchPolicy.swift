/// A source's limits for loads of deferred cells or blocks.
public struct PrefetchPolicy: Hashable, Codable, Sendable {
  /// The maximum number of loads in flight, from one to ``greatestInFlight``.
  public var inFlight: Int
  /// Whether the source prefers to finish a load that no session needs.
  ///
  /// Such a load is cancelled only if its row is deleted, its value arrives in another way, or
  /// ``patience`` expires. It counts as in flight until it is answered.
  public var prefersToFinish: Bool
  /// The time after which an unanswered load is cancelled and counts as failed, so that a lost
  /// answer blocks no session.
  public var patience: Duration

  /// The maximum number of loads in flight for any source.
  public static let greatestInFlight = 1024

  /// Creates a policy; the defaults are eight loads at once, cancellation, and a timeout of one
  /// minute.
  public init(inFlight: Int = 8, prefersToFinish: Bool = false, patience: Duration = .seconds(60)) {
    self.inFlight = inFlight
    self.prefersToFinish = prefersToFinish
    self.patience = patience
  }
}

/// Statistics of a source's loads since the start.
public struct PrefetchCounters: Hashable, Sendable {
  /// The number of loads requested.
  public var loads = 0
  /// The number of items loaded before they became visible.
  public var hits = 0
  /// The number of items that arrived while their placeholder was visible.
  public var late = 0
  /// The number of repeated loads that arrived while an older version was shown.
  public var renewed = 0
  /// The number of loads cancelled at the source.
  public var cancels = 0
  /// The number of loads never displayed: answered after a cancel, or loaded and never visible.
  public var wasted = 0
  /// The number of loads that failed or timed out.
  public var failures = 0
  /// The number of answers without a request.
  public var unrequested = 0
  /// The number of items that wait for a load now.
  public var waiting = 0
  /// The number of loads in flight now.
  public var inFlight = 0

  /// Creates counters that are all zero.
  public init() {}
}
