import ListEngine

/// A publisher's own copy of a table, from which it writes snapshots.
///
/// It applies the same events as the engine of the server. A snapshot of a large table therefore
/// never stops the server's loop.
struct ShadowTable: ~Copyable {
  private var engine: Engine
  private var table: TableID?
  /// The table's schema; `nil` before the first one.
  private(set) var schema: Schema?
  private var state: (state: SourceState, message: String)?
  /// Whether a reload has begun and not ended.
  private(set) var isReloading = false

  /// - Parameter collators: Those of the server, so that both accept the same schemas.
  init(collators: @escaping CollatorFinder) { engine = Engine(epoch: "shadow", collators: collators) }

  /// The number of rows.
  var rows: Int { table.map { engine.rows(of: $0) } ?? 0 }

  /// Applies an event.
  ///
  /// - Returns: Whether the event is valid for the table and may be published.
  mutating func apply(_ event: SourceEvent, at now: Instant) -> Bool {
    switch event {
    case .schema(let schema): return declare(schema, at: now)
    case .columnsAdded(let schema):
      guard let table, self.schema != schema else { return table != nil }
      let rows = engine.contents(of: table, columns: schema.givenColumnCount)
      guard declare(schema, at: now) else { return false }
      for changes in rows { engine.handle(.changes(table, changes), at: now) }
    case .changes(let changes):
      guard let table else { return false }
      if changes.beginsReload { isReloading = true }
      if changes.endsReload || changes.abandonsReload { isReloading = false }
      engine.handle(.changes(table, changes), at: now)
    case .state(let state, let message, _):
      self.state = (state, message)
      if let table { engine.handle(.source(table, state, message: message), at: now) }
    case .loaded, .forget:
      guard let table, let input = Input(event, of: table), isDeferred(event) else { return false }
      engine.handle(input, at: now)
    // Relays read the rows of a windowed table again.
    case .sourceChanged: return schema?.windowed != nil
    default: return false
    }
    _ = engine.advance(to: now)
    return true
  }

  private func isDeferred(_ event: SourceEvent) -> Bool {
    guard let columns = schema?.columns else { return false }
    switch event {
    case .loaded(_, let column, _), .forget(_, let column):
      return columns.indices.contains(column) && columns[column].isDeferred
    default: return false
    }
  }

  private mutating func declare(_ schema: Schema, at now: Instant) -> Bool {
    if self.schema == schema { return true }
    do {
      if let table {
        try engine.replaceTable(table, with: schema, at: now)
      } else {
        table = try engine.addTable(schema, at: now)
      }
    } catch {
      return false
    }
    self.schema = schema
    isReloading = false
    return true
  }

  /// Returns the events from which a table with the same rows is made: its schema, its rows as a
  /// reload, and its state. The rows of a windowed table stay at the source.
  ///
  /// - Complexity: O(*n* log *n* + cells) for *n* rows.
  mutating func events(at now: Instant) -> [SourceEvent] {
    guard let table, let schema else { return [] }
    _ = engine.advance(to: now)
    let state = state.map { [SourceEvent.state($0.state, message: $0.message)] } ?? []
    if schema.windowed != nil { return [.schema(schema), .sourceChanged] + state }
    var parts = engine.contents(of: table, columns: schema.givenColumnCount)
    if parts.isEmpty { parts = [Changeset()] }
    parts[0].beginsReload = true
    parts[parts.count - 1].endsReload = true
    let changes = parts.map { SourceEvent.changes($0) }
    return [.schema(schema)] + changes + state
  }
}
