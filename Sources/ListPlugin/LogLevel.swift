/// The severity of a log message.
public enum LogLevel: UInt32, Sendable {
  /// Details for the plugin's author.
  case debug
  /// Normal events.
  case info
  /// A problem that the source can continue with.
  case warning
  /// A failure of the source.
  case error
}
