/// State shared by several threads, protected by a lock.
///
///     let count = Guarded(0)
///     count.withLock { $0 += 1 }
///
/// The state must not be a closure itself: each access would wrap the stored closure in a further
/// conversion between generic and concrete calls. A closure belongs in a struct.
package final class Guarded<State>: @unchecked Sendable {
  private let monitor = Monitor()
  private var state: State

  package init(_ state: sending State) { self.state = state }

  /// Calls a closure with the state while no other thread uses it. [any thread]
  ///
  /// The lock is not recursive.
  package func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try monitor.withLock { () throws(Failure) in try body(&state) }
  }
}
