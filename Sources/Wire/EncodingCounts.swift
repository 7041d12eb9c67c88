/// How often something was turned into bytes, and how often the bytes were there already.
public struct EncodingCounts: Hashable, Sendable {
  /// Rows encoded, each once per revision.
  public var rows: UInt64 = 0
  /// Rows whose bytes another message had already.
  public var sharedRows: UInt64 = 0
  /// Windows and patches encoded.
  public var patches: UInt64 = 0
  /// Windows and patches whose bytes another session had already.
  public var sharedPatches: UInt64 = 0

  /// Nothing yet.
  public init() {}
}
