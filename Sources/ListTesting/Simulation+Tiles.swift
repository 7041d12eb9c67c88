import ListEngine

/// Summary strips: random tiles of clients, compared with the rows of the reference.
extension Simulation {
  /// The tiles that a client has requested last.
  struct Tiles {
    var id: UInt64
    var queries: [(aggregate: Aggregate?, filter: Filter<Int>?)]
    var lastSent: Instant?
    /// Whether the next report may follow before a second has passed: the first one after an input
    /// of the client.
    var mayReportEarly = true
  }

  /// Replaces the tiles of a random client.
  mutating func choose(_ engine: inout Engine) {
    guard tiling.oneIn(6), !clients.isEmpty else { return }
    let index = tiling.number(0...clients.count - 1)
    nextTiles += 1
    // Drawn by generators of their own, so that other random choices do not change.
    swap(&random, &tiling)
    var tiles = Tiles(id: nextTiles, queries: [])
    for _ in 0..<random.pick([0, 1, 2, 4]) {
      let query = randomQuery()
      tiles.queries.append((query.aggregates.first { !$0.function.needsOrder }, query.filter))
    }
    swap(&random, &tiling)
    clients[index].tiles = tiles.queries.isEmpty ? nil : tiles
    let requests = tiles.queries.map { query in
      RequestedTile.tile(
        TileRequest(
          query.aggregate.map { AggregateRequest($0.function, of: schema.columns[$0.column].name) },
          filter: query.filter.map(named)))
    }
    engine.handle(.tiles(clients[index].id, id: tiles.id, requests), at: clock.now)
  }

  /// Compares a report with the rows of the table.
  mutating func judge(_ reports: TileReports, _ id: SessionID) throws {
    guard let index = clients.firstIndex(where: { $0.id == id }), let tiles = clients[index].tiles,
      tiles.id == reports.id
    else { throw failure("client \(id.rawValue) receives tiles that it has not requested last") }
    guard !clients[index].isHidden else { throw failure("a hidden page receives tiles") }
    guard clients[index].pause == nil || tiles.lastSent == nil else { throw failure("a paused page receives tiles") }
    if let sent = tiles.lastSent, !tiles.mayReportEarly, !hasClockGoneBack,
      sent.duration(to: clock.now) < .seconds(1)
    {
      throw failure("client \(id.rawValue) receives tiles twice in a second")
    }
    guard reports.tiles.count == tiles.queries.count else { throw failure("a report lacks tiles") }
    for (query, outcome) in zip(tiles.queries, reports.tiles) {
      guard case .value(let report) = outcome else {
        guard outcome == .pending else { throw failure("the tile \(query) is \(outcome)") }
        continue
      }
      try judge(report, query.aggregate, query.filter)
      coverage.tiles += 1
    }
    clients[index].tiles?.lastSent = clock.now
    clients[index].tiles?.mayReportEarly = reports.tiles.contains(.pending)
  }

  private func judge(_ report: TileReport, _ aggregate: Aggregate?, _ filter: Filter<Int>?) throws {
    var query = Query(filter: filter)
    if let aggregate { query.aggregates = [aggregate] }
    let wanted = plain.totals(query).first ?? .integer(Int64(plain.count(query)))
    guard report.value == wanted else {
      throw failure("a tile of \(query) is \(report.value), and the rows make \(wanted)")
    }
    guard report.before != nil else {
      guard report.course.isEmpty else { throw failure("a constant tile has a course") }
      return
    }
    guard (0...60).contains(report.seconds), report.course.count == report.seconds / 3 + 2 else {
      throw failure("a course of \(report.seconds) s has \(report.course.count) points")
    }
  }
}
