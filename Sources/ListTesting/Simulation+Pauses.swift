import ListEngine

/// Pages that pause.
extension Simulation {
  /// What a page that pauses would see if it did not, as it was when the pause began.
  struct PausedView {
    /// The rows by their keys.
    var rows: [RowKey: [Cell]]
    /// What it was told last, and when.
    var told: Waiting
    var toldAt: Instant?
    /// Whether it has scrolled, or refused what it was sent: then it may lack rows, and get them.
    var hasScrolled = false
  }

  mutating func pause(_ engine: inout Engine) {
    guard let index = anyPage() else { return }
    (pages[index].mayHold, pages[index].heldAt) = (false, nil)
    guard pages[index].pause == nil else { return goOn(&engine, index) }
    // What it has said of its place before may be answered now.
    pages[index].pause = PausedView(
      rows: plain.shownRows(pages[index].query), told: Waiting(changed: 0, rows: plain.count(pages[index].query)),
      hasScrolled: !holdsSight(pages[index]))
    engine.handle(.pause(pages[index].id, isPaused: true), at: clock.now)
  }

  mutating func goOn(_ engine: inout Engine, _ index: Int) {
    pages[index].pause = nil
    engine.handle(.pause(pages[index].id, isPaused: false), at: clock.now)
  }

  /// Whether a page holds, with what is on its way to it, all that it sees.
  private func holdsSight(_ page: Page) -> Bool {
    guard page.isCurrent, !page.awaitsWindow, page.coming.isEmpty, page.viewport.stick == nil,
      page.viewport.sequence == page.replica.sequence
    else { return false }
    let total = page.replica.total
    let first = max(0, min(page.viewport.first, total - page.viewport.count))
    let sight = first..<min(first + page.viewport.count, total)
    return sight.isEmpty
      || (page.replica.start..<page.replica.start + page.replica.items.count).contains(sight)
  }

  /// A page that pauses gets nothing unless it has scrolled, and is told which rows are newer than the pause.
  mutating func judgePaused(_ delivery: Delivery, _ index: Int) throws {
    guard let pause = pages[index].pause else {
      guard delivery.newer.isEmpty else { throw failure("a page that does not pause is told what is newer") }
      return
    }
    // A whole window was asked for before the pause, or refused: nobody gets one without need.
    guard pause.hasScrolled || delivery.patch.base == nil || !pages[index].replica.absences.isEmpty else {
      throw failure("a page that pauses gets a patch")
    }
    guard isExact else { return }
    for (place, item) in delivery.patch.result.items.enumerated() {
      guard case .row(let row) = item, case .integer(let number) = row.cells[Self.keyColumn] else { continue }
      let isNewer = pause.rows[.integer(number)]?.prefix(Self.keyColumn + 1) != row.cells.prefix(Self.keyColumn + 1)
      guard !isNewer || delivery.newer.contains(place) else {
        throw failure("a page that pauses is not told that row \(number) is newer")
      }
    }
    coverage.looks += 1
  }

  /// A page is told how much waits: not too often, only news, and no less than is different.
  mutating func judge(_ waiting: Waiting, _ id: SessionID) throws {
    guard let index = pages.firstIndex(where: { $0.id == id }), let pause = pages[index].pause else {
      throw failure("a page that does not pause is told what waits")
    }
    guard !pages[index].isHidden else { throw failure("a hidden page is told what waits") }
    guard waiting != pause.told || pause.toldAt == nil else {
      throw failure("a page is told twice that \(waiting) wait")
    }
    // A clock that went back makes the time between them seem shorter than it is.
    if let last = pause.toldAt, last <= clock.now, !hasClockGoneBack {
      guard last.duration(to: clock.now) >= .seconds(1) else { throw failure("a page is told twice in a second") }
    }
    let query = pages[index].query
    guard waiting.rows == plain.count(query) else {
      throw failure("a page that pauses is told of \(waiting.rows) rows, not of \(plain.count(query))")
    }
    let now = plain.shownRows(query)
    let different = Set(now.keys).union(pause.rows.keys).count { now[$0] != pause.rows[$0] }
    guard waiting.changed >= different else {
      throw failure("a page is told that \(waiting.changed) rows wait, but \(different) are different")
    }
    pages[index].pause?.told = waiting
    pages[index].pause?.toldAt = clock.now
    coverage.waits += 1
  }
}
