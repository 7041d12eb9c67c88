/// The requests of all exports to one windowed source.
///
/// One request is in flight for all exports, which take turns. It is sent only while sessions use
/// fewer requests than the source accepts, and cancelled when they need its place. A source without
/// cancellation then has one request more than its limit.
final class WindowedExports {
  private struct Flight {
    var request: BlockRequestID
    /// The export that waits for the answer, or `nil` if it has ended.
    var export: WindowedExport?
    var since: Instant
  }

  private let id: TableID
  private let table: Table
  private let capabilities: WindowedCapabilities
  /// The exports in the order of their turns.
  private var all: [WindowedExport] = []
  private var flight: Flight?
  private(set) var nextRequest: UInt64
  /// The requests to cancel at the source.
  private var dismissed: [BlockRequestID] = []
  /// The caller's clock when last read, and a monotonic clock derived from it.
  private var seen: Instant?
  private var time = Instant.zero

  init(_ table: Table, id: TableID, capabilities: WindowedCapabilities, firstRequest: UInt64) {
    (self.table, self.id, self.capabilities) = (table, id, capabilities)
    nextRequest = firstRequest
  }

  func begin(_ number: UInt64, _ query: Query, _ wall: WallTime) -> WindowedExport {
    let export = WindowedExport(number, query, of: table, capabilities: capabilities, wall: wall)
    all.append(export)
    return export
  }

  func end(_ number: UInt64) {
    all.removeAll { $0.number == number }
    guard let flight, flight.export?.number == number else { return }
    if capabilities.cancels {
      dismissed.append(flight.request)
      self.flight = nil
    } else {
      // A source without cancellation continues, so the request keeps its place.
      self.flight?.export = nil
    }
  }

  /// Returns whether the export can send a request once the source has room.
  func needsRows(_ number: UInt64) -> Bool {
    flight == nil && all.contains { $0.number == number && $0.wantedRows != nil }
  }

  // MARK: The source

  /// Passes rows from the source to the export that waits for them.
  func take(_ request: BlockRequestID, _ block: RowBlock, at now: Instant) {
    finish(request, at: now) { $0.take(block)?.reason }
  }

  /// Records that the source failed to answer, or gave an answer of the wrong kind.
  func fail(_ request: BlockRequestID, _ reason: String, at now: Instant) { finish(request, at: now) { _ in reason } }

  /// Handles an answer; an answer to a cancelled request is ignored because its rows are requested
  /// again.
  private func finish(_ request: BlockRequestID, at now: Instant, _ take: (WindowedExport) -> String?) {
    follow(now)
    guard let flight, flight.request == request else { return }
    self.flight = nil
    guard let export = flight.export, let fault = take(export) else { return }
    export.fail(fault, requestedAt: flight.since, at: time)
  }

  // MARK: Time

  /// Cancels the request in flight if sessions use all of the source's requests.
  func makeRoom(besides count: Int, of bound: Int, outputs: inout [Output]) {
    if let flight, capabilities.cancels, count >= bound {
      dismissed.append(flight.request)
      self.flight = nil
    }
    guard !dismissed.isEmpty else { return }
    outputs.append(.cancelBlocks(id, dismissed))
    dismissed = []
  }

  /// Requests the next block of the export whose turn it is, if sessions leave room for it.
  func ask(besides count: Int, of bound: Int, at now: Instant, outputs: inout [Output]) {
    follow(now)
    if let flight, overdue(flight) <= time {
      self.flight = nil
      if capabilities.cancels { outputs.append(.cancelBlocks(id, [flight.request])) }
      flight.export?.fail("no answer within \(table.schema.prefetch.patience)", requestedAt: flight.since, at: time)
    }
    guard flight == nil, count < bound, let index = all.firstIndex(where: { isDue($0) }),
      let wanted = all[index].wantedRows
    else { return }
    let request = BlockRequestID(rawValue: nextRequest)
    nextRequest += 1
    let export = all.remove(at: index)
    all.append(export)
    flight = Flight(request: request, export: export, since: time)
    outputs.append(.ask(id, [BlockRequest(id: request, query: wanted.query, section: [], what: wanted.what)]))
  }

  private func isDue(_ export: WindowedExport) -> Bool {
    export.wantedRows != nil && export.retryAt.map { $0 <= time } ?? true
  }

  private func overdue(_ flight: Flight) -> Instant { flight.since.advanced(by: table.schema.prefetch.patience) }

  /// The time at which the next request is due.
  ///
  /// It is `nil` if the exports wait only for room, an answer or its reader.
  func deadline(besides count: Int, of bound: Int) -> Instant? {
    if !dismissed.isEmpty { return .zero }
    guard let flight else {
      guard count < bound else { return nil }
      let waiting = all.filter { $0.wantedRows != nil }
      return waiting.contains(where: isDue) ? .zero : waiting.compactMap(\.retryAt).min().map(outside)
    }
    return outside(overdue(flight))
  }

  /// Converts a time of the monotonic clock to the caller's clock.
  private func outside(_ moment: Instant) -> Instant {
    (seen ?? .zero).advanced(by: max(.zero, time.duration(to: moment)))
  }

  /// Advances the monotonic clock by the progress of the caller's clock; it stands still if that
  /// one goes back.
  private func follow(_ now: Instant) {
    if let seen, now > seen { time = time.advanced(by: seen.duration(to: now)) }
    seen = now
  }
}
