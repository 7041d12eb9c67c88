/// A source that runs beside the server.
protocol Feed: Sendable {
  /// Begins to tell; returns at once.
  func start()
  /// Ends, and returns when nothing is told any more.
  func stop()
}
