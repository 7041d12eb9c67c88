import ListEngine
import Threads

/// The operations on a server that other threads may use.
public final class ServerControl: Sendable {
  private struct State {
    var isStopping = false
    var inlets: [SourceInlet] = []
    var changes: [ServerChanges?] = []
    var tokens: [AccessToken] = []
    var signIns = SignIns()
    var otherSignIns: [SignIns] = []
  }

  private let state = Guarded(State())
  let waker: Waker
  private let rowLimit: Int
  private let byteLimit: Int

  init(waker: Waker, rowLimit: Int, byteLimit: Int) {
    self.waker = waker
    self.rowLimit = rowLimit
    self.byteLimit = byteLimit
  }

  /// Requests the server to stop: clients are notified, and `run()` returns. [any thread]
  public func stop() {
    state.withLock { $0.isStopping = true }
    waker.wake()
  }

  /// Adds a source and returns its inlet. [any thread]
  public func addSource(_ name: String) -> SourceInlet {
    let inlet = SourceInlet(name: name, rowLimit: rowLimit, byteLimit: byteLimit) { [waker] in waker.wake() }
    let isTooLate = state.withLock { state in
      state.inlets.append(inlet)
      return state.isStopping
    }
    if isTooLate { inlet.mailbox.close() }
    // The server must also learn of a source that never sends an event.
    waker.wake()
    return inlet
  }

  /// Changes the settings of the running server. [any thread]
  public func change(_ changes: ServerChanges) {
    state.withLock {
      $0.changes.append(changes)
      $0.tokens = changes.tokens
    }
    waker.wake()
  }

  /// Reports that the requested reload has changed nothing, so that the service manager is
  /// notified. [any thread]
  public func keepChoices() {
    state.withLock { $0.changes.append(nil) }
    waker.wake()
  }

  /// The browsers that have signed in. [any thread]
  public var signIns: SignIns { state.withLock { $0.signIns } }

  /// Adds sign-ins that another process or an earlier run knows; those that were ended there end
  /// here. [any thread]
  public func merge(_ signIns: SignIns) {
    state.withLock { $0.otherSignIns.append(signIns) }
    waker.wake()
  }

  /// [the loop] Publishes the sign-ins.
  func publish(_ signIns: SignIns) { state.withLock { $0.signIns = signIns } }

  /// [the loop] The sign-ins that were added since the last call.
  func takeOtherSignIns() -> [SignIns] {
    state.withLock { state in
      defer { state.otherSignIns = [] }
      return state.otherSignIns
    }
  }

  /// The tokens that are accepted now. [any thread]
  public var tokens: [AccessToken] { state.withLock { $0.tokens } }

  func serve(tokens: [AccessToken]) { state.withLock { $0.tokens = tokens } }

  /// Returns and clears the pending changes; a `nil` entry changes nothing. [the loop]
  func takeChanges() -> [ServerChanges?] {
    state.withLock { state in
      defer { state.changes = [] }
      return state.changes
    }
  }

  var isStopping: Bool { state.withLock { $0.isStopping } }

  var inlets: [SourceInlet] { state.withLock { $0.inlets } }

  /// Unblocks all waiting sources and closes their inlets. [the loop]
  func close() {
    let inlets = state.withLock { state in
      state.isStopping = true
      return state.inlets
    }
    for inlet in inlets { inlet.mailbox.close() }
  }
}
