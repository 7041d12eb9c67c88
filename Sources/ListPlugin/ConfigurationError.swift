/// A setting that cannot be: the operator's to mend.
public struct ConfigurationError: Error, Hashable, CustomStringConvertible {
  /// The setting at fault; nil when it is none in particular.
  public var key: String?
  /// What is wrong with it.
  public var description: String

  /// A setting, and what is wrong with it.
  public init(_ key: String?, _ message: String) {
    self.key = key
    description = message
  }
}
