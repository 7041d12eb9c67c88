import Glibc
import Synchronization

/// Starts this command once more in the place of itself, when somebody has asked for it: a table cannot change its columns while it is shown,
/// a new server can. Its pages come back by themselves.
final class Again: Sendable {
  private let isAsked = Mutex(false)

  /// Whether it is to be started again.
  var isWanted: Bool { isAsked.withLock { $0 } }

  /// It is to be started again when it has ended.
  func ask() { isAsked.withLock { $0 = true } }

  /// Becomes a new one of the same arguments, on this port. Comes back only when that cannot be.
  func become(port: Int) {
    var words = CommandLine.arguments
    words[0] = Installation.executable
    // The last one counts. Before what stands behind --, which is another's.
    let place = words.firstIndex(of: "--") ?? words.endIndex
    words.insert(contentsOf: ["--port", "\(port)"], at: place)
    var none = sigset_t()
    sigemptyset(&none)
    sigprocmask(SIG_SETMASK, &none, nil)
    let arguments = words.map { strdup($0) } + [nil]
    execv(Installation.executable, arguments)
  }
}
