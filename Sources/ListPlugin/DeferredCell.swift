/// A deferred cell that the host requests.
public struct DeferredCell: Sendable {
  /// The row's key; the row may have been deleted.
  public let key: Key
  /// The column's name.
  public let column: String

  private let cancelled: @Sendable () -> Bool

  /// Creates a cell, for tests of a loader.
  public init(key: Key, column: String, isCancelled: @escaping @Sendable () -> Bool = { false }) {
    self.key = key
    self.column = column
    cancelled = isCancelled
  }

  /// Whether the request was cancelled: a long load may then throw any error.
  public var isCancelled: Bool { cancelled() }
}
