/// Who says what in a trace.
public enum TraceDirection: String, Sendable {
  /// The host, on the plugin's standard input.
  case host
  /// The plugin, on its standard output.
  case plugin
  /// The plugin, on its standard error.
  case log
}

/// Hears everything between a host and a plugin, as it was written or read: pieces, not lines.
///
/// Called on the source's threads, of one direction one call at a time. It must not wait.
public protocol TraceListener: AnyObject, Sendable {
  /// A process was started.
  func begin()
  /// It has ended, and all that it wrote was read.
  func end()
  /// These bytes went over.
  func note(_ direction: TraceDirection, _ bytes: UnsafeRawBufferPointer)
}
