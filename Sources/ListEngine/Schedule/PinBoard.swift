/// The rows that clients have pinned: they receive them by key, inside and outside their views.
///
/// Clients receive the rows that have changed, at most once per interval of their session. The
/// first report after an input of the client does not wait. A paused or hidden client receives it
/// when it resumes.
final class PinBoard {
  /// The pinned rows of one client.
  private struct Watcher {
    let session: Session
    let id: UInt64
    let keys: [RowKey]
    /// The rows last reported, by place.
    var sent: [RowSnapshot?] = []
    var pace = ReportPace()

    /// The least distance of two reports.
    var interval: Duration { max(PinBoard.leastInterval, session.pacing.throttle.interval) }
  }

  private let table: Table
  private var watchers: [SessionID: Watcher] = [:]
  /// Whether the table has changed since the last turn.
  private var hasChanged = false

  /// The least distance of two reports to a client that accepts patches more often.
  private static let leastInterval: Duration = .milliseconds(100)

  init(_ table: Table) { self.table = table }

  /// The number of clients with pinned rows.
  var count: Int { watchers.count }

  // MARK: Clients

  /// Replaces the pinned rows of a client; no keys end its reports.
  func watch(_ session: Session, id: UInt64, _ keys: [RowKey]) {
    leave(session.id)
    session.notePrefetchTargets()
    guard !keys.isEmpty else { return }
    let keys = keys.prefix(table.limits.pinsPerSession).map { $0.fitting(table.schema.key) }
    watchers[session.id] = Watcher(session: session, id: id, keys: keys)
  }

  /// Removes a client that closes the table.
  func leave(_ session: SessionID) { if !watchers.isEmpty { watchers[session] = nil } }

  /// Schedules the report of a client that has become visible or has resumed.
  func refresh(_ session: SessionID) {
    if !watchers.isEmpty { watchers[session]?.pace.schedule(.atOnce) }
  }

  /// Returns the keys of the rows that a client has pinned.
  func keys(of session: SessionID) -> [RowKey] { watchers.isEmpty ? [] : watchers[session]?.keys ?? [] }

  /// Records that the table has changed.
  func noteChange() { if !watchers.isEmpty { hasChanged = true } }

  // MARK: Reports

  /// Reports what is due, and returns the sessions whose pinned rows have changed.
  ///
  /// - Complexity: O(clients with pinned rows).
  func advance(to now: Instant, outputs: inout [Output]) -> [Session] {
    guard !watchers.isEmpty else {
      hasChanged = false
      return []
    }
    if hasChanged {
      for id in watchers.keys { watchers[id]?.pace.schedule(.inTime) }
      hasChanged = false
    }
    let due = watchers.lazy.filter { $0.value.pace.isDue(after: $0.value.interval, at: now) }.map(\.key)
      .sorted { $0.rawValue < $1.rawValue }
    return due.compactMap { report(to: $0, at: now, &outputs) ? watchers[$0]?.session : nil }
  }

  /// Reports the changed rows to a client that is due, and returns whether there are any.
  private func report(to id: SessionID, at now: Instant, _ outputs: inout [Output]) -> Bool {
    guard let watcher = watchers[id] else { return false }
    watchers[id]?.pace.settle()
    let isFirst = watcher.pace.sentAt == nil
    // A hidden or paused client is owed a new report when that ends.
    guard !watcher.session.isQuiet || (isFirst && !watcher.session.isHidden) else { return false }
    var reports = PinReports(id: watcher.id, rows: [])
    if table.schema.windowed != nil {
      guard isFirst else { return false }
      reports.error = .remainderTooLarge("the rows of this table stay at its source, so none can be pinned")
    } else {
      let isRestricted = watcher.session.isRestricted && table.schema.publicColumnCount < table.schema.columns.count
      let rows = watcher.keys.map { key in
        table.slot(of: key).map { table.snapshot($0, isRestricted: isRestricted) }
      }
      for (place, row) in rows.enumerated()
      where isFirst || row?.id != watcher.sent[place]?.id || row?.revision != watcher.sent[place]?.revision {
        reports.rows.append(PinReports.Entry(place, row))
      }
      guard !reports.rows.isEmpty else { return false }
      watchers[id]?.sent = rows
    }
    watchers[id]?.pace.settle(sentAt: now)
    outputs.append(.pins(id, reports))
    return true
  }

  /// The time of the next call to ``advance(to:outputs:)``, or `nil` if nothing is due.
  ///
  /// - Complexity: O(clients with pinned rows).
  var deadline: Instant? {
    watchers.values.lazy
      .filter { $0.pace.pending != .nothing || (self.hasChanged && !$0.session.isQuiet) }
      .map { $0.pace.time(after: $0.interval) }.min()
  }
}
