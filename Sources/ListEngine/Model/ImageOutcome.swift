/// What became of a wish for the bytes of an image.
public enum ImageOutcome: Hashable, Sendable {
  /// Here they are.
  case bytes([UInt8])
  /// There is no image of this key.
  case none
  /// They could not be loaded, for this reason.
  case failed(String)
  /// The source does not run.
  case sourceDown
}
