import ListEngine

/// Connections that drop, and clients that resume on another connection.
extension Simulation {
  mutating func drop(_ engine: inout Engine) {
    guard let index = anyPage() else { return }
    let old = pages[index]
    // In some cases the server has not noticed the lost connection.
    if !random.oneIn(4) { engine.handle(.close(old.id), at: clock.now) }
    var page = Page(id: newPageID(), viewport: old.viewport)
    (page.replica, page.query, page.collapsed, page.request) = (old.replica, old.query, old.collapsed, old.request + 1)
    (page.isCurrent, page.awaitsWindow) = (old.isCurrent, old.awaitsWindow)
    (page.moved, page.placed) = (old.moved, old.placed)
    // The lost patch would have listed the rows moved since then.
    page.isReordered = old.isReordered || !old.coming.isEmpty
    page.isResuming = true
    page.viewport.sequence = 0
    let point = ResumePoint(
      session: old.id, sequence: random.oneIn(8) ? UInt64(random.number(0...5)) : old.replica.sequence,
      anchorOffset: random.pick([nil, 0, 2]))
    if let offset = point.anchorOffset { page.sought = sought(page, offset) }
    // A wrong sequence number makes the engine send a whole window.
    if point.sequence != old.replica.sequence { (page.isCurrent, page.awaitsWindow) = (false, true) }
    engine.handle(
      .open(
        page.id, table: "numbers", request: page.request, query: request(page), viewport: page.viewport, interval: nil,
        resume: point), at: clock.now)
    pages[index] = page
  }

  /// Returns the row that a resuming client wants to be placed by.
  private func sought(_ page: Page, _ offset: Int) -> Sought {
    guard page.viewport.stick == nil, let anchor = page.viewport.anchor else { return .nothing }
    for case .row(let id, _, let cells) in page.replica.items where id == anchor {
      return .row(cells[Self.keyColumn], offset: offset)
    }
    return .unknown
  }

  /// The row that determines a resuming client's position, and its distance from the first visible
  /// item.
  enum Sought {
    case nothing
    case row(Cell, offset: Int)
    /// A row that the client no longer holds.
    case unknown

    /// The user scrolls before the answer arrives.
    mutating func scroll(by distance: Int) {
      if case .row(let key, let offset) = self { self = .row(key, offset: offset - distance) }
    }
  }
}
