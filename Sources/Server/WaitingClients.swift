import Glibc
import ListEngine

/// Those whose answer waits: for a source, or for themselves to read on. libwebsockets reads nothing from them meanwhile, and comes back at
/// once, again and again, when there is something to read, were it only the end: a client who has said all that he will say would take a whole core.
/// So they are looked at ten times a second.
struct WaitingClients {
  /// What an answer waits for.
  enum Cause {
    /// A source: nothing is written, and libwebsockets was told not to read.
    case source
    /// The client, who does not take what he has asked for. To write libwebsockets must look at the socket, and so it sees what there is to read.
    case client
  }

  /// How often they are looked at.
  static let interval: Duration = .milliseconds(100)
  /// POLLRDHUP, which glibc shows to programs in C only.
  private static let hangUp: Int16 = 0x2000

  private var causes: [OpaquePointer: Cause] = [:]
  /// When they are to be looked at again; `nil` when nobody waits.
  private(set) var deadline: Instant?

  /// An answer begins to wait.
  mutating func add(_ socket: OpaquePointer, for cause: Cause, at now: Instant) {
    causes[socket] = cause
    if deadline == nil { deadline = now.advanced(by: Self.interval) }
  }

  /// An answer waits no more. Says what it has waited for.
  @discardableResult
  mutating func remove(_ socket: OpaquePointer) -> Cause? {
    defer { if causes.isEmpty { deadline = nil } }
    return causes.removeValue(forKey: socket)
  }

  /// Those who are to be sent away, when it is time to look.
  ///
  /// - Complexity: O(those who wait), ten times a second at most.
  mutating func takeLeft(at now: Instant, hasLeft: (OpaquePointer, Cause) -> Bool) -> [OpaquePointer] {
    guard let due = deadline, due <= now else { return [] }
    deadline = now.advanced(by: Self.interval)
    return causes.filter { hasLeft($0.key, $0.value) }.map(\.key)
  }

  /// Whether an answer that waits for this is for nobody: the client will send nothing more, or sends more and does not take what he has
  /// asked for.
  static func hasLeft(_ descriptor: Int32, _ cause: Cause) -> Bool {
    let events = cause == .source ? hangUp : hangUp | Int16(POLLIN | POLLOUT)
    var entry = pollfd(fd: descriptor, events: events, revents: 0)
    return poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLOUT) == 0
  }
}
