import ListEngine

/// What other threads may do to a server.
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
    // One that never says anything is there, too.
    waker.wake()
    return inlet
  }

  /// Chooses anew what can be chosen while the server runs. [any thread]
  public func change(_ changes: ServerChanges) {
    state.withLock {
      $0.changes.append(changes)
      $0.tokens = changes.tokens
    }
    waker.wake()
  }

  /// Says that there was nothing to choose from after all, so that whoever waits for it is told. [any thread]
  public func keepChoices() {
    state.withLock { $0.changes.append(nil) }
    waker.wake()
  }

  /// The browsers that have signed in. [any thread]
  public var signIns: SignIns { state.withLock { $0.signIns } }

  /// Adds sign-ins that another process or an earlier run knows; those that were ended there end here. [any thread]
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

  /// What lets somebody in now. [any thread]
  public var tokens: [AccessToken] { state.withLock { $0.tokens } }

  func serve(tokens: [AccessToken]) { state.withLock { $0.tokens = tokens } }

  /// [the loop] What was chosen anew since the last time; `nil` for nothing after all.
  func takeChanges() -> [ServerChanges?] {
    state.withLock { state in
      defer { state.changes = [] }
      return state.changes
    }
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
