import CWebSockets
import ListEngine
import Wire

/// The connection of one client, and the messages that wait to be sent to it.
///
/// The pending messages are bounded: there is at most one of each kind, and newer ones replace
/// older ones. A patch is not cut before the previous one was sent. Only the results of actions and
/// refusals form lists, which have limits of their own.
final class Session {
  enum Phase: Equatable {
    /// The client has sent nothing yet.
    case greeting
    /// The client has sent its `hello`.
    case greeted
    /// The client has opened a table, and the engine knows the session.
    case open
    /// The connection is being closed with this code and reason.
    case closing(Int, String)
  }

  let id: SessionID
  /// The socket's handle in libwebsockets, valid until the server removes the session.
  let socket: OpaquePointer
  /// The client's token and role.
  var pass: AccessControl.Pass
  /// The secret by which the client can resume this session on another connection.
  let token: String
  var phase = Phase.greeting
  /// Whether the engine knows the session and must be notified of its end.
  var isKnownToEngine = false
  /// The client's original token, whose share of sessions it counts towards.
  let shareToken: AccessToken?
  var hasShare = false
  /// The last query since the previous turn; earlier ones are dropped.
  var lastQuery: Input?
  var assembly = MessageAssembly()
  var rate: MessageRate

  var owesHello = false
  var owesTables = false
  var owesSources = false
  var status: (table: String, source: SourceStatus)?
  /// The engine's status change counter when the list of tables was sent last.
  var toldStatusChanges: UInt64?
  /// The count of waiting changes for a paused client.
  var waiting: Waiting?
  /// Whether the page is hidden; a hidden page receives only the count of waiting changes.
  var isHidden = false
  var isPaused = false
  /// Whether statistics are due.
  var owesStats = false
  /// The results of actions that were not sent yet.
  var acted: [(id: UInt64, token: String?, outcome: ActionOutcome)] = []
  /// The pending answer to the last request for keys.
  var named: (id: UInt64, rows: [(id: RowID, key: RowKey)])?
  var located: (id: UInt64, rows: [LocatedRow])?
  var error: ClientError?
  /// The refusals that were not sent yet.
  var refusals: [Refusal] = []
  /// The pending patch, after space for the frame header.
  var patch: [UInt8]?
  /// The time at which the patch being sent was cut.
  var patchSince: Instant?
  /// The table of the last patch.
  var table: TableID?
  var interval: Duration?
  /// The time at which the last patch was cut.
  var cutAt = Instant.zero
  /// The time since which the client could receive the next patch.
  var readySince = Instant.zero
  /// The time span in which the changes of the patch being sent reached the engine.
  ///
  /// It excludes its start and includes its end.
  var carried: (after: Instant, through: Instant)?
  /// Whether the Close frame was sent.
  var isShownOut = false
  /// Whether a write has failed; the socket is closed in its next callback.
  var isBroken = false
  /// Whether libwebsockets still buffers a part of the last patch.
  var isDraining = false
  /// The keepalive state of the client.
  var keepalive: Keepalive
  /// Whether a ping is due.
  var owesPing = false

  init(
    id: SessionID, socket: OpaquePointer, pass: AccessControl.Pass, token: String, rate: MessageRate,
    keepalive: Keepalive
  ) {
    self.id = id
    self.socket = socket
    self.pass = pass
    shareToken = pass.token
    self.token = token
    self.rate = rate
    self.keepalive = keepalive
  }

  /// Whether the client receives nothing but the count of waiting changes.
  var isQuiet: Bool { isHidden || isPaused }

  /// Adds a refusal; of each kind, only the last few unsent ones are kept.
  func refuse(_ refusal: Refusal) {
    let own = refusals.indices.filter { refusals[$0].isOfSection == refusal.isOfSection }
    if own.count >= Self.unreadRefusals { refusals.remove(at: own[0]) }
    refusals.append(refusal)
  }

  /// The number of unsent refusals kept for queries, and the same number for sections.
  static let unreadRefusals = 4

  var isClosing: Bool {
    if case .closing = phase { return true }
    return false
  }

  /// Begins to close the connection, and drops all pending messages except `error`.
  func beginClosing(_ code: Int, _ reason: String, error: ClientError? = nil) {
    phase = .closing(code, reason)
    lastQuery = nil
    owesHello = false
    owesPing = false
    owesTables = false
    owesSources = false
    status = nil
    waiting = nil
    owesStats = false
    acted = []
    named = nil
    located = nil
    patch = nil
    refusals = []
    self.error = error
    lws_callback_on_writable(socket)
  }
}

extension Refusal {
  /// Whether the refusal concerns the collapsing of a section rather than the query.
  fileprivate var isOfSection: Bool { request == shown }
}
