import CWebSockets
import ListEngine
import Logging

extension Server {
  /// Takes a bounded slice of what the sources have said, each in turn.
  ///
  /// - Returns: whether more waits.
  func takeMail(at now: Instant) -> Bool {
    let inlets = control.inlets
    guard !inlets.isEmpty else { return false }
    for inlet in inlets.dropFirst(tableless.count) { tableless.add(ObjectIdentifier(inlet), name: inlet.name, at: now) }
    // From the last one: who sees what a later source has told sees what an earlier one told before.
    let all = Array(inlets.reversed().filter(\.mailbox.hasMail).reversed())
    // A table whose views lag behind takes nothing: its source waits, the others go on.
    let waiting = all.filter { hasRoom(for: $0) }
    guard !waiting.isEmpty else { return !all.isEmpty }
    // Everyone gets the same share, and another one goes first each time; but for those whose table is not there yet: the first table that people
    // see is that of the first source.
    let share = max(1, configuration.rowsPerTurn / waiting.count)
    nextInlet += 1
    let turn = waiting.indices.map { waiting[(nextInlet + $0) % waiting.count] }
    let isNew = { (inlet: SourceInlet) in self.tablesBySource[ObjectIdentifier(inlet)] == nil }
    for inlet in waiting.filter(isNew) + turn.filter({ !isNew($0) }) {
      for mail in inlet.mailbox.take(rows: share) { handle(mail.event, handedIn: mail.since, from: inlet, at: now) }
    }
    return all.contains { $0.mailbox.hasMail }
  }

  private func hasRoom(for inlet: SourceInlet) -> Bool {
    tablesBySource[ObjectIdentifier(inlet)].map { engine.hasRoom(for: $0) } ?? true
  }

  private func handle(
    _ event: SourceInlet.Event, handedIn: Instant, from inlet: SourceInlet, at now: Instant
  ) {
    let source = ObjectIdentifier(inlet)
    sourceMetrics[source, default: SourceMetrics()].note(event)
    switch event {
    case .schema(let schema):
      addTable(schema, of: inlet, at: now)
    case .columnsAdded(let schema):
      if let table = tablesBySource[source] { addColumns(schema, to: table, of: inlet, at: now) }
    case .changes(let changes):
      guard let table = tablesBySource[source] else {
        log(inlet, .warning, "rows before a schema are dropped", ["source": "\(inlet.name)"])
        return
      }
      engine.handle(.changes(table, changes), at: now)
      logNotes(of: table, inlet)
      delays[table, default: SourceDelays()].noteArrival(handedIn: handedIn, at: now)
    case .loaded(let key, let column, let cell):
      if let table = tablesBySource[source] { engine.handle(.loaded(table, key, column: column, cell), at: now) }
    case .notLoaded(let key, let column, let reason):
      if let table = tablesBySource[source] {
        engine.handle(.failed(table, key, column: column, reason: reason), at: now)
      }
    case .forget(let key, let column):
      if let table = tablesBySource[source] { engine.handle(.forget(table, key, column: column), at: now) }
    case .page, .sections, .pageFailed, .sourceChanged:
      if let table = tablesBySource[source] {
        answer(event, of: table, at: now)
        logNotes(of: table, inlet)
      }
    case .image(let number, let outcome): finishImage(number, outcome)
    case .acted(let number, let outcome): finish(number, outcome)
    case .state(let state, let message, let retry):
      log(
        inlet, .info, "the source \(inlet.name) is \(state.rawValue)\(message.isEmpty ? "" : ": ")\(message)")
      guard let table = tablesBySource[source] else {
        return tableless.note(source, state, message: message, retry: retry, at: now)
      }
      engine.handle(.source(table, state, message: message, retry: retry), at: now)
    }
  }

  /// Logs what a source has caused: for each source so many lines a second, like its own.
  private func log(
    _ inlet: SourceInlet, _ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata? = nil
  ) {
    let source = ObjectIdentifier(inlet)
    let log = sourceLogs[source] ?? SourceLog(logger) { EventLoop.now }
    sourceLogs[source] = log
    log.log(level, message, metadata: metadata)
  }

  /// Logs the first, tenth, hundredth and so on of each reason for which rows are left out, or answers are wrong.
  private func logNotes(of table: TableID, _ inlet: SourceInlet) {
    let (rejections, contradictions) = engine.takeNotes(of: table)
    let lines =
      rejections.map {
        "\($0.count == 1 ? "1 row was" : "\($0.count) rows were") left out: \($0.reason); the last: \($0.example)"
      }
      + contradictions.map {
        "\($0.count == 1 ? "1 answer is" : "\($0.count) answers are") wrong: \($0.reason); the last: \($0.example)"
      }
    for line in lines {
      log(inlet, .warning, "the source \(inlet.name): \(line)")
      inlet.note(line)
    }
  }

  /// A windowed source answers, or says that something has changed.
  private func answer(_ event: SourceInlet.Event, of table: TableID, at now: Instant) {
    switch event {
    case .page(let id, let page): engine.handle(.page(table, id, page), at: now)
    case .sections(let id, let sections): engine.handle(.sections(table, id, sections), at: now)
    case .pageFailed(let id, let reason): engine.handle(.pageFailed(table, id, reason: reason), at: now)
    case .sourceChanged: engine.handle(.sourceChanged(table), at: now)
    default: break
    }
  }

  /// Asks a table's source for pages. One that hears nothing has failed to answer.
  func ask(_ requests: [PageRequest], of table: TableID) {
    guard inletsByTable[table]?.ask(.ask(requests)) != true else { return }
    for request in requests {
      engine.handle(.pageFailed(table, request.id, reason: "its source answers nothing"), at: EventLoop.now)
    }
  }

  /// Has a table's source load or cancel deferred cells. One that hears nothing has failed to.
  func ask(_ wish: SourceInlet.Wish, of table: TableID) {
    guard inletsByTable[table]?.ask(wish) != true, case .load(let cells) = wish else { return }
    for cell in cells {
      let reason = "its source loads nothing"
      engine.handle(.failed(table, cell.key, column: cell.column, reason: reason), at: EventLoop.now)
    }
  }

  /// Tells pages how the sources are that have no table, when there is something new.
  func tellTableless(at now: Instant) {
    guard tableless.takeNews(at: now) else { return }
    for session in sessions.values where session.phase == .greeted || session.phase == .open {
      session.owesSources = true
      lws_callback_on_writable(session.socket)
    }
  }

  private func addTable(_ schema: Schema, of inlet: SourceInlet, at now: Instant) {
    let source = ObjectIdentifier(inlet)
    if let table = tablesBySource[source] {
      // A source that has started anew says its schema again.
      if schemas[table] != schema { replace(table, with: schema, of: inlet, at: now) }
      return
    }
    do throws(SchemaError) {
      let table = try engine.addTable(schema, at: now)
      tablesBySource[source] = table
      inletsByTable[table] = inlet
      inlet.note(schema)
      schemas[table] = schema
      tablesByName[schema.name] = table
      tableless.remove(source)
    } catch {
      tableless.refuse(source, "its table is refused: \(error)")
      log(inlet, .error, "a source's schema is refused", ["source": "\(inlet.name)", "reason": "\(error)"])
    }
  }

  /// Puts a table with more columns and the same rows in the place of one.
  ///
  /// - Complexity: O(cells).
  private func addColumns(_ schema: Schema, to table: TableID, of inlet: SourceInlet, at now: Instant) {
    guard let former = schemas[table], former != schema else { return }
    let rows = engine.contents(of: table, columns: schema.columns.count)
    replace(table, with: schema, of: inlet, at: now)
    guard schemas[table] == schema else { return }
    for changes in rows { engine.handle(.changes(table, changes), at: now) }
  }

  /// Another schema is another table in the same place: pages are told, and open it anew.
  private func replace(_ table: TableID, with schema: Schema, of inlet: SourceInlet, at now: Instant) {
    do throws(SchemaError) {
      try engine.replaceTable(table, with: schema, at: now)
      log(inlet, .info, "a source has other columns now", ["source": "\(inlet.name)"])
      inlet.note(schema)
      if let name = schemas[table]?.name { tablesByName[name] = nil }
      schemas[table] = schema
      tablesByName[schema.name] = table
    } catch {
      log(inlet, .error, "a source's new columns are refused", ["source": "\(inlet.name)", "reason": "\(error)"])
      engine.handle(.source(table, .failed, message: "its new columns are refused: \(error)"), at: now)
      tablesBySource[ObjectIdentifier(inlet)] = nil
    }
  }
}
