/// A source that sends its whole list at every interval; the engine computes the changes.
///
///     struct Users: PolledSource {
///       let schema = Schema(
///         "users", key: .text, columns: [Column("name", .text), Column("home", .text)])
///       init(_ configuration: Configuration) {}
///
///       mutating func list(_ rows: inout Batch) throws {
///         for user in allUsers() { rows.add(key: user.name, user.name, user.home) }
///       }
///     }
///
/// An error in `list` marks the rows as stale, with the error as the reason. `list` is then called
/// again after the interval, and after twice as long each time, up to a minute. The next accepted
/// list makes the source live again. A list that the host refuses counts as an error, for example
/// one with too few cells in a row.
public protocol PolledSource: DataSource {
  /// The time from the end of one list to the start of the next; 1 second by default.
  var interval: Duration { get }

  /// Adds every row, with one value per column.
  mutating func list(_ rows: inout Batch) throws
}

extension PolledSource {
  /// One second.
  public var interval: Duration { .seconds(1) }

  /// Lists, sends and waits until the source is stopped.
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
        // A source that is being stopped does not retry, whatever the error is.
        if host.isStopping { throw HostError.stopping }
        let pause = retry.next()
        host.setState(.stale, "\(error); trying again in \(RetryPause.written(pause))")
        try host.wait(pause)
      }
    }
  }
}
