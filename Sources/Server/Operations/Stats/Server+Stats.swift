import CWebSockets
import ListEngine
import Wire

extension Server {
  /// Takes a sample of the counters when it is due, and schedules the statistics of every watcher.
  func tellStats(at now: Instant) {
    guard stats.takeDue(at: now) else { return }
    var changes = [UInt64](repeating: 0, count: schemas.count)
    for (source, table) in tablesBySource where table.rawValue < changes.count {
      changes[table.rawValue] = sourceMetrics[source]?.changes ?? 0
    }
    stats.note(StatsFeed.Moment(at: now, counters: engine.counters, changes: changes))
    for id in stats.watchers {
      guard let session = sessionsByID[id], session.phase == .open, !session.isQuiet else { continue }
      session.owesStats = true
      lws_callback_on_writable(session.socket)
    }
  }

  /// Returns the statistics for one client.
  func stats(for session: Session) -> ServerStats {
    let now = EventLoop.now
    var figures = ServerStats(interval: session.interval ?? configuration.limits.interval)
    figures.coalescing = stats.coalescing
    if let table = session.table {
      figures.delay = delays[table]?.recent(at: now)
      figures.prefetch = engine.prefetch(of: table)
    }
    let counters = stats.moments.last?.counters ?? engine.counters
    figures.headersMade = counters.headersMade
    figures.headersReused = counters.headersReused
    figures.sessions = sessions.count
    for (number, table) in engine.tables(at: now).enumerated() {
      var source = ServerStats.Source(
        table: table.schema.name, rows: table.rows, changes: stats.changes(of: number))
      source.isolation = tablesByName[table.schema.name].flatMap { inletsByTable[$0]?.confinement }
      figures.sources.append(source)
    }
    return figures
  }

  /// Records the time span of the changes that a new patch carries.
  ///
  /// A patch carries the changes since the previous flush, but a flush without changes leaves no
  /// trace. If the client was ready for at least one interval, the previous flush is at most one
  /// interval old. Otherwise the changes have waited since the last patch.
  func noteCut(_ delivery: Delivery, for session: Session, at now: Instant) {
    let table = tablesByName[delivery.schema.name]
    let wait = delivery.interval + Self.turnAllowance
    let wasReady = session.readySince.duration(to: now) >= wait
    let from = max(session.cutAt, wasReady ? Instant(nanoseconds: now.nanoseconds - wait.nanoseconds) : .zero)
    session.carried = delivery.patch.base == nil || table != session.table ? nil : (from, now)
    session.table = table
    session.interval = delivery.interval
    session.cutAt = now
  }

  /// Records the delays of the changes in a patch that was handed to the socket.
  func noteSent(to session: Session, at now: Instant) {
    guard let (from, cut) = session.carried, let table = session.table else { return }
    session.carried = nil
    delays[table, default: SourceDelays()].noteSent(after: from, through: cut, at: now) { metrics.delays.record($0) }
  }

  /// The delay of a flush that is still considered punctual, for turns with much to do.
  private static let turnAllowance: Duration = .milliseconds(10)
}
