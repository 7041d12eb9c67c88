/// How sure a count of rows is.
public enum CountAccuracy: String, Codable, Sendable {
  /// It was counted.
  case exact
  /// It was guessed by the source.
  case estimated
  /// Nobody knows: it is what has been seen so far, and grows as the reader goes on.
  case unknown
}
