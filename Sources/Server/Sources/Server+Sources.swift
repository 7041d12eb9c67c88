import CWebSockets
import ListEngine
import Logging

extension Server {
  /// Handles a bounded number of events of all sources, which have equal shares.
  ///
  /// - Returns: Whether more events wait.
  func takeMail(at now: Instant) -> Bool {
    sources.add(control.inlets, logger: configuration.logger, at: now)
    let (waiting, turn) = sources.takeTurn { source in source.table.map { engine.hasRoom(for: $0.id) } ?? true }
    guard !turn.isEmpty else { return !waiting.isEmpty }
    let share = max(1, configuration.rowsPerTurn / turn.count)
    for source in turn {
      for mail in source.inlet.mailbox.take(rows: share) {
        handle(mail.event, receivedAt: mail.since, from: source, at: now)
      }
    }
    return waiting.contains { $0.inlet.mailbox.hasMail }
  }

  private func handle(_ event: SourceEvent, receivedAt: Instant, from source: SourceRecord, at now: Instant) {
    source.metrics.note(event)
    switch event {
    case .schema(let schema): return declare(derived(schema, by: source), by: source, at: now)
    case .image(let number, let outcome): return finishImage(number, outcome)
    case .acted(let number, let outcome): return finish(number, outcome)
    case .upload(let answer): return handle(answer)
    case .state(let state, let message, let retry):
      let name = source.inlet.name
      source.log.log(.info, "the source \(name) is \(state.rawValue)\(message.isEmpty ? "" : ": ")\(message)")
      if source.table == nil { sources.tableless.note(source.id, state, message: message, retry: retry, at: now) }
    case .changes where source.table == nil:
      source.log.log(.warning, "rows before a schema are dropped", metadata: ["source": "\(source.inlet.name)"])
    default: break
    }
    guard let table = source.table else { return }
    if case .columnsAdded(let schema) = event { addColumns(derived(schema, by: source), to: table, at: now) }
    if let input = Input(event, of: table.id) { engine.handle(input, at: now) }
    if case .changes = event { table.delays.noteArrival(receivedAt: receivedAt, at: now) }
    logNotes(of: table)
  }

  /// Logs rejected rows and contradictory answers, at counts 1, 10, 100 and so on per reason.
  private func logNotes(of table: ServedTable) {
    let (rejections, contradictions) = engine.takeNotes(of: table.id)
    let lines =
      rejections.map {
        "\($0.count == 1 ? "1 row was" : "\($0.count) rows were") left out: \($0.reason); the last: \($0.example)"
      }
      + contradictions.map {
        "\($0.count == 1 ? "1 answer is" : "\($0.count) answers are") wrong: \($0.reason); the last: \($0.example)"
      }
    let inlet = table.source.inlet
    for line in lines {
      table.source.log.log(.warning, "the source \(inlet.name): \(line)")
      inlet.note(line)
    }
  }

  /// Sends requests to a windowed source; they fail immediately if the source accepts none.
  func ask(_ requests: [BlockRequest], of table: TableID) {
    guard sources[table]?.source.inlet.ask(.ask(requests)) != true else { return }
    for request in requests {
      engine.handle(.pageFailed(table, request.id, reason: "its source is not running"), at: EventLoop.now)
    }
  }

  /// Sends a request for deferred cells to a source; loads fail immediately if the source accepts
  /// none.
  func ask(_ request: SourceRequest, of table: TableID) {
    guard sources[table]?.source.inlet.ask(request) != true, case .load(let cells) = request else { return }
    for cell in cells {
      let reason = "its source is not running"
      engine.handle(.failed(table, cell.key, column: cell.column, reason: reason), at: EventLoop.now)
    }
  }

  /// Schedules the list of sources without a table for all clients if it has changed.
  func sendTableless(at now: Instant) {
    guard sources.tableless.takeChanges(at: now) else { return }
    for client in clients.all where client.hasSentHello { client.send { $0.hasSources = true } }
  }

  // MARK: Schemas

  /// Returns a source's schema with the columns that the server fills.
  private func derived(_ schema: Schema, by source: SourceRecord) -> Schema {
    for problem in configuration.unfulfilled(in: schema) { source.log.log(.warning, "\(problem)") }
    return configuration.derived(schema)
  }

  /// Adds the table of a source, or changes it if a restarted source declares another schema.
  private func declare(_ schema: Schema, by source: SourceRecord, at now: Instant) {
    if let table = source.table {
      if table.schema != schema { replace(table, with: schema, at: now) }
      return
    }
    do throws(SchemaError) {
      sources.addTable(try engine.addTable(schema, at: now), of: source, schema: schema)
    } catch {
      sources.tableless.refuse(source.id, "its table is refused: \(error)")
      source.log.log(
        .error, "a source's schema is refused", metadata: ["source": "\(source.inlet.name)", "reason": "\(error)"])
    }
  }

  /// Replaces a table's schema with one that has more columns, and keeps the rows.
  ///
  /// - Complexity: O(*n*), where *n* is the number of cells.
  private func addColumns(_ schema: Schema, to table: ServedTable, at now: Instant) {
    guard table.schema != schema else { return }
    let rows = engine.contents(of: table.id, columns: schema.givenColumnCount)
    replace(table, with: schema, at: now)
    guard table.schema == schema else { return }
    for changes in rows { engine.handle(.changes(table.id, changes), at: now) }
  }

  /// Replaces a table after its source declared a different schema; clients must open it again.
  private func replace(_ table: ServedTable, with schema: Schema, at now: Instant) {
    let source = table.source
    do throws(SchemaError) {
      try engine.replaceTable(table.id, with: schema, at: now)
      source.log.log(.info, "a source has changed its columns", metadata: ["source": "\(source.inlet.name)"])
      sources.change(table, to: schema)
    } catch {
      source.log.log(
        .error, "a source's new columns are refused",
        metadata: ["source": "\(source.inlet.name)", "reason": "\(error)"])
      engine.handle(.source(table.id, .failed, message: "its new columns are refused: \(error)"), at: now)
      source.table = nil
    }
  }
}
