/// How much a plugin's message matters.
public enum PluginLogLevel: UInt32, Comparable, Sendable {
  /// For the plugin's author.
  case debug
  /// Good to know.
  case info
  /// Something is wrong, and the source goes on.
  case warning
  /// The source cannot do what it should.
  case error

  /// Whether `lhs` matters less.
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
