import ListTesting
import Testing

@testable import ListEngine

/// Design.md 4.6: the scroll anchor.
///
/// Positions are the client's own, corrected by the shifts it receives.
@Suite struct ScrollAnchorTests {
  /// Opens a session on rows sorted by value, with the viewport at `first`.
  private func reading(_ first: Int, rows: Int = 100, query: QueryRequest? = nil) throws -> (Harness, () -> Int) {
    let harness = try Harness(rows: rows)
    harness.open(query: query ?? QueryRequest(sort: [("value", false)]), first: first)
    try harness.settle()
    let start = harness.deliveries.count
    return (harness, { first + harness.deliveries[start...].reduce(0) { $0 + $1.delivery.shift } })
  }

  /// Returns the value of the row that the client shows at a position.
  private func value(at position: Int, _ harness: Harness) -> Int64? {
    let replica = harness.replica()
    guard replica.items.indices.contains(position - replica.start),
      case .row(_, _, let cells) = replica.items[position - replica.start], case .integer(let value) = cells[0]
    else { return nil }
    return value
  }

  @Test func `insertions above do not move the visible rows`() throws {
    let (harness, first) = try reading(50)
    harness.change { changes in for key in 200..<203 { changes.upsert(key, value: 1) } }
    try harness.settle(by: .seconds(1))
    #expect(first() == 53)
    #expect(value(at: first(), harness) == 500)
    #expect(harness.replica().start == 48)
  }

  @Test func `deletions above do not move the visible rows`() throws {
    let (harness, first) = try reading(50)
    harness.change { changes in for key in 10..<17 { changes.delete(key) } }
    try harness.settle(by: .seconds(1))
    #expect(first() == 43)
    #expect(value(at: first(), harness) == 500)
  }

  @Test func `moves from above to below do not move the visible rows`() throws {
    let (harness, first) = try reading(50)
    harness.change { changes in for key in 10..<14 { changes.update(key, value: 5000) } }
    try harness.settle(by: .seconds(1))
    #expect(first() == 46)
    #expect(value(at: first(), harness) == 500)
  }

  @Test func `insertions and deletions below cause no shift`() throws {
    let (harness, first) = try reading(20)
    harness.change { changes in
      for key in 200..<210 { changes.upsert(key, value: 5000) }
      changes.delete(90)
    }
    try harness.settle(by: .seconds(1))
    #expect(first() == 20)
    #expect(harness.replica().start == 15)
  }

  @Test func `the next row keeps its place when the anchor's value changes`() throws {
    let (harness, first) = try reading(50)
    harness.scroll(first: 50, anchor: harness.row(500))
    harness.change { changes in
      changes.update(50, value: 9000)
      for key in 200..<203 { changes.upsert(key, value: 1) }
    }
    try harness.settle(by: .seconds(1))
    // Three rows came above and the anchor went: the next row, one below it, keeps its place on the
    // screen.
    #expect(first() == 52)
    #expect(value(at: first() + 1, harness) == 510)
  }

  @Test func `the next row keeps its place when the anchor is deleted`() throws {
    let (harness, first) = try reading(50)
    harness.scroll(first: 50, anchor: harness.row(500))
    harness.change { changes in
      changes.delete(50)
      for key in 200..<203 { changes.upsert(key, value: 1) }
    }
    try harness.settle(by: .seconds(1))
    #expect(first() == 52)
    #expect(value(at: first() + 1, harness) == 510)
  }

  @Test func `the anchor named by the client keeps its place`() throws {
    let (harness, first) = try reading(50)
    harness.scroll(first: 50, anchor: harness.row(550))
    // A row appears between the first row and the anchor: the anchor stays, the first row moves up.
    harness.change { $0.upsert(200, value: 525) }
    try harness.settle(by: .seconds(1))
    #expect(first() == 51)
    #expect(value(at: first() + 5, harness) == 550)
  }

  @Test func `the next row keeps its place when the source moves the anchor`() throws {
    let (harness, first) = try reading(50, query: QueryRequest())
    harness.change { $0.set.move(.integer(50), before: .integer(10)) }
    try harness.settle(by: .seconds(1))
    // The row moved up past ten rows; those below it stay in place.
    #expect(first() == 50)
    #expect(value(at: first() + 1, harness) == 510)
  }

  @Test func `the next row keeps its place when the anchor changes section`() throws {
    let (harness, first) = try reading(50, query: QueryRequest(sort: [("value", false)], group: ["group"]))
    harness.change { $0.set.update(.integer(49), [nil, nil, .text("another, above")]) }
    try harness.settle(by: .seconds(1))
    // Its header appeared above as well: the row below it stays in place.
    #expect(first() == 51)
    #expect(value(at: first() + 1, harness) == 500)
  }

  @Test func `a row that was moved once works as an anchor`() throws {
    let (harness, _) = try reading(0, query: QueryRequest())
    harness.change { $0.set.move(.integer(8), before: .integer(5)) }
    try harness.settle(by: .seconds(1))
    harness.scroll(first: 0, anchor: harness.row(80))
    try harness.settle()
    harness.change { changes in
      changes.upsert(200, value: 1)
      changes.set.move(.integer(200), before: .integer(3))
    }
    #expect(try harness.advance(by: .seconds(1)).map(\.shift) == [1])
  }

  @Test func `the anchor is held when insertions relabel the table`() throws {
    let (harness, first) = try reading(50, query: QueryRequest())
    harness.change { changes in
      for key in 200..<240 {
        changes.upsert(key, value: 1)
        changes.set.move(.integer(Int64(key)), before: .integer(10))
      }
    }
    try harness.settle(by: .seconds(1))
    #expect(first() == 90)
    #expect(value(at: first(), harness) == 500)
  }

  @Test func `a row of the buffer above is not the anchor`() throws {
    let (harness, first) = try reading(50)
    // Between the buffer's first row and the viewport.
    harness.change { $0.upsert(200, value: 475) }
    try harness.settle(by: .seconds(1))
    #expect(first() == 51)
    #expect(value(at: first(), harness) == 500)
  }

  @Test func `the position stays when all rows of the window move away`() throws {
    let (harness, first) = try reading(50)
    harness.change { changes in
      for key in 45..<65 { changes.update(key, value: 3 * key) }
    }
    try harness.settle(by: .seconds(1))
    #expect(first() == 50)
  }

  @Test func `a viewport that sticks to the top stays there`() throws {
    let harness = try Harness(rows: 100)
    harness.open(query: QueryRequest(sort: [("value", false)]), stick: .top)
    try harness.settle()
    harness.change { changes in for key in 200..<203 { changes.upsert(key, value: -1) } }
    let sent = try harness.advance(by: .seconds(1))
    #expect(sent.map(\.shift) == [0])
    #expect(Array(harness.values().prefix(3)) == [-1, -1, -1])
  }

  @Test func `a viewport at the top without stick keeps its first row`() throws {
    let (harness, first) = try reading(0)
    harness.change { changes in for key in 200..<203 { changes.upsert(key, value: -1) } }
    try harness.settle(by: .seconds(1))
    #expect(first() == 3)
    #expect(value(at: first(), harness) == 0)
  }

  @Test func `a viewport that sticks to the end follows new rows`() throws {
    let harness = try Harness(rows: 100)
    harness.open(first: 90, stick: .end)
    try harness.settle()
    harness.change { changes in for key in 200..<205 { changes.upsert(key, value: key) } }
    let sent = try harness.advance(by: .seconds(1))
    #expect(sent.map(\.shift) == [5])
    #expect(harness.values().last == 204)
  }

  @Test func `a scroll that crosses a patch is corrected by its shift`() throws {
    let (harness, _) = try reading(50)
    let held = harness.replica()
    harness.change { changes in for key in 200..<203 { changes.upsert(key, value: 1) } }
    #expect(try harness.advance(by: .seconds(1)).map(\.shift) == [3])
    // The client has not applied the shift when it scrolls to 60. By the new count this is 63.
    harness.engine.handle(
      .viewport(
        SessionID(rawValue: 1), Viewport(first: 60, count: 10, ahead: 5, behind: 5, stick: nil, sequence: held.sequence)
      ),
      at: harness.clock.now)
    harness.acknowledge()
    try harness.settle()
    #expect(harness.replica().start == 58)
    #expect(value(at: 63, harness) == 600)
  }

  @Test func `a second scroll that crosses a patch is corrected in full`() throws {
    let harness = try Harness(rows: 40)
    let id = harness.open(first: 6)
    try harness.settle()
    harness.change { changes in for key in 0..<4 { changes.delete(key) } }
    let patch = try #require(try harness.advance(by: .seconds(1)).first)
    #expect(patch.shift == -4)
    // First to the top, where no shift is left, then to 12, which is 8 after the client has applied
    // the patch.
    for first in [0, 12] {
      harness.engine.handle(
        .viewport(id, Viewport(first: first, count: 10, ahead: 5, behind: 5, stick: nil, sequence: patch.sequence - 1)),
        at: harness.clock.now)
    }
    harness.acknowledge()
    #expect(try harness.advance().map(\.shift) == [0])
    #expect(harness.replica().start == 3)
  }

  @Test func `a scroll from an unacknowledged patch is not corrected`() throws {
    let (harness, _) = try reading(50)
    harness.change { changes in for key in 200..<203 { changes.upsert(key, value: 1) } }
    #expect(try harness.advance(by: .seconds(1)).map(\.shift) == [3])
    // The client has applied the patch and counts from there; only its acknowledgement is still on
    // its way.
    harness.scroll(first: 60)
    harness.acknowledge()
    try harness.settle()
    #expect(harness.replica().start == 55)
  }

  @Test func `a window that replaces a rejected patch includes its shift`() throws {
    let (harness, _) = try reading(50)
    let id = SessionID(rawValue: 1)
    harness.change { changes in for key in 200..<203 { changes.upsert(key, value: 1) } }
    let refused = try #require(try harness.advance(by: .seconds(1)).first)
    #expect(refused.shift == 3)
    harness.change { $0.upsert(300, value: 1) }
    harness.engine.handle(.writable(id), at: harness.clock.now)
    harness.engine.handle(.resync(id, sequence: refused.sequence), at: harness.clock.now)
    let window = try #require(try harness.advance().first)
    #expect(window.patch.base == nil)
    #expect(window.shift == 4)
  }

  /// Found by seed 2071 of the simulation: the engine stopped at the top, but reported the full
  /// shift.
  @Test func `a scroll to the top cancels the shift of a rejected patch`() throws {
    let harness = try Harness(rows: 20)
    let id = harness.open(first: 6)
    try harness.settle()
    harness.change { changes in for key in 0..<4 { changes.delete(key) } }
    let refused = try #require(try harness.advance(by: .seconds(1)).first)
    #expect(refused.shift == -4)
    // The client has not seen the patch. It goes to the top, sticks to the end, and then refuses
    // the patch.
    harness.engine.handle(
      .viewport(id, Viewport(first: 0, count: 10, ahead: 5, behind: 5, stick: .end, sequence: refused.sequence - 1)),
      at: harness.clock.now)
    harness.engine.handle(.writable(id), at: harness.clock.now)
    harness.engine.handle(.resync(id, sequence: refused.sequence), at: harness.clock.now)
    let window = try #require(try harness.advance().first)
    #expect(window.patch.base == nil)
    // From 0, where the client is, to the last ten of sixteen items.
    #expect(window.shift == 6)
  }

  @Test func `a scroll that sticks to the end is shifted to the end`() throws {
    let harness = try Harness(rows: 20)
    harness.open(first: 3, buffer: 50)
    try harness.settle()
    harness.scroll(first: 8, buffer: 50, stick: .end)
    let sent = try harness.advance()
    #expect(sent.map(\.shift) == [2])
  }

  @Test func `rows of the earlier query do not shift a new one`() throws {
    let (harness, _) = try reading(50)
    harness.engine.handle(
      .query(
        SessionID(rawValue: 1), request: 2, query: QueryRequest(sort: [("value", true)]),
        viewport: Viewport(first: 40, count: 10, ahead: 5, behind: 5, stick: nil)), at: harness.clock.now)
    let window = try #require(try harness.advance().first)
    #expect(window.shift == 0)
    #expect(window.patch.result.start == 35)
  }

  @Test func `a scroll in the old list does not move the new one`() throws {
    let (harness, _) = try reading(50)
    harness.engine.handle(
      .query(SessionID(rawValue: 1), request: 2, query: QueryRequest(sort: [("value", true)]), viewport: nil),
      at: harness.clock.now)
    harness.scroll(first: 70)
    let window = try #require(try harness.advance().first)
    #expect(window.patch.result.start == 0)
  }

  @Test func `the shift of a rejected patch does not affect the next query`() throws {
    let (harness, _) = try reading(50)
    let id = SessionID(rawValue: 1)
    harness.change { changes in for key in 200..<203 { changes.upsert(key, value: 1) } }
    let refused = try #require(try harness.advance(by: .seconds(1)).first)
    #expect(refused.shift == 3)
    harness.engine.handle(
      .query(
        id, request: 2, query: QueryRequest(), viewport: Viewport(first: 20, count: 10, ahead: 5, behind: 5, stick: nil)
      ),
      at: harness.clock.now)
    harness.engine.handle(.writable(id), at: harness.clock.now)
    harness.engine.handle(.resync(id, sequence: refused.sequence), at: harness.clock.now)
    let window = try #require(try harness.advance().first)
    #expect(window.shift == 0)
    #expect(window.patch.result.start == 15)
  }

  @Test func `a resync while the view is rebuilt keeps the position`() throws {
    var limits = Limits()
    limits.stepRows = 400
    let harness = try Harness(limits: limits, rows: 3000)
    let id = harness.open(first: 500)
    for _ in 0..<1000 where harness.engine.deadline != nil { try harness.settle() }
    func insertAbove(_ keys: Range<Int>) {
      harness.change { changes in
        for key in keys {
          changes.upsert(key, value: 1)
          changes.set.move(.integer(Int64(key)), before: .integer(10))
        }
      }
    }
    insertAbove(5000..<5001)
    let refused = try #require(try harness.advance(by: .seconds(1)).first)
    #expect(refused.shift == 1)
    // So many insertions in one place that the table reassigns its labels.
    insertAbove(6000..<6040)
    harness.engine.handle(.writable(id), at: harness.clock.now)
    harness.engine.handle(.resync(id, sequence: refused.sequence), at: harness.clock.now)
    var window: Delivery?
    for _ in 0..<1000 where window == nil { window = try harness.advance().first }
    #expect(window?.patch.base == nil)
    #expect(window?.shift == 41)
    #expect(value(at: 541, harness) == 5000)
  }

  @Test func `new headers above do not move the visible rows`() throws {
    let query = QueryRequest(sort: [("value", false)], group: ["group"])
    let (harness, first) = try reading(50, query: query)
    let before = value(at: 50, harness)
    harness.change { changes in
      for key in 200..<205 { changes.upsert(key, value: 1, group: "a new one, above") }
    }
    try harness.settle(by: .seconds(1))
    #expect(first() == 56)
    #expect(before != nil)
    #expect(value(at: first(), harness) == before)
  }

  /// Opens a session on sections of ten rows, “a” to “j”, with `count` visible items from `first`
  /// on.
  private func readingSections(_ first: Int, _ collapsed: String...) throws -> Harness {
    let harness = try Harness()
    harness.change { changes in
      for row in 0..<100 {
        changes.upsert(row, value: row * 10, group: String("abcdefghij".dropFirst(row / 10).prefix(1)))
      }
    }
    var query = QueryRequest(group: ["group"])
    query.collapsed = collapsed.map { [.text($0)] }
    harness.open(query: query, first: first, count: 5, buffer: 40)
    try harness.settle()
    return harness
  }

  private func collapse(_ letter: String, _ harness: Harness, _ isCollapsed: Bool = true) throws -> Int {
    let id = SessionID(rawValue: 1)
    harness.engine.handle(.collapse(id, .path([.text(letter)]), isCollapsed: isCollapsed), at: harness.clock.now)
    let deliveries = try harness.advance()
    #expect(deliveries.count == 1)
    return deliveries.first?.shift ?? 0
  }

  @Test func `collapsing and expanding above does not move visible rows`() throws {
    // “c” begins at position 22; its rows are 23 to 32.
    let harness = try readingSections(25)
    harness.scroll(first: 25, count: 5, buffer: 40, anchor: harness.row(220))
    try harness.settle()
    #expect(try collapse("a", harness) == -10)
    harness.acknowledge()
    #expect(try collapse("b", harness) == -10)
    harness.acknowledge()
    #expect(try collapse("a", harness, false) == 10)
    harness.acknowledge()
    #expect(value(at: 15, harness) == 220)
  }

  @Test func `collapsing and expanding below causes no shift`() throws {
    let harness = try readingSections(25)
    #expect(try collapse("d", harness) == 0)
    harness.acknowledge()
    #expect(try collapse("d", harness, false) == 0)
  }

  @Test func `the header replaces an anchor row that is collapsed`() throws {
    // The header is above the viewport: it moves to the viewport's top.
    let above = try readingSections(25)
    above.scroll(first: 25, count: 5, buffer: 40, anchor: above.row(220))
    #expect(try collapse("c", above) == -3)
    // The header is visible: it stays in place.
    let visible = try readingSections(21)
    visible.scroll(first: 21, count: 5, buffer: 40, anchor: visible.row(210))
    #expect(try collapse("c", visible) == 0)
    // Both cases, with another section above collapsed at the same time.
    let both = try readingSections(25)
    both.scroll(first: 25, count: 5, buffer: 40, anchor: both.row(220))
    let id = SessionID(rawValue: 1)
    both.engine.handle(.collapse(id, .path([.text("a")]), isCollapsed: true), at: both.clock.now)
    #expect(try collapse("c", both) == -13)
  }

  @Test func `the first visible header keeps its place without an anchor`() throws {
    let harness = try readingSections(2, "a", "b", "c", "d", "e")
    // Only headers are visible: expanding the second keeps the first in place; expanding one above
    // moves nothing.
    #expect(try collapse("d", harness, false) == 0)
    harness.acknowledge()
    #expect(try collapse("a", harness, false) == 10)
  }

  @Test func `the larger buffer swaps sides with the direction of travel`() throws {
    var scrollAnchor = ScrollAnchor()
    let limits = Limits()
    func go(_ first: Int) {
      let viewport = Viewport(first: first, count: 40, stick: nil)
      scrollAnchor.resize(viewport, limits: limits)
      scrollAnchor.go(to: viewport, shift: 0)
    }
    go(500)
    #expect(scrollAnchor.window(of: 10_000) == 490..<570)
    go(480)
    #expect(scrollAnchor.window(of: 10_000) == 450..<530)
    go(480)  // no scrolling, no change of direction
    #expect(scrollAnchor.window(of: 10_000) == 450..<530)
    go(10)
    #expect(scrollAnchor.window(of: 10_000) == 0..<60)
    #expect(scrollAnchor.window(of: 30) == 0..<30)
    #expect(scrollAnchor.window(of: 0) == 0..<0)
  }

  @Test func `limits a requested window to 3000 items from the top`() throws {
    var scrollAnchor = ScrollAnchor()
    let viewport = Viewport(first: -5, count: 1_000_000, ahead: 1_000_000, behind: 1_000_000, stick: nil)
    scrollAnchor.resize(viewport, limits: Limits())
    scrollAnchor.go(to: viewport, shift: 0)
    #expect(scrollAnchor.first == 0)
    #expect(scrollAnchor.window(of: 10_000_000).count == 3000)
  }
}
