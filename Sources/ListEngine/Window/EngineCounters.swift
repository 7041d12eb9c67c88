/// What the engine has done since it was made, for whoever watches it.
public struct EngineCounters: Hashable, Sendable {
  /// How often pages' tables had changed since these were last told, added up over all flushes: many changes go with one.
  public var changes: UInt64 = 0
  /// How often the throttle let through what had waited.
  public var throttledFlushes: UInt64 = 0
  /// How often something was asked for directly: a scroll, another query, the rest of a large change.
  public var directFlushes: UInt64 = 0
  /// How many patches were cut.
  public var cuts: UInt64 = 0
  /// How often a page got a patch that had been cut for another one.
  public var sharedCuts: UInt64 = 0
  /// How many places for headers were made.
  public var headersMade: UInt64 = 0
  /// How often a place for a header was used again.
  public var headersReused: UInt64 = 0

  /// Nothing yet.
  public init() {}

  /// Both together.
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
