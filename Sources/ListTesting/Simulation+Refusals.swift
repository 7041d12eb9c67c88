import ListEngine

/// Clients with invalid queries, and clients that scroll before they acknowledge. They use a
/// separate generator, so that other random choices do not change.
extension Simulation {
  /// Sends an invalid query. The engine refuses it and ends a pause or hold; everything else is
  /// unaffected.
  mutating func askInVain(_ engine: inout Engine) {
    guard haste.oneIn(12), let index = pages.indices.randomElement(using: &haste) else { return }
    var wrong = request(pages[index])
    switch haste.number(1...5) {
    case 1: wrong = QueryRequest(sort: [("nothing", false)])
    case 2: wrong.group.append("nothing")
    case 3: wrong.filter = .all([.compare("nothing", .equal, .integer(1))])
    case 4: wrong.search = String(repeating: "x", count: 1_001)
    default: wrong.fault = QueryFault(.unreadableMessage("no query"))
    }
    refusalsToCome[pages[index].id, default: []].append(pages[index].request)
    pages[index].pause = nil
    pages[index].tiles?.mayHurry = true
    hurryFacets(index)
    (pages[index].mayHold, pages[index].heldAt) = (false, nil)
    engine.handle(
      .query(pages[index].id, request: Self.vainRequest, query: wrong, viewport: Viewport(first: 7, count: 3)),
      at: clock.now)
  }

  private static let vainRequest: UInt64 = 1 << 40

  mutating func judge(_ refusal: Refusal, of id: SessionID) throws {
    guard refusal.request == Self.vainRequest, var expected = refusalsToCome[id], !expected.isEmpty else {
      throw failure("page \(id.rawValue) is refused: \(refusal)")
    }
    let shown = expected.removeFirst()
    refusalsToCome[id] = expected
    guard refusal.shown == shown else {
      throw failure("page \(id.rawValue) receives a refusal that names \(refusal.shown as Any), not \(shown)")
    }
    coverage.refusals += 1
  }

  /// Scrolls after the client has applied the answer to its query, but before the acknowledgement.
  mutating func scrollHastily(_ engine: inout Engine, _ index: Int) {
    guard pages[index].isCurrent, haste.oneIn(3) else { return }
    let page = pages[index]
    var viewport = page.viewport
    viewport.first = max(0, haste.oneIn(2) ? haste.number(0...keys) : viewport.first + haste.number(-15...15))
    viewport.stick = nil
    viewport.anchor = nil
    viewport.sequence = page.replica.sequence
    pages[index].sought.scroll(by: viewport.first - page.viewport.first)
    pages[index].viewport = viewport
    pages[index].heldAt = nil
    coverage.hastyScrolls += 1
    engine.handle(.viewport(page.id, viewport), at: clock.now)
  }

  /// Scrolls in the old rows while the client waits for its query's window. The engine must only
  /// use the viewport's size.
  mutating func scrollInVain(_ engine: inout Engine) {
    guard haste.oneIn(6), let page = pages.filter(\.isAsking).randomElement(using: &haste) else { return }
    var viewport = page.viewport
    (viewport.first, viewport.stick, viewport.anchor) = (haste.number(0...keys), nil, nil)
    viewport.sequence = page.replica.sequence
    engine.handle(.viewport(page.id, viewport), at: clock.now)
  }
}
