import CWebSockets
import ListEngine
import Wire

/// The WebSocket connection of one client.
///
/// The engine knows it as the session with the same id.
final class ClientConnection {
  /// The steps of a connection, in their order.
  enum Phase: Equatable {
    /// The client has sent nothing yet.
    case awaitingHello
    /// The client has sent its `hello`.
    case ready
    /// The client has opened a table, and the engine knows the session.
    case open
    /// The connection is to be closed with this code and reason.
    case closing(Int, String)
    /// The Close frame was sent, and the client has a limited time to answer it.
    case sentClose
    /// A write has failed; the socket is closed in its next callback.
    case broken
  }

  let id: SessionID
  /// The socket's handle in libwebsockets, valid until the server removes the connection.
  let socket: OpaquePointer
  /// The secret by which the client can resume this session on another connection.
  let token: String
  /// The client's original token, whose share of sessions it counts towards.
  let shareToken: AccessToken?
  /// The client's token and role.
  var pass: AccessControl.Pass
  var phase = Phase.awaitingHello
  /// Whether the engine knows the session and must be notified of its end.
  var isKnownToEngine = false
  /// The engine's status change counter when the list of tables was sent last.
  var knownStatusChanges: UInt64?
  var display = Display()
  var incoming: IncomingMessages
  var pending = PendingMessages()
  var delivery = DeliveryRecord()
  var keepalive: Keepalive
  var heartbeats = Heartbeats()

  /// The states in which a client receives only the count of waiting changes.
  struct Display {
    var isHidden = false
    var isPaused = false
    var isQuiet: Bool { isHidden || isPaused }
  }

  /// The heartbeats that the client receives.
  struct Heartbeats {
    /// The time between two of them.
    static let interval = Duration.seconds(1)
    /// The time since the last message in which a client needs none.
    static let sufficient = Duration.milliseconds(500)

    var areWanted = false
    /// The time of the last message to the client.
    var lastSent = Instant.zero
  }

  /// The messages that the client sends.
  struct IncomingMessages {
    var assembly = MessageAssembly()
    var rate: MessageRate
    /// The last query since the previous turn; earlier ones are dropped.
    var lastQuery: Input?
  }

  init(
    id: SessionID, socket: OpaquePointer, pass: AccessControl.Pass, token: String, rate: MessageRate,
    keepalive: Keepalive
  ) {
    self.id = id
    self.socket = socket
    self.pass = pass
    shareToken = pass.token
    self.token = token
    incoming = IncomingMessages(rate: rate)
    self.keepalive = keepalive
  }

  /// Whether nothing more is accepted from the client.
  var isClosing: Bool {
    switch phase {
    case .awaitingHello, .ready, .open: false
    case .closing, .sentClose, .broken: true
    }
  }

  /// Whether the client has sent its `hello` and is not being closed.
  var hasSentHello: Bool { phase == .ready || phase == .open }

  /// Changes the pending messages, and requests a callback to send them.
  func send(_ change: (inout PendingMessages) -> Void) {
    change(&pending)
    lws_callback_on_writable(socket)
  }

  /// Begins to close the connection, and drops all pending messages except `error`.
  func beginClosing(_ code: Int, _ reason: String, error: ClientError? = nil) {
    phase = .closing(code, reason)
    incoming.lastQuery = nil
    keepalive.isPingPending = false
    pending = PendingMessages(error: error)
    lws_callback_on_writable(socket)
  }
}
