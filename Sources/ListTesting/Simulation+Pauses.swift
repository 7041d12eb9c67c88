import ListEngine

/// Clients that pause updates.
extension Simulation {
  /// A paused client's view at the start of the pause.
  struct PausedView {
    /// The rows by key.
    var rows: [RowKey: [Cell]]
    /// The last reported counts and their time.
    var reported: Waiting
    var reportedAt: Instant?
    /// Whether the client has scrolled or requested a resync, and so may receive missing rows.
    var hasScrolled = false
  }

  mutating func pause(_ engine: inout Engine) {
    guard let index = anyClient() else { return }
    (clients[index].mayHold, clients[index].heldAt) = (false, nil)
    guard clients[index].pause == nil else { return goOn(&engine, index) }
    // Earlier inputs about the client's viewport may be answered now.
    clients[index].pause = PausedView(
      rows: plain.shownRows(clients[index].query),
      reported: Waiting(changed: 0, rows: plain.count(clients[index].query)),
      hasScrolled: !holdsViewport(clients[index]))
    engine.handle(.pause(clients[index].id, isPaused: true), at: clock.now)
  }

  mutating func goOn(_ engine: inout Engine, _ index: Int) {
    clients[index].pause = nil
    clients[index].tiles?.mayReportEarly = true
    allowEarlyFacets(index)
    engine.handle(.pause(clients[index].id, isPaused: false), at: clock.now)
  }

  /// Whether the client has all visible rows, with no delivery in flight.
  private func holdsViewport(_ client: SimulatedClient) -> Bool {
    guard client.isCurrent, !client.awaitsWindow, client.coming.isEmpty, client.viewport.stick == nil,
      client.viewport.sequence == client.replica.sequence
    else { return false }
    let total = client.replica.total
    let first = max(0, min(client.viewport.first, total - client.viewport.count))
    let visible = first..<min(first + client.viewport.count, total)
    return visible.isEmpty
      || (client.replica.start..<client.replica.start + client.replica.items.count).contains(visible)
  }

  /// Checks that a paused client only receives a patch after scrolling, with the newer rows marked.
  mutating func judgePaused(_ delivery: Delivery, _ index: Int) throws {
    guard let pause = clients[index].pause else {
      guard delivery.newer.isEmpty else { throw failure("a page that does not pause receives marks of newer rows") }
      return
    }
    // A whole window is only sent if it was requested before the pause, or after a resync.
    guard pause.hasScrolled || delivery.patch.base == nil || !clients[index].replica.absences.isEmpty else {
      throw failure("a page that pauses gets a patch")
    }
    guard isExact else { return }
    for (place, item) in delivery.patch.result.items.enumerated() {
      guard case .row(let row) = item, case .integer(let number) = row.cells[Self.keyColumn] else { continue }
      let isNewer = pause.rows[.integer(number)]?.prefix(Self.keyColumn + 1) != row.cells.prefix(Self.keyColumn + 1)
      guard !isNewer || delivery.newer.contains(place) else {
        throw failure("a paused client does not learn that row \(number) is newer")
      }
    }
    coverage.looks += 1
  }

  /// Checks the reports of pending changes: rate-limited, only new counts, and at least the number
  /// of different rows.
  mutating func judge(_ waiting: Waiting, _ id: SessionID) throws {
    guard let index = clients.firstIndex(where: { $0.id == id }), let pause = clients[index].pause else {
      throw failure("a page that does not pause receives a count of waiting changes")
    }
    guard !clients[index].isHidden else { throw failure("a hidden page receives a count of waiting changes") }
    guard waiting != pause.reported || pause.reportedAt == nil else {
      throw failure("a page receives the count \(waiting) twice")
    }
    // A clock that was set back makes intervals appear too short.
    if let last = pause.reportedAt, last <= clock.now, !hasClockGoneBack {
      guard last.duration(to: clock.now) >= .seconds(1) else { throw failure("a page receives two counts in a second") }
    }
    let query = clients[index].query
    guard waiting.rows == plain.count(query) else {
      throw failure("a page that pauses receives a count of \(waiting.rows) rows, not of \(plain.count(query))")
    }
    let now = plain.shownRows(query)
    let different = Set(now.keys).union(pause.rows.keys).count { now[$0] != pause.rows[$0] }
    guard waiting.changed >= different else {
      throw failure("a page receives a count of \(waiting.changed) changed rows, but \(different) are different")
    }
    clients[index].pause?.reported = waiting
    clients[index].pause?.reportedAt = clock.now
    coverage.waits += 1
  }
}
