import ListEngine
import Locales

/// The recorded events of the sources, in order and with their times, for replay to new clients.
///
///     var replay = try SourceReplay(path: "monday.rowcast")
///     while let event = try replay.next() { wait(event.after); tell(event.what) }
public struct SourceReplay: ~Copyable {
  /// A source's event.
  public enum What: Sendable {
    /// The source declared its table. Following events refer to it by number: the count of tables
    /// before it.
    case table(Schema)
    /// The source replaced its table with one of other columns.
    case replacement(TableID, Schema)
    /// The source changed rows.
    case changes(TableID, Changeset)
    /// The source changed its state, for this reason.
    case state(TableID, SourceState, String)
    /// The source loaded a deferred cell.
    case loaded(TableID, RowKey, column: Int, Cell)
  }

  /// An event and its time.
  public struct Event: Sendable {
    /// The time since the recording's first record.
    public var after: Duration
    /// The content of the event.
    public var what: What
  }

  /// The recording's header.
  public var header: RecordingHeader { reader.header }
  private var reader: RecordingReader
  private var first: Instant?
  /// The tables so far. The engine rejects the same schemas as in the recorded run, which created
  /// no table.
  private var tables = Engine(epoch: "tables", collators: LocaleCollator.find)

  /// Opens a recording.
  public init(path: String) throws(RecordingError) { reader = try RecordingReader(path: path) }

  /// Returns the next event of a source; `nil` at the end. Inputs from clients are skipped.
  public mutating func next() throws(RecordingError) -> Event? {
    while let record = try reader.next() {
      first = first ?? record.moment
      let after = first!.duration(to: record.moment)
      switch record {
      case .table(let schema, let moment):
        guard (try? tables.addTable(schema, at: moment)) != nil else { continue }
        return Event(after: after, what: .table(schema))
      case .replacement(let table, let schema, let moment):
        guard tables.tables(at: moment).indices.contains(table.rawValue),
          (try? tables.replaceTable(table, with: schema, at: moment)) != nil
        else { continue }
        return Event(after: after, what: .replacement(table, schema))
      case .input(.changes(let table, let changes), _): return Event(after: after, what: .changes(table, changes))
      case .input(.source(let table, let state, let message, _), _):
        return Event(after: after, what: .state(table, state, message))
      case .input(.loaded(let table, let key, let column, let cell), _):
        return Event(after: after, what: .loaded(table, key, column: column, cell))
      default: continue
      }
    }
    return nil
  }
}
