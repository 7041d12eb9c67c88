/// What is asked of a windowed source for those who take its table away.
///
/// One request is in flight for all of them, in turn, and only while pages have fewer in flight than the source takes at once: it is asked
/// after theirs, and called back when they need its place. A source that cannot be called back has one request more than it takes, then.
final class WindowedExports {
  private struct Flight {
    var request: PageRequestID
    /// `nil` when nobody waits for it any more.
    var export: WindowedExport?
    var since: Instant
  }

  private let id: TableID
  private let table: Table
  private let capabilities: WindowedCapabilities
  /// Whose turn it is comes first.
  private var all: [WindowedExport] = []
  private var flight: Flight?
  private(set) var nextRequest: UInt64
  /// What nobody waits for any more, and the source is still to be told so.
  private var dismissed: [PageRequestID] = []
  /// The outside's clock when it was last seen, and ours, which never goes back.
  private var seen: Instant?
  private var time = Instant.zero

  init(_ table: Table, id: TableID, capabilities: WindowedCapabilities, firstRequest: UInt64) {
    (self.table, self.id, self.capabilities) = (table, id, capabilities)
    nextRequest = firstRequest
  }

  func begin(_ number: UInt64, _ query: Query) -> WindowedExport {
    let export = WindowedExport(number, query, of: table, capabilities: capabilities)
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
      // It goes on all the same, and keeps the place.
      self.flight?.export = nil
    }
  }

  /// Whether the source may be asked for more of it as soon as it has room.
  func isHungry(_ number: UInt64) -> Bool {
    flight == nil && all.contains { $0.number == number && $0.wish != nil }
  }

  // MARK: The source

  /// The source gave rows.
  func take(_ request: PageRequestID, _ page: RowPage, at now: Instant) {
    finish(request, at: now) { $0.take(page)?.reason }
  }

  /// The source could not answer, or answered something else.
  func fail(_ request: PageRequestID, _ reason: String, at now: Instant) { finish(request, at: now) { _ in reason } }

  /// What was called back may still be answered, and is asked for again all the same.
  private func finish(_ request: PageRequestID, at now: Instant, _ take: (WindowedExport) -> String?) {
    follow(now)
    guard let flight, flight.request == request else { return }
    self.flight = nil
    guard let export = flight.export, let fault = take(export) else { return }
    export.fail(fault, askedAt: flight.since, at: time)
  }

  // MARK: Time

  /// Calls back what is in flight when pages have as much in flight as the source takes at once.
  func makeRoom(besides count: Int, of bound: Int, outputs: inout [Output]) {
    if let flight, capabilities.cancels, count >= bound {
      dismissed.append(flight.request)
      self.flight = nil
    }
    guard !dismissed.isEmpty else { return }
    outputs.append(.cancelPages(id, dismissed))
    dismissed = []
  }

  /// Asks for the next page of the one whose turn it is, when pages leave room for it.
  func ask(besides count: Int, of bound: Int, at now: Instant, outputs: inout [Output]) {
    follow(now)
    if let flight, overdue(flight) <= time {
      self.flight = nil
      if capabilities.cancels { outputs.append(.cancelPages(id, [flight.request])) }
      flight.export?.fail("no answer within \(table.schema.prefetch.patience)", askedAt: flight.since, at: time)
    }
    guard flight == nil, count < bound, let index = all.firstIndex(where: { isDue($0) }), let wish = all[index].wish
    else { return }
    let request = PageRequestID(rawValue: nextRequest)
    nextRequest += 1
    let export = all.remove(at: index)
    all.append(export)
    flight = Flight(request: request, export: export, since: time)
    outputs.append(.ask(id, [PageRequest(id: request, query: wish.query, section: [], what: wish.what)]))
  }

  private func isDue(_ export: WindowedExport) -> Bool {
    export.wish != nil && export.retryAt.map { $0 <= time } ?? true
  }

  private func overdue(_ flight: Flight) -> Instant { flight.since.advanced(by: table.schema.prefetch.patience) }

  /// When to call ``ask(besides:of:at:outputs:)`` again; `nil` when nothing waits but for room, an answer or who reads.
  func deadline(besides count: Int, of bound: Int) -> Instant? {
    if !dismissed.isEmpty { return .zero }
    guard let flight else {
      guard count < bound else { return nil }
      let wishes = all.filter { $0.wish != nil }
      return wishes.contains(where: isDue) ? .zero : wishes.compactMap(\.retryAt).min().map(outside)
    }
    return outside(overdue(flight))
  }

  /// A moment of our clock by the outside's.
  private func outside(_ moment: Instant) -> Instant {
    (seen ?? .zero).advanced(by: max(.zero, time.duration(to: moment)))
  }

  /// Lets our clock run on with the outside's; when that one goes back, ours stands still.
  private func follow(_ now: Instant) {
    if let seen, now > seen { time = time.advanced(by: seen.duration(to: now)) }
    seen = now
  }
}
