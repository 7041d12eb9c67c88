/// Counters of encodings made and of encodings reused.
public struct EncodingCounts: Hashable, Sendable {
  /// The number of rows encoded; each is encoded once per revision.
  public var rows: UInt64 = 0
  /// The number of rows whose cached encoding was reused.
  public var sharedRows: UInt64 = 0
  /// The number of windows and patches encoded.
  public var patches: UInt64 = 0
  /// The number of windows and patches whose cached encoding was reused by another session.
  public var sharedPatches: UInt64 = 0

  /// Creates counters that are all zero.
  public init() {}
}
