/// Loads the bytes of images by their ``ImageKey``.
///
///     var images: ImageLoader? {
///       ImageLoader(inFlight: 2) { request in
///       try thumbnail(of: request.key.text)    // nil: no image has this key
///       }
///     }
///
/// The host requests visible images, at most 64 at a time, with a timeout of 10 seconds. A request
/// that is cancelled before its turn is dropped.
public struct ImageLoader: Sendable {
  /// The maximum number of concurrent loads, each on its own thread; 1 to 64.
  public var inFlight: Int
  /// Loads an image: a PNG, JPEG, WebP or GIF of at most 524,288 bytes. Users see an error's text.
  public var load: @Sendable (ImageRequest) throws -> [UInt8]?

  /// Creates a loader.
  public init(inFlight: Int = 4, load: @escaping @Sendable (ImageRequest) throws -> [UInt8]?) {
    self.inFlight = inFlight
    self.load = load
  }
}
