/// How much a message matters.
public enum LogLevel: UInt32, Sendable {
  /// For the plugin's author.
  case debug
  /// Good to know.
  case info
  /// Something is wrong, and the source goes on.
  case warning
  /// The source cannot do what it should.
  case error
}
