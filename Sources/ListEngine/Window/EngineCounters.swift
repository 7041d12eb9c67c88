/// Statistics of the engine since its creation.
public struct EngineCounters: Hashable, Sendable {
  /// The number of table changes covered by flushes, summed over all sessions.
  ///
  /// One flush may cover many changes.
  public var changes: UInt64 = 0
  /// The number of flushes released by the throttle.
  public var throttledFlushes: UInt64 = 0
  /// The number of flushes requested directly: by a scroll, a new query or the rest of a large
  /// change.
  public var directFlushes: UInt64 = 0
  /// The number of patches cut.
  public var cuts: UInt64 = 0
  /// The number of times a client received a patch cut for another client.
  public var sharedCuts: UInt64 = 0
  /// The number of header slots created.
  public var headersMade: UInt64 = 0
  /// The number of times a header slot was reused.
  public var headersReused: UInt64 = 0

  /// Creates counters that are all zero.
  public init() {}

  /// Adds the counters of `other` to `one`.
  public static func += (one: inout EngineCounters, other: EngineCounters) {
    one.changes += other.changes
    one.throttledFlushes += other.throttledFlushes
    one.directFlushes += other.directFlushes
    one.cuts += other.cuts
    one.sharedCuts += other.sharedCuts
    one.headersMade += other.headersMade
    one.headersReused += other.headersReused
  }
}
