/// The result of loading an image.
public enum ImageOutcome: Hashable, Sendable {
  /// The image's bytes.
  case bytes([UInt8])
  /// No image has this key.
  case none
  /// Loading failed with this reason.
  case failed(String)
  /// The source is not running.
  case sourceDown
}
