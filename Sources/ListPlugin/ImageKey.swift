/// The key of an image that the source can load.
public struct ImageKey: Hashable, Sendable {
  /// The key.
  public var text: String
  /// An image with this key.
  public init(_ text: String) { self.text = text }
}
