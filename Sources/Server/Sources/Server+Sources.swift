import CWebSockets
import ListEngine
import Logging

extension Server {
  /// Handles a bounded number of events of all sources.
  ///
  /// - Returns: Whether more events wait.
  func takeMail(at now: Instant) -> Bool {
    let inlets = control.inlets
    guard !inlets.isEmpty else { return false }
    for inlet in inlets.dropFirst(tableless.count) { tableless.add(ObjectIdentifier(inlet), name: inlet.name, at: now) }
    // Check the mailboxes in reverse order: an event sent after one of a preceding source is then
    // never taken without it.
    let all = Array(inlets.reversed().filter(\.mailbox.hasMail).reversed())
    // A table whose views lag behind accepts nothing, so its source waits while others continue.
    let waiting = all.filter { hasRoom(for: $0) }
    guard !waiting.isEmpty else { return !all.isEmpty }
    // All sources have equal shares, and the order rotates. Sources without a table come first in
    // their declared order, because the page shows the first table.
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

  /// Logs an event that a source has caused, within the source's rate limit.
  private func log(
    _ inlet: SourceInlet, _ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata? = nil
  ) {
    let source = ObjectIdentifier(inlet)
    let log = sourceLogs[source] ?? SourceLog(logger) { EventLoop.now }
    sourceLogs[source] = log
    log.log(level, message, metadata: metadata)
  }

  /// Logs rejected rows and contradictory answers, at counts 1, 10, 100 and so on per reason.
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

  /// Passes an answer or a change report of a windowed source to the engine.
  private func answer(_ event: SourceInlet.Event, of table: TableID, at now: Instant) {
    switch event {
    case .page(let id, let page): engine.handle(.page(table, id, page), at: now)
    case .sections(let id, let sections): engine.handle(.sections(table, id, sections), at: now)
    case .pageFailed(let id, let reason): engine.handle(.pageFailed(table, id, reason: reason), at: now)
    case .sourceChanged: engine.handle(.sourceChanged(table), at: now)
    default: break
    }
  }

  /// Sends requests to a windowed source; they fail immediately if the source accepts none.
  func ask(_ requests: [PageRequest], of table: TableID) {
    guard inletsByTable[table]?.ask(.ask(requests)) != true else { return }
    for request in requests {
      engine.handle(.pageFailed(table, request.id, reason: "its source answers nothing"), at: EventLoop.now)
    }
  }

  /// Sends a request for deferred cells to a source; loads fail immediately if the source accepts
  /// none.
  func ask(_ wish: SourceInlet.Wish, of table: TableID) {
    guard inletsByTable[table]?.ask(wish) != true, case .load(let cells) = wish else { return }
    for cell in cells {
      let reason = "its source loads nothing"
      engine.handle(.failed(table, cell.key, column: cell.column, reason: reason), at: EventLoop.now)
    }
  }

  /// Schedules the list of sources without a table for all clients if it has changed.
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
      // A restarted source declares the same schema again.
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

  /// Replaces a table's schema with one that has more columns, and keeps the rows.
  ///
  /// - Complexity: O(*n*), where *n* is the number of cells.
  private func addColumns(_ schema: Schema, to table: TableID, of inlet: SourceInlet, at now: Instant) {
    guard let former = schemas[table], former != schema else { return }
    let rows = engine.contents(of: table, columns: schema.columns.count)
    replace(table, with: schema, of: inlet, at: now)
    guard schemas[table] == schema else { return }
    for changes in rows { engine.handle(.changes(table, changes), at: now) }
  }

  /// Replaces a table after its source declared a different schema; clients must open it again.
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
