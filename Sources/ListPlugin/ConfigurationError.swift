/// An invalid setting, for the operator to correct.
public struct ConfigurationError: Error, Hashable, CustomStringConvertible {
  /// The key of the invalid setting; nil if the error concerns no single setting.
  public var key: String?
  /// The reason.
  public var description: String

  /// Creates an error about a setting.
  public init(_ key: String?, _ message: String) {
    self.key = key
    description = message
  }
}
