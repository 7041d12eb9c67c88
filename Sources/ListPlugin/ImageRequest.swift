/// One image that a source is asked for.
public struct ImageRequest: Sendable {
  /// Its key, as it stands in a cell; or one that the source has never told.
  public let key: ImageKey

  private let cancelled: @Sendable () -> Bool

  /// A request; for tests of a loader.
  public init(key: ImageKey, isCancelled: @escaping @Sendable () -> Bool = { false }) {
    self.key = key
    cancelled = isCancelled
  }

  /// Whether nobody waits for it any more: a load that takes long may stop then, with any error.
  public var isCancelled: Bool { cancelled() }
}
