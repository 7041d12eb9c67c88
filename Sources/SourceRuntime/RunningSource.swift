import ListEngine

/// One instance of a source of any kind.
package protocol RunningSource: AnyObject, Sendable {
  /// Starts the instance.
  ///
  /// Events may arrive before this returns.
  func start() throws(PluginError)
  /// Stops the instance and waits; returns false when that took too long.
  @discardableResult func stop(within bound: Duration) -> Bool
  /// Sends a request. [any thread, never waits]
  func send(_ request: SourceRequest)
  /// Sends a request that was made for the columns of a schema, or for the current ones if `nil`.
  /// [any thread, never waits]
  func send(_ request: SourceRequest, of schema: Schema?)
}

/// Creates an instance that delivers its events to the given function.
package typealias SourceMaker =
  @Sendable (_ events: @escaping @Sendable (SourceEvent) -> Bool) throws(PluginError) -> any RunningSource

extension RunningSource {
  /// Does nothing, because rows without a declared schema offer nothing to request.
  package func send(_ request: SourceRequest) {}

  /// Sends the request, because the columns of an instance do not change.
  package func send(_ request: SourceRequest, of schema: Schema?) { send(request) }
}
