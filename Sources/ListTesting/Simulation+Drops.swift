import ListEngine

/// Connections that drop, and pages that come back on another one with what they hold.
extension Simulation {
  mutating func drop(_ engine: inout Engine) {
    guard let index = anyPage() else { return }
    let old = pages[index]
    // Sometimes the server has not noticed yet.
    if !random.oneIn(4) { engine.handle(.close(old.id), at: clock.now) }
    var page = Page(id: newPageID(), viewport: old.viewport)
    (page.replica, page.query, page.collapsed, page.request) = (old.replica, old.query, old.collapsed, old.request + 1)
    (page.isCurrent, page.awaitsWindow) = (old.isCurrent, old.awaitsWindow)
    (page.moved, page.placed) = (old.moved, old.placed)
    // Since when rows were moved, only the patch that was lost would have told.
    page.isReordered = old.isReordered || !old.coming.isEmpty
    page.isResuming = true
    page.viewport.sequence = 0
    let point = ResumePoint(
      session: old.id, sequence: random.oneIn(8) ? UInt64(random.number(0...5)) : old.replica.sequence,
      anchorOffset: random.pick([nil, 0, 2]))
    if let offset = point.anchorOffset { page.sought = sought(page, offset) }
    // Another number than the true one is a lie: the page will notice.
    if point.sequence != old.replica.sequence { (page.isCurrent, page.awaitsWindow) = (false, true) }
    engine.handle(
      .open(
        page.id, table: "numbers", request: page.request, query: request(page), viewport: page.viewport, interval: nil,
        resume: point), at: clock.now)
    pages[index] = page
  }

  /// What a page that comes back names to be placed by, if it gets a window.
  private func sought(_ page: Page, _ offset: Int) -> Sought {
    guard page.viewport.stick == nil, let anchor = page.viewport.anchor else { return .nothing }
    for case .row(let id, _, let cells) in page.replica.items where id == anchor {
      return .row(cells[Self.keyColumn], offset: offset)
    }
    return .unknown
  }

  /// The row by which a page that came back wants to find its place, and how far below the first visible item that is.
  enum Sought {
    case nothing
    case row(Cell, offset: Int)
    /// One that it has seen once, and does not hold.
    case unknown

    /// The reader goes on before the answer has come.
    mutating func scroll(by distance: Int) {
      if case .row(let key, let offset) = self { self = .row(key, offset: offset - distance) }
    }
  }
}
