/// A source that lists everything it has, again and again; the engine finds out what has changed.
///
///     struct Users: PolledSource {
///       let schema = Schema("users", key: .text, columns: [Column("name", .text), Column("home", .text)])
///       init(_ configuration: Configuration) {}
///
///       mutating func list(_ rows: inout Batch) throws {
///         for user in allUsers() { rows.add(key: user.name, user.name, user.home) }
///       }
///     }
///
/// An error in `list` ends nothing: the rows stay, marked as old, with the error for people to read, and `list` is called again
/// after the interval.
public protocol PolledSource: DataSource {
  /// The time from the end of one list to the beginning of the next; one second unless told otherwise.
  var interval: Duration { get }

  /// Names every row, with one value per column.
  mutating func list(_ rows: inout Batch) throws
}

extension PolledSource {
  /// One second.
  public var interval: Duration { .seconds(1) }

  /// Lists, hands over, waits; until the source is stopped.
  public mutating func run(_ host: ListHost) throws {
    var rows = Batch(.upsert, columns: schema.columns.count)
    var isStale = false
    while true {
      rows.removeAll()
      do {
        try list(&rows)
        try host.reload(rows)
        if isStale { host.setState(.live) }
        isStale = false
      } catch let error as HostError {
        throw error
      } catch {
        host.setState(.stale, "\(error)")
        isStale = true
      }
      try host.wait(interval)
    }
  }
}
