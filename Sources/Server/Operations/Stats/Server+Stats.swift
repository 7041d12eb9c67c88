import CWebSockets
import ListEngine
import Wire

extension Server {
  /// Takes a sample of the counters when it is due, and schedules the statistics of every watcher.
  func sendStats(at now: Instant) {
    guard operations.stats.takeDue(at: now) else { return }
    var changes = [UInt64](repeating: 0, count: sources.tables.count)
    for source in sources.all {
      if let table = source.table { changes[table.id.rawValue] = source.metrics.changes }
    }
    operations.stats.note(StatsFeed.Moment(at: now, counters: engine.counters, changes: changes))
    for id in operations.stats.watchers {
      guard let client = clients[id], client.phase == .open, !client.display.isQuiet else { continue }
      client.send { $0.hasStats = true }
    }
  }

  /// Returns the statistics for one client.
  func stats(for client: ClientConnection) -> ServerStats {
    let now = EventLoop.now
    var figures = ServerStats(interval: client.delivery.interval ?? configuration.limits.interval)
    figures.coalescing = operations.stats.coalescing
    if let table = client.delivery.table {
      figures.delay = sources[table]?.delays.recent(at: now)
      figures.prefetch = engine.prefetch(of: table)
    }
    let counters = operations.stats.moments.last?.counters ?? engine.counters
    figures.headersMade = counters.headersMade
    figures.headersReused = counters.headersReused
    figures.sessions = clients.count
    for (number, table) in engine.tables(at: now).enumerated() {
      var source = ServerStats.Source(
        table: table.schema.name, rows: table.rows, changes: operations.stats.changes(of: number))
      source.isolation = sources[table.schema.name]?.source.inlet.confinement
      figures.sources.append(source)
    }
    return figures
  }
}
