/// The key of an image whose bytes the source can load.
public struct ImageKey: Hashable, Sendable {
  /// The key's text.
  public var text: String
  /// Creates an image key.
  public init(_ text: String) { self.text = text }
}
