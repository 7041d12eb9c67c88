/// A window or patch addressed to one session.
public struct Delivery {
  /// The delivery's number within the session, counted from 1.
  public var sequence: UInt64
  /// The number of the request that this delivery answers.
  public var request: UInt64
  /// The minimum interval between patches now in force.
  public var interval: Duration
  /// The distance in rows by which the scroll anchor moved.
  public var shift: Int
  /// The sequence number of the window that the patch applies to; meaningless for a whole window.
  public var base: UInt64
  /// The table's schema, for column names in headers.
  public var schema: Schema
  /// The changes, shared by all sessions with the same window.
  public var patch: Patch
  /// The indexes in the window of rows that changed or appeared since the session was paused.
  public var newer: [Int] = []
}
