import CWebSockets
import ListEngine
import Wire

/// One page: what it may say next, and what waits to be sent to it.
///
/// What waits is bounded by its shape: one hello, one list of tables, one of sources, one status, one count, one answer about keys of each kind, one patch, one error. Newer ones take the place of
/// older ones; a patch is not made before the last one was taken. Only of what became of actions everything is told, and their number is bounded.
final class Session {
  enum Phase: Equatable {
    /// Nothing was said yet.
    case greeting
    /// It said hello.
    case greeted
    /// It opened a table: the engine knows it.
    case open
    /// It is being shown out, with this code and reason.
    case closing(Int, String)
  }

  let id: SessionID
  /// libwebsockets' name for the socket; valid until the session is taken out of the server.
  let socket: OpaquePointer
  /// What it was let in with, and what it may do.
  var pass: AccessControl.Pass
  /// What the page proves with that this was its session, should it come back on another socket.
  let token: String
  var phase = Phase.greeting
  /// Whether it has opened a table: then the engine is told when it ends, however it comes to that.
  var isKnownToEngine = false
  /// The token it came with, in whose share of all pages it is, and whether there was room for it in that.
  let shareToken: AccessToken?
  var hasShare = false
  /// The query that it has asked since the last turn: only the last one is handed to the engine.
  var lastQuery: Input?
  var assembly = MessageAssembly()
  var rate: MessageRate

  var owesHello = false
  var owesTables = false
  var owesSources = false
  var status: (table: String, source: SourceStatus)?
  /// How often sources had changed their states when it was told of the tables.
  var toldStatusChanges: UInt64?
  /// What waits for the page while it pauses.
  var waiting: Waiting?
  /// Whether the page is to get nothing but that: nobody can see it, or its reader wants it to stay as it is.
  var isHidden = false
  var isPaused = false
  /// Whether it is to be told what goes on.
  var owesStats = false
  /// What became of what the page wanted done.
  var acted: [(id: UInt64, token: String?, outcome: ActionOutcome)] = []
  /// What it has asked for last of rows and keys, answered.
  var named: (id: UInt64, rows: [(id: RowID, key: RowKey)])?
  var located: (id: UInt64, rows: [LocatedRow])?
  var error: ClientError?
  /// Requests that were refused, as the client does not know yet: the last few queries, and sections that cannot be collapsed.
  var refusals: [Refusal] = []
  /// The next patch with room for the frame's head in front; at most one.
  var patch: [UInt8]?
  /// When the patch that waits, or that libwebsockets still holds a part of, was cut.
  var patchSince: Instant?
  /// The table of the last patch, and the least time until the next one.
  var table: TableID?
  var interval: Duration?
  /// When the last patch was cut.
  var cutAt = Instant.zero
  /// Since when the page could be given the next one.
  var readySince = Instant.zero
  /// When what the patch on its way carries had reached the engine: after the first of these and not after the second.
  var carried: (after: Instant, through: Instant)?
  /// Whether the Close frame was sent.
  var isShownOut = false
  /// Whether writing to the socket has failed: it is closed when libwebsockets says that it is its turn.
  var isBroken = false
  /// Whether a patch was handed over of which libwebsockets still holds a part.
  var isDraining = false
  /// Whether it is still there.
  var keepalive: Keepalive
  /// Whether it is to be asked.
  var owesPing = false

  init(
    id: SessionID, socket: OpaquePointer, pass: AccessControl.Pass, token: String, rate: MessageRate, keepalive: Keepalive
  ) {
    self.id = id
    self.socket = socket
    self.pass = pass
    shareToken = pass.token
    self.token = token
    self.rate = rate
    self.keepalive = keepalive
  }

  /// Whether the page gets nothing but the count of what waits.
  var isQuiet: Bool { isHidden || isPaused }

  /// Remembers a refusal until it is sent. A client that asks on and on without reading is told of its last requests.
  func refuse(_ refusal: Refusal) {
    let own = refusals.indices.filter { refusals[$0].isOfSection == refusal.isOfSection }
    if own.count >= Self.unreadRefusals { refusals.remove(at: own[0]) }
    refusals.append(refusal)
  }

  /// So many refusals of queries wait for a client that does not read, and so many of sections.
  static let unreadRefusals = 4

  var isClosing: Bool {
    if case .closing = phase { return true }
    return false
  }

  /// Drops what waits, but for the reason why.
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
  /// Whether a section was to be collapsed, and the query itself stands.
  fileprivate var isOfSection: Bool { request == shown }
}
