/// The accuracy of a number of rows.
public enum CountAccuracy: String, Codable, Sendable {
  /// The exact number.
  case exact
  /// An estimate of the source.
  case estimated
  /// The number of rows seen so far, which grows as the client scrolls on.
  case unknown
}
