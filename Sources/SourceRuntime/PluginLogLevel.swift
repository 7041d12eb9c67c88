/// The severity of a plugin's log message.
package enum PluginLogLevel: UInt32, Comparable, Sendable {
  /// Details for the plugin's author.
  case debug
  /// Information about normal operation.
  case info
  /// A problem that does not stop the source.
  case warning
  /// A problem that keeps the source from working.
  case error

  /// Returns whether `lhs` is less severe than `rhs`.
  package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
