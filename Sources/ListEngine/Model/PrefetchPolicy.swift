/// How a source wants to be asked for what is loaded only where someone looks.
public struct PrefetchPolicy: Hashable, Codable, Sendable {
  /// How many loads are in flight at most; at least one, at most ``greatestInFlight``.
  public var inFlight: Int
  /// Whether the source prefers to finish a load that nobody waits for any more. Then it is not told to cancel, unless the row is
  /// gone, has got its value in another way, or ``patience`` is at its end; the load counts until it is answered.
  public var prefersToFinish: Bool
  /// How long a load may take. One that takes longer is cancelled and counts as failed, so that a lost answer blocks nobody.
  public var patience: Duration

  /// No source is asked for more than this at once.
  public static let greatestInFlight = 1024

  /// Eight at once, cancelled when nobody waits, failed after a minute, unless told otherwise.
  public init(inFlight: Int = 8, prefersToFinish: Bool = false, patience: Duration = .seconds(60)) {
    self.inFlight = inFlight
    self.prefersToFinish = prefersToFinish
    self.patience = patience
  }
}

/// What became of a source's loads since the start, and what is going on.
public struct PrefetchCounters: Hashable, Sendable {
  /// How often something was asked for.
  public var loads = 0
  /// What was there before anyone saw its place.
  public var hits = 0
  /// What arrived while someone already looked at its placeholder.
  public var late = 0
  /// What was asked for again and came: an older state of it was there meanwhile.
  public var renewed = 0
  /// Loads that the source was told to cancel.
  public var cancels = 0
  /// Loads that nobody ever looked at: answered after a cancel, or loaded and never seen.
  public var wasted = 0
  /// Loads that failed, or were not answered in time.
  public var failures = 0
  /// Answers to what was not asked for.
  public var unasked = 0
  /// How many wait for their turn now.
  public var waiting = 0
  /// How many are in flight now.
  public var inFlight = 0

  /// Nothing yet.
  public init() {}
}
