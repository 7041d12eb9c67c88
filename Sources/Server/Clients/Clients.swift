import ListEngine

/// The connected clients, and what outlives a connection: resume tokens and action requests.
///
///     clients.add(client)                      // false: its token has too many sessions
///     clients[socket]?.send { $0.hasTables = true }
///     clients.remove(socket)
struct Clients {
  private var bySocket: [OpaquePointer: ClientConnection] = [:]
  private var byID: [SessionID: ClientConnection] = [:]
  private var lastID: UInt64 = 0
  /// The number of sessions of each token.
  private var shares: TokenShares
  /// The sessions that count towards their token's share.
  private var sharing: Set<SessionID> = []
  /// The sessions whose last query waits for the turn.
  private var queries: [SessionID] = []
  /// The clients that have not sent `hello` yet, and others.
  private var awaitingHello: DueQueue
  private var awaitingHeartbeat = DueQueue(delay: ClientConnection.Heartbeats.interval, step: .milliseconds(50))
  /// The timer of the keepalive checks.
  private var keepaliveTimer: PeriodicTimer
  var resumeTokens: ResumeTokens
  var actions: ActionBook

  init(_ configuration: ServerConfiguration) {
    shares = TokenShares(limit: configuration.sessionShare)
    awaitingHello = DueQueue(delay: configuration.helloTimeout)
    keepaliveTimer = PeriodicTimer(
      every: min(.seconds(1), configuration.patience.silence, configuration.patience.answer))
    resumeTokens = ResumeTokens(limit: configuration.limits.parkedSessions)
    actions = ActionBook(limit: configuration.limits.parkedSessions)
  }

  var count: Int { bySocket.count }
  var isEmpty: Bool { bySocket.isEmpty }
  /// All clients, in no order.
  var all: some Collection<ClientConnection> { bySocket.values }
  /// The maximum number of sessions of one token.
  var shareLimit: Int {
    get { shares.limit }
    set { shares.limit = newValue }
  }

  subscript(socket: OpaquePointer) -> ClientConnection? { bySocket[socket] }
  subscript(id: SessionID) -> ClientConnection? { byID[id] }

  /// Returns an unused id.
  mutating func nextID() -> SessionID {
    lastID += 1
    return SessionID(rawValue: lastID)
  }

  /// Adds a client that has connected.
  ///
  /// - Returns: Whether its token had room for another session.
  mutating func add(_ client: ClientConnection, at now: Instant) -> Bool {
    keepaliveTimer.begin(at: now)
    bySocket[client.socket] = client
    byID[client.id] = client
    guard shares.take(client.shareToken) else { return false }
    sharing.insert(client.id)
    return true
  }

  /// Removes and returns the client of a closed socket.
  mutating func remove(_ socket: OpaquePointer) -> ClientConnection? {
    guard let client = bySocket.removeValue(forKey: socket) else { return nil }
    byID[client.id] = nil
    if sharing.remove(client.id) != nil { shares.release(client.shareToken) }
    resumeTokens.leave(client.id)
    actions.leave(client.id)
    return client
  }

  mutating func removeAll() {
    bySocket = [:]
    byID = [:]
  }

  // MARK: Deadlines

  /// The time at which a client is next due to be checked, or an action is overdue.
  var deadline: Instant? {
    [awaitingHello.deadline, awaitingHeartbeat.deadline, keepaliveTimer.deadline, actions.deadline]
      .compactMap(\.self).min()
  }

  /// Sets the time limit for a client's `hello`.
  mutating func awaitHello(of client: ClientConnection, at now: Instant) { awaitingHello.add(client.id, at: now) }

  /// Removes and returns the clients that have not sent their `hello` in time.
  mutating func takeWithoutHello(at now: Instant) -> [ClientConnection] {
    awaitingHello.takeDue(at: now).compactMap { byID[$0] }.filter { $0.phase == .awaitingHello }
  }

  /// Lets a client receive heartbeats.
  mutating func beginHeartbeats(of client: ClientConnection, at now: Instant) {
    client.heartbeats.areWanted = true
    awaitingHeartbeat.add(client.id, at: now)
  }

  /// Returns the clients that are due for a heartbeat, and schedules their next ones.
  mutating func takeDueForHeartbeat(at now: Instant) -> [ClientConnection] {
    awaitingHeartbeat.takeDue(at: now).compactMap { id in
      guard let client = byID[id], !client.isClosing else { return nil }
      awaitingHeartbeat.add(id, at: now)
      return client
    }
  }

  /// Returns whether a round of keepalive checks is due, and schedules the next one.
  mutating func takeKeepalive(at now: Instant) -> PeriodicTimer.Round {
    keepaliveTimer.take(at: now, isAnyoneThere: !isEmpty)
  }

  // MARK: Queries

  /// Stores a query until the turn or the client's next message of another type.
  ///
  /// - Returns: Whether it replaced an earlier one.
  mutating func keep(_ query: Input, of client: ClientConnection) -> Bool {
    let isReplaced = client.incoming.lastQuery != nil
    if !isReplaced { queries.append(client.id) }
    client.incoming.lastQuery = query
    return isReplaced
  }

  /// Removes and returns the open clients with a stored query.
  mutating func takeQuerying() -> [ClientConnection] {
    defer { queries = [] }
    return queries.compactMap { byID[$0] }.filter { $0.phase == .open }
  }
}
