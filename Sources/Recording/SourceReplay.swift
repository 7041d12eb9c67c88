import ListEngine
import Locales

/// What a recording's sources said, in their order and with the time between: to be told again to pages that look now.
///
///     var replay = try SourceReplay(path: "monday.rowcast")
///     while let event = try replay.next() { wait(event.after); tell(event.what) }
public struct SourceReplay: ~Copyable {
  /// What a source said.
  public enum What: Sendable {
    /// Its table; the table's number, which the following events name, is the count of those before it.
    case table(Schema)
    /// Its table has other columns from now on.
    case replacement(TableID, Schema)
    /// Its rows have changed.
    case changes(TableID, Changeset)
    /// It is up or down, and why.
    case state(TableID, SourceState, String)
    /// It has loaded a deferred cell.
    case loaded(TableID, RowKey, column: Int, Cell)
  }

  /// What was said, and how long after the first of all.
  public struct Event: Sendable {
    /// The time since the recording's first record.
    public var after: Duration
    /// What was said.
    public var what: What
  }

  /// What the recording says before its first record.
  public var header: RecordingHeader { reader.header }
  private var reader: RecordingReader
  private var first: Instant?
  /// The tables so far: a schema that was refused made none.
  private var tables = Engine(epoch: "tables", collators: LocaleCollator.find)

  /// Opens a recording.
  public init(path: String) throws(RecordingError) { reader = try RecordingReader(path: path) }

  /// The next thing that a source said; `nil` at the end. What pages said is passed over.
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
