/// Gives the bytes of the images whose keys stand in cells: see ``ImageKey``.
///
///     var images: ImageLoader? {
///       ImageLoader(inFlight: 2) { request in
///         try thumbnail(of: request.key.text)    // nil: there is none of this key
///       }
///     }
///
/// The host asks where someone looks, at most 64 at a time, and waits for ten seconds. What is cancelled before its turn is never loaded.
public struct ImageLoader: Sendable {
  /// How many it loads at once, each on a thread of its own; 1 to 64.
  public var inFlight: Int
  /// Loads an image: a PNG, JPEG, WebP or GIF of at most 524,288 bytes. What an error says is told people.
  public var load: @Sendable (ImageRequest) throws -> [UInt8]?

  /// Four at once unless told otherwise.
  public init(inFlight: Int = 4, load: @escaping @Sendable (ImageRequest) throws -> [UInt8]?) {
    self.inFlight = inFlight
    self.load = load
  }
}
