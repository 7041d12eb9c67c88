import ListEngine
import Logging

/// A source, and the table that it has declared.
final class SourceRecord {
  let inlet: SourceInlet
  /// The table; `nil` before the first schema, and after a schema that was refused.
  var table: ServedTable?
  var metrics = SourceMetrics()
  /// The rate-limited log for events that the source causes.
  let log: SourceLog

  init(_ inlet: SourceInlet, logger: Logger) {
    self.inlet = inlet
    log = SourceLog(logger) { EventLoop.now }
  }

  var id: ObjectIdentifier { ObjectIdentifier(inlet) }
}

/// A table of the engine, and the source that fills it.
final class ServedTable {
  let id: TableID
  let source: SourceRecord
  var schema: Schema
  var delays = SourceDelays()

  init(_ id: TableID, of source: SourceRecord, schema: Schema) {
    self.id = id
    self.source = source
    self.schema = schema
  }
}

/// The sources in the order of their arrival, and their tables.
///
///     sources.add(control.inlets, logger: logger, at: now)
///     for record in sources.takeTurn(isReady: { ... }) { record.inlet.mailbox.take(rows: 100) }
struct Sources {
  private(set) var all: [SourceRecord] = []
  private(set) var tables: [TableID: ServedTable] = [:]
  private var idsByName: [String: TableID] = [:]
  /// The sources without a table.
  var tableless = TablelessSources()
  /// The number of turns, by which the order of the sources rotates.
  private var turns = 0

  /// The time of the next report about the sources without a table.
  var deadline: Instant? { tableless.deadline }

  subscript(id: TableID) -> ServedTable? { tables[id] }
  subscript(name: String) -> ServedTable? { idsByName[name].flatMap { tables[$0] } }

  /// Adds the sources that are not known yet.
  ///
  /// - Parameter inlets: All sources in the order of their arrival.
  mutating func add(_ inlets: [SourceInlet], logger: Logger, at now: Instant) {
    for inlet in inlets.dropFirst(all.count) {
      let record = SourceRecord(inlet, logger: logger)
      all.append(record)
      tableless.add(record.id, name: inlet.name, at: now)
    }
  }

  /// Returns the sources with events, and those among them whose events are handled now, in order.
  ///
  /// Sources without a table come first in their declared order, because the page shows the first
  /// table. The order of the others rotates.
  ///
  /// - Parameter isReady: Returns whether the source's table accepts changes.
  mutating func takeTurn(isReady: (SourceRecord) -> Bool) -> (waiting: [SourceRecord], turn: [SourceRecord]) {
    // Check the mailboxes in reverse order: an event sent after one of a preceding source is then
    // never taken without it.
    let waiting = Array(all.reversed().filter(\.inlet.mailbox.hasMail).reversed())
    // A table whose views lag behind accepts nothing, so its source waits while others continue.
    let ready = waiting.filter(isReady)
    guard !ready.isEmpty else { return (waiting, []) }
    turns += 1
    let rotated = ready.indices.map { ready[(turns + $0) % ready.count] }
    return (waiting, ready.filter { $0.table == nil } + rotated.filter { $0.table != nil })
  }

  /// Records the table that a source has declared.
  mutating func addTable(_ id: TableID, of source: SourceRecord, schema: Schema) {
    let table = ServedTable(id, of: source, schema: schema)
    source.table = table
    tables[id] = table
    idsByName[schema.name] = id
    source.inlet.note(schema)
    tableless.remove(source.id)
  }

  /// Records another schema of a table.
  mutating func change(_ table: ServedTable, to schema: Schema) {
    table.source.inlet.note(schema)
    idsByName[table.schema.name] = nil
    idsByName[schema.name] = table.id
    table.schema = schema
  }
}
