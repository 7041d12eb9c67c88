/// The sender and channel of a line in a trace.
package enum TraceDirection: String, Sendable {
  /// From the host, on the plugin's standard input.
  case host
  /// From the plugin, on its standard output.
  case plugin
  /// From the plugin, on its standard error.
  case log
}

/// An observer of all bytes exchanged between a host and a plugin, in chunks as they were read or
/// written.
///
/// Called on the source's threads, one call at a time per direction. Calls must not wait.
package protocol TraceListener: AnyObject, Sendable {
  /// Records that a process was started.
  func begin()
  /// Records that the process has ended and its whole output was read.
  func end()
  /// Records transferred bytes.
  func note(_ direction: TraceDirection, _ bytes: UnsafeRawBufferPointer)
}
