import CWebSockets
import ListEngine
import Wire

extension Server {
  /// Handles a piece of a client's message.
  ///
  /// - Returns: `false` if the socket is to be closed with the reason given to libwebsockets.
  func receive(_ piece: UnsafeRawBufferPointer, from client: ClientConnection) -> Bool {
    guard !client.isClosing else { return true }
    client.keepalive.noteMessage(at: EventLoop.now)
    let socket = client.socket
    guard lws_frame_is_binary(socket) == 0 else { return close(client, 1003, "text only") }
    switch client.incoming.assembly.add(
      piece, missing: lws_remaining_packet_payload(socket), isFinal: lws_is_final_fragment(socket) != 0)
    {
    case .incomplete: return true
    case .tooLong: return close(client, 1009, "too long")
    case .message(let bytes): return take(bytes, from: client)
    }
  }

  private func take(_ bytes: [UInt8], from client: ClientConnection) -> Bool {
    let now = EventLoop.now
    operations.metrics.messagesReceived += 1
    guard count(1, of: client, at: now) else { return false }
    do throws(ClientError) {
      let message = try ClientMessage(decoding: bytes, limits: configuration.limits)
      guard client.pass.role >= message.leastRole else {
        throw .notAllowed("this needs the role \(message.leastRole.rawValue)")
      }
      let isQuery = if case .query = message { true } else { false }
      if !isQuery { handleLastQuery(of: client, at: now) }
      guard let input = try input(message, of: client) else { return true }
      if !isQuery {
        engine.handle(input, at: now)
      } else if clients.keep(input, of: client) {
        operations.metrics.queriesOvertaken += 1
      }
      loop.requestTurn()
      guard !isQuery || count(queryCost(of: client) - 1, of: client, at: now) else { return false }
    } catch {
      refuse(client, error, engineKnowsIt: client.phase == .open)
      loop.requestTurn()
    }
    return true
  }

  /// Counts messages towards the client's rate limit; returns `false` if the socket is to be
  /// closed.
  private func count(_ count: Int, of client: ClientConnection, at now: Instant) -> Bool {
    guard count > 0 else { return true }
    switch client.incoming.rate.note(count, at: now) {
    case .fine: return true
    case .enough:
      operations.metrics.pauses += 1
      lws_rx_flow_control(client.socket, 0)
      lws_set_timer_usecs(client.socket, configuration.messagePause.nanoseconds / 1_000)
      return true
    case .tooMuch: return close(client, 1008, "too many messages")
    }
  }

  /// Returns the engine's input for a message, or `nil` if the message is handled here.
  private func input(_ message: ClientMessage, of client: ClientConnection) throws(ClientError) -> Input? {
    switch (message, client.phase) {
    case (.hello(let version, _, let wantsHeartbeats), .awaitingHello):
      guard version == ServerMessage.version else { throw .wrongVersion(version, supported: ServerMessage.version) }
      client.phase = .ready
      if wantsHeartbeats { clients.beginHeartbeats(of: client, at: EventLoop.now) }
      client.send { $0.hasHello = true }
      return nil
    case (_, .awaitingHello): throw .unexpectedMessage("send hello first")
    case (.hello, _): throw .unexpectedMessage("hello was sent already")
    case (.signOut, _):
      try signOut(client)
      return nil
    case (.act(let act), _):
      try self.act(act, of: client)
      return nil
    case (.open(let open), _):
      let resume = try resumePoint(open.resume, of: client)
      client.phase = .open
      client.isKnownToEngine = true
      client.display.isPaused = false
      sendNewStatus(of: open.table, to: client)
      return .open(
        client.id, table: open.table, request: open.request, query: open.query, viewport: open.viewport,
        interval: open.interval, resume: resume, owner: owner(of: client),
        isRestricted: client.pass.role == .viewer ? true : nil)
    case (_, .ready): throw .unexpectedMessage("open a table first")
    case (.query(let request, let query, let viewport), _):
      client.display.isPaused = false
      return .query(client.id, request: request, query: query, viewport: viewport)
    case (.collapse(let section, let isCollapsed), _):
      client.display.isPaused = false
      return .collapse(client.id, section, isCollapsed: isCollapsed)
    case (.viewport(let viewport), _): return .viewport(client.id, viewport)
    case (.ack(let sequence), _):
      client.delivery.noteReady(at: EventLoop.now)
      return .acknowledge(client.id, sequence: sequence)
    case (.resync(let sequence, let reason), _):
      operations.clientLog.log(
        .info, "a client requests its whole window", metadata: ["reason": "\(reason.prefix(100))"])
      return .resync(client.id, sequence: sequence)
    case (.pace(let interval), _): return .pace(client.id, interval)
    case (.visibility(let isHidden), _):
      client.display.isHidden = isHidden
      lws_callback_on_writable(client.socket)
      return .visibility(client.id, isHidden: isHidden)
    case (.pause(let isPaused), _):
      client.display.isPaused = isPaused
      // A client that resumes must not receive an outdated count.
      client.send { if !isPaused { $0.waiting = nil } }
      return .pause(client.id, isPaused: isPaused)
    case (.hold(let isHeld), _): return .hold(client.id, isHeld: isHeld)
    case (.tiles(let id, let tiles), _):
      // An earlier report has another number of tiles.
      client.send { $0.tiles = nil }
      return .tiles(client.id, id: id, tiles)
    case (.facets(let id, let facets), _):
      // An earlier report is about other facets.
      client.send { $0.report(nil) }
      return .facets(client.id, id: id, facets)
    case (.pins(let id, let keys), _):
      // An earlier report is about other rows.
      client.send { $0.reportPins(nil) }
      return .pins(client.id, id: id, keys)
    case (.stats(let isWanted), _):
      if isWanted { operations.stats.watch(client.id, at: EventLoop.now) } else { operations.stats.unwatch(client.id) }
      if !isWanted { client.pending.hasStats = false }
      loop.requestTurn()
      return nil
    case (.name(let id, let rows), _):
      let named = names(of: rows, for: client)
      client.send { $0.named = (id, named) }
      return nil
    case (.locate(let id, let keys), _):
      let located = keys.compactMap { engine.locate($0, for: client.id) }
      client.send { $0.located = (id, located) }
      return nil
    case (.parse(let id, let written, let caret), _):
      let reading = reading(of: written, caret: caret, for: client)
      client.send { $0.parsed = (id, reading) }
      return nil
    }
  }

  /// Reads a filter for the client's open table, as the client's role may see it.
  private func reading(of written: WrittenFilter, caret: Int?, for client: ClientConnection) -> FilterReading {
    guard let schema = engine.openTable(of: client.id).flatMap({ sources[$0]?.schema }) else {
      return FilterReading(.failure(FilterText.Fault(missingTable: written.text)))
    }
    return FilterReading(written, schema: client.pass.role == .viewer ? schema.restricted : schema, caret: caret)
  }

  /// Returns the tables as the session's role may see them.
  ///
  /// Viewers run no actions. They do not receive them, because the default value of an argument can
  /// be a value that only operators may see.
  private func tables(for client: ClientConnection, at now: Instant) -> [TableDescription] {
    var tables = engine.tables(at: now)
    guard client.pass.role == .viewer else { return tables }
    for index in tables.indices {
      tables[index].schema = tables[index].schema.restricted
      tables[index].schema.actions = []
    }
    return tables
  }

  /// Returns the engine's number for the clients of a token; `nil` if all clients may share one.
  private func owner(of client: ClientConnection) -> Int? {
    configuration.tokens.count > 1 ? client.shareToken?.hashValue : nil
  }

  /// Sends the status of the source of a newly opened table, if it may have changed since the
  /// `hello`.
  ///
  /// The engine reports status changes only to sessions that have the table open.
  private func sendNewStatus(of table: String, to client: ClientConnection) {
    guard client.knownStatusChanges != engine.statusChanges else { return }
    guard let description = engine.tables(at: EventLoop.now).first(where: { $0.schema.name == table }) else { return }
    client.send { $0.status = (table, description.source) }
  }

  /// Returns the keys of the rows that exist, omitting keys that are too long to send.
  private func names(of rows: [RowID], for client: ClientConnection) -> [(id: RowID, key: RowKey)] {
    rows.compactMap { row in
      guard let key = engine.key(of: row, shownTo: client.id) else { return nil }
      if case .text(let text) = key, text.utf8.count > ClientMessage.greatestKey { return nil }
      return (row, key)
    }
  }

  /// Returns the point from which a client resumes a session of another connection, or the window
  /// that another node has sent it.
  ///
  /// The former connection may not have noticed the loss yet, so it is closed.
  private func resumePoint(_ resume: ClientMessage.Resume?, of client: ClientConnection) throws(ClientError)
    -> ResumePoint?
  {
    guard let resume, resume.epoch == engine.epoch else { return nil }
    let session = resume.token.flatMap { clients.resumeTokens.session($0) }
    guard session != nil || resume.window != nil else { return nil }
    guard session != client.id else {
      throw .unexpectedMessage("resume names the session of another connection, not its own")
    }
    if let previous = session.flatMap({ clients[$0] }), previous.phase == .open {
      previous.beginClosing(1008, "the session has resumed on another connection")
    }
    return ResumePoint(
      session: session, sequence: resume.sequence, anchorOffset: resume.anchorOffset, window: resume.window)
  }

  func close(_ client: ClientConnection, _ code: Int, _ reason: String) -> Bool {
    operations.logger.debug("a client is disconnected", metadata: ["code": "\(code)", "reason": "\(reason)"])
    giveCloseReason(client.socket, code, reason)
    return false
  }

  func giveCloseReason(_ socket: OpaquePointer, _ code: Int, _ reason: String) {
    var bytes = Array(reason.utf8)
    lws_close_reason(socket, lws_close_status(rawValue: UInt32(code)), &bytes, bytes.count)
  }

  // MARK: Delays and disconnects

  /// The time that a client has to answer the Close frame.
  private static let closeTimeout: Duration = .seconds(3)

  /// Handles the session's timer, which ends a pause of reading or the wait for a Close frame.
  ///
  /// - Returns: `false` if the socket is to be closed.
  func timerRanOut(of client: ClientConnection) -> Bool {
    lws_rx_flow_control(client.socket, 1)
    return client.phase != .sentClose
  }

  // MARK: Sending

  /// Sends at most one pending message, because libwebsockets allows one write per callback.
  ///
  /// - Returns: `false` if the socket is to be closed.
  func write(to client: ClientConnection) -> Bool {
    switch client.phase {
    case .broken: return false
    case .sentClose: return true
    case .closing(let code, let reason) where client.pending.error == nil: return showOut(client, code, reason)
    case .awaitingHello, .ready, .open, .closing: break
    }
    if client.delivery.isDraining, lws_partial_buffered(client.socket) == 0 {
      client.delivery.isDraining = false
      noteWritable(client)
    }
    if client.keepalive.isPingPending {
      if hasMore(client) { lws_callback_on_writable(client.socket) }
      return ping(client)
    }
    guard let next = client.pending.takeNext(isQuiet: client.display.isQuiet) else { return true }
    let isSent: Bool
    if case .patch(var bytes) = next {
      isSent = send(&bytes, to: client.socket)
      if isSent { noteDelivered(to: client) }
    } else {
      var bytes = Self.frameRoom
      message(for: next, to: client).encode(to: &bytes)
      isSent = send(&bytes, to: client.socket)
    }
    client.heartbeats.lastSent = EventLoop.now
    if isSent, hasMore(client) { lws_callback_on_writable(client.socket) }
    return isSent
  }

  /// Sends the Close frame; a timer closes the socket if the client does not answer.
  ///
  /// libwebsockets' own Close frame is lost if a WRITEABLE callback closes the socket, because
  /// Debian's build with _DEBUG closes twice in libuv mode. It also adds two timers per client to a
  /// sorted list, which takes more than ten seconds with 9,000 clients.
  private func showOut(_ client: ClientConnection, _ code: Int, _ reason: String) -> Bool {
    client.phase = .sentClose
    // When the server stops, `run()` has a time limit of its own.
    if !isStopping { lws_set_timer_usecs(client.socket, Self.closeTimeout.nanoseconds / 1_000) }
    let reason = Array(reason.utf8.prefix(123))
    var frame = [UInt8](repeating: 0, count: CLWS_PRE)
    frame +=
      [0x88, UInt8(2 + reason.count), UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)] + reason
    return frame.withUnsafeMutableBufferPointer {
      clws_write_frame(client.socket, $0.baseAddress! + CLWS_PRE, $0.count - CLWS_PRE) >= 0
    }
  }

  /// Returns whether a message or the Close frame is to be sent.
  func hasMore(_ client: ClientConnection) -> Bool {
    client.isClosing || client.pending.hasNext(isQuiet: client.display.isQuiet)
  }

  /// Returns the message in its current form.
  private func message(for pending: PendingMessages.Message, to client: ClientConnection) -> ServerMessage {
    let now = EventLoop.now
    switch pending {
    case .error(let error): return .error(error)
    case .hello:
      client.knownStatusChanges = engine.statusChanges
      return .hello(
        server: configuration.name, epoch: engine.epoch, role: client.pass.role.rawValue, token: client.token,
        isSignedIn: client.pass.signIn != nil,
        alive: client.heartbeats.areWanted ? ClientConnection.Heartbeats.interval : nil,
        tables: tables(for: client, at: now),
        sources: sources.tableless.descriptions(at: now))
    case .refused(let refusal): return .refused(refusal)
    case .acted(let id, let token, let outcome): return .acted(id: id, token: token, outcome)
    case .named(let id, let rows): return .named(id: id, rows)
    case .located(let id, let rows): return .located(id: id, rows)
    case .parsed(let id, let reading): return .parsed(id: id, reading)
    case .tables:
      client.knownStatusChanges = engine.statusChanges
      return .tables(tables(for: client, at: now))
    case .sources: return .sources(sources.tableless.descriptions(at: now))
    case .status(let table, let status): return .status(table: table, status)
    case .waiting(let waiting): return .waiting(waiting)
    case .tiles(let reports): return .tiles(reports)
    case .facets(let reports): return .facets(reports)
    case .pins(let reports): return .pins(reports)
    case .stats: return .stats(stats(for: client))
    case .patch: preconditionFailure("a patch is encoded when it is cut")
    }
  }
}
