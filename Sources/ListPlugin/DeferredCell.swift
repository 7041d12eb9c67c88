/// One cell that a source is asked to load.
public struct DeferredCell: Sendable {
  /// Its row, which may be gone by now.
  public let key: Key
  /// Its column's name.
  public let column: String

  private let cancelled: @Sendable () -> Bool

  /// A cell; for tests of a loader.
  public init(key: Key, column: String, isCancelled: @escaping @Sendable () -> Bool = { false }) {
    self.key = key
    self.column = column
    cancelled = isCancelled
  }

  /// Whether nobody waits for it any more: a load that takes long may stop then, with any error.
  public var isCancelled: Bool { cancelled() }
}
