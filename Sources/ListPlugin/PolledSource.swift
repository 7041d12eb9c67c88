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
/// Any error in `list` marks the rows as stale, with the error as the reason, and `list` is called again: after the interval at
/// first, then after twice as long each time, up to a minute. The next list that is taken makes the source live again. A list
/// that the host refuses, such as one with too few cells in a row, counts as such an error.
public protocol PolledSource: DataSource {
  /// The time from the end of one list to the beginning of the next; one second unless told otherwise.
  var interval: Duration { get }

  /// Names every row, with one value per column.
  mutating func list(_ rows: inout Batch) throws
}

extension PolledSource {
  /// One second.
  public var interval: Duration { .seconds(1) }

  /// Lists, hands over and waits, until the source is stopped.
  public mutating func run(_ host: ListHost) throws {
    var rows = Batch(.upsert, columns: schema.columns.count)
    var retry = RetryPause(interval)
    while true {
      rows.removeAll()
      do {
        try list(&rows)
        try host.reload(rows)
        if retry.isFailing { host.setState(.live) }
        retry = RetryPause(interval)
        try host.wait(interval)
      } catch {
        // A source that is being stopped has no next try, whatever the error is.
        if host.isStopping { throw HostError.stopping }
        let pause = retry.next()
        host.setState(.stale, "\(error); trying again in \(RetryPause.written(pause))")
        try host.wait(pause)
      }
    }
  }
}
