import CWebSockets
import ListEngine
import Wire

extension Server {
  /// Handles a piece of a client's message.
  ///
  /// - Returns: `false` if the socket is to be closed with the reason given to libwebsockets.
  func receive(_ piece: UnsafeRawBufferPointer, from session: Session) -> Bool {
    guard !session.isClosing else { return true }
    session.keepalive.hear(at: EventLoop.now)
    let socket = session.socket
    guard lws_frame_is_binary(socket) == 0 else { return close(session, 1003, "text only") }
    switch session.assembly.add(
      piece, missing: lws_remaining_packet_payload(socket), isFinal: lws_is_final_fragment(socket) != 0)
    {
    case .incomplete: return true
    case .tooLong: return close(session, 1009, "too long")
    case .message(let bytes): return take(bytes, from: session)
    }
  }

  private func take(_ bytes: [UInt8], from session: Session) -> Bool {
    let now = EventLoop.now
    metrics.messagesReceived += 1
    guard count(1, of: session, at: now) else { return false }
    do throws(ClientError) {
      let message = try ClientMessage(decoding: bytes, limits: configuration.limits)
      guard session.pass.role >= message.leastRole else { throw .notAllowed("a viewer may only look") }
      let isQuery = if case .query = message { true } else { false }
      if !isQuery { handleLastQuery(of: session, at: now) }
      guard let input = try input(message, of: session) else { return true }
      if isQuery { keep(input, of: session) } else { engine.handle(input, at: now) }
      loop.requestTurn()
      guard !isQuery || count(queryCost(of: session) - 1, of: session, at: now) else { return false }
    } catch {
      refuse(session, error, engineKnowsIt: session.phase == .open)
      loop.requestTurn()
    }
    return true
  }

  /// Counts messages towards the client's rate limit; returns `false` if the socket is to be
  /// closed.
  private func count(_ count: Int, of session: Session, at now: Instant) -> Bool {
    guard count > 0 else { return true }
    switch session.rate.note(count, at: now) {
    case .fine: return true
    case .enough:
      metrics.pauses += 1
      lws_rx_flow_control(session.socket, 0)
      lws_set_timer_usecs(session.socket, configuration.messagePause.nanoseconds / 1_000)
      return true
    case .tooMuch: return close(session, 1008, "too many messages")
    }
  }

  /// Returns the engine's input for a message, or `nil` if the message is handled here.
  private func input(_ message: ClientMessage, of session: Session) throws(ClientError) -> Input? {
    switch (message, session.phase) {
    case (.hello(let version, _), .greeting):
      guard version == ServerMessage.version else { throw .wrongVersion(version) }
      session.phase = .greeted
      session.owesHello = true
      lws_callback_on_writable(session.socket)
      return nil
    case (_, .greeting): throw .unexpectedMessage("say hello first")
    case (.hello, _): throw .unexpectedMessage("hello was said already")
    case (.signOut, _):
      try signOut(session)
      return nil
    case (.act(let act), _):
      try self.act(act, of: session)
      return nil
    case (.open(let open), _):
      let resume = try resumePoint(open.resume, of: session)
      session.phase = .open
      session.isKnownToEngine = true
      session.isPaused = false
      tellNewStatus(of: open.table, to: session)
      return .open(
        session.id, table: open.table, request: open.request, query: open.query, viewport: open.viewport,
        interval: open.interval, resume: resume, owner: owner(of: session),
        isRestricted: session.pass.role == .viewer ? true : nil)
    case (_, .greeted): throw .unexpectedMessage("open a table first")
    case (.query(let request, let query, let viewport), _):
      session.isPaused = false
      return .query(session.id, request: request, query: query, viewport: viewport)
    case (.collapse(let section, let isCollapsed), _):
      session.isPaused = false
      return .collapse(session.id, section, isCollapsed: isCollapsed)
    case (.viewport(let viewport), _): return .viewport(session.id, viewport)
    case (.ack(let sequence), _):
      session.readySince = EventLoop.now
      return .acknowledge(session.id, sequence: sequence)
    case (.resync(let sequence, let reason), _):
      pageLog.log(.info, "a page asks for its window anew", metadata: ["reason": "\(reason.prefix(100))"])
      return .resync(session.id, sequence: sequence)
    case (.pace(let interval), _): return .pace(session.id, interval)
    case (.visibility(let isHidden), _):
      session.isHidden = isHidden
      lws_callback_on_writable(session.socket)
      return .visibility(session.id, isHidden: isHidden)
    case (.pause(let isPaused), _):
      session.isPaused = isPaused
      // A client that resumes must not receive an outdated count.
      if !isPaused { session.waiting = nil }
      lws_callback_on_writable(session.socket)
      return .pause(session.id, isPaused: isPaused)
    case (.hold(let isHeld), _): return .hold(session.id, isHeld: isHeld)
    case (.stats(let isWanted), _):
      if isWanted { stats.watch(session.id, at: EventLoop.now) } else { stats.unwatch(session.id) }
      if !isWanted { session.owesStats = false }
      loop.requestTurn()
      return nil
    case (.name(let id, let rows), _):
      session.named = (id, names(of: rows, for: session))
      lws_callback_on_writable(session.socket)
      return nil
    case (.locate(let id, let keys), _):
      session.located = (id, keys.compactMap { engine.locate($0, for: session.id) })
      lws_callback_on_writable(session.socket)
      return nil
    }
  }

  /// Returns the tables with the columns that the session's role may see.
  private func tables(for session: Session, at now: Instant) -> [TableDescription] {
    var tables = engine.tables(at: now)
    guard session.pass.role == .viewer else { return tables }
    for index in tables.indices { tables[index].schema = tables[index].schema.restricted }
    return tables
  }

  /// Returns the engine's number for the clients of a token; `nil` if all clients may share one.
  private func owner(of session: Session) -> Int? {
    configuration.tokens.count > 1 ? session.shareToken?.hashValue : nil
  }

  /// Sends the status of the source of a newly opened table, if it may have changed since the
  /// `hello`.
  ///
  /// The engine reports status changes only to sessions that have the table open.
  private func tellNewStatus(of table: String, to session: Session) {
    guard session.toldStatusChanges != engine.statusChanges else { return }
    guard let description = engine.tables(at: EventLoop.now).first(where: { $0.schema.name == table }) else { return }
    session.status = (table, description.source)
    lws_callback_on_writable(session.socket)
  }

  /// Returns the keys of the rows that exist, omitting keys that are too long to send.
  private func names(of rows: [RowID], for session: Session) -> [(id: RowID, key: RowKey)] {
    rows.compactMap { row in
      guard let key = engine.key(of: row, shownTo: session.id) else { return nil }
      if case .text(let text) = key, text.utf8.count > ClientMessage.greatestKey { return nil }
      return (row, key)
    }
  }

  /// Returns the point from which a client resumes a session of another connection.
  ///
  /// The former connection may not have noticed the loss yet, so it is closed.
  private func resumePoint(_ resume: ClientMessage.Resume?, of session: Session) throws(ClientError) -> ResumePoint? {
    guard let resume, resume.epoch == engine.epoch, let token = resume.token, let id = resumeTokens.session(token)
    else { return nil }
    guard id != session.id else {
      throw .unexpectedMessage("resume names the session of another connection, not its own")
    }
    if let former = sessionsByID[id], former.phase == .open {
      former.beginClosing(1008, "the page has come back on another connection")
    }
    return ResumePoint(session: id, sequence: resume.sequence, anchorOffset: resume.anchorOffset)
  }

  func close(_ session: Session, _ code: Int, _ reason: String) -> Bool {
    logger.debug("a page is closed", metadata: ["code": "\(code)", "reason": "\(reason)"])
    giveCloseReason(session.socket, code, reason)
    return false
  }

  func giveCloseReason(_ socket: OpaquePointer, _ code: Int, _ reason: String) {
    var bytes = Array(reason.utf8)
    lws_close_reason(socket, lws_close_status(rawValue: UInt32(code)), &bytes, bytes.count)
  }

  // MARK: Delays and disconnects

  /// The time that a client has to answer the Close frame.
  private static let farewell: Duration = .seconds(3)

  /// Handles the session's timer, which ends a pause of reading or the wait for a Close frame.
  ///
  /// - Returns: `false` if the socket is to be closed.
  func timerRanOut(of session: Session) -> Bool {
    lws_rx_flow_control(session.socket, 1)
    return !session.isShownOut
  }

  // MARK: Sending

  /// Sends at most one pending message, because libwebsockets allows one write per callback.
  ///
  /// - Returns: `false` if the socket is to be closed.
  func write(to session: Session) -> Bool {
    guard !session.isBroken else { return false }
    if session.isDraining, lws_partial_buffered(session.socket) == 0 {
      session.isDraining = false
      tellWritable(session)
    }
    if case .closing(let code, let reason) = session.phase, session.error == nil {
      return session.isShownOut || showOut(session, code, reason)
    }
    if session.owesPing {
      if hasMore(session) { lws_callback_on_writable(session.socket) }
      return ping(session)
    }
    guard let next = nextMessage(of: session) else { return true }
    var message = next.message
    guard send(&message, to: session.socket) else { return false }
    if next.isPatch { noteDelivered(to: session) }
    if hasMore(session) { lws_callback_on_writable(session.socket) }
    return true
  }

  /// Sends the Close frame; a timer closes the socket if the client does not answer.
  ///
  /// libwebsockets' own Close frame is lost if a WRITEABLE callback closes the socket, because
  /// Debian's build with _DEBUG closes twice in libuv mode. It also adds two timers per client to a
  /// sorted list, which takes more than ten seconds with 9,000 clients.
  private func showOut(_ session: Session, _ code: Int, _ reason: String) -> Bool {
    session.isShownOut = true
    // When the server stops, `run()` has a time limit of its own.
    if !isStopping { lws_set_timer_usecs(session.socket, Self.farewell.nanoseconds / 1_000) }
    let reason = Array(reason.utf8.prefix(123))
    var frame = [UInt8](repeating: 0, count: CLWS_PRE)
    frame +=
      [0x88, UInt8(2 + reason.count), UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)] + reason
    return frame.withUnsafeMutableBufferPointer {
      clws_write_frame(session.socket, $0.baseAddress! + CLWS_PRE, $0.count - CLWS_PRE) >= 0
    }
  }

  /// Returns whether a message is pending.
  func hasMore(_ session: Session) -> Bool {
    session.isClosing || session.owesHello || !session.refusals.isEmpty || !session.acted.isEmpty
      || session.named != nil || session.located != nil
      || ((session.owesTables || session.owesSources) && !session.isQuiet)
      || session.status != nil
      || session.waiting != nil || session.owesStats || session.patch != nil
  }

  /// Returns the next message to send; the list of tables must precede any table.
  private func nextMessage(of session: Session) -> (message: [UInt8], isPatch: Bool)? {
    let message: ServerMessage
    if let error = session.error {
      session.error = nil
      message = .error(error)
    } else if session.owesHello {
      session.owesHello = false
      session.owesTables = false
      session.owesSources = false
      let now = EventLoop.now
      session.toldStatusChanges = engine.statusChanges
      message = .hello(
        server: configuration.name, epoch: engine.epoch, role: session.pass.role.rawValue, token: session.token,
        isSignedIn: session.pass.signIn != nil, tables: tables(for: session, at: now),
        sources: tableless.descriptions(at: now))
    } else if !session.refusals.isEmpty {
      message = .refused(session.refusals.removeFirst())
    } else if !session.acted.isEmpty {
      let acted = session.acted.removeFirst()
      message = .acted(id: acted.id, token: acted.token, acted.outcome)
    } else if let named = session.named {
      session.named = nil
      message = .named(id: named.id, named.rows)
    } else if let located = session.located {
      session.located = nil
      message = .located(id: located.id, located.rows)
    } else if session.owesTables, !session.isQuiet {
      session.owesTables = false
      session.toldStatusChanges = engine.statusChanges
      message = .tables(tables(for: session, at: EventLoop.now))
    } else if session.owesSources, !session.isQuiet {
      session.owesSources = false
      message = .sources(tableless.descriptions(at: EventLoop.now))
    } else if let status = session.status {
      session.status = nil
      message = .status(table: status.table, status.source)
    } else if let waiting = session.waiting {
      session.waiting = nil
      message = .waiting(waiting)
    } else if session.owesStats {
      session.owesStats = false
      message = .stats(stats(for: session))
    } else if let patch = session.patch {
      session.patch = nil
      return (patch, true)
    } else {
      return nil
    }
    var bytes = Self.frameRoom
    message.encode(to: &bytes)
    return (bytes, false)
  }
}
