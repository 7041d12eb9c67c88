import ListEngine

/// One instance of a source, whatever kind it is.
public protocol RunningSource: AnyObject, Sendable {
  /// Starts it. What it tells may come before this returns.
  func start() throws(PluginError)
  /// Ends it, and waits; false when that took longer than this.
  @discardableResult func stop(within bound: Duration) -> Bool
  /// Asks it for something. [any thread, never waits]
  func send(_ wish: SourceRequest)
}

/// Makes an instance that tells what happens to the function that it is given.
public typealias SourceMaker =
  @Sendable (_ events: @escaping @Sendable (SourceEvent) -> Bool) throws(PluginError) -> any RunningSource

extension ChildSource: RunningSource {}

extension PluginSource: RunningSource {}
