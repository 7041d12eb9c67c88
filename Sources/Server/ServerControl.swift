import ListEngine

/// What other threads may do to a server.
public final class ServerControl: Sendable {
  private struct State {
    var isStopping = false
    var inlets: [SourceInlet] = []
  }

  private let state = Guarded(State())
  private let waker: Waker
  private let rowLimit: Int
  private let byteLimit: Int

  init(waker: Waker, rowLimit: Int, byteLimit: Int) {
    self.waker = waker
    self.rowLimit = rowLimit
    self.byteLimit = byteLimit
  }

  /// Asks the server to end: pages are told, and `run()` returns. [any thread]
  public func stop() {
    state.withLock { $0.isStopping = true }
    waker.wake()
  }

  /// Makes a way in for another source. [any thread]
  public func addSource(_ name: String) -> SourceInlet {
    let inlet = SourceInlet(name: name, rowLimit: rowLimit, byteLimit: byteLimit) { [waker] in waker.wake() }
    let isTooLate = state.withLock { state in
      state.inlets.append(inlet)
      return state.isStopping
    }
    if isTooLate { inlet.mailbox.close() }
    return inlet
  }

  var isStopping: Bool { state.withLock { $0.isStopping } }

  var inlets: [SourceInlet] { state.withLock { $0.inlets } }

  /// [the loop] Lets every source that waits go, and takes nothing more.
  func close() {
    let inlets = state.withLock { state in
      state.isStopping = true
      return state.inlets
    }
    for inlet in inlets { inlet.mailbox.close() }
  }
}
