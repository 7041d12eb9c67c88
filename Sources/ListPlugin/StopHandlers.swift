import Synchronization

/// The handlers to call when a source is stopped.
final class StopHandlers: Sendable {
  private struct State {
    var handlers: [@Sendable () -> Void] = []
    var isStopping = false
  }
  private let state = Mutex(State())

  func add(_ handler: @escaping @Sendable () -> Void) {
    let isStopping = state.withLock { state in
      if !state.isStopping { state.handlers.append(handler) }
      return state.isStopping
    }
    if isStopping { handler() }
  }

  func stop() {
    let handlers = state.withLock { state in
      state.isStopping = true
      defer { state.handlers = [] }
      return state.handlers
    }
    for handler in handlers { handler() }
  }
}
