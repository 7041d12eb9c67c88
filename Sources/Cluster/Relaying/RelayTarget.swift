import ListEngine

/// The source of a server that a relay fills.
package struct RelayTarget: Sendable {
  /// Takes an event; blocks while the server is behind, and returns `false` when it stops.
  package var report: @Sendable (SourceEvent) -> Bool
  /// Sets the closure that receives the server's requests; it must not block.
  package var listen: @Sendable (@escaping @Sendable (SourceRequest) -> Void) -> Void

  /// Creates a target from its closures.
  package init(
    report: @escaping @Sendable (SourceEvent) -> Bool,
    listen: @escaping @Sendable (@escaping @Sendable (SourceRequest) -> Void) -> Void
  ) {
    self.report = report
    self.listen = listen
  }
}
