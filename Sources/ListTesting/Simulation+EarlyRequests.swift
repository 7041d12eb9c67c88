import ListEngine

/// Clients with invalid queries, and clients that scroll before they acknowledge. They use a
/// separate generator, so that other random choices do not change.
extension Simulation {
  /// Sends an invalid query. The engine refuses it and ends a pause or hold; everything else is
  /// unaffected.
  mutating func sendInvalidQuery(_ engine: inout Engine) {
    guard earlyRequests.oneIn(12), let index = clients.indices.randomElement(using: &earlyRequests) else { return }
    var wrong = request(clients[index])
    switch earlyRequests.number(1...5) {
    case 1: wrong = QueryRequest(sort: [("nothing", false)])
    case 2: wrong.group.append("nothing")
    case 3: wrong.filter = .all([.compare("nothing", .equal, .integer(1))])
    case 4: wrong.search = String(repeating: "x", count: 1_001)
    default: wrong.fault = QueryFault(.unreadableMessage("no query"))
    }
    refusalsToCome[clients[index].id, default: []].append(clients[index].request)
    clients[index].pause = nil
    clients[index].tiles?.mayReportEarly = true
    allowEarlyFacets(index)
    (clients[index].mayHold, clients[index].heldAt) = (false, nil)
    engine.handle(
      .query(clients[index].id, request: Self.invalidRequest, query: wrong, viewport: Viewport(first: 7, count: 3)),
      at: clock.now)
  }

  private static let invalidRequest: UInt64 = 1 << 40

  mutating func judge(_ refusal: Refusal, of id: SessionID) throws {
    guard refusal.request == Self.invalidRequest, var expected = refusalsToCome[id], !expected.isEmpty else {
      throw failure("client \(id.rawValue) is refused: \(refusal)")
    }
    let shown = expected.removeFirst()
    refusalsToCome[id] = expected
    guard refusal.shown == shown else {
      throw failure("client \(id.rawValue) receives a refusal that names \(refusal.shown as Any), not \(shown)")
    }
    coverage.refusals += 1
  }

  /// Scrolls after the client has applied the answer to its query, but before the acknowledgement.
  mutating func scrollEarly(_ engine: inout Engine, _ index: Int) {
    guard clients[index].isCurrent, earlyRequests.oneIn(3) else { return }
    let client = clients[index]
    var viewport = client.viewport
    viewport.first = max(
      0, earlyRequests.oneIn(2) ? earlyRequests.number(0...keys) : viewport.first + earlyRequests.number(-15...15))
    viewport.stick = nil
    viewport.anchor = nil
    viewport.sequence = client.replica.sequence
    clients[index].sought.scroll(by: viewport.first - client.viewport.first)
    clients[index].viewport = viewport
    clients[index].heldAt = nil
    coverage.earlyScrolls += 1
    engine.handle(.viewport(client.id, viewport), at: clock.now)
  }

  /// Scrolls in the old rows while the client waits for its query's window. The engine must only
  /// use the viewport's size.
  mutating func scrollWhileWaiting(_ engine: inout Engine) {
    guard earlyRequests.oneIn(6), let client = clients.filter(\.isAwaitingAnswer).randomElement(using: &earlyRequests)
    else { return }
    var viewport = client.viewport
    (viewport.first, viewport.stick, viewport.anchor) = (earlyRequests.number(0...keys), nil, nil)
    viewport.sequence = client.replica.sequence
    engine.handle(.viewport(client.id, viewport), at: clock.now)
  }
}
