import ListEngine

extension Server {
  /// Takes a bounded slice of what the sources have said, each in turn.
  ///
  /// - Returns: whether more waits.
  func takeMail(at now: Instant) -> Bool {
    let inlets = control.inlets
    guard !inlets.isEmpty else { return false }
    let all = inlets.filter(\.mailbox.hasMail)
    // A table whose views lag behind takes nothing: its source waits, the others go on.
    let waiting = all.filter { hasRoom(for: $0) }
    guard !waiting.isEmpty else { return !all.isEmpty }
    // Everyone gets the same share, and another one goes first each time.
    let share = max(1, configuration.rowsPerTurn / waiting.count)
    nextInlet += 1
    for offset in waiting.indices {
      let inlet = waiting[(nextInlet + offset) % waiting.count]
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
    case .changes(let changes):
      guard let table = tablesBySource[source] else {
        logger.warning("rows before a schema are dropped", metadata: ["source": "\(inlet.name)"])
        return
      }
      engine.handle(.changes(table, changes), at: now)
      delays[table, default: SourceDelays()].noteArrival(handedIn: handedIn, at: now)
    case .loaded(let key, let column, let cell):
      if let table = tablesBySource[source] { engine.handle(.loaded(table, key, column: column, cell), at: now) }
    case .notLoaded(let key, let column, let reason):
      if let table = tablesBySource[source] {
        engine.handle(.failed(table, key, column: column, reason: reason), at: now)
      }
    case .forget(let key, let column):
      if let table = tablesBySource[source] { engine.handle(.forget(table, key, column: column), at: now) }
    case .acted(let number, let outcome): finish(number, outcome)
    case .state(let state, let message, let retry):
      logger.info("the source \(inlet.name) is \(state.rawValue)\(message.isEmpty ? "" : ": ")\(message)")
      guard let table = tablesBySource[source] else { return }
      engine.handle(.source(table, state, message: message, retry: retry), at: now)
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

  private func addTable(_ schema: Schema, of inlet: SourceInlet, at now: Instant) {
    let source = ObjectIdentifier(inlet)
    if let table = tablesBySource[source] {
      // A source that has started anew says its schema again. Another one would make every page's columns wrong.
      if schemas[table] != schema {
        logger.error("a source came back with another schema", metadata: ["source": "\(inlet.name)"])
        engine.handle(.source(table, .failed, message: "it came back with other columns; restart rowcast"), at: now)
        tablesBySource[source] = nil
      }
      return
    }
    do throws(SchemaError) {
      let table = try engine.addTable(schema, at: now)
      tablesBySource[source] = table
      inletsByTable[table] = inlet
      schemas[table] = schema
      tablesByName[schema.name] = table
    } catch {
      logger.error("a source's schema is refused", metadata: ["source": "\(inlet.name)", "reason": "\(error)"])
    }
  }
}
