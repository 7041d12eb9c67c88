/// An image that the host requests.
public struct ImageRequest: Sendable {
  /// The image's key, which may be one that the source never sent.
  public let key: ImageKey

  private let cancelled: @Sendable () -> Bool

  /// Creates a request, for tests of a loader.
  public init(key: ImageKey, isCancelled: @escaping @Sendable () -> Bool = { false }) {
    self.key = key
    cancelled = isCancelled
  }

  /// Whether the request was cancelled: a long load may then throw any error.
  public var isCancelled: Bool { cancelled() }
}
