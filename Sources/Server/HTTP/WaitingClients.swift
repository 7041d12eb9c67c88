import Glibc
import ListEngine

/// The clients whose response waits for a source, or for the client to read on.
///
/// libwebsockets does not read from their sockets meanwhile. If such a client closes its
/// connection, libwebsockets wakes up for the unread end again and again, which occupies a whole
/// core. Their sockets are therefore polled ten times per second.
struct WaitingClients {
  /// The cause of the wait.
  enum Cause {
    /// The response waits for a source; nothing is written, and reading is paused.
    case source
    /// The client does not accept the response, and libwebsockets waits for the socket to become
    /// writable.
    case client
  }

  /// The interval between two polls.
  static let interval: Duration = .milliseconds(100)
  /// POLLRDHUP, which Swift does not import from glibc.
  private static let hangUp: Int16 = 0x2000

  private var causes: [OpaquePointer: Cause] = [:]
  /// The time of the next poll; `nil` if no response waits.
  private(set) var deadline: Instant?

  /// Adds a client whose response begins to wait.
  mutating func add(_ socket: OpaquePointer, for cause: Cause, at now: Instant) {
    causes[socket] = cause
    if deadline == nil { deadline = now.advanced(by: Self.interval) }
  }

  /// Removes a client, and returns the cause of its wait.
  @discardableResult
  mutating func remove(_ socket: OpaquePointer) -> Cause? {
    defer { if causes.isEmpty { deadline = nil } }
    return causes.removeValue(forKey: socket)
  }

  /// Returns the clients to disconnect, if a poll is due.
  ///
  /// - Complexity: O(*n*) in the waiting clients, at most ten times per second.
  mutating func takeLeft(at now: Instant, hasLeft: (OpaquePointer, Cause) -> Bool) -> [OpaquePointer] {
    guard let due = deadline, due <= now else { return [] }
    deadline = now.advanced(by: Self.interval)
    return causes.filter { hasLeft($0.key, $0.value) }.map(\.key)
  }

  /// Returns whether the client has disconnected.
  ///
  /// A client that sends more data without reading its response counts as disconnected, too.
  static func hasLeft(_ descriptor: Int32, _ cause: Cause) -> Bool {
    let events = cause == .source ? hangUp : hangUp | Int16(POLLIN | POLLOUT)
    var entry = pollfd(fd: descriptor, events: events, revents: 0)
    return poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLOUT) == 0
  }
}
